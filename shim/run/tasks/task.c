/* task.c - commands: made, ordered, done, retired. */
#include "foreign.h"
#include "../core/clock.h"

#include <stdlib.h>

#include "../../door/log.h"
#include "../../trace/recorder.h"
#include "event.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "callback.h"
#include "task.h"

#define POOLED_BYTES 1024 /* most commands fit */
#ifdef __SANITIZE_ADDRESS__
#define POOL_MOST 0 /* so that uses after free are found */
#else
#define POOL_MOST 256
#endif

static struct cw_run_task *pool; /* linked by next; lock held */
static uint32_t pool_count;

/* `bytes` for a command; not zeroed. */
static struct cw_run_task *allocate(size_t bytes)
{
    struct cw_run_task *t = pool;

    if (bytes > POOLED_BYTES)
        return malloc(bytes);
    if (!t)
        return malloc(POOLED_BYTES);
    pool = t->links.next;
    pool_count--;
    return t;
}

struct cw_run_task *cw_run_task_create(uint32_t accesses, uint32_t args, size_t blob)
{
    size_t bytes = sizeof(struct cw_run_task) + accesses * sizeof(struct cw_run_access) +
                   args * sizeof(struct cw_run_arg) + blob;
    struct cw_run_task *t = allocate(bytes);

    if (!t)
        return NULL;
    *t = (struct cw_run_task){.storage = bytes <= POOLED_BYTES ? CW_RUN_POOLED : CW_RUN_FREED,
                              .time.wanted = true};
    t->accesses.of = (struct cw_run_access *)(t + 1);
    if (args)
        t->launch.args = (struct cw_run_arg *)(t->accesses.of + accesses);
    return t;
}

void cw_run_task_destroy(struct cw_run_task *t)
{
    if (!t)
        return;
    free(t->edges.to);
    if (CW_UNLIKELY(t->storage == CW_RUN_LEFT))
        return;
    if (t->storage == CW_RUN_FREED || pool_count == POOL_MOST) {
        free(t);
        return;
    }
    t->links.next = pool;
    pool = t;
    pool_count++;
}

static void put_off(struct cw_run_task *t, struct cw_run_task **last)
{
    t->links.done = NULL;
    (*last)->links.done = t;
    *last = t;
}

static struct cw_run_task *retire_last; /* of cw_run.retire_first, if there is one */

static void to_retire(struct cw_run_task *t)
{
    t->state = CW_RUN_RETIRING;
    t->links.window = NULL;
    if (cw_run.retire_first)
        retire_last->links.window = t;
    else
        cw_run.retire_first = t;
    retire_last = t;
}

/* Lets go the successors of `t` that wait for `edge`. Those with nothing to do go to the end of the list at
 * *last. */
