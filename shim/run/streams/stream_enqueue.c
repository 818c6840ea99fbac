/* stream_enqueue.c - see streams/stream_enqueue.h. */
#include "stream_enqueue.h"

#include "../../trace/recorder.h"
#include "../core/fault.h"
#include "../staging/staging.h"
#include "stream_event.h"
#include "stream_hooks.h"
#include "stream_place.h"
#include "stream_seat.h"
#include "stream_settings.h"
#include "stream_version.h"
#include "stream_worth.h"

void cw_stream_use_close(struct cw_stream_use *t)
{
    t->n = 0;
    t->closes = t->visible = true;
    t->no_list = t->hosted = t->idle = t->reads = t->early = t->transfers = t->pixels = t->polls = false;
    t->groups = 0;
    t->kernel = NULL;
    t->launch = NULL;
}

void cw_stream_use_begin(struct cw_stream_use *t)
{
    cw_stream_use_close(t);
    t->closes = t->visible = false;
}

void cw_stream_use_add(struct cw_stream_use *t, const struct cw_stream_bytes *bytes)
{
    if (t->closes || bytes->low >= bytes->high)
        return;
    if (t->n == CW_STREAM_TOUCHES) {
        cw_stream_use_close(t);
        return;
    }
    t->object[t->n] = NULL;
    t->of[t->n++] = *bytes;
}

/* How a blocking command waits. Other threads' commands wait for the vendor's call: it must not wait for what
 * the host has to do. */
static void set_blocking(struct cw_stream_call *c, cl_bool blocking)
{
    c->by_event = blocking && (c->q->hosted || cw_stream_callback_any());
    c->blocking = blocking && !c->by_event;
    if (c->by_event && !c->event)
        c->event = &c->made;
    if (c->blocking)
        cw_stream_queue_flush(c->q, c->stream);
}

static void place(struct cw_stream_call *c, struct cw_stream_use *t)
{
    struct cw_stream_queue *q = c->q;
    uint64_t need[CW_STREAM_MAX];

    c->leaves = cw_stream_worth_is_vain(q);
    c->closes = !cw_stream_worth_comes(q, t) || t->closes || c->waits.outside || q->closed || q->crowded;
    if (!q->number)
        q->owner = pthread_self();
    q->hosted |= t->hosted || c->waits.outside || !pthread_equal(q->owner, pthread_self());
    if (q->n > 1 &&
        (t->hosted || c->waits.outside)) /* no mark of a command before it may wait for the host */
        cw_stream_queue_mark(q, 0, q->of[0].last);
    cw_stream_version_pick(c);
    c->closes |= q->crowded; /* by copies between versions */
    cw_stream_place_needs(q, t, c->closes, need);
    c->stream = c->closes ? 0 : cw_stream_place_choose(q, t, need);
    c->queue = q->of[c->stream].queue;
    cw_stream_place_waits(q, t, c->stream, need, &c->waits);
}

/* The vendor's transfer may hold its caller, and with it the order, until all before it is over, also
 * where it is not to block; and another thread's next command may be what that waits for. A call that is
 * wrong holds nobody. Lock held. */
static bool waits_ahead(const struct cw_stream_call *c, const struct cw_stream_use *t, cl_bool blocking)
{
    return blocking && t->transfers && !t->closes && !c->waits.bad &&
           (c->q->hosted || c->waits.outside || cw_stream_callback_any());
}

/* Retained: what the command waits for in its queue, and what is not over. Returns how many. Lock held. */
static cl_uint find_pending(struct cw_stream_queue *q, const struct cw_stream_use *t, cl_event *list)
{
    uint64_t need[CW_STREAM_MAX];
    cl_event mark;
    cl_uint n = 0;

    cw_stream_place_needs(q, t, q->closed || q->crowded || !q->worth.fans, need);
    if (need[0] < q->floor)
        need[0] = q->floor;
    for (uint32_t s = 0; s < q->n; s++) {
        mark = cw_stream_queue_is_over(q, s, need[s]) ? NULL : cw_stream_queue_mark(q, s, need[s]);
        if (mark && cw_next.clRetainEvent(mark) == CL_SUCCESS)
            list[n++] = mark;
    }
    if (n)
        cw_stream_queue_flush(q, CW_STREAM_MAX);
    return n;
}

/* The command's turn, with order and lock: when nothing is left to be waited for ahead. */
static void take_turn(struct cw_stream_call *c, const struct cw_stream_use *t, cl_bool blocking)
{
    cl_event list[CW_STREAM_MAX];
    cl_uint n;

    for (;;) {
        cw_stream_lock(&c->q->order);
        cw_stream_lock(&c->q->lock);
        if (!waits_ahead(c, t, blocking))
            return;
        n = c->waits.outside ? 0 : find_pending(c->q, t, list);
        if (!n && !c->waits.outside)
            return;
        cw_stream_unlock(&c->q->lock);
        cw_stream_unlock(&c->q->order);
        if (c->waits.outside)
            cw_next.clWaitForEvents(c->waits.n, c->waits.list);
        c->waits.outside = false; /* no more */
        while (n) {
            cw_next.clWaitForEvents(1, &list[--n]);
            cw_next.clReleaseEvent(list[n]);
        }
    }
}

