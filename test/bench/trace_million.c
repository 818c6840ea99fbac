/* trace_million.c - trace_million [COMMANDS]: enqueues that many small kernels, to make a long trace.
 *
 * A wide graph like real ones: 64 buffers, each command reads two and updates a third, a transfer every 16th
 * command, a clFinish every 4096th. Meant for the null driver, which answers at once. Prints what it
 * enqueued. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 64, BYTES = 4096 };

static const char source[] = "kernel void update(constant float *a, constant float *b, global float *c, int "
                             "n) { c[n] += a[n] * b[n]; }";

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "trace_million: %s: error %d\n", what, status);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000000;
    size_t global = 1024, local = 64;
    static char data[BYTES];
    cl_platform_id platform;
    cl_device_id device;
    cl_mem buffers[BUFFERS];
    cl_int status, n = 0;
    unsigned random = 1;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        context, device, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, &status);
    check(status, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "update", &status);
    check(status, "clCreateKernel");
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
        check(status, "clCreateBuffer");
    }
    for (long i = 0; i < count; i++) {
        if (i % 4096 == 4095)
            check(clFinish(queue), "clFinish");
        if (i % 16 == 15) {
            check(clEnqueueReadBuffer(queue, buffers[i / 16 % BUFFERS], CL_FALSE, 0, BYTES, data, 0, NULL,
                                      NULL),
                  "clEnqueueReadBuffer");
            continue;
        }
        for (cl_uint arg = 0; arg < 3; arg++) {
            random = random * 1103515245u + 12345u;
            check(clSetKernelArg(kernel, arg, sizeof(cl_mem), &buffers[random / 65536 % BUFFERS]),
                  "clSetKernelArg");
        }
        n = (cl_int)i;
        check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    }
    check(clFinish(queue), "clFinish");
    printf("trace_million: %ld commands\n", count);
    return 0;
}
