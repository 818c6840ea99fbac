/* pinned_gate.c - what NVIDIA's driver does with pinned memory, gates and references: shim/run/staging.
 *
 * A mapped CL_MEM_ALLOC_HOST_PTR buffer of one context serves transfers of another; a gated transfer from it
 * returns, holds no other queue, and reads or writes it when the gate is open; each queue, buffer and user
 * event counts once in its context's references. PINNED_PLATFORM: a part of another platform's name. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1 << 20 };

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static cl_device_id find(void)
{
    const char *wanted = getenv("PINNED_PLATFORM");
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint n = 0;
    char name[128];

    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < 16; i++)
        if (clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
            strstr(name, wanted ? wanted : "NVIDIA CUDA") &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    vendor_skip("no such platform");
}

static cl_context context_of(cl_device_id device)
{
    cl_int err;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);

    APP_CHECK(err);
    return c;
}

static cl_command_queue queue_of(cl_context c, cl_device_id device)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);

    APP_CHECK(err);
    return q;
}

static cl_mem buffer_of(cl_context c, cl_mem_flags flags)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c, flags, BYTES, NULL, &err);

    APP_CHECK(err);
    return m;
}

static int references(cl_context c)
{
    cl_uint n = 0;

    APP_CHECK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
    return (int)n;
}

static void counts(cl_device_id device)
{
    cl_context c = context_of(device);
    int start = references(c), queue, buffer, event;
    double t = now_us();
    cl_command_queue q = queue_of(c, device);
    cl_event gate;
    cl_mem m;
    cl_int err;

    printf("a queue takes %.0f us to make\n", now_us() - t);
    queue = references(c);
    m = buffer_of(c, CL_MEM_READ_WRITE);
    buffer = references(c);
    gate = clCreateUserEvent(c, &err);
    APP_CHECK(err);
    event = references(c);
    vendor_expect(queue - start == 1 && buffer - queue == 1 && event - buffer == 1,
                  "a context counts a queue %d, a buffer %d, a user event %d times", queue - start,
                  buffer - queue, event - buffer);
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clReleaseEvent(gate));
    APP_CHECK(clReleaseMemObject(m));
    APP_CHECK(clReleaseCommandQueue(q));
    APP_CHECK(clReleaseContext(c));
}

static void gates(cl_device_id device)
{
    cl_context home = context_of(device), other = context_of(device);
    cl_command_queue pin = queue_of(home, device), q = queue_of(other, device),
                     beside = queue_of(other, device);
    cl_mem pinned = buffer_of(home, CL_MEM_ALLOC_HOST_PTR), m = buffer_of(other, CL_MEM_READ_WRITE);
    unsigned char *bytes, *pageable = app_alloc(BYTES);
    cl_event gate, over;
    double t;
    cl_int err;

    bytes =
        clEnqueueMapBuffer(pin, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    APP_CHECK(err);
    gate = clCreateUserEvent(other, &err);
    APP_CHECK(err);
    memset(bytes, 1, BYTES);
    t = now_us();
    APP_CHECK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 64, bytes, 1, &gate, &over));
    APP_CHECK(clFlush(q));
    printf("a gated write returns after %.0f us\n", now_us() - t);
    APP_CHECK(clEnqueueWriteBuffer(beside, m, CL_TRUE, 4096, 4096, bytes + 4096, 0, NULL, NULL));
    vendor_expect(vendor_event_status(over) > CL_COMPLETE, "a gated write waits, another queue does not");
    memset(bytes, 2, 64);
    t = now_us();
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clWaitForEvents(1, &over));
    printf("opening the gate takes %.0f us\n", now_us() - t);
    APP_CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 8192, pageable, 0, NULL, NULL));
    vendor_expect(pageable[4096] == 1, "memory pinned in one context serves another one");
    vendor_expect(pageable[0] == 2, "a gated write of 64 bytes reads them when its gate is open");
    APP_CHECK(clEnqueueUnmapMemObject(pin, pinned, bytes, 0, NULL, NULL));
    APP_CHECK(clFinish(pin));
    app_release_events((cl_event[]){gate, over}, 2);
    app_release_mems((cl_mem[]){pinned, m}, 2);
    APP_CHECK(clReleaseCommandQueue(pin));
    APP_CHECK(clReleaseCommandQueue(q));
    APP_CHECK(clReleaseCommandQueue(beside));
    APP_CHECK(clReleaseContext(home));
    APP_CHECK(clReleaseContext(other));
    free(pageable);
}

int main(void)
{
    cl_device_id device = find();

    counts(device);
    gates(device);
    return vendor_status();
}
