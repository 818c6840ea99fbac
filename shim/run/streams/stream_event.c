/* stream_event.c - see streams/stream_event.h. */
#include "stream_event.h"
#include "../../door/door.h"
#include "../../door/lock_order.h"

#include "../../trace/recorder.h"
#include "../core/fault.h"
#include "../staging/staging.h"
#include "stream_hooks.h"
#include "stream_waits.h"

/* Of the lists of events, and of their times. */
static pthread_mutex_t times_lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&times_lock, STREAM_TIMES)

void cw_stream_event_made(struct cw_stream_queue *q, cl_event event, uint32_t stream, uint64_t number)
{
    struct cw_stream_event *e = cw_stream_object_create(event, CW_STREAM_EVENT, sizeof *e);

    if (!e)
        return;
    cw_stream_object_pin_again(q);
    e->queue = q;
    e->stream = stream;
    e->number = number;
    e->recorded = cw_enqueuing;
    e->over = true;
    for (uint32_t s = 0; s < q->n; s++)
        if (s != stream && q->of[s].last > q->floor && q->of[s].last > q->of[s].over) {
            e->tails[s] = q->of[s].last;
            e->over = false;
        }
    if (q->worth.fans) /* else no command of another stream is compared with it */
        cw_stream_queue_mark_by(q, stream, event);
    pthread_mutex_lock(&times_lock);
    e->least_ns = q->end_ns;
    e->prev = q->events_last;
    *(q->events_last ? &q->events_last->next : &q->events_first) = e;
    q->events_last = e;
    pthread_mutex_unlock(&times_lock);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What it has shown holds for the next one. */
void cw_stream_event_free(void *object)
{
    struct cw_stream_event *e = object;
    struct cw_stream_queue *q = e->queue;
    uint64_t *next;

    pthread_mutex_lock(&times_lock);
    next = e->next ? &e->next->least_ns : &q->end_ns;
    *next = later(*next, later(e->least_ns, e->timed ? e->end_ns : 0));
    *(e->prev ? &e->prev->next : &q->events_first) = e->next;
    *(e->next ? &e->next->prev : &q->events_last) = e->prev;
    pthread_mutex_unlock(&times_lock);
    cw_stream_object_unpin(q);
}

bool cw_stream_event_before_is_over(struct cw_stream_event *e)
{
    bool over = true;

    for (uint32_t s = 0; !e->over && s < e->queue->n; s++)
        if (e->tails[s] && !cw_stream_queue_is_over(e->queue, s, e->tails[s]))
            over = false;
    e->over = over;
    return over;
}

void cw_stream_event_before(struct cw_stream_event *e, cl_event *list, cl_uint *n)
{
    struct cw_stream_queue *q = e->queue;

    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; !e->over && s < q->n; s++) {
        cl_event mark = e->tails[s] ? cw_stream_queue_mark(q, s, e->tails[s]) : NULL;

        if (mark && cw_next.clRetainEvent(mark) == CL_SUCCESS)
            list[(*n)++] = mark;
    }
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    cw_stream_unlock(&q->lock);
}

/* ---- what the program asks */

/* Streams wait for each other: where one is asked for, all go on. */
static void flush(struct cw_stream_event *e)
{
    cw_stream_lock(&e->queue->lock);
    cw_stream_queue_flush(e->queue, CW_STREAM_MAX);
    cw_stream_unlock(&e->queue->lock);
}

static bool before_is_over(struct cw_stream_event *e)
{
    bool over;

    cw_stream_lock(&e->queue->lock);
    over = cw_stream_event_before_is_over(e);
    cw_stream_unlock(&e->queue->lock);
    return over;
}

/* The status of a command that the vendor has begun before its turn. */
static cl_int status_of(struct cw_stream_event *e, cl_int vendor)
{
    if (CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_EARLY) && cw_run_fault_asks_now(CW_RUN_FAULT_EARLY))
        return CL_COMPLETE;
    return vendor < CL_SUBMITTED && !before_is_over(e) ? CL_SUBMITTED : vendor;
}

static cl_int count_references(struct cw_stream_event *e, cl_event event, size_t capacity, void *to,
                               size_t *bytes)
{
    cl_uint count = 0;
    cl_int err;

    cw_stream_lock(&e->queue->lock);
    err = cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL);
    count -= cw_stream_queue_holds(e->queue, event) + atomic_load(&e->seats);
    cw_stream_unlock(&e->queue->lock);
    return err == CL_SUCCESS ? cw_query_answer(&count, sizeof count, capacity, to, bytes) : err;
}