bool cw_stream_skips_of(cl_command_queue queue, cl_uint n, const cl_event *list)
{
    cl_uint i = 0;

    if (cw_stream_object_find(queue, CW_STREAM_QUEUE))
        return false;
    while (list && i < n && !cw_stream_object_find(list[i], CW_STREAM_EVENT))
        i++;
    return !list || i == n;
}

/* The queue has left streams since it was found. True: it has, and order and lock are given up. */
static bool has_left(struct cw_stream_call *c)
{
    struct cw_stream_queue *q = c->q;

    if (CW_LIKELY(!q->left))
        return false;
    cw_stream_unlock(&q->lock);
    cw_stream_unlock(&q->order);
    cw_stream_object_unpin(q);
    c->q = NULL;
    return true;
}

const struct cw_dispatch *cw_stream_begin(struct cw_stream_call *c, cl_command_queue queue,
                                          struct cw_stream_use *use, cl_bool blocking, cl_uint n,
                                          const cl_event *list, cl_event *event)
{
    bool streamed = false;

    c->q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);
    c->queue = queue;
    c->blocking = blocking;
    c->event = c->program = event;
    c->made = NULL;
    c->turn = NULL;
    c->by_event = c->seated = c->leaves = false;
    c->use = use;
    c->refused = CL_SUCCESS;
    c->context = c->q ? c->q->vendor_context : NULL;
    cw_stream_waits_open(&c->waits, c->q, n, list);
    if (c->q) {
        cw_stream_version_before(c);
        take_turn(c, use, blocking);
    }
    if (c->q && !has_left(c)) {
        place(c, use);
        set_blocking(c, blocking);
        streamed = !c->q->closed;
        cw_stream_unlock(&c->q->lock);
        c->turn = streamed ? cw_run_staging_turn_take(c->queue) : NULL;
        cw_stream_waits_before(&c->waits, c->queue, use->no_list);
        if (streamed)
            cw_stream_seat_begin(c);
    }
    c->n = c->waits.n;
    c->list = c->waits.list;
    return streamed ? &cw_stream_vendor : &cw_stream_below;
}

static void count(const struct cw_stream_call *c)
{
    const struct cw_stream_use *t = c->use;
    const struct cw_stream_queue *q = c->q;

    cw_stream_counts.commands++;
    if (c->stream)
        cw_stream_counts.beside_first++;
    if (c->closes && q->n > 1 && q->worth.fans)
        cw_stream_counts.closed++;
    if (!t->groups)
        return;
    cw_stream_counts.launches++;
    if (t->closes)
        cw_stream_counts.unseen++;
    else if (t->groups >= 2 * q->units)
        cw_stream_counts.filling++;
}

/* The vendor has taken it: what it touches, and what waits for it from now on. */
static void keep(struct cw_stream_call *c)
{
    const struct cw_stream_use *t = c->use;
    struct cw_stream_queue *q = c->q;
    uint64_t number = cw_stream_place_note(q, t, c->closes, c->stream);

    if (c->program || t->visible)
        q->of[c->stream].visible = number;
    count(c);
    q->worth.beside += c->stream > 0;
    if (c->program)
        cw_stream_event_made(q, *c->program, c->stream, number);
    cw_device_times_went(c->stream + 1, 0);
}

/* What a blocking command waits for beside its own end. */
struct ends {
    cl_command_queue queue[CW_STREAM_MAX]; /* finished; or */
    cl_event mark[CW_STREAM_MAX];          /* waited for, retained; both NULL: nothing */
    uint64_t number[CW_STREAM_MAX], last[CW_STREAM_MAX];
};

/* Ends that the program could see once its blocking call has returned: of streams that have any. Where
 * there are several queues, commands of another one may rest on all that is over then. With marks, no command
 * of another thread that comes later is waited for. */
static void find_visible(struct cw_stream_queue *q, uint32_t but, bool marks, struct ends *x)
{
    *x = (struct ends){0};
    for (uint32_t s = 0; s < q->n; s++) {
        struct cw_stream *t = &q->of[s];
        uint64_t seen = q->context->queues > 1 ? t->last : t->visible;

        x->last[s] = t->last;
        if (s == but || seen <= t->over)
            continue;
        x->number[s] = marks ? seen : t->last;
        x->mark[s] = marks ? cw_stream_queue_mark(q, s, seen) : NULL;
        if (x->mark[s])
            cw_next.clRetainEvent(x->mark[s]);
        x->queue[s] = marks ? NULL : t->queue;
        t->dirty &= !x->queue[s];
    }
}

