/* sync.c - markers and barriers. */
#include "hooks.h"
#include "enqueue.h"
#include "event.h"
#include "gate.h"
#include "native.h"
#include "../core/recount.h"
#include "../tasks/task.h"

/* The command, or NULL: it is refused. */
static struct cw_run_task *nothing(struct cw_run_enqueue *e, cl_command_type type)
{
    struct cw_run_task *t = cw_run_enqueue_settle(e) ? cw_run_task_create(0, 0, 0) : NULL;

    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    e->type = type;
    return t;
}

/* An empty list means everything before the command, and find_gate()'s event stands in it alone: in an
 * in-order queue that is the same. */
static bool lacks_natives(const struct cw_run_native *x, cl_uint n)
{
    return !n && x->n && !x->queue->in_order;
}

/* Of a marker, which does not hold later commands, as a barrier would: an inner one, whose event stands
 * in the list, too. *all: that event, to be kept once the vendor has been called; NULL: there is none. */
static void gather_natives(struct cw_run_native *x, cl_command_queue queue, cl_event *all)
{
    if (cw_native.clEnqueueMarkerWithWaitList(queue, 0, NULL, all) != CL_SUCCESS) {
        *all = NULL;
        cw_run_gate_wait(x);
        return;
    }
    x->few[1] = *all; /* behind the gate */
    x->n = 2;
}

static cl_int mark(struct cw_run_native *x, cl_command_queue queue, cl_uint n)
{
    cl_event all = NULL;
    cl_int err;

    if (CW_LIKELY(!lacks_natives(x, n)))
        return cw_run_native_end(x, cw_native.clEnqueueMarkerWithWaitList(queue, x->n, x->list, x->event));
    cw_run_recount_begins();
    gather_natives(x, queue, &all);
    err = cw_native.clEnqueueMarkerWithWaitList(queue, x->n, x->list, x->event);
    if (all)
        cw_run_gate_own(x, all);
    cw_run_recount_ends();
    return cw_run_native_end(x, err);
}

cl_int cw_run_hook_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list,
                                               cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, true) && (t = nothing(&e, CL_COMMAND_MARKER)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_NOTHING);
    return mark(&x, queue, n);
}

cl_int cw_run_hook_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list,
                                                cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, true) && (t = nothing(&e, CL_COMMAND_BARRIER)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_BARRIER);
    if (lacks_natives(&x, n))
        cw_run_gate_separate(&x, queue);
    return cw_run_native_end(&x, cw_native.clEnqueueBarrierWithWaitList(queue, x.n, x.list, x.event));
}

/* These have no wait list for the gate. */
cl_int cw_run_hook_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (!event) {
        cw_run_native_begin(&x, queue, 0, NULL, NULL, false, true, CW_RUN_R_CHECK, CW_RUN_USE_NOTHING);
        return cw_run_native_end(&x, cw_native.clEnqueueMarker(queue, x.event));
    }
    if (cw_run_enqueue_begin(&e, queue, 0, NULL, event, true) && (t = nothing(&e, CL_COMMAND_MARKER)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_NOTHING);
    if (x.n)
        return mark(&x, queue, 0);
    return cw_run_native_end(&x, cw_native.clEnqueueMarker(queue, x.event));
}

cl_int cw_run_hook_clEnqueueBarrier(cl_command_queue queue)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, 0, NULL, NULL, true) && (t = nothing(&e, CL_COMMAND_BARRIER)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_BARRIER);
    if (lacks_natives(&x, 0))
        cw_run_gate_separate(&x, queue);
    /* a held one must leave an event behind */
    if (x.n || x.event)
        return cw_run_native_end(&x, cw_native.clEnqueueBarrierWithWaitList(queue, x.n, x.list, x.event));
    return cw_run_native_end(&x, cw_native.clEnqueueBarrier(queue));
}

/* Always the vendor's: one that lacks the function ends the process (PoCL), also where helpers are at work.
 * Later commands wait for a barrier's event where a user event holds it. */
cl_int cw_run_hook_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint n, const cl_event *list)
{
    struct cw_run_native x;
    cl_int err;

    cw_run_native_begin(&x, queue, n, list, NULL, false, false, CW_RUN_R_KIND, CW_RUN_USE_BARRIER);
    if (x.n != n)
        cw_run_gate_separate(&x, queue);
    err = cw_native.clEnqueueWaitForEvents(queue, n, list);
    if (err == CL_SUCCESS && x.event)
        err = cw_native.clEnqueueBarrierWithWaitList(queue, 0, NULL, x.event);
    return cw_run_native_end(&x, err);
}