static cl_int ask(struct cw_stream_event *e, cl_event event, cl_event_info name, size_t capacity, void *to,
                  size_t *bytes)
{
    cl_int status, err;
    cl_command_queue queue;

    if (name == CL_EVENT_COMMAND_QUEUE) {
        queue = (cl_command_queue)(uintptr_t)e->queue->o.handle;
        return cw_query_answer(&queue, sizeof queue, capacity, to, bytes);
    }
    if (name == CL_EVENT_REFERENCE_COUNT)
        return count_references(e, event, capacity, to, bytes);
    if (name != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return cw_stream_below.clGetEventInfo(event, name, capacity, to, bytes);
    err = cw_next.clGetEventInfo(event, name, sizeof status, &status, NULL);
    if (err != CL_SUCCESS)
        return err;
    if (status > CL_COMPLETE)
        flush(e);
    status = status_of(e, status);
    return cw_query_answer(&status, sizeof status, capacity, to, bytes);
}

cl_int cw_stream_hook_clGetEventInfo(cl_event event, cl_event_info name, size_t capacity, void *to,
                                     size_t *bytes)
{
    struct cw_stream_event *e = cw_stream_object_pin(event, CW_STREAM_EVENT);
    cl_int err;

    if (!e)
        return cw_stream_below.clGetEventInfo(event, name, capacity, to, bytes);
    err = ask(e, event, name, capacity, to, bytes);
    cw_stream_object_unpin(e);
    return err;
}

static uint64_t time_of(const struct cw_stream_event *e, cl_profiling_info name)
{
    uint64_t ns = 0;
    cl_ulong staged;

    if (cw_run_staging_notes_times_of((cl_event)(uintptr_t)e->o.handle, name, &staged))
        return staged;
    cw_next.clGetEventProfilingInfo((cl_event)(uintptr_t)e->o.handle, name, sizeof ns, &ns, NULL);
    return ns;
}

/* The trace gets the times at which it really ran. */
static void record(const struct cw_stream_event *e)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    uint64_t at[4];

    if (CW_LIKELY(!e->recorded))
        return;
    for (int i = 0; i < 4; i++)
        at[i] = time_of(e, names[i]);
    cw_device_times_ran(e->recorded - 1, 0, cw_query_status((cl_event)(uintptr_t)e->o.handle), at);
}

/* As bare, a command begins when the one before it has ended; what ran at the same time counts for the
 * earlier one. All that comes before `e` is over. `times_lock` held. */
static void set_times(struct cw_stream_event *e)
{
    struct cw_stream_event *x = e;

    while (x->prev && !x->timed)
        x = x->prev;
    for (;; x = x->next) {
        if (!x->timed) {
            x->least_ns = later(x->least_ns, x->prev ? x->prev->end_ns : 0);
            x->start_ns = later(time_of(x, CL_PROFILING_COMMAND_START), x->least_ns);
            x->end_ns = later(time_of(x, CL_PROFILING_COMMAND_END), x->start_ns);
            x->timed = true;
            record(x);
        }
        if (x == e)
            return;
    }
}

cl_int cw_stream_hook_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t capacity,
                                              void *to, size_t *bytes)
{
    struct cw_stream_event *e = cw_stream_object_pin(event, CW_STREAM_EVENT);
    bool moved = name == CL_PROFILING_COMMAND_START || name == CL_PROFILING_COMMAND_END ||
                 name == CL_PROFILING_COMMAND_COMPLETE;
    uint64_t ns = 0;
    bool over = true;
    cl_int err;

    if (!e)
        return cw_stream_below.clGetEventProfilingInfo(event, name, capacity, to, bytes);
    err = cw_stream_below.clGetEventProfilingInfo(event, name, moved ? sizeof ns : capacity, moved ? &ns : to,
                                                  bytes);
    if (err == CL_SUCCESS) {
        over = before_is_over(e);
        pthread_mutex_lock(&times_lock);
        if (over && moved)
            set_times(e);
        ns = name == CL_PROFILING_COMMAND_START ? e->start_ns : e->end_ns;
        pthread_mutex_unlock(&times_lock);
    }
    cw_stream_object_unpin(e);
    if (!over)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (err != CL_SUCCESS || !moved)
        return err;
    return cw_query_answer(&ns, sizeof ns, capacity, to, bytes);
}

/* The program has waited for it, and so for all commands before it. */
static void reached(struct cw_stream_event *e)
{
    struct cw_stream_queue *q = e->queue;

    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; s < q->n; s++)
        cw_stream_queue_reached(q, s, s == e->stream ? e->number : e->tails[s]);
    e->over = true;
    cw_stream_worth_synchronised(q, e->number);
    cw_stream_unlock(&q->lock);
}

cl_int cw_stream_hook_clWaitForEvents(cl_uint n, const cl_event *list)
{
    struct cw_stream_event *e;
    cl_event before[CW_STREAM_MAX];
    cl_uint num;
    cl_int err;

    for (cl_uint i = 0; list && i < n && cw_stream_object_any(); i++) {
        e = cw_stream_object_pin(list[i], CW_STREAM_EVENT);
        if (!e)
            continue;
        num = 0;
        cw_stream_event_before(e, before, &num);
        if (num)
            cw_next.clWaitForEvents(num, before); /* it may fail, where the program's own event does not */
        while (num)
            cw_next.clReleaseEvent(before[--num]);
        cw_stream_object_unpin(e);
    }
    err = cw_stream_below.clWaitForEvents(n, list);
    for (cl_uint i = 0; list && i < n && cw_stream_object_any(); i++)
        if ((e = cw_stream_object_pin(list[i], CW_STREAM_EVENT))) {
            if (err == CL_SUCCESS)
                reached(e);
            cw_stream_callback_wait(e->queue, e->number);
            cw_stream_object_unpin(e);
        }
    return err;
}
