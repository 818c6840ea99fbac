/* dependence.c - the order of commands besides memory: wait lists, barriers, native commands before it.
 *
 * In an in-order queue commands whose memory does not meet are not ordered. Native work, whose memory is not
 * known, is inherited: once a command of the queue waits for native work, directly or through other managed
 * commands, every later command of the queue does (q->join). */
#include "../core/fault.h"
#include "foreign.h"
#include "../core/edge.h"
#include "../core/clock.h"

#include <stdlib.h>

#include "../../trace/recorder.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../core/record.h"
#include "object.h"
#include "../core/recount.h"
#include "../memory/native_use.h"
#include "../core/state.h"
#include "dependence.h"
#include "event_list.h"
#include "task.h"

static bool is_over(cl_event event)
{
    return cw_query_status(event) <= CL_COMPLETE;
}

bool cw_run_dependence_is_gated(struct cw_run_queue *q)
{
    cw_run_event_list_prune(&q->gates, q->gates.n, is_over);
    return q->gates.n;
}

static bool is_of(cl_event event, const struct cw_run_context *c)
{
    cl_context context = NULL;

    return cw_next.clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL) == CL_SUCCESS &&
           context == c->r.handle;
}

static enum cw_run_waits look(const struct cw_run_queue *q, cl_event event)
{
    struct cw_run_event *e = cw_run_record_find(event, CW_RUN_EVENT);
    cl_int status;

    if (e && e->what == CW_RUN_MANAGED)
        return e->status < 0 || e->queue->context != q->context ? CW_RUN_WAITS_ODD : CW_RUN_WAITS_FINE;
    if (event && !is_of(event, q->context))
        return CW_RUN_WAITS_ODD;
    status = e && e->what == CW_RUN_USER ? e->status : event ? cw_query_status(event) : CL_INVALID_EVENT;
    if (status < 0)
        return CW_RUN_WAITS_ODD;
    return e && e->what != CW_RUN_CALLED && status > CL_COMPLETE ? CW_RUN_WAITS_GATED : CW_RUN_WAITS_FINE;
}

enum cw_run_waits cw_run_dependence_look(const struct cw_run_queue *q, cl_uint n, const cl_event *list)
{
    enum cw_run_waits worst = CW_RUN_WAITS_FINE, one;

    if (!n != !list)
        return CW_RUN_WAITS_ODD;
    for (cl_uint i = 0; i < n; i++) {
        one = look(q, list[i]);
        if (one == CW_RUN_WAITS_GATED || worst == CW_RUN_WAITS_FINE)
            worst = one;
    }
    return worst;
}

static bool is_native(cl_event event)
{
    const struct cw_run_event *e = cw_run_record_find(event, CW_RUN_EVENT);

    if (e && e->what == CW_RUN_MANAGED)
        return e->task && e->task->behind_native && e->task->state < CW_RUN_DONE;
    return cw_query_status(event) > CL_COMPLETE;
}

bool cw_run_dependence_waits_native(const struct cw_run_queue *q, cl_uint n, const cl_event *list)
{
    bool native = q->join && q->join->behind_native;

    for (cl_uint i = 0; i < n && !native; i++)
        native = is_native(list[i]);
    return native;
}

/* Orders `t` behind q->join, if there is one. A barrier has to be seen to be over. False: out of memory. */
static bool wait_for_join(const struct cw_run_queue *q, struct cw_run_task *t)
{
    enum cw_run_edge edge = q->join && q->join->queue ? CW_RUN_FAILS | CW_RUN_AT_RETIRE : CW_RUN_FAILS;

    return !q->join || cw_run_edge_add(q->join, t, edge);
}

/* An internal command that later commands of `q` wait for, behind the one before. waits starts at 1: for the
 * caller. */
static struct cw_run_task *new_join(struct cw_run_queue *q)
{
    struct cw_run_task *j = cw_run_task_create(0, 0, 0);

    if (!j)
        return NULL;
    if (!wait_for_join(q, j)) {
        cw_run_task_destroy(j);
        return NULL;
    }
    j->waits++;
    j->behind_native = true;
    j->joins = q;
    cw_run_record_pin(&q->r);
    q->join = j;
    return j;
}

static void let_join(struct cw_run_task *j)
{
    if (j && !--j->waits)
        cw_run_task_done(j, CL_COMPLETE);
}

/* Makes `task` (which counts it as one of its waits) done with the vendor's event; takes over the reference.
 */
static bool follow(cl_event event, struct cw_run_task *task)
{
    struct cw_run_foreign *f = malloc(sizeof *f);

    if (!f)
        return false;
    *f = (struct cw_run_foreign){.event = event, .task = task};
    cw_run_foreign_follow(f);
    return true;
}

