/* native.c - commands that go to the vendor as they are, in their place between managed ones.
 *
 * A native command waits, in the vendor, for the managed commands before it in its queue: for the event of
 * the last one, since events of an in-order queue retire in order. Where the bare call would block anyway, or
 * the device runs kernels inside the enqueue (a user event would never come true there), the managed commands
 * are waited for first. There also the native ones of other devices: PoCL's own wait lists between such a
 * device and another deadlock when the other device's thread starts the command
 * (test/vendor/user_event_hangs.c). */
#include "hooks.h"
#include "queue.h"
#include "../core/fault.h"
#include "../core/edge.h"
#include "../workers/worker.h"
#include "../tuning/tuning.h"
#include "../windows/window.h"
#include "event.h"
#include "enqueue.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../staging/staging.h"
#include "../tasks/dependence.h"
#include "../tasks/foreign.h"
#include "../tasks/event_list.h"
#include "../tasks/task.h"

#include <stdlib.h>

static bool no_join(const void *what)
{
    return !((const struct cw_run_queue *)what)->join;
}

/* A task that is done when every unretired command of `q` has retired. NULL: none is, or, then sets *failed,
 * out of memory. */
static struct cw_run_task *join_queue(struct cw_run_queue *q, bool *failed)
{
    struct cw_run_task *j, *t;

    if (!q->first && !q->join)
        return NULL;
    j = cw_run_task_create(0, 0, 0);
    if (!j) {
        *failed = true;
        return NULL;
    }
    for (t = q->first; t; t = t->links.next)
        cw_run_edge_add(t, j, CW_RUN_AT_RETIRE);
    if (q->join)
        cw_run_edge_add(q->join, j, CW_RUN_DATA);
    *failed = j->outcome.failed;
    if (j->waits)
        return j; /* where it failed it goes by itself */
    cw_run_task_destroy(j);
    return NULL;
}

/* The command after whose retirement the native one may run. NULL: there is none. */
static struct cw_run_task *gate_task(struct cw_run_queue *q, bool whole, bool *failed)
{
    struct cw_run_task *t = q->last;

    if (!q->in_order)
        return whole || q->join ? join_queue(q, failed) : NULL;
    while (t && t->state >= CW_RUN_RETIRING && !t->event) /* executed: only its event matters */
        t = t->links.prev;
    return t;
}

static void drain(struct cw_run_native *x, bool whole)
{
    struct cw_run_queue *q = x->queue;
    struct cw_run_until until = {q, cw_run.sequence};

    if (q->in_order || whole)
        cw_run_help(q, until.sequence, cw_run_help_is_over, &until);
    else
        cw_run_help(q, UINT64_MAX, no_join, q);
    if (x->home)
        cw_run_help(q, x->home, cw_run_help_one_is_over, &(struct cw_run_until){q, x->home});
    if (q->in_order)
        cw_run_help_callbacks(q);
}

/* Of a command that is in its queue; NULL: it is over. */
static struct cw_run_task *task_of(const struct cw_run_queue *q, uint64_t sequence)
{
    struct cw_run_task *t = q->first;

    while (t && t->order.sequence < sequence)
        t = t->links.next;
    return t && t->order.sequence == sequence ? t : NULL;
}

/* Sets x->gate to a retained event of the commands that must come first; lock held, given up meanwhile. */
static void find_gate(struct cw_run_native *x, bool whole)
{
    cl_context context = (cl_context)(uintptr_t)x->queue->context->r.handle;
    struct cw_run_task *t;
    cl_event fresh;
    bool failed = false;
    cl_int err;

    if (!x->queue->last && !x->queue->join)
        return;
    cw_run_recount_begins();
    cw_run_foreign_give();
    fresh = cw_next.clCreateUserEvent(context, &err);
    cw_run_global_lock_take();
    if (fresh && cw_next.clRetainEvent(fresh) == CL_SUCCESS)
        cw_run_event_list_own(&x->queue->context->own_events, fresh);
    cw_run_recount_ends();
    if (!fresh) {
        drain(x, whole);
        return;
    }
    if (x->home && !x->queue->in_order && !whole && !x->queue->join)
        t = task_of(x->queue, x->home);
    else
        t = gate_task(x->queue, whole, &failed);
    if (failed) {
        cw_run_global_lock_release_unset(fresh);
        drain(x, whole);
        return;
    }
    if (t && !t->gate && t->state < CW_RUN_RETIRING)
        x->gate = t->gate = fresh;
    else if (t && !t->gate && t->event)
        x->gate = (cl_event)(uintptr_t)t->event->r.handle;
    else if (t)
        x->gate = t->gate;
    if (x->gate)
        cw_next.clRetainEvent(x->gate);
    if (x->gate != fresh)
        cw_run_global_lock_release_unset(fresh);
}