static void let_go(struct cw_run_task *t, bool retired, struct cw_run_task **last)
{
    for (uint32_t i = 0; i < t->edges.n; i++) {
        uintptr_t bits = t->edges.to[i] & CW_RUN_EDGE_BITS;
        struct cw_run_task *s = (struct cw_run_task *)(t->edges.to[i] & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (!s || !!(bits & CW_RUN_AT_RETIRE) != retired)
            continue;
        t->edges.to[i] = 0;
        if (s->time.ready_ns < t->time.at[3])
            s->time.ready_ns = t->time.at[3];
        if (bits & CW_RUN_FAILS && t->outcome.status < 0 && !s->outcome.failed)
            s->outcome.failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (--s->waits)
            continue;
        if (s->work == CW_RUN_NOTHING || !s->queue)
            put_off(s, last);
        else if (s->state == CW_RUN_RELEASED) /* else its window is open, or it runs in this batch */
            cw_run_ready_add(s);
    }
}

/* Commands of `q` that may retire now go to the list of cw_run_task_retire, in the order of the queue. */
static void advance(struct cw_run_queue *q)
{
    struct cw_run_task *t;

    for (t = q->first; t; t = t->links.next) {
        if (t->state < CW_RUN_DONE && q->in_order) {
            cw_run_event_progress(t); /* it is the first now */
            break;
        }
        if (t->state == CW_RUN_DONE)
            to_retire(t);
    }
}

/* Later commands of its queue need not wait for it any more. */
static void no_longer_joins(struct cw_run_task *t)
{
    if (t->joins && t->joins->join == t)
        t->joins->join = NULL;
}

static void one_done(struct cw_run_task *t, cl_int status, struct cw_run_task **last)
{
    t->outcome.status = t->outcome.failed ? t->outcome.failed : status;
    t->state = CW_RUN_DONE;
    if (CW_UNLIKELY(t->outcome.status < 0 && t->outcome.told))
        *t->outcome.told = t->outcome.status;
    if (t->time.wanted && !t->time.at[3]) {
        t->time.at[3] = cw_run_clock_now_ns();
        if (t->time.at[3] < t->time.ready_ns)
            t->time.at[3] = t->time.ready_ns;
        for (int i = 2; i >= 0 && !t->time.at[i]; i--)
            t->time.at[i] = t->time.at[3];
        t->time.at[3] += t->time.at[2] == t->time.at[3];
    }
    if (CW_UNLIKELY(t->order.recorded)) /* the true times; those for the program follow its queue's order */
        cw_device_times_ran(t->order.recorded - 1, cw_run.workers[t->at.worker].recorded, t->outcome.status,
                            t->time.at);
    if (CW_UNLIKELY(cw_run.over != NULL))
        cw_run.over(t);
    cw_run_byte_range_remove_accesses(t);
    let_go(t, false, last);
    if (t->queue) {
        advance(t->queue);
        return;
    }
    no_longer_joins(t);
    let_go(t, true, last);
    t->state = CW_RUN_RETIRED;
    if (t->joins)
        cw_run_record_unpin(&t->joins->r);
}

struct cw_run_memory *cw_run_task_memory(const struct cw_run_task *t, uint32_t i)
{
    struct cw_run_memory *to = NULL, *from = NULL;

    if (t->work == CW_RUN_COPY) {
        to = t->copy.to.memory;
        from = t->copy.from.memory;
    } else if (t->work == CW_RUN_FILL) {
        to = t->fill.to.memory;
    } else if (t->work != CW_RUN_LAUNCH) {
        to = t->home.mapped;
        if (i < t->home.n)
            return t->home.of[i];
    }
    return i == 0 && to ? to : i == !!to ? from : NULL;
}

static void no_longer_used(struct cw_run_task *t)
{
    struct cw_run_memory *m;
    uint32_t n = 0;

    if (t->work == CW_RUN_LAUNCH) {
        for (uint32_t i = 0; i < t->launch.kernel->count; i++)
            if (t->launch.args[i].memory)
                cw_run_record_unpin(&t->launch.args[i].memory->r);
        cw_run_record_unpin(&t->launch.kernel->r);
    }
    while ((m = cw_run_task_memory(t, n++)))
        cw_run_record_unpin(&m->r);
}

void cw_run_task_done(struct cw_run_task *t, cl_int status)
{
    struct cw_run_task *last = t, *next;

    t->links.done = NULL;
    for (; t; t = next, status = CL_COMPLETE) {
        bool internal = !t->queue;

        one_done(t, status, &last);
        next = t->links.done;
        if (internal && t->gate)
            to_retire(t); /* native commands wait for it */
        else if (internal) {
            no_longer_used(t);
            cw_run_task_destroy(t);
        }
    }
}

/* Tells the vendor, in order; lock not held. The list is ours until it is finished. True: something has
 * failed. */
static bool tell_vendor(struct cw_run_task *list)
{
    bool failed = false;

    for (struct cw_run_task *t = list; t; t = t->links.window) {
        cl_int status = t->outcome.status < 0 ? t->outcome.status : CL_COMPLETE;
        if (t->event)
            cw_next.clSetUserEventStatus((cl_event)(uintptr_t)t->event->r.handle, status);
        if (t->gate) /* the bare call would have refused a launch that home refuses, and commands behind it
                        would run */
            cw_next.clSetUserEventStatus(t->gate, t->work == CW_RUN_LAUNCH && !t->outcome.failed ? CL_COMPLETE
                                                                                                 : status);
        failed |= status < 0;
    }
    return failed;
}

static void leave_queue(struct cw_run_task *t)
{
    struct cw_run_queue *q = t->queue;

    if (t->links.prev)
        t->links.prev->links.next = t->links.next;
    else
        q->first = t->links.next;
    if (t->links.next)
        t->links.next->links.prev = t->links.prev;
    else
        q->last = t->links.prev;
}

/* The times that the program is told: a command is submitted and starts when the commands that it waited for
 * have ended, in an in-order queue the one before it. One that had run before that ends when it retires. */
static void put_in_line(struct cw_run_task *t)
{
    struct cw_run_queue *q = t->queue;
    uint64_t from = q->in_order && q->last_end_ns > t->time.ready_ns ? q->last_end_ns : t->time.ready_ns, now;

    for (int i = 1; i <= 2; i++)
        t->time.at[i] = t->time.at[i] < from ? from : t->time.at[i];
    if (t->time.at[3] <= t->time.at[2]) {
        now = cw_run_clock_now_ns();
        t->time.at[3] = now > t->time.at[2] ? now : t->time.at[2] + 1; /* programs divide by END - START */
    }
}

/* The event says that the command is over. This comes before native commands that wait for it are let go. */
static void show(struct cw_run_task *t)
{
    struct cw_run_event *e = t->event;

    if (t->queue && t->time.wanted)
        put_in_line(t);
    if (t->queue) {
        t->queue->last_end_ns = t->time.at[3];
        cw_device_shown(t->queue->context->places[t->queue->home].device,
                        cw_run_clock_of_devices(t->time.at[3]));
    }
    if (!e)
        return;
    cw_run_callback_push(e, CL_COMPLETE, t->outcome.status);
    e->task = NULL;
    e->status = t->outcome.status;
    e->calls = e->queue->calls;
    for (int i = 0; i < 4; i++)
        e->times[i] = t->time.at[i];
}

/* The command is over, and the vendor knows. */
static void finish(struct cw_run_task *t, struct cw_run_task **last)
{
    struct cw_run_queue *q = t->queue;

    t->state = CW_RUN_RETIRED;
    no_longer_joins(t);
    if (q) {
        leave_queue(t);
        cw_run.unfinished--;
        cw_run.counts.retired++;
    }
    if (t->event)
        cw_run_record_unpin(&t->event->r);
    if (q && q->in_order && q->first)
        cw_run_event_progress(q->first); /* it is seen to run, if it does, now that all before it are over */
    let_go(t, true, last);
    no_longer_used(t);
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, t->gate);
    if (q)
        cw_run_record_unpin(&q->r);
    cw_run_task_destroy(t);
}

static bool needs_vendor(const struct cw_run_task *t)
{
    for (; t; t = t->links.window)
        if (t->event || t->gate)
            return true;
    return false;
}

bool cw_run_task_retire(void)
{
    struct cw_run_task *list = cw_run.retire_first, *next;
    struct cw_run_task head = {.links.done = NULL}, *tail = &head;
    bool failed;

    if (cw_run.retirer || !list)
        return false;
    cw_run.retirer = pthread_self(); /* one thread at a time: the vendor hears of events in their order */
    cw_run.retire_first = NULL;
    for (struct cw_run_task *t = list; t; t = t->links.window)
        show(t);
    if (needs_vendor(list)) {
        cw_run_global_lock_give();
        failed = tell_vendor(list);
        cw_run_global_lock_take();
        if (failed)
            cw_run_foreign_look_at_failures();
    }
    for (; list; list = next) {
        next = list->links.window;
        finish(list, &tail);
    }
    for (list = head.links.done; list; list = next) {
        next = list->links.done;
        cw_run_task_done(list, CL_COMPLETE);
    }
    cw_run_global_lock_tell();
    cw_run.retirer = 0;
    return true;
}
