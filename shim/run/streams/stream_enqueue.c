/* stream_enqueue.c - see streams/stream_enqueue.h. */
#include "stream_enqueue.h"

#include "../../trace/recorder.h"
#include "../core/fault.h"
#include "../staging/staging.h"
#include "stream_callback.h"
#include "stream_hooks.h"
#include "stream_settings.h"
#include "stream_worth.h"

void cw_stream_touch_close(struct cw_stream_touch *t)
{
    t->n = 0;
    t->closes = t->visible = true;
    t->no_list = t->hosted = t->reads = t->transfers = false;
    t->groups = 0;
    t->kernel = NULL;
}

void cw_stream_touch_add(struct cw_stream_touch *t, const struct cw_stream_bytes *bytes)
{
    if (t->closes || bytes->low >= bytes->high)
        return;
    if (t->n == CW_STREAM_TOUCHES)
        cw_stream_touch_close(t);
    else
        t->of[t->n++] = *bytes;
}

static void over_of(const struct cw_stream_queue *q, uint64_t over[CW_STREAM_MAX])
{
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        over[s] = q->of[s].over;
}

/* need[s]: the command waits for those of stream s up to that number. */
static void find_needs(struct cw_stream_queue *q, const struct cw_stream_touch *t, bool closes,
                       uint64_t need[CW_STREAM_MAX])
{
    uint64_t over[CW_STREAM_MAX];

    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        need[s] = closes ? q->of[s].last : 0;
    if (closes)
        return;
    over_of(q, over);
    for (uint32_t i = 0; i < t->n; i++)
        cw_stream_access_conflicts(&q->accesses, &t->of[i], over, need);
}

static bool is_idle(const struct cw_stream *t)
{
    return t->last <= t->over;
}

/* The stream whose latest command is the latest that the command waits for: it continues a chain. */
static uint32_t chain_of(const struct cw_stream_queue *q, const uint64_t need[CW_STREAM_MAX])
{
    uint32_t best = CW_STREAM_MAX;

    for (uint32_t s = 0; s < q->n; s++)
        if (need[s] > q->of[s].over && need[s] == q->of[s].last &&
            (best == CW_STREAM_MAX || need[s] > need[best]))
            best = s;
    return best;
}

/* One that is idle, else the one that got its latest command first. */
static uint32_t free_of(struct cw_stream_queue *q)
{
    uint32_t best = 0;

    for (uint32_t s = 0; s < q->n; s++) {
        if (is_idle(&q->of[s]))
            return s;
        if (q->of[s].last < q->of[best].last)
            best = s;
    }
    if (q->n < q->most && cw_stream_queue_has(q, q->n))
        return q->n - 1;
    return best;
}

static uint32_t by_lot(struct cw_stream_queue *q)
{
    uint32_t s = cw_stream_queue_lot(q, q->most);

    while (q->n <= s && cw_stream_queue_has(q, q->n))
        ;
    return s < q->n ? s : 0;
}

static uint32_t choose(struct cw_stream_queue *q, const struct cw_stream_touch *t,
                       const uint64_t need[CW_STREAM_MAX])
{
    uint32_t s;

    if (cw_stream_settings.chaos)
        return by_lot(q);
    s = chain_of(q, need);
    if (s == CW_STREAM_MAX)
        return cw_stream_worth_fans_out(q, t) ? free_of(q) : 0;
    return s;
}

/* A planted fault: the command does not wait. */
static bool is_lost(const struct cw_stream_call *c)
{
    return CW_UNLIKELY(cw_run_fault_planted != CW_RUN_FAULT_NONE) &&
           (cw_run_fault_asks_since(CW_RUN_FAULT_LOOSE) ||
            (c->touch->reads && cw_run_fault_asks_since(CW_RUN_FAULT_SOON)));
}

/* The marks that the command waits for join its wait list. */
static void add_waits(struct cw_stream_queue *q, struct cw_stream_call *c, uint64_t need[CW_STREAM_MAX])
{
    cl_event mark;

    if (c->stream && need[0] < q->floor)
        need[0] = q->floor;
    for (uint32_t s = 0; s < q->n; s++) {
        if (s == c->stream || need[s] <= q->of[s].over || is_lost(c))
            continue;
        mark = cw_stream_queue_mark(q, s, need[s]);
        if (!mark)
            continue;
        cw_stream_waits_add(&c->waits, mark);
        cw_stream_counts.waits++;
    }
}

/* Of a command whose function has no list: a barrier before it waits. */
static void wait_before(struct cw_stream_call *c)
{
    struct cw_stream_waits *w = &c->waits;

    if (w->n && cw_next.clEnqueueBarrierWithWaitList(c->queue, w->n, w->list, NULL) != CL_SUCCESS)
        cw_next.clWaitForEvents(w->n, w->list);
}

/* How a blocking command waits. The lock may be held over the vendor's call only if nothing that it waits for
 * can need the lock. */
static void set_blocking(struct cw_stream_call *c, cl_bool blocking)
{
    c->apart = blocking && (c->q->hosted || cw_stream_callback_any());
    c->blocking = blocking && !c->apart;
    if (c->apart && !c->event)
        c->event = &c->made;
    if (c->blocking)
        cw_stream_queue_flush(c->q, c->stream);
}

static void place(struct cw_stream_call *c, const struct cw_stream_touch *t)
{
    struct cw_stream_queue *q = c->q;
    uint64_t need[CW_STREAM_MAX];

    c->closes = !cw_stream_worth_comes(q, t) || t->closes || c->waits.outside || q->closed || q->crowded;
    if (!q->number)
        q->owner = pthread_self();
    q->hosted |= t->hosted || c->waits.outside || !pthread_equal(q->owner, pthread_self());
    if (q->n > 1 &&
        (t->hosted || c->waits.outside)) /* no mark of a command before it may wait for the host */
        cw_stream_queue_mark(q, 0, q->of[0].last);
    find_needs(q, t, c->closes, need);
    c->stream = c->closes ? 0 : choose(q, t, need);
    c->queue = q->of[c->stream].queue;
    add_waits(q, c, need);
}

