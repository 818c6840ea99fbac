/* opencl.h - the first device, for programs that compare kernels with their rewritten forms. */
#ifndef TEST_REWRITE_OPENCL_H
#define TEST_REWRITE_OPENCL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void check(cl_int e, const char *what)
{
    if (e == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, e);
    exit(1);
}

/* False: there is none. */
static bool open_device(void)
{
    cl_platform_id platform;
    cl_int e;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("no OpenCL device\n");
        return false;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "context");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
    check(e, "queue");
    return true;
}

#endif