/* A command that is done when the vendor's event is. NULL: out of memory. */
static struct cw_run_task *foreign_task(cl_event event)
{
    struct cw_run_task *t = cw_run_task_create(0, 0, 0);

    if (!t)
        return NULL;
    t->waits = 1;
    t->behind_native = true;
    if (cw_next.clRetainEvent(event) == CL_SUCCESS) {
        if (follow(event, t))
            return t;
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event);
    }
    cw_run_task_destroy(t);
    return NULL;
}

/* Enqueues a marker, which tells of native commands that have no event, too. One reference to its event stays
 * for as long as the queue or the caller needs it. NULL: the vendor refused. Lock given up meanwhile. */
static cl_event mark(struct cw_run_queue *q)
{
    uint64_t given = q->native_given;
    cl_command_queue handle = (cl_command_queue)(uintptr_t)q->r.handle;
    cl_event marker;
    cl_int err;

    cw_run_record_pin(&q->r);
    cw_run_recount_begins();
    cw_run_global_lock_give();
    err = cw_next.clEnqueueMarkerWithWaitList(handle, 0, NULL, &marker);
    if (err == CL_SUCCESS)
        cw_next.clFlush(handle);
    cw_run_global_lock_take();
    if (err == CL_SUCCESS)
        cw_run_event_list_own(&q->own_events, marker);
    cw_run_recount_ends();
    if (err == CL_SUCCESS)
        cw_run_native_use_marked(q, given, marker);
    cw_run_object_unpin(&q->r);
    return err == CL_SUCCESS ? marker : NULL;
}

bool cw_run_dependence_mark(struct cw_run_queue *q)
{
    return mark(q);
}

bool cw_run_dependence_take_in_natives(struct cw_run_queue *q)
{
    uint64_t given = q->native_given;
    cl_event marker = mark(q);
    struct cw_run_task *t, *j;
    bool waits;

    if (!marker)
        return false;
    if (cw_query_status(marker) > CL_COMPLETE) {
        t = foreign_task(marker);
        j = t ? new_join(q) : NULL;
        waits = j && cw_run_edge_add(t, j, CW_RUN_FAILS);
        if (j)
            j->outcome.failed = 0;
        let_join(j);
        if (!waits)
            return false; /* t, if any, ends by itself */
    }
    if (q->native_known < given)
        q->native_known = given;
    return true;
}

int cw_run_dependence_admit(struct cw_run_queue *q, cl_uint n, const cl_event *list)
{
    enum cw_run_waits waits;

    if (CW_UNLIKELY(q->gates.n) && cw_run_dependence_is_gated(q))
        return CW_RUN_R_GATED;
    waits = cw_run_dependence_look(q, n, list);
    return waits == CW_RUN_WAITS_FINE ? -1 : waits == CW_RUN_WAITS_GATED ? CW_RUN_R_GATED : CW_RUN_R_CHECK;
}

/* Orders `t` behind one event of its wait list. True when that is, or stems from, native work that is not
 * over. */
static bool wait_for(struct cw_run_queue *q, struct cw_run_task *t, cl_event event)
{
    struct cw_run_event *e = cw_run_record_find(event, CW_RUN_EVENT);
    enum cw_run_edge edge = CW_RUN_FAILS;
    struct cw_run_task *before;

    if (e && e->what == CW_RUN_MANAGED) {
        before = e->task;
        if (!before)
            return false;
        if (before->queue != q || !q->in_order)
            edge |= CW_RUN_AT_RETIRE; /* the program may not see `t` complete first */
        cw_run_edge_add(before, t, edge);
        return before->behind_native && before->state < CW_RUN_DONE;
    }
    if (cw_query_status(event) <= CL_COMPLETE)
        return false;
    before = foreign_task(event);
    if (before)
        cw_run_edge_add(before, t, edge);
    else
        t->outcome.failed = CL_OUT_OF_HOST_MEMORY;
    return true;
}

/* Later commands of the in-order queue wait for the wait list of `t`, too. */
static void inherit(struct cw_run_queue *q, struct cw_run_task *t, cl_uint n, const cl_event *list)
{
    struct cw_run_task *j = new_join(q);

    if (!j) {
        t->outcome.failed = CL_OUT_OF_HOST_MEMORY;
        return;
    }
    for (cl_uint i = 0; i < n; i++)
        wait_for(q, j, list[i]);
    cw_run_edge_add(j, t, CW_RUN_FAILS);
    if (j->outcome.failed) /* `t` is given up, and later ones inherit nothing */
        t->outcome.failed = CL_OUT_OF_HOST_MEMORY;
    j->outcome.failed = 0;
    let_join(j);
}

