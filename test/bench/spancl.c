/* spancl.c - libspancl.so: preloaded before everything else, tells how long a program was busy with OpenCL.
 *
 * At the end of the process it prints "span_ns N" to stderr: from the program's first enqueue to the return
 * of its last synchronising call (clFinish, clWaitForEvents, a blocking read, write or map). It costs a clock
 * reading per synchronising call, bare and under clweave alike. A program that never synchronises gets no
 * line.
 *
 * SPANCL_KERNELS=1: from the first launch instead, to the first synchronising call after the last one, so
 * without what is written before and read behind; and "hash=..." on stdout, of all bytes that blocking reads
 * and maps have brought. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t first_ns, last_ns; /* races of threads cost one reading, no more */
static uint64_t hash = UINT64_C(0xcbf29ce484222325);
static int kernels, launched;

__attribute__((constructor)) static void start(void)
{
    kernels = getenv("SPANCL_KERNELS") != NULL;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void enqueues(int launch)
{
    if (!first_ns && (launch || !kernels))
        first_ns = now_ns();
    launched |= launch;
}

static void synchronised(cl_bool blocking)
{
    if (blocking && first_ns && (launched || !kernels))
        last_ns = now_ns();
    if (blocking)
        launched = 0;
}

static void brought(cl_bool blocking, const void *from, size_t bytes)
{
    const unsigned char *p = from;

    for (uint64_t word; kernels && blocking && p && bytes; p += word, bytes -= word) {
        uint64_t part = 0;
        word = bytes < sizeof part ? bytes : sizeof part;
        memcpy(&part, p, word);
        hash = (hash ^ part) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
}

__attribute__((destructor)) static void say(void)
{
    if (last_ns)
        fprintf(stderr, "\nspan_ns %llu\n", (unsigned long long)(last_ns - first_ns));
    if (kernels)
        printf("\nhash=%016llx\n", (unsigned long long)hash);
}

/* The loader's function. A module that is loaded RTLD_LOCAL keeps the loader from RTLD_NEXT. */
static void *below(const char *name)
{
    static void *loader;
    void *found = dlsym(RTLD_NEXT, name);

    if (found)
        return found;
    if (!loader)
        loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    return loader ? dlsym(loader, name) : NULL;
}

/* Calls the function that would have been called without this library. */
#define NEXT(name)                                                                                           \
    static __typeof__(name) *next;                                                                           \
    if (!next)                                                                                               \
        next = (__typeof__(name) *)below(#name);

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n,
                                     const cl_event *list, cl_event *event)
{
    NEXT(clEnqueueNDRangeKernel)
    enqueues(1);
    return next(q, k, dims, offset, global, local, n, list, event);
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t bytes,
                                  void *to, cl_uint n, const cl_event *list, cl_event *event)
{
    cl_int err;
    NEXT(clEnqueueReadBuffer)
    enqueues(0);
    err = next(q, m, blocking, offset, bytes, to, n, list, event);
    synchronised(blocking);
    brought(blocking, to, bytes);
    return err;
}

EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                   size_t bytes, const void *from, cl_uint n, const cl_event *list,
                                   cl_event *event)
{
    cl_int err;
    NEXT(clEnqueueWriteBuffer)
    enqueues(0);
    err = next(q, m, blocking, offset, bytes, from, n, list, event);
    synchronised(blocking);
    return err;
}

EXPORT cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
                                  size_t to_offset, size_t bytes, cl_uint n, const cl_event *list,
                                  cl_event *event)
{
    NEXT(clEnqueueCopyBuffer)
    enqueues(0);
    return next(q, from, to, from_offset, to_offset, bytes, n, list, event);
}

EXPORT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                                size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event,
                                cl_int *err)
{
    void *address;
    NEXT(clEnqueueMapBuffer)
    enqueues(0);
    address = next(q, m, blocking, flags, offset, bytes, n, list, event, err);
    synchronised(blocking);
    brought(blocking && flags & CL_MAP_READ, address, bytes);
    return address;
}

EXPORT cl_int clFinish(cl_command_queue q)
{
    cl_int err;
    NEXT(clFinish)
    err = next(q);
    synchronised(CL_TRUE);
    return err;
}

EXPORT cl_int clWaitForEvents(cl_uint n, const cl_event *list)
{
    cl_int err;
    NEXT(clWaitForEvents)
    err = next(n, list);
    synchronised(CL_TRUE);
    return err;
}
