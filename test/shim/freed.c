/* freed.c - shared virtual memory that a kernel gets behind its end, or that never ends; an address that
 * comes again. No kernel touches what is freed. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != CL_SUCCESS) {                                                                          \
            fprintf(stderr, "line %d\n", __LINE__);                                                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char *source =
    "kernel void set(global uint *x, uint n) { if (get_global_id(0) < n) x[get_global_id(0)] = n; }";

static void launch(cl_command_queue q, cl_kernel k, const void *x, cl_uint n)
{
    size_t items = 256;

    if (x)
        CHECK(clSetKernelArgSVMPointer(k, 0, x));
    CHECK(clSetKernelArg(k, 1, sizeof n, &n));
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(q));
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;

    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    CHECK(clBuildProgram(p, 1, &device, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "set", &err);
    cl_uint *stays = clSVMAlloc(c, CL_MEM_READ_WRITE, 8192, 0),
            *goes = clSVMAlloc(c, CL_MEM_READ_WRITE, 4096, 0), *next;
    /* it may follow pointers into these, as far as the program says */
    CHECK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof stays, &stays));
    launch(q, k, stays + 1024, 256);
    launch(q, k, goes, 256);
    clSVMFree(c, goes);
    launch(q, k, NULL, 0); /* behind its end */
    next = clSVMAlloc(c, CL_MEM_READ_WRITE, 4096, 0);
    launch(q, k, next, 16);
    printf("%d\n", next == goes);
    clSVMFree(c, next);
    clReleaseKernel(k), clReleaseProgram(p), clReleaseCommandQueue(q), clReleaseContext(c);
    return 0;
}
