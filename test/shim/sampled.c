/* sampled - a program whose commands repeat with a period of 16: a write, 12 kernels, a marker, a copy and a
 * read. Arguments: periods (400); "profiled": its queue has profiling, and each read an event that it
 * releases when the next one is there. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 12 };

static const char *source = "kernel void k0(global int *a) { }\nkernel void k1(global int *a) { }\n"
                            "kernel void k2(global int *a) { }\nkernel void k3(global int *a) { }\n"
                            "kernel void k4(global int *a) { }\nkernel void k5(global int *a) { }\n"
                            "kernel void k6(global int *a) { }\nkernel void k7(global int *a) { }\n"
                            "kernel void k8(global int *a) { }\nkernel void k9(global int *a) { }\n"
                            "kernel void k10(global int *a) { }\nkernel void k11(global int *a) { }\n";
static cl_command_queue queue;
static cl_kernel kernel[KERNELS];
static cl_mem from, to;
static int data[64];

static void period(cl_event *event)
{
    const size_t global = 64;

    clEnqueueWriteBuffer(queue, from, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL);
    for (int k = 0; k < KERNELS; k++)
        clEnqueueNDRangeKernel(queue, kernel[k], 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
    clEnqueueCopyBuffer(queue, from, to, 0, 0, sizeof data, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof data, data, 0, NULL, event);
}

int main(int argc, char **argv)
{
    int periods = argc > 1 ? atoi(argv[1]) : 400;
    cl_command_queue_properties properties = argc > 2 ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_program program;
    cl_event event;
    char name[8];

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, properties, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    from = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    for (int k = 0; k < KERNELS; k++) {
        snprintf(name, sizeof name, "k%d", k);
        kernel[k] = clCreateKernel(program, name, NULL);
        clSetKernelArg(kernel[k], 0, sizeof from, &from);
    }
    for (int p = 0; p < periods; p++) {
        period(properties ? &event : NULL);
        if (properties)
            clReleaseEvent(event);
    }
    clFinish(queue);
    printf("%d\n", data[0]);
    return 0;
}
