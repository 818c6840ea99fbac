/* to_binary.c - SOURCE BINARY OPTIONS: builds the source for the first device and writes its binary. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what)
{
    fprintf(stderr, "to_binary: %s\n", what);
    return EXIT_FAILURE;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    const char *text = argc == 4 ? read_all(argv[1]) : NULL;
    FILE *out = argc == 4 ? fopen(argv[2], "wb") : NULL;
    unsigned char *binary;
    cl_platform_id platform;
    cl_device_id device;
    cl_program program;
    cl_context context;
    size_t bytes = 0;
    cl_int err;

    if (!text || !out)
        return fail("SOURCE BINARY OPTIONS");
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return fail("no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    program = err ? NULL : clCreateProgramWithSource(context, 1, &text, NULL, &err);
    if (err || clBuildProgram(program, 1, &device, argv[3], NULL, NULL))
        return fail("the source does not build");
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL))
        return fail("no binary");
    binary = malloc(bytes);
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ||
        fwrite(binary, 1, bytes, out) != bytes || fclose(out))
        return fail("the binary cannot be written");
    return EXIT_SUCCESS;
}