static bool is_pending(const struct ends *x, uint32_t s)
{
    return x->queue[s] || x->mark[s];
}

/* No lock held. */
static void wait_for_visible(const struct ends *x)
{
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++) {
        if (x->queue[s])
            cw_next.clFinish(x->queue[s]);
        if (x->mark[s]) {
            cw_next.clWaitForEvents(1, &x->mark[s]);
            cw_next.clReleaseEvent(x->mark[s]);
        }
    }
}

/* No lock held. */
static cl_int wait_for_event(struct cw_stream_call *c, cl_event event)
{
    cl_int err = cw_next.clWaitForEvents(1, &event);

    cw_next.clReleaseEvent(event);
    if (c->made)
        cw_next.clReleaseEvent(c->made);
    return err;
}

/* All that `x` says is over, and the command itself where its call has waited for it, and `err` does not say
 * otherwise. Lock held. */
static void reached(struct cw_stream_call *c, const struct ends *x, uint64_t number, cl_int err)
{
    struct cw_stream_queue *q = c->q;

    if (err == CL_SUCCESS && (c->by_event || cw_stream_call_is_over(c)))
        cw_stream_queue_reached(q, c->stream, number);
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++) {
        if (is_pending(x, s))
            cw_stream_queue_reached(q, s, x->number[s]);
        if (q->of[s].passed < x->last[s])
            q->of[s].passed = x->last[s];
    }
    if (err == CL_SUCCESS)
        cw_stream_worth_synchronised(q, number);
}

/* Order and lock held, given up. */
static cl_int finish_blocking(struct cw_stream_call *c)
{
    struct cw_stream_queue *q = c->q;
    uint64_t number = q->number;
    bool alone = q->context->queues <= 1;
    cl_event event = c->by_event ? *c->event : NULL;
    cl_int err = CL_SUCCESS;
    struct ends x;

    find_visible(q, c->stream, c->by_event, &x);
    if (event)
        cw_next.clRetainEvent(event);
    if (c->by_event)
        cw_stream_queue_flush(q, CW_STREAM_MAX);
    else
        q->of[c->stream].dirty = false;
    cw_stream_unlock(&q->lock);
    cw_stream_unlock(&q->order);
    if (event)
        err = wait_for_event(c, event);
    wait_for_visible(&x);
    cw_stream_lock(&q->lock);
    reached(c, &x, number, err);
    cw_stream_unlock(&q->lock);
    if (alone && q->context->queues > 1) /* another queue was made meanwhile */
        cw_stream_queue_catch_up(q, NULL);
    cw_stream_callback_wait(q, number);
    return err;
}

/* Order held, given up. */
static cl_int taken(struct cw_stream_call *c)
{
    if (c->event && *c->event && !c->use->transfers)
        cw_run_staging_notes_new(*c->event);
    cw_stream_lock(&c->q->lock);
    keep(c);
    cw_stream_unlock(&c->q->lock);
    cw_stream_version_done(c);
    cw_stream_seat_end(c, CL_SUCCESS);
    if (c->blocking || c->by_event) {
        cw_stream_lock(&c->q->lock);
        return finish_blocking(c);
    }
    cw_stream_unlock(&c->q->order);
    return CL_SUCCESS;
}

cl_int cw_stream_end(struct cw_stream_call *c, cl_int err)
{
    struct cw_stream_queue *q = c->q;

    cw_run_staging_turn_give(c->turn);
    c->refused = q ? err : CL_SUCCESS;
    if (q && err != CL_SUCCESS)
        cw_stream_seat_end(c, err);
    if (q && err == CL_SUCCESS)
        err = taken(c);
    else if (q)
        cw_stream_unlock(&q->order);
    cw_stream_waits_close(&c->waits);
    if (q && c->leaves)
        cw_stream_leave_if_idle(q);
    if (q)
        cw_stream_object_unpin(q);
    return err;
}

void cw_stream_leave_if_idle(struct cw_stream_queue *q)
{
    if (atomic_load(&q->context->pays) && atomic_load(&q->context->renames))
        return; /* commands that are not seen would need all bytes at home */
    cw_stream_version_end(q->context);
    cw_stream_queue_leave_if_idle(q);
}

void cw_stream_close_for_good(struct cw_stream_queue *q)
{
    struct cw_stream_use t;
    struct cw_stream_call c;

    cw_stream_seat_unseen(q->context);
    cw_stream_version_end(q->context);
    cw_stream_use_close(&t);
    t.no_list = true;
    cw_stream_begin(&c, (cl_command_queue)(uintptr_t)q->o.handle, &t, CL_FALSE, 0, NULL, NULL);
    if (c.q) {
        cw_stream_lock(&c.q->lock);
        c.q->closed = true;
        cw_stream_unlock(&c.q->lock);
    }
    cw_stream_end(&c, CL_SUCCESS);
}
