/* nested - calls from within calls, and functions by name.
 *
 *   nested callbacks    a callback that the vendor calls inside a call makes calls of its own
 *   nested internal     the vendor makes calls through exported symbols (NULLCL_INTERNAL=1)
 *   nested names        what clGetExtensionFunctionAddress* return, per platform */
#include "../../shim/door/dispatch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static cl_platform_id platforms[8];
static cl_uint num_platforms;
static cl_context context;
static cl_command_queue queue;

static void make(void)
{
    cl_device_id device;
    cl_int e;
    CHECK(clGetPlatformIDs(8, platforms, &num_platforms) == CL_SUCCESS);
    CHECK(clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    CHECK(!e);
}

static void CL_CALLBACK inner(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status, (void)user;
    CHECK(clFinish(queue) == CL_SUCCESS);
}

/* Called inside clSetEventCallback; sets a callback itself, which is called inside that call. */
static void CL_CALLBACK outer(cl_event event, cl_int status, void *user)
{
    inner(event, status, user);
    CHECK(clSetEventCallback(event, CL_COMPLETE, inner, NULL) == CL_SUCCESS);
    CHECK(clFinish(queue) == CL_SUCCESS);
}

static void callbacks(void)
{
    cl_int e;
    cl_event event = clCreateUserEvent(context, &e);
    CHECK(clSetEventCallback(event, CL_COMPLETE, outer, NULL) == CL_SUCCESS);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);            /* outer, inner: 3 clFinish */
    CHECK(clSetEventCallback(event, CL_COMPLETE, outer, NULL) == CL_SUCCESS); /* 3 more */
    CHECK(clReleaseEvent(event) == CL_SUCCESS);
}

static void internal(void)
{
    for (int i = 0; i < 5; i++)
        CHECK(clFlush(queue) == CL_SUCCESS);
}

static void names(void)
{
    typedef cl_int (*terminate)(cl_context);
    for (cl_uint p = 0; p < num_platforms; p++) {
        terminate f, again;
        *(void **)&f = clGetExtensionFunctionAddressForPlatform(platforms[p], "clTerminateContextKHR");
        *(void **)&again = clGetExtensionFunctionAddressForPlatform(platforms[p], "clTerminateContextKHR");
        CHECK(f == again);
        if (f)
            f(context);
        else
            puts("no extension");
    }
    cl_int (*flush)(cl_command_queue);
    *(void **)&flush = clGetExtensionFunctionAddressForPlatform(platforms[0], "clFlush");
    CHECK(flush && flush(queue) == CL_SUCCESS);
    CHECK(!clGetExtensionFunctionAddressForPlatform(platforms[0], "clNobodyHasThis"));
    CHECK(!clGetExtensionFunctionAddressForPlatform(platforms[0], NULL));
    CHECK(!clGetExtensionFunctionAddress("clNobodyHasThis"));
    CHECK(!clGetExtensionFunctionAddress(NULL));
    CHECK(!clGetExtensionFunctionAddress(""));
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    make();
    if (!strcmp(argv[1], "callbacks"))
        callbacks();
    else if (!strcmp(argv[1], "internal"))
        internal();
    else
        names();
    return 0;
}
