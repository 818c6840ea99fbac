/* build_time FILE.cl [OPTIONS] - how long clBuildProgram takes, in microseconds. Under run mode with
 * CLWEAVE_MANAGE_ALL=1 the call also waits for the models of the program's kernels, which are made beside the
 * vendor's build. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f))
        exit(2);
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? file_text(argv[1]) : "";
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_program program;
    cl_int err;
    double start;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    start = now_us();
    if (clBuildProgram(program, 1, &device, argc > 2 ? argv[2] : "", NULL, NULL))
        return 1;
    printf("%.0f\n", now_us() - start);
    clReleaseProgram(program);
    clReleaseContext(context);
    return 0;
}
