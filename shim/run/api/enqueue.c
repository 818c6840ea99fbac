/* enqueue.c - the frame of every hook that enqueues. */
#include "hooks.h"
#include "../core/clock.h"
#include "../core/context_device.h"
#include "../workers/worker.h"
#include "../tuning/tuning.h"
#include "enqueue.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/native_use.h"
#include "../staging/staging.h"
#include "../tasks/callback.h"
#include "../tasks/dependence.h"
#include "../tasks/foreign.h"
#include "../tasks/task.h"
#include "../windows/window.h"

#define SETTLED_TRIES 8 /* others may go on giving the vendor commands meanwhile */
#define MARKED_QUEUES 8 /* that a launch marks at most */

/* Where the home has a memory of its own and helpers like it, launches alone are worth a way past its
 * vendor's queue, and reads of what they have left in helpers' memories. */
static bool is_left(const struct cw_run_enqueue *e)
{
    return !e->launch && !e->straight && !cw_run.all && e->queue && e->queue->managed &&
           cw_run_context_device_is_gpu(e->queue->context->places);
}

bool cw_run_enqueue_is_timed(const struct cw_run_enqueue *e)
{
    return e->event && e->queue->profiled && !cw_run.all &&
           cw_run_context_device_is_gpu(e->queue->context->places);
}

/* Why the command must be native (enum cw_run_reason), or -1. */
static int admit(struct cw_run_enqueue *e)
{
    int bypass;

    e->queue = cw_run_repeat_turn(e->handle);
    if (is_left(e))
        return CW_RUN_R_GPU;
    if (!e->queue || !e->queue->managed)
        return CW_RUN_R_DEVICE;
    if (cw_run.off)
        return CW_RUN_R_OFF;
    if (CW_UNLIKELY(e->queue->context->watched))
        return CW_RUN_R_WATCHED;
    bypass = cw_run_bypass_wanted(e->queue, e->blocking);
    return bypass >= 0 ? bypass : cw_run_dependence_admit(e->queue, e->n, e->list);
}

/* The event that the program asks for, for a command that may be managed. Lock held, given up meanwhile. */
static void make_event(struct cw_run_enqueue *e)
{
    cl_context context = (cl_context)(uintptr_t)e->queue->context->r.handle;
    cl_int err;

    e->context = e->queue->context;
    cw_run_recount_begins();
    cw_run_foreign_give();
    e->made = cw_next.clCreateUserEvent(context, &err);
    cw_run_global_lock_take();
    e->context->events += e->made != NULL;
    cw_run_recount_ends();
}

/* No command gets it. */
static void drop_event(struct cw_run_enqueue *e)
{
    if (!e->made)
        return;
    e->context->events--;
    cw_run_global_lock_release_unset(e->made);
    e->made = NULL;
}

bool cw_run_enqueue_begin_tracked(struct cw_run_enqueue *e)
{
    int why;

    cw_run_global_lock_take();
    why = admit(e);
    if (why < 0 && e->event && !(e->launch && cw_run_enqueue_is_timed(e))) {
        make_event(e);
        why = admit(e);
    }
    /* a transfer that the calling thread does at once needs no worker, whose start would take longer
     */
    if (CW_UNLIKELY(why < 0 && !cw_run.threads &&
                    !(e->blocking && !e->n && !cw_run.begun && !cw_run.holds))) {
        cw_run_window_start();
        why = cw_run.threads ? why : CW_RUN_R_OFF;
    }
    if (why < 0 && e->event && !e->made && !(e->launch && cw_run_enqueue_is_timed(e)))
        why = CW_RUN_R_CHECK;
    return why < 0 || cw_run_enqueue_refuse(e, (enum cw_run_reason)why);
}

/* Out of order: the command waits for native ones that no list names. */
static bool waits_for_natives(const struct cw_run_enqueue *e)
{
    const struct cw_run_queue *q = e->queue;

    return q->native_barrier > q->native_known || (e->whole && !e->n && q->native_given != q->native_known);
}

/* Native commands of other queues of the context that have no event: a marker tells of them from here on.
 * Bytes of those that are left, as their queues get more and more, stay at home. */
static void mark_others(const struct cw_run_queue *q)
{
    struct cw_run_queue *other = cw_run_native_use_unmarked(q->context, q);

    for (int i = 0; i < MARKED_QUEUES && other && cw_run_dependence_mark(other); i++)
        other = cw_run_native_use_unmarked(q->context, q);
}

/* While another thread is about to give the vendor a command of the same in-order queue, that command cannot
 * be waited for yet: the vendor has to order this one, too. */
static bool settle(struct cw_run_enqueue *e)
{
    struct cw_run_queue *q = e->queue;

    if (!q->in_order)
        return !waits_for_natives(e) || cw_run_dependence_take_in_natives(q);
    for (int i = 0; i < SETTLED_TRIES && !q->native_calls && !q->again; i++) {
        if (CW_LIKELY(q->native_given == q->native_known))
            return true;
        if (!cw_run_dependence_take_in_natives(q))
            return false;
    }
    return false;
}

/* The lock may have been given up: everything new may be native by now, and commands may pass. */
bool cw_run_enqueue_settle(struct cw_run_enqueue *e)
{
    if (CW_UNLIKELY(cw_run.far_workers))
        mark_others(e->queue);
    return settle(e) && !cw_run.off && !cw_run_passing_is(&e->queue->passing) &&
           !(cw_run.far_workers && e->queue->context->passing);
}

bool cw_run_enqueue_refuse(struct cw_run_enqueue *e, enum cw_run_reason why)
{
    drop_event(e);
    e->why = why;
    return false;
}

cl_int cw_run_enqueue_commit(struct cw_run_enqueue *e, struct cw_run_task *t, bool blocking)
{
    struct cw_run_queue *q = e->queue;
    struct cw_run_until until = {.queue = q};
    bool in_order = q->in_order;
    cl_int status = CL_SUCCESS;
    uint64_t now = 0, waited = 0;

    if (blocking)
        t->outcome.told = &status;
    if (CW_UNLIKELY(!cw_run_dependence_link(q, t, e->type, e->n, e->list, e->whole && !e->n, e->made))) {
        drop_event(e);
        cw_run_foreign_give();
        return CL_OUT_OF_HOST_MEMORY;
    }
    until.sequence = cw_run.sequence;
    cw_run_activation_enqueued(&now);
    if (e->event)
        *e->event = e->made;
    if (blocking)
        cw_run_window_step();
    if (blocking) {
        cw_run_record_pin(&q->r);
        cw_run_help(q, until.sequence, in_order ? cw_run_help_is_over : cw_run_help_one_is_over, &until);
        if (in_order)
            cw_run_help_callbacks(q);
        cw_run_clock_reached(q->last_end_ns);
        cw_run_hold_synchronised(q);
        cw_run_bypass_synchronised(q);
        cw_run_activation_waited(&waited);
        cw_run_object_unpin(&q->r);
    }
    cw_run_worker_retire();
    cw_run_foreign_give();
    return status;
}