/* The program's wait list and the gate. */
static void make_list(struct cw_run_native *x, cl_uint n, const cl_event *list)
{
    cl_event *to = x->few;

    if (!x->gate || !n != !list)
        return; /* a list that the vendor refuses is passed as it is */
    if (n + 1 > sizeof x->few / sizeof *x->few)
        to = x->heap = malloc((n + 1) * sizeof *to);
    if (!to) {
        cw_run_event_wait_list(1, &x->gate);
        return;
    }
    if (n)
        memcpy(to, list, n * sizeof *to);
    to[n] = x->gate;
    x->list = to;
    x->n = n + 1;
}

/* No event of its own tells when the command is over. A marker can where the queue is in order, and nothing
 * asks before the next managed command. Lock held. */
static bool is_unmarked(const struct cw_run_native *x)
{
    const struct cw_run_queue *q = x->queue;

    return cw_run.far_workers && cw_run_native_bytes_any(x->use) && !x->wanted && !x->gated && q->managed &&
           q->in_order && !q->synchronous && !cw_run.unfinished;
}

static bool needs_event(const struct cw_run_native *x)
{
    return x->gated || x->watched || (cw_run.far_workers && cw_run_native_bytes_any(x->use) && !x->unmarked);
}

static void enters(struct cw_run_native *x, struct cw_run_queue *q)
{
    x->queue = q;
    cw_run_activation_enqueued(&x->now_ns);
    cw_run_record_pin(&q->r);
    q->native_given++;
    cw_run_bypass_pass(q);
    /* buffers that none names may be used elsewhere; those of a queue that is not managed come home at once
     */
    x->after = q->managed && cw_run_native_bytes_named(x->use) ? cw_run.sequence : 0;
    q->native_calls++;
    if (!q->context->native_calls++ || x->after < q->context->called_after)
        q->context->called_after = x->after;
}

/* Lock held, given up. */
static void begin(struct cw_run_native *x, cl_command_queue queue, bool blocking, bool whole,
                  enum cw_run_reason why)
{
    struct cw_run_queue *q = cw_run_repeat_turn(queue);
    const cl_event *list = x->list;
    cl_uint n = x->n;
    bool wait, watches;

    cw_run_reasons_native(why, x->use->kernel);
    cw_run_gain_spoilt();
    if (!q || cw_run.forked) {
        cw_run_window_close();
        cw_run_foreign_give();
        return;
    }
    enters(x, q);
    x->given = blocking && q->in_order ? q->native_given : 0;
    watches = why == CW_RUN_R_UNBEGUN && x->use->kernel && cw_run_hold_watches(q);
    if (CW_UNLIKELY(cw_run.far_workers))
        cw_run_native_bytes_bring_home(x);
    x->gated = cw_run_dependence_is_gated(q) || cw_run_dependence_look(q, n, list) == CW_RUN_WAITS_GATED;
    cw_run_window_close();
    /* no gate stands in a list that the vendor should refuse, and PoCL 3.1 does not */
    wait = q->managed && (blocking || q->synchronous || !n != !list);
    if (wait)
        drain(x, whole);
    /* none, if the queue is not managed: nothing in it is */
    else
        find_gate(x, whole);
    x->unmarked = is_unmarked(x);
    cw_run_foreign_give();
    make_list(x, n, list);
    if (n && (wait || q->synchronous))
        cw_run_event_wait_list(n, list);
    if (q->synchronous && !x->gated && n && list)
        cw_next.clWaitForEvents(n, list); /* the call itself reports errors in the list */
    x->watched = !x->gated && x->use->kernel && watches;
    if (needs_event(x) && !x->wanted)
        x->event = &x->own_event;
}

void cw_run_native_enter(struct cw_run_native *x, const struct cw_run_enqueue *e,
                         const struct cw_run_use *use)
{
    *x = (struct cw_run_native){
        .n = e->n, .list = e->list, .event = e->event, .wanted = e->event, .now_ns = e->now_ns, .use = use};
    begin(x, e->handle, e->blocking, e->whole && !e->n, e->why);
}

void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why,
                         const struct cw_run_use *use)
{
    struct cw_run_enqueue e = {.handle = queue,
                               .n = n,
                               .list = list,
                               .event = event,
                               .whole = whole,
                               .blocking = blocking,
                               .why = why};

    e.queue = cw_run_native_queue(queue);
    e.unlocked = !e.queue || cw_run_native_passes(e.queue, n, list, false);
    if (!e.unlocked)
        cw_run_global_lock_take();
    cw_run_native_follow(x, &e, use);
}

uint64_t cw_run_native_enters_passing(struct cw_run_queue *q, cl_uint n, const cl_event *list, bool blocking)
{
    struct cw_run_passing *p = &q->passing;
    uint64_t calls;

    if (blocking && p->makes_transfers &&
        (cw_run_passing_is_quiet(p) || CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_RESUMED)))
        return 0;
    if (atomic_load(&cw_run_passing_held))
        return 0;
    for (cl_uint i = 0; list && i < n; i++)
        if (cw_run_record_find(list[i], CW_RUN_EVENT))
            return 0;
    calls = cw_run_passing_enter(p);
    if (calls && !atomic_load_explicit(&p->since_ns, memory_order_relaxed))
        atomic_store_explicit(&p->since_ns, cw_run_global_lock_now_ns(), memory_order_relaxed);
    return calls;
}