const struct cw_dispatch *cw_stream_begin(struct cw_stream_call *c, cl_command_queue queue,
                                          const struct cw_stream_touch *touch, cl_bool blocking, cl_uint n,
                                          const cl_event *list, cl_event *event)
{
    c->q = cw_stream_object_pin(queue, CW_STREAM_QUEUE);
    c->queue = queue;
    c->blocking = blocking;
    c->event = c->program = event;
    c->made = NULL;
    c->turn = NULL;
    c->apart = false;
    c->touch = touch;
    cw_stream_waits_open(&c->waits, c->q, n, list);
    if (c->q) {
        pthread_mutex_lock(&c->q->lock);
        place(c, touch);
        set_blocking(c, blocking);
        c->turn = c->q->closed ? NULL : cw_run_staging_turn_take(c->queue);
        if (touch->no_list)
            wait_before(c);
    }
    c->n = c->waits.n;
    c->list = c->waits.list;
    return c->q && !c->q->closed ? &cw_stream_vendor : &cw_stream_below;
}

/* The vendor has taken it: what it touches, and what waits for it from now on. */
static void keep(struct cw_stream_call *c)
{
    const struct cw_stream_touch *t = c->touch;
    struct cw_stream_queue *q = c->q;
    struct cw_stream *s = &q->of[c->stream];
    uint64_t number = ++q->number;
    bool full = false;

    s->last = number;
    s->dirty = true;
    if (c->program || t->visible)
        s->visible = number;
    for (uint32_t i = 0; !c->closes && i < t->n; i++)
        full |= !cw_stream_access_add(&q->accesses, &t->of[i], c->stream, number);
    if (c->closes) {
        q->floor = number;
        q->accesses.n = 0;
    }
    q->crowded = full;
    cw_stream_counts.closed += c->closes && q->n > 1 && q->worth.fans;
    cw_stream_counts.commands++;
    cw_stream_counts.aside += c->stream > 0;
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

static void wait_for_visible(struct cw_stream_queue *q, const struct ends *x)
{
    bool any = false;

    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        any |= is_pending(x, s);
    if (any)
        pthread_mutex_unlock(&q->lock);
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++) {
        if (x->queue[s])
            cw_next.clFinish(x->queue[s]);
        if (x->mark[s]) {
            cw_next.clWaitForEvents(1, &x->mark[s]);
            cw_next.clReleaseEvent(x->mark[s]);
        }
    }
    if (any)
        pthread_mutex_lock(&q->lock);
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++) {
        if (is_pending(x, s))
            cw_stream_queue_reached(q, s, x->number[s]);
        if (q->of[s].passed < x->last[s])
            q->of[s].passed = x->last[s];
    }
}

static cl_int wait_apart(struct cw_stream_call *c)
{
    struct cw_stream_queue *q = c->q;
    cl_event event = *c->event;
    cl_int err;

    cw_next.clRetainEvent(event);
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    pthread_mutex_unlock(&q->lock);
    err = cw_next.clWaitForEvents(1, &event);
    cw_next.clReleaseEvent(event);
    if (c->made)
        cw_next.clReleaseEvent(c->made);
    pthread_mutex_lock(&q->lock);
    return err;
}

static cl_int finish_blocking(struct cw_stream_call *c)
{
    struct cw_stream_queue *q = c->q;
    uint64_t number = q->number;
    bool alone = q->context->queues <= 1;
    cl_int err = CL_SUCCESS;
    struct ends x;

    find_visible(q, c->stream, c->apart, &x);
    if (c->apart)
        err = wait_apart(c);
    else
        q->of[c->stream].dirty = false;
    if (err == CL_SUCCESS)
        cw_stream_queue_reached(q, c->stream, number);
    wait_for_visible(q, &x);
    if (alone && q->context->queues > 1) { /* another queue was made meanwhile */
        pthread_mutex_unlock(&q->lock);
        cw_stream_queue_catch_up(q);
        pthread_mutex_lock(&q->lock);
    }
    if (cw_stream_queue_is_idle(q))
        cw_stream_worth_synchronised(q);
    return err;
}

cl_int cw_stream_end(struct cw_stream_call *c, cl_int err)
{
    struct cw_stream_queue *q = c->q;
    uint64_t number = 0;
    bool waits = false, calls = false;

    cw_run_staging_turn_give(c->turn);
    if (q && err == CL_SUCCESS) {
        if (c->event && *c->event && !c->touch->transfers)
            cw_run_staging_notes_new(*c->event);
        keep(c);
        waits = c->blocking || c->apart;
        number = q->number;
        if (waits)
            err = finish_blocking(c);
    }
    if (q) {
        calls = waits && q->hosted;
        pthread_mutex_unlock(&q->lock);
    }
    if (calls)
        cw_stream_callback_wait(q, number);
    cw_stream_waits_close(&c->waits);
    if (q)
        cw_stream_object_unpin(q);
    return err;
}

void cw_stream_close_for_good(struct cw_stream_queue *q)
{
    struct cw_stream_touch t;
    struct cw_stream_call c;

    cw_stream_touch_close(&t);
    t.no_list = true;
    cw_stream_begin(&c, (cl_command_queue)(uintptr_t)q->o.handle, &t, CL_FALSE, 0, NULL, NULL);
    if (c.q)
        c.q->closed = true;
    cw_stream_end(&c, CL_SUCCESS);
}
