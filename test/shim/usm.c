/* usm.c - unified shared memory as arguments of kernels, on the null driver: host, device and shared
 * allocations, one freed, one that never ends. */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source =
    "kernel void set(global uint *x, global const uint *y) { x[get_global_id(0)] = y[0]; }";

#define FIND(name)                                                                                           \
    __typeof__(name) *name##_ =                                                                              \
        (__typeof__(name) *)clGetExtensionFunctionAddressForPlatform(platform, #name);                       \
    if (!name##_)                                                                                            \
    exit(1)

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    size_t items = 16;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    FIND(clHostMemAllocINTEL);
    FIND(clDeviceMemAllocINTEL);
    FIND(clSharedMemAllocINTEL);
    FIND(clMemFreeINTEL);
    FIND(clMemBlockingFreeINTEL);
    FIND(clSetKernelArgMemPointerINTEL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    clBuildProgram(p, 1, &device, "", NULL, NULL);
    cl_kernel k = clCreateKernel(p, "set", &err);
    char *host = clHostMemAllocINTEL_(c, NULL, 256, 0, &err),
         *own = clDeviceMemAllocINTEL_(c, device, NULL, 512, 0, &err),
         *shared = clSharedMemAllocINTEL_(c, device, NULL, 1024, 0, &err);
    clSetKernelArgMemPointerINTEL_(k, 0, own + 64);
    clSetKernelArgMemPointerINTEL_(k, 1, host);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL);
    clSetKernelArgMemPointerINTEL_(k, 0, shared);
    clSetKernelArgMemPointerINTEL_(k, 1, own + 511);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(q);
    clMemFreeINTEL_(c, own);
    clMemBlockingFreeINTEL_(c, host);
    puts(host && own && shared ? "ok" : "no memory");
    return 0;
}
