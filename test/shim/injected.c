/* injected.c - a program whose result shows which source and options the vendor got: injected [LAUNCHES].
 *
 * Prints the numbers that its kernel wrote, what CL_PROGRAM_SOURCE answers (its length), and, of a second
 * program made from the binary of the first, the same numbers. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 256 };

static const char *const source[] = {"kernel void number(global int *out) {\n",
                                     "    out[get_global_id(0)] = N + (int)get_global_id(0);\n}\n"};

static void check(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "injected: %s: %d\n", what, err);
        exit(1);
    }
}

/* The kernel's numbers, from `launches` launches; exits when they do not belong together. */
static int run(cl_context context, cl_command_queue queue, cl_program program, int launches)
{
    size_t global = ITEMS;
    int out[ITEMS];
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "number", &err);
    check(err, "clCreateKernel");
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    check(err, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    for (int i = 0; i < launches; i++)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "enqueue");
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    for (int i = 1; i < ITEMS; i++)
        if (out[i] != out[0] + i)
            exit(1);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    return out[0];
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    cl_platform_id platform;
    cl_device_id device;
    cl_int err, status;
    size_t bytes = 0;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 2, (const char **)(uintptr_t)source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    if ((err = clBuildProgram(program, 1, &device, "-DN=1", NULL, NULL)) != CL_SUCCESS) {
        printf("build: %d\n", err);
        return 2;
    }
    printf("%d\n", run(context, queue, program, launches));
    check(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes), "source");
    printf("source of %zu bytes\n", bytes);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), "size");
    unsigned char *binary = malloc(bytes);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "binary");
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes,
                                                 (const unsigned char **)(uintptr_t)&binary, &status, &err);
    check(err, "clCreateProgramWithBinary");
    check(clBuildProgram(again, 1, &device, "-DN=1", NULL, NULL), "clBuildProgram");
    printf("%d from a binary\n", run(context, queue, again, launches));
    free(binary);
    clReleaseProgram(again);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
