/* ahead.c - builds programs for the device that the samples choose, so that PoCL's cache has them.
 *
 * usage: ahead FILE...
 *
 * Each process that builds a program reads all of PoCL's built-in functions first (0.8 s), for as long as it
 * has a context; each program takes 0.2 s more. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_BYTES (1 << 20)

static void build(const char *path, cl_context context, cl_device_id device)
{
    static char source[MOST_BYTES];
    const char *text = source;
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(source, 1, sizeof source, f) : 0;
    cl_program program;
    cl_int err;

    if (f)
        fclose(f);
    if (n == 0 || n == sizeof source)
        return;
    program = clCreateProgramWithSource(context, 1, &text, &n, &err);
    if (!program)
        return;
    clBuildProgram(program, 1, &device, "", NULL, NULL); /* a test that needs it says what is wrong with it */
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_int err;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return EXIT_FAILURE;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (!context)
        return EXIT_FAILURE;
    for (int i = 1; i < argc; i++)
        build(argv[i], context, device);
    clReleaseContext(context);
    return EXIT_SUCCESS;
}
