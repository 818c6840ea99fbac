/* gate.c - see api/gate.h. */
#include "gate.h"

#include "../../door/door.h"
#include "../core/global_lock.h"
#include "../core/recount.h"
#include "../tasks/event_list.h"
#include "event.h"
#include "hooks.h"

static void set_list(struct cw_run_native *x, cl_uint n, const cl_event *list)
{
    x->n = n;
    x->list = list;
}

void cw_run_gate_wait(struct cw_run_native *x)
{
    cw_run_event_wait_list(1, &x->gate);
    set_list(x, 0, NULL);
}

void cw_run_gate_own(const struct cw_run_native *x, cl_event event)
{
    cw_run_global_lock_take();
    cw_run_event_list_own(&x->queue->own_events, event);
    cw_run_global_lock_give();
}

static void put_before(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list)
{
    cl_event event;

    cw_run_recount_begins();
    if (cw_native.clEnqueueBarrierWithWaitList(queue, n, list, &event) == CL_SUCCESS)
        cw_run_gate_own(x, event);
    else
        cw_run_gate_wait(x);
    cw_run_recount_ends();
}

void cw_run_gate_separate(struct cw_run_native *x, cl_command_queue queue)
{
    put_before(x, queue, x->n, x->list);
    set_list(x, 0, NULL);
}

void cw_run_gate_before(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list)
{
    if (x->n == n)
        return; /* there is none */
    put_before(x, queue, 1, &x->gate);
    set_list(x, n, list);
}
