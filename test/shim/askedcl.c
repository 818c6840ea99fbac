/* askedcl.c - an OpenCL layer that stands for a vendor with one lock: enqueues, questions about events and
 * their releases hold it, for a time each. It counts the questions, by thread and by what the program does
 * meanwhile (askedcl.h).
 *
 *   ASKEDCL_ENQUEUE_NS, ASKEDCL_EVENT_NS, ASKEDCL_ASK_NS  an enqueue, with an event so much more; a
 *   question, or a release of an event */
#define CL_TARGET_OPENCL_VERSION 300
#include "askedcl.h"

#include <CL/cl_layer.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct askedcl askedcl;
static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static pthread_mutex_t vendor = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_program;
static uint64_t enqueue_ns, event_ns, ask_ns;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void take(uint64_t ns)
{
    uint64_t end;

    pthread_mutex_lock(&vendor);
    for (end = ns ? now_ns() + ns : 0; ns && now_ns() < end;)
        ;
    pthread_mutex_unlock(&vendor);
}

static void enqueues(const cl_event *event, bool blocks)
{
    int most = 0, events;

    is_program = true;
    if (!blocks)
        askedcl.waits = 0;
    take(enqueue_ns + (event ? event_ns : 0));
    if (!event)
        return;
    events = atomic_fetch_add(&askedcl.events, 1) + 1;
    for (most = askedcl.most; most < events && !atomic_compare_exchange_weak(&askedcl.most, &most, events);)
        ;
}

static void asks(void)
{
    atomic_fetch_add(is_program ? &askedcl.program : askedcl.waits ? &askedcl.waiting : &askedcl.beside, 1);
    take(ask_ns);
}

static void wait_begins(void)
{
    is_program = true;
    while (askedcl.hold > askedcl.waiting + askedcl.beside)
        sched_yield();
}

static cl_int CL_API_CALL ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                  const size_t *global, const size_t *local, cl_uint n, const cl_event *list,
                                  cl_event *event)
{
    enqueues(event, false);
    return next->clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, n, list, event);
}

/* Of calls that block if the program says so. */
static void transfer(cl_bool blocking, const cl_event *event)
{
    enqueues(event, blocking);
    if (blocking)
        wait_begins();
}

#define BLOCKS(name, params, args)                                                                           \
    static cl_int CL_API_CALL hook_##name params                                                             \
    {                                                                                                        \
        transfer(blocking, event);                                                                           \
        return next->name args;                                                                              \
    }
#define TAIL cl_uint n, const cl_event *list, cl_event *event
BLOCKS(clEnqueueReadBuffer,
       (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, void *to, TAIL),
       (queue, memory, blocking, offset, size, to, n, list, event))
BLOCKS(clEnqueueWriteBuffer,
       (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, const void *from,
        TAIL),
       (queue, memory, blocking, offset, size, from, n, list, event))
BLOCKS(clEnqueueReadImage,
       (cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *origin, const size_t *region,
        size_t row, size_t slice, void *to, TAIL),
       (queue, memory, blocking, origin, region, row, slice, to, n, list, event))
BLOCKS(clEnqueueSVMMemcpy,
       (cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size, TAIL),
       (queue, blocking, to, from, size, n, list, event))
BLOCKS(clEnqueueSVMMap,
       (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *address, size_t size, TAIL),
       (queue, blocking, flags, address, size, n, list, event))

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size, TAIL, cl_int *err)
{
    transfer(blocking, event);
    return next->clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, n, list, event, err);
}

static void *CL_API_CALL map_image(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                   cl_map_flags flags, const size_t *origin, const size_t *region,
                                   size_t *row, size_t *slice, TAIL, cl_int *err)
{
    transfer(blocking, event);
    return next->clEnqueueMapImage(queue, memory, blocking, flags, origin, region, row, slice, n, list, event,
                                   err);
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    wait_begins();
    return next->clFinish(queue);
}

static cl_int CL_API_CALL wait(cl_uint n, const cl_event *list)
{
    wait_begins();
    return next->clWaitForEvents(n, list);
}

static cl_int CL_API_CALL profiling(cl_event event, cl_profiling_info name, size_t size, void *to,
                                    size_t *bytes)
{
    asks();
    return next->clGetEventProfilingInfo(event, name, size, to, bytes);
}

static cl_int CL_API_CALL info(cl_event event, cl_event_info name, size_t size, void *to, size_t *bytes)
{
    asks();
    return next->clGetEventInfo(event, name, size, to, bytes);
}

static cl_int CL_API_CALL release(cl_event event)
{
    take(ask_ns);
    atomic_fetch_sub(&askedcl.events, 1);
    return next->clReleaseEvent(event);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        *(cl_layer_api_version *)value = version;
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

static uint64_t setting(const char *name)
{
    const char *value = getenv(name);

    return value ? strtoull(value, NULL, 10) : 0;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                      cl_uint *entries_out, const struct _cl_icd_dispatch **out)
{
    if (entries < sizeof table / sizeof(void *))
        return CL_INVALID_VALUE;
    enqueue_ns = setting("ASKEDCL_ENQUEUE_NS");
    event_ns = setting("ASKEDCL_EVENT_NS");
    ask_ns = setting("ASKEDCL_ASK_NS");
    next = target;
    table = *target;
    table.clEnqueueNDRangeKernel = ndrange;
    table.clEnqueueReadBuffer = hook_clEnqueueReadBuffer;
    table.clEnqueueWriteBuffer = hook_clEnqueueWriteBuffer;
    table.clEnqueueReadImage = hook_clEnqueueReadImage;
    table.clEnqueueSVMMemcpy = hook_clEnqueueSVMMemcpy;
    table.clEnqueueSVMMap = hook_clEnqueueSVMMap;
    table.clEnqueueMapBuffer = map_buffer;
    table.clEnqueueMapImage = map_image;
    table.clFinish = finish;
    table.clWaitForEvents = wait;
    table.clGetEventProfilingInfo = profiling;
    table.clGetEventInfo = info;
    table.clReleaseEvent = release;
    *out = &table;
    *entries_out = sizeof table / sizeof(void *);
    return CL_SUCCESS;
}
