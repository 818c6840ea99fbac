/* run_sync.c - markers and barriers. */
#include "run_hooks.h"

/* The command, or NULL: native, the lock is free. */
static struct cw_run_task *nothing(struct cw_run_enqueue *e, cl_command_type type)
{
    struct cw_run_task *t = cw_run_settle(e) ? cw_run_task_create(0, 0, 0) : NULL;

    if (!t) {
        cw_run_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    t->type = type;
    t->place = e->queue->home;
    t->lane = t->home_lane = e->queue->context->places[t->place].lane->number;
    return t;
}

/* What is managed before a native command gets a barrier of its own. */
static void gate_apart(struct cw_run_native *x, cl_command_queue queue)
{
    if (x->gate)
        cw_native.clEnqueueBarrierWithWaitList(queue, x->n, x->list, NULL);
}

/* The program's list is empty, which means everything before, and so it has to stay. In-order queues keep to their order anyhow. */
static void keep_empty(struct cw_run_native *x, cl_command_queue queue, cl_uint n)
{
    if (n || !x->gate || x->queue->in_order)
        return;
    gate_apart(x, queue);
    x->n = 0;
    x->list = NULL;
}

cl_int cw_run_hook_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_begin(&e, queue, n, list, event, true) && (t = nothing(&e, CL_COMMAND_MARKER)))
        return cw_run_commit(&e, t, false);
    cw_run_native_begin(&x, queue, n, list, event, false, !n, e.why);
    keep_empty(&x, queue, n);
    return cw_run_native_end(&x, cw_native.clEnqueueMarkerWithWaitList(queue, x.n, x.list, x.event));
}

cl_int cw_run_hook_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_begin(&e, queue, n, list, event, true) && (t = nothing(&e, CL_COMMAND_BARRIER)))
        return cw_run_commit(&e, t, false);
    cw_run_native_begin(&x, queue, n, list, event, false, !n, e.why);
    keep_empty(&x, queue, n);
    return cw_run_native_end(&x, cw_native.clEnqueueBarrierWithWaitList(queue, x.n, x.list, x.event));
}

/* These have no wait list for the gate. */
cl_int cw_run_hook_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    struct cw_run_enqueue e = {.why = CW_RUN_R_CHECK};
    struct cw_run_native x;
    struct cw_run_task *t;

    if (event && cw_run_begin(&e, queue, 0, NULL, event, true) && (t = nothing(&e, CL_COMMAND_MARKER)))
        return cw_run_commit(&e, t, false);
    cw_run_native_begin(&x, queue, 0, NULL, event, false, true, e.why);
    gate_apart(&x, queue);
    return cw_run_native_end(&x, cw_native.clEnqueueMarker(queue, x.event));
}

cl_int cw_run_hook_clEnqueueBarrier(cl_command_queue queue)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_begin(&e, queue, 0, NULL, NULL, true) && (t = nothing(&e, CL_COMMAND_BARRIER)))
        return cw_run_commit(&e, t, false);
    cw_run_native_begin(&x, queue, 0, NULL, NULL, false, true, e.why);
    keep_empty(&x, queue, 0);
    /* a held one must leave an event behind */
    if (x.n || x.event)
        return cw_run_native_end(&x, cw_native.clEnqueueBarrierWithWaitList(queue, x.n, x.list, x.event));
    return cw_run_native_end(&x, cw_native.clEnqueueBarrier(queue));
}

cl_int cw_run_hook_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint n, const cl_event *list)
{
    struct cw_run_enqueue e = {.why = CW_RUN_R_CHECK};
    struct cw_run_native x;
    struct cw_run_task *t;

    if (n && list && cw_run_begin(&e, queue, n, list, NULL, false) && (t = nothing(&e, CL_COMMAND_BARRIER)))
        return cw_run_commit(&e, t, false);
    cw_run_native_begin(&x, queue, n, list, NULL, false, false, e.why);
    if (n && list && x.event)
        return cw_run_native_end(&x, cw_native.clEnqueueBarrierWithWaitList(queue, x.n, x.list, x.event));
    if (x.n != n)
        gate_apart(&x, queue);
    return cw_run_native_end(&x, cw_native.clEnqueueWaitForEvents(queue, n, list));
}
