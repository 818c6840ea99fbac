/* small_reads.c - small reads of two threads, each with a device of one context: the time of a read. Plain
 * OpenCL.
 *
 * usage: small_reads [PLATFORM [READS]]
 * PLATFORM: a part of a platform's name (else the first with two devices). READS: of each thread (2000).
 *
 * Prints a line for each of the steps that staged transfers add to a context, one after another: the us of a
 * blocking read of 4 bytes, 64 KiB, 1 MiB, median of the threads' reads. The step behind which reads take
 * longer is why run mode does not stage in contexts of several devices (shim/run/api/context.c). */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed.h"

enum { SIZES = 3, MOST_READS = 100000, PINNED = 32 << 20 };

static const size_t sizes[SIZES] = {4, 64 << 10, 1 << 20};
static cl_context context;
static struct side {
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer;
    uint8_t *host;
    double *us;
    size_t bytes;
} side[2];
static int reads = 2000;

static void check(cl_int err, const char *call)
{
    if (err == CL_SUCCESS)
        return;
    printf("small_reads: %s: error %d\n", call, err);
    exit(1);
}

static void open_devices(const char *name)
{
    cl_platform_id platforms[16];
    cl_device_id devices[2];
    cl_uint n = 0, found = 0;
    char text[256];
    cl_int err;

    check(clGetPlatformIDs(16, platforms, &n), "clGetPlatformIDs");
    for (cl_uint i = 0; i < n && found < 2; i++) {
        check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL),
              "clGetPlatformInfo");
        if ((name && !strstr(text, name)) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 2, devices, &found) != CL_SUCCESS)
            found = 0;
    }
    if (found < 2) {
        printf("small_reads: no platform has two devices\n");
        exit(77);
    }
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (int d = 0; d < 2; d++) {
        side[d] = (struct side){.device = devices[d],
                                .host = calloc(1, sizes[SIZES - 1]),
                                .us = calloc((size_t)reads, sizeof(double))};
        side[d].queue = clCreateCommandQueue(context, devices[d], 0, &err);
        check(err, "clCreateCommandQueue");
        side[d].buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizes[SIZES - 1], NULL, &err);
        check(err, "clCreateBuffer");
        check(clEnqueueWriteBuffer(side[d].queue, side[d].buffer, CL_TRUE, 0, sizes[SIZES - 1], side[d].host,
                                   0, NULL, NULL),
              "clEnqueueWriteBuffer");
    }
}

static void *read_all(void *of)
{
    struct side *s = of;

    for (int i = 0; i < reads; i++) {
        uint64_t since = speed_now_ns();
        check(clEnqueueReadBuffer(s->queue, s->buffer, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        s->us[i] = (double)(speed_now_ns() - since) / 1e3;
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *step)
{
    pthread_t thread[2];

    printf("%-48s", step);
    for (int k = 0; k < SIZES; k++) {
        for (int d = 0; d < 2; d++) {
            side[d].bytes = sizes[k];
            if (pthread_create(&thread[d], NULL, read_all, &side[d]))
                exit(1);
        }
        for (int d = 0; d < 2; d++) {
            pthread_join(thread[d], NULL);
            qsort(side[d].us, (size_t)reads, sizeof(double), by_value);
        }
        printf(" %8.2f", (side[0].us[reads / 2] + side[1].us[reads / 2]) / 2);
    }
    printf(" us\n");
    fflush(stdout);
}

/* A buffer of pinned memory, mapped for as long as the program runs. */
static void pin(void)
{
    cl_int err;
    cl_command_queue queue = clCreateCommandQueue(context, side[0].device, 0, &err);
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, PINNED, NULL, &err);

    check(err, "clCreateBuffer");
    clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, PINNED, 0, NULL, NULL, &err);
    check(err, "clEnqueueMapBuffer");
}

static void gate(int d)
{
    cl_int err;
    cl_event event = clCreateUserEvent(context, &err);

    check(err, "clCreateUserEvent");
    if (d < 2)
        check(clEnqueueMarkerWithWaitList(side[d].queue, 1, &event, NULL), "clEnqueueMarkerWithWaitList");
    check(clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
    check(clReleaseEvent(event), "clReleaseEvent");
    if (d < 2)
        check(clFinish(side[d].queue), "clFinish");
}

int main(int argc, char **argv)
{
    cl_int err;
    cl_mem m;

    reads = argc > 2 ? atoi(argv[2]) : reads;
    reads = reads < 1 ? 1 : reads > MOST_READS ? MOST_READS : reads;
    open_devices(argc > 1 ? argv[1] : NULL);
    printf("%-48s %8s %8s %8s\n", "behind each step", "4 B", "64 KiB", "1 MiB");
    measure("first reads");
    measure("nothing");
    m = clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &err);
    check(err, "clCreateBuffer");
    check(clReleaseMemObject(m), "clReleaseMemObject");
    measure("a buffer made and released");
    pin();
    measure("32 MiB of pinned memory mapped");
    gate(2);
    measure("a user event set that nothing waited for");
    gate(0);
    gate(1);
    measure("a user event that a command of each queue awaited");
    return 0;
}