void cw_run_native_waited(struct cw_run_queue *q, uint64_t passed, bool inside, uint64_t given)
{
    uint64_t old_ns = cw_run_global_lock_now_ns() - CW_RUN_LOOK_NS;

    if (!cw_run_passing_wait_is_full(&q->passing, old_ns)) {
        cw_run_passing_waited(&q->passing, passed - inside);
        if (inside)
            cw_run_passing_leave(&q->passing);
        return;
    }
    cw_run_global_lock_take();
    cw_run_record_pin(&q->r);
    if (inside)
        cw_run_passing_leave(&q->passing);
    cw_run_bypass_waited(q, passed - inside);
    cw_run_queue_waited(q, given);
    cw_run_global_lock_give();
}

/* The program's event gets a record, with the type that the program sees. Lock held. */
static void note_event(const struct cw_run_native *x)
{
    struct cw_run_event *e = cw_run_object_create(*x->event, CW_RUN_EVENT);

    if (!e) {
        cw_run.off = true;
        return;
    }
    e->what = CW_RUN_NOTED;
    e->type = x->type;
}

/* A command that a user event holds: later ones of its queue, and those that wait for its event, must be
 * native too. */
static void remember_gated(struct cw_run_native *x)
{
    cl_event event = x->event ? *x->event : NULL;

    if (!event)
        return;
    if (!cw_run_event_list_add(&x->queue->gates, event)) {
        cw_run.off = true;
        return;
    }
    if (!x->wanted)
        return; /* our reference is the list's now */
    cw_next.clRetainEvent(event);
    note_event(x);
}

/* A reference to the event of a launch that is watched, or NULL. The vendor has made that event in any
 * case. */
static cl_event watched_event(const struct cw_run_native *x)
{
    cl_event event = x->watched ? *x->event : NULL;

    return event && x->wanted && cw_next.clRetainEvent(event) != CL_SUCCESS ? NULL : event;
}

/* A write that blocks may return when the host's memory is free, with commands before it under way. Where all
 * devices work in one memory that does no harm. */
static bool returns_early(const struct cw_run_native *x)
{
    return cw_run.far_workers && x->use->written;
}

/* The command has passed. Returns `status`. */
static cl_int passed(const struct cw_run_native *x, cl_int status)
{
    if (x->passed && status == CL_SUCCESS)
        cw_run_native_waited(x->queue, x->passed, true, x->given);
    else
        cw_run_passing_leave(&x->queue->passing);
    return status;
}

cl_int cw_run_native_leave(struct cw_run_native *x, cl_int status)
{
    struct cw_run_queue *q = x->queue && !x->passes ? x->queue : NULL;
    uint64_t now = 0;

    if (status == CL_SUCCESS && x->event && *x->event && !x->staging)
        cw_run_staging_notes_new(*x->event);
    if (status == CL_SUCCESS && x->event && *x->event)
        cw_device_native_seen(*x->event);
    if (status == CL_SUCCESS && x->type && (q ? x->wanted && !x->gated : x->event != NULL)) {
        cw_run_global_lock_take();
        note_event(x);
        cw_run_global_lock_give();
    }
    if (!q)
        return x->queue ? passed(x, status) : status;
    cw_run_global_lock_take();
    cw_run_exclusion_native_end(x->exclusion);
    q->native_calls--;
    q->context->native_calls--;
    q->native_given++; /* a look during the vendor's call may have come too early */
    if (CW_UNLIKELY(cw_run.far_workers) && status == CL_SUCCESS && (x->unmarked || (x->event && *x->event)))
        cw_run_native_bytes_note(x);
    if (x->use->barrier && status == CL_SUCCESS)
        q->native_barrier = q->native_given;
    if (x->given && status == CL_SUCCESS) {
        if (q->native_given == x->given + 1 && q->native_known < q->native_given && !returns_early(x))
            q->native_known = q->native_given; /* the call has waited for all of them */
        cw_run_hold_synchronised(q);
        cw_run_bypass_synchronised(q);
        cw_run_activation_waited(&now);
        cw_run_window_start_if_begun();
    }
    if (status == CL_SUCCESS && x->gated)
        remember_gated(x);
    if (status == CL_SUCCESS && x->use->kernel && (x->watched || !cw_run.begun))
        cw_run_hold_launched(q, watched_event(x));
    if (x->event == &x->own_event && !x->gated && !x->watched)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, x->own_event);
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, x->gate);
    cw_run_object_unpin(&q->r);
    cw_run_foreign_give();
    free(x->heap);
    return status;
}
