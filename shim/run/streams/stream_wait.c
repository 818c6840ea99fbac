/* stream_wait.c - objects that are retained and released; queues that are flushed and finished. */
#include <stdlib.h>

#include "stream_event.h"
#include "stream_enqueue.h"
#include "stream_hooks.h"
#include "stream_settings.h"
#include "stream_start.h"

/* References of objects that no stream can use any more are not counted: a handle that comes back gets a
 * record anew. */
#define COUNTS(kind) ((kind) < CW_STREAM_MEMORY || (kind) == CW_STREAM_EVENT || cw_stream_queue_may_come())
#define RETAIN(name, type, kind)                                                                             \
    cl_int cw_stream_hook_##name(type handle)                                                                \
    {                                                                                                        \
        cl_int err = cw_stream_below.name(handle);                                                           \
        if (err == CL_SUCCESS && COUNTS(kind))                                                               \
            cw_stream_object_retained(handle, kind);                                                         \
        return err;                                                                                          \
    }
#define RELEASE(name, type, kind)                                                                            \
    cl_int cw_stream_hook_##name(type handle)                                                                \
    {                                                                                                        \
        if (COUNTS(kind))                                                                                    \
            cw_stream_object_released(handle, kind);                                                         \
        return cw_stream_below.name(handle);                                                                 \
    }
RETAIN(clRetainContext, cl_context, CW_STREAM_CONTEXT)
RELEASE(clReleaseContext, cl_context, CW_STREAM_CONTEXT)
RETAIN(clRetainCommandQueue, cl_command_queue, CW_STREAM_QUEUE)
RETAIN(clRetainMemObject, cl_mem, CW_STREAM_MEMORY)
RELEASE(clReleaseMemObject, cl_mem, CW_STREAM_MEMORY)
RETAIN(clRetainProgram, cl_program, CW_STREAM_PROGRAM)
RELEASE(clReleaseProgram, cl_program, CW_STREAM_PROGRAM)
RETAIN(clRetainKernel, cl_kernel, CW_STREAM_KERNEL)
RELEASE(clReleaseKernel, cl_kernel, CW_STREAM_KERNEL)
RETAIN(clRetainEvent, cl_event, CW_STREAM_EVENT)
RELEASE(clReleaseEvent, cl_event, CW_STREAM_EVENT)

cl_int cw_stream_hook_clGetContextInfo(cl_context context, cl_context_info name, size_t capacity, void *to,
                                       size_t *bytes)
{
    cl_int err = cw_stream_below.clGetContextInfo(context, name, capacity, to, bytes);
    struct cw_stream_context *c = name == CL_CONTEXT_REFERENCE_COUNT && err == CL_SUCCESS && to
                                      ? cw_stream_object_pin(context, CW_STREAM_CONTEXT)
                                      : NULL;
    cl_uint count;

    if (c) {
        memcpy(&count, to, sizeof count);
        count -= c->own_refs;
        memcpy(to, &count, sizeof count);
        cw_stream_object_unpin(c);
    }
    return err;
}

cl_int cw_stream_hook_clReleaseCommandQueue(cl_command_queue queue)
{
    struct cw_stream_queue *q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);

    if (q) {
        if (cw_stream_object_released(queue, CW_STREAM_QUEUE))
            cw_stream_queue_leaves(q);
        cw_stream_object_unpin(q);
    }
    return cw_stream_below.clReleaseCommandQueue(queue);
}

cl_int cw_stream_hook_clFlush(cl_command_queue queue)
{
    struct cw_stream_queue *q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);

    if (!q)
        return cw_stream_below.clFlush(queue);
    cw_stream_lock(&q->lock);
    cw_stream_queue_flush(q, 0);
    q->of[0].dirty = false;
    cw_stream_unlock(&q->lock);
    cw_stream_object_unpin(q);
    return cw_next.clFlush(queue);
}

/* The streams that may have something under way, and how far each is; marks, retained, where later
 * commands of another thread may wait for the caller. Lock not held. */
static uint32_t look(struct cw_stream_queue *q, cl_command_queue queue[CW_STREAM_MAX],
                     cl_event mark[CW_STREAM_MAX], uint64_t last[CW_STREAM_MAX], uint64_t *number)
{
    uint32_t n;

    cw_stream_lock(&q->lock);
    n = q->n;
    *number = q->number;
    for (uint32_t s = 0; s < n; s++) {
        last[s] = q->of[s].last;
        queue[s] = !s                        ? (cl_command_queue)(uintptr_t)q->o.handle
                   : last[s] > q->of[s].over ? q->of[s].queue
                                             : NULL; /* the first one, too, of a queue that has left */
        mark[s] = s && q->hosted ? cw_stream_queue_mark(q, s, last[s]) : NULL;
        if (s && q->hosted)
            queue[s] = NULL;
        if (mark[s])
            cw_next.clRetainEvent(mark[s]);
    }
    cw_stream_queue_flush(q, 0);
    cw_stream_unlock(&q->lock);
    return n;
}

static cl_int finish(struct cw_stream_queue *q)
{
    cl_command_queue queue[CW_STREAM_MAX];
    uint64_t last[CW_STREAM_MAX], number;
    cl_event mark[CW_STREAM_MAX];
    uint32_t n = look(q, queue, mark, last, &number);
    cl_int err = CL_SUCCESS, now[CW_STREAM_MAX];
    bool vain;

    for (uint32_t s = 0; s < n; s++) {
        now[s] = queue[s] ? cw_next.clFinish(queue[s]) : CL_SUCCESS;
        err = err == CL_SUCCESS ? now[s] : err;
        if (mark[s]) {
            now[s] = cw_next.clWaitForEvents(1, &mark[s]);
            cw_next.clReleaseEvent(mark[s]);
        }
    }
    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; s < n; s++)
        if (now[s] == CL_SUCCESS)
            cw_stream_queue_reached(q, s, last[s]);
    if (err == CL_SUCCESS)
        cw_stream_worth_synchronised(q, number);
    vain = cw_stream_worth_is_vain(q);
    cw_stream_unlock(&q->lock);
    cw_stream_callback_wait(q, number);
    if (vain)
        cw_stream_queue_leave_if_idle(q);
    return err;
}

cl_int cw_stream_hook_clFinish(cl_command_queue queue)
{
    struct cw_stream_queue *q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);
    cl_int err;

    if (!q)
        return cw_stream_below.clFinish(queue);
    err = finish(q);
    cw_stream_object_unpin(q);
    return err;
}

/* The queue may be another kind of queue from now on. */
cl_int cw_stream_hook_clSetCommandQueueProperty(cl_command_queue queue,
                                                cl_command_queue_properties properties, cl_bool enable,
                                                cl_command_queue_properties *old)
{
    struct cw_stream_queue *q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);

    if (q) {
        cw_stream_close_for_good(q);
        cw_stream_object_unpin(q);
    }
    return cw_stream_below.clSetCommandQueueProperty(queue, properties, enable, old);
}
