/* host_calls - makes calls of many functions, some of which fail, and prints for each function how many calls
 * it made and how many of them failed: "clBuildProgram 2 1".
 *
 * Its faults, each of which a report is to name: a build that fails, a wrong argument size, a kernel that is
 * not there, a buffer of no bytes. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *name;
    int calls, failed;
} counts[64];

static void count(const char *name, cl_int status)
{
    int i = 0;

    while (counts[i].name && strcmp(counts[i].name, name))
        i++;
    counts[i].name = name;
    counts[i].calls++;
    counts[i].failed += status != CL_SUCCESS;
}

/* A call that returns its code, and one that stores it in `err`. */
#define CODE(name, ...)     (err = name(__VA_ARGS__), count(#name, err))
#define MAKE(to, name, ...) (err = -999, to = name(__VA_ARGS__, &err), count(#name, err), (void)to)

static cl_int err;

/* Many kernels, so that the build takes long beside everything else. */
static char *long_source(void)
{
    static char text[65536];
    size_t used = 0;

    for (int i = 0; i < 40; i++)
        used += (size_t)sprintf(
            text + used,
            "kernel void k%d(global int *a, int n) { for (int i = 0; i < n; i++) a[get_global_id(0)] += "
            "a[i] * %d; }\n",
            i, i);
    return text;
}

int main(void)
{
    const char *bad = "kernel void broken(global int *a) { a[0] = no_such_name; }", *good = long_source();
    const size_t global = 256;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program, other;
    cl_kernel kernel, none;
    cl_mem buffer, nothing;
    cl_event event;
    char name[200];
    int n = 3, out[256];

    CODE(clGetPlatformIDs, 1, &platform, NULL);
    CODE(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    for (int i = 0; i < 5; i++)
        CODE(clGetDeviceInfo, device, CL_DEVICE_NAME, sizeof name, name, NULL);
    MAKE(context, clCreateContext, NULL, 1, &device, NULL, NULL);
    MAKE(queue, clCreateCommandQueue, context, device, 0);
    MAKE(program, clCreateProgramWithSource, context, 1, &good, NULL);
    MAKE(other, clCreateProgramWithSource, context, 1, &bad, NULL);
    CODE(clBuildProgram, program, 1, &device, "", NULL, NULL);
    CODE(clBuildProgram, other, 1, &device, "", NULL, NULL);
    MAKE(kernel, clCreateKernel, program, "k7");
    MAKE(none, clCreateKernel, program, "nowhere");
    MAKE(buffer, clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof out, NULL);
    nothing =
        clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, NULL); /* it does not want to know the error */
    count("clCreateBuffer", nothing ? CL_SUCCESS : CL_INVALID_BUFFER_SIZE);
    CODE(clSetKernelArg, kernel, 0, sizeof buffer, &buffer);
    CODE(clSetKernelArg, kernel, 1, 2, &n);
    CODE(clSetKernelArg, kernel, 1, sizeof n, &n);
    for (int i = 0; i < 20; i++) {
        CODE(clEnqueueNDRangeKernel, queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event);
        CODE(clFlush, queue);
        CODE(clWaitForEvents, 1, &event);
        CODE(clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT, sizeof name, name, NULL);
        CODE(clRetainEvent, event);
        CODE(clReleaseEvent, event);
        CODE(clReleaseEvent, event);
    }
    CODE(clEnqueueReadBuffer, queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    CODE(clEnqueueReadBuffer, queue, buffer, CL_TRUE, sizeof out, sizeof out, out, 0, NULL, NULL);
    CODE(clFinish, queue);
    CODE(clReleaseMemObject, buffer);
    CODE(clReleaseKernel, kernel);
    CODE(clReleaseProgram, program);
    CODE(clReleaseProgram, other);
    CODE(clReleaseCommandQueue, queue);
    CODE(clReleaseContext, context);
    for (int i = 0; counts[i].name; i++)
        printf("%s %d %d\n", counts[i].name, counts[i].calls, counts[i].failed);
    return 0;
}