static void wait_for_list(struct cw_run_queue *q, struct cw_run_task *t, cl_uint n, const cl_event *list)
{
    bool native = false;

    for (cl_uint i = 0; i < n; i++)
        native |= wait_for(q, t, list[i]);
    t->behind_native |= native;
    if (native && q->in_order)
        inherit(q, t, n, list);
}

static void give_event(struct cw_run_queue *q, struct cw_run_task *t, cl_command_type type, cl_event handle)
{
    struct cw_run_event *e = handle ? cw_run_object_create(handle, CW_RUN_EVENT) : NULL;

    if (handle && !e && cw_next.clRetainEvent(handle) == CL_SUCCESS)
        t->gate = handle; /* out of memory: it completes as it should, and says too little of itself */
    if (!e)
        return;
    e->what = CW_RUN_MANAGED;
    e->queue = q;
    e->type = type;
    e->task = t;
    e->status = CL_QUEUED;
    t->event = e;
    q->events++;
    cw_run_record_pin(&e->r);
    cw_run_record_pin(&q->r); /* until the event is gone: programs may ask for its queue */
    if (CW_UNLIKELY(cw_run_fault_now(CW_RUN_FAULT_EARLY))) {
        e->task = NULL;
        e->status = CL_COMPLETE;
        t->event = NULL;
        cw_run_global_lock_release_later(CW_RUN_COMPLETE_EVENT, handle);
        cw_run_object_unpin(&e->r);
    }
}

static void into_queue(struct cw_run_queue *q, struct cw_run_task *t)
{
    t->queue = q;
    cw_run_task_goes_home(t);
    t->order.sequence = ++cw_run.sequence;
    t->order.recorded = cw_run.recording ? cw_enqueuing : 0;
    t->order.rank = t->order.sequence;
    t->links.prev = q->last;
    if (q->last)
        q->last->links.next = t;
    else
        q->first = t;
    q->last = t;
    cw_run_record_pin(&q->r);
    cw_run.unfinished++;
    cw_run.counts.managed++;
    cw_run.counts.launches += t->work == CW_RUN_LAUNCH;
}

static void into_window(struct cw_run_task *t)
{
    t->links.window = NULL;
    if (cw_run.window_last)
        cw_run.window_last->links.window = t;
    else
        cw_run.window_first = t;
    cw_run.window_last = t;
    cw_run.window_mixed =
        cw_run.window_count && (cw_run.window_mixed || cw_run.window_first->queue != t->queue);
    if (cw_run.window_count++)
        return;
    cw_run.window_since_ns = 0; /* until the timer looks: a clock for every command would cost more */
    if (cw_run.timer_asleep)
        cw_run.timer_wanted = true;
}

/* Out of memory before all edges were there. The edges that exist stay until they have come true: accesses
 * before `t` may be ordered through it. Then `t`, which has no queue, goes without having run. */
static void give_up(struct cw_run_task *t)
{
    t->state = CW_RUN_RUNNING; /* commands are ordered behind it as behind one that runs */
    t->outcome.failed = 0;
    t->outcome.told = NULL; /* its caller goes on */
    if (!--t->waits)
        cw_run_task_done(t, CL_COMPLETE);
}

bool cw_run_dependence_link(struct cw_run_queue *q, struct cw_run_task *t, cl_command_type type, cl_uint n,
                            const cl_event *list, bool whole, cl_event event)
{
    struct cw_run_task *before;
    bool barrier = type == CL_COMMAND_BARRIER;

    t->time.wanted = q->profiled || q->context->places[q->home].device->dsp || cw_device_clock_is_virtual() ||
                     cw_run.recording;
    t->time.at[0] = t->time.wanted ? cw_run_clock_now_ns() : 0;
    t->waits++; /* nothing goes on before the last edge is there */
    if (whole && !q->in_order)
        for (before = q->first; before; before = before->links.next)
            cw_run_edge_add(before, t, CW_RUN_AT_RETIRE);
    if (q->join)
        t->behind_native |= q->join->behind_native;
    wait_for_join(q, t);
    if (n)
        wait_for_list(q, t, n, list);
    if (CW_UNLIKELY(t->outcome.failed || !cw_run_ready_reserve(cw_run.unfinished + 1))) {
        give_up(t);
        return false;
    }
    into_queue(q, t);
    give_event(q, t, type, event);
    if (barrier && !q->in_order) {
        q->join = t;
        t->joins = q;
    }
    t->waits--;
    if (t->work != CW_RUN_NOTHING)
        into_window(t);
    else if (!t->waits)
        cw_run_task_done(t, CL_COMPLETE);
    return true;
}
