/* stream_queue.c - see streams/stream_queue.h. */
#include "stream_queue.h"
#include "../../door/lock_order.h"

#include <stdlib.h>
#include <string.h>

#include "../../device/device.h"
#include "../../device/vendor_traits.h"
#include "../staging/staging.h"
#include "stream_event.h"
#include "stream_seat.h"
#include "stream_settings.h"

#define MANY_MARKS  16
#define MANY_QUEUES 8 /* of the program in a context: it spreads its commands itself */

struct cw_stream_counts cw_stream_counts;

/* Not on a sub-device: the program may release it, and PoCL 3.1 then frees it under events that are kept. */
static bool is_streamed(cl_command_queue queue, cl_device_id device, cl_command_queue_properties *properties)
{
    cl_device_id parent = NULL;

    return cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
               CL_SUCCESS &&
           !parent &&
           cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof *properties, properties, NULL) ==
               CL_SUCCESS &&
           !(*properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE);
}

/* A vendor may call the program's callbacks inside any call. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t again;

    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &again);
    pthread_mutexattr_destroy(&again);
}

void cw_stream_queue_catch_up(void *queue, void *unused)
{
    struct cw_stream_queue *q = queue;
    cl_event list[CW_STREAM_MAX];
    cl_uint n = 0;

    (void)unused;
    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; s < q->n; s++) {
        cl_event mark = q->of[s].passed ? cw_stream_queue_mark(q, s, q->of[s].passed) : NULL;

        if (mark && cw_next.clRetainEvent(mark) == CL_SUCCESS)
            list[n++] = mark;
    }
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    cw_stream_unlock(&q->lock);
    while (n) {
        cw_next.clWaitForEvents(1, &list[--n]);
        cw_next.clReleaseEvent(list[n]);
    }
}

atomic_uint cw_stream_queue_contexts;

void cw_stream_queue_context(struct cw_stream_context *c, bool begins)
{
    if (begins)
        cw_stream_queue_contexts++;
    else if (!atomic_exchange(&c->left, true))
        cw_stream_queue_contexts--;
}

/* NULL: memory is out. */
static struct cw_stream_queue *make(struct cw_stream_context *c, cl_context context, cl_device_id device,
                                    cl_command_queue queue, cl_command_queue_properties properties)
{
    struct cw_stream_queue *q = calloc(1, sizeof *q);

    if (!q)
        return NULL;
    init_lock(&q->order);
    init_lock(&q->lock);
    cw_lock_order_add(&q->order, CW_LOCK_STREAM_ORDER);
    cw_lock_order_add(&q->lock, CW_LOCK_STREAM_QUEUE);
    q->calls_first = cw_device_traits(device) & CW_VENDOR_CALLS_BACK_FIRST;
    pthread_cond_init(&q->calls, NULL);
    q->context = c;
    q->vendor_context = context;
    q->device = device;
    q->properties = properties;
    cw_next.clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof q->units, &q->units, NULL);
    q->n = 1;
    q->most = CW_STREAM_MAX;
    q->of[0].queue = queue;
    q->random = cw_stream_settings.seed + 0x9e3779b97f4a7c15u * ++cw_stream_counts.queues;
    return q;
}

/* While the program has one queue, a blocking command of it does not wait for commands whose effects the
 * program cannot see. Commands of a second queue could. Commands of unseen functions rest on queues that are
 * one stream. */
void cw_stream_queue_made(cl_context context, cl_device_id device, cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    struct cw_stream_context *c;
    struct cw_stream_queue *q = NULL;

    if (!queue || !(c = cw_stream_object_pin(context, CW_STREAM_CONTEXT)))
        return;
    if (++c->queues == 2)
        cw_stream_object_each(CW_STREAM_QUEUE, cw_stream_queue_catch_up, NULL);
    if (!cw_stream_settings.off && !atomic_load(&c->left) && is_streamed(queue, device, &properties)) {
        cw_stream_object_retained(context, CW_STREAM_CONTEXT); /* it lives as long as the queue does */
        cw_handoff_use(); /* the vendor may call back inside calls that it gets under this queue's lock */
        q = make(c, context, device, queue, properties);
        if (!cw_stream_object_add(q ? &q->o : NULL, queue, CW_STREAM_QUEUE)) {
            cw_stream_object_released(context, CW_STREAM_CONTEXT);
            q = NULL;
        }
    }
    if (!q) {
        cw_stream_seat_unseen(c);
        cw_stream_object_unpin(c);
    }
}

uint32_t cw_stream_queue_lot(struct cw_stream_queue *q, uint32_t n)
{
    q->random = q->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(q->random >> 40) % n;
}

static void forget_marks(struct cw_stream *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        cw_next.clReleaseEvent(t->marks[i].event);
    t->num_marks -= n;
    memmove(t->marks, t->marks + n, t->num_marks * sizeof *t->marks);
}

void cw_stream_queue_free(void *object)
{
    struct cw_stream_queue *q = object;

    for (uint32_t s = 0; s < q->n; s++) {
        if (q->of[s].num_marks)
            forget_marks(&q->of[s], q->of[s].num_marks);
        free(q->of[s].marks);
        if (s && q->of[s].queue)
            cw_next.clReleaseCommandQueue(q->of[s].queue);
    }
    if (q->view)
        cw_next.clReleaseCommandQueue(q->view);
    q->context->own_refs -= q->own_refs;
    pthread_mutex_destroy(&q->order);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->calls);
    cw_stream_object_unpin(q->context);
}

/* The first mark that covers `number`; NULL: there is none. */
static struct cw_stream_mark *mark_of(const struct cw_stream *t, uint64_t number)
{
    uint32_t low = 0, high = t->num_marks;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (t->marks[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->num_marks ? &t->marks[low] : NULL;
}

void cw_stream_queue_reached(struct cw_stream_queue *q, uint32_t s, uint64_t number)
{
    struct cw_stream *t = &q->of[s];
    uint32_t n = 0;

    if (number <= t->over)
        return;
    t->over = number;
    while (n < t->num_marks && t->marks[n].number <= number)
        n++;
    if (n)
        forget_marks(t, n);
}

/* Takes over a reference. */
static bool append(struct cw_stream_queue *q, uint32_t s, cl_event event)
{
    struct cw_stream *t = &q->of[s];
    struct cw_stream_mark *wider;

    if (t->num_marks >= MANY_MARKS && cw_query_status(t->marks[0].event) == CL_COMPLETE)
        cw_stream_queue_reached(q, s, t->marks[0].number);
    if (t->num_marks == t->cap_marks) {
        wider = realloc(t->marks, (t->cap_marks * 2 + MANY_MARKS) * sizeof *wider);
        if (!wider)
            return false;
        t->marks = wider;
        t->cap_marks = t->cap_marks * 2 + MANY_MARKS;
    }
    t->marks[t->num_marks++] = (struct cw_stream_mark){t->last, event};
    return true;
}

void cw_stream_queue_mark_by(struct cw_stream_queue *q, uint32_t s, cl_event event)
{
    if (q->n > 1 && cw_next.clRetainEvent(event) == CL_SUCCESS && !append(q, s, event))
        cw_next.clReleaseEvent(event);
}

static bool add_mark(struct cw_stream_queue *q, uint32_t s)
{
    struct cw_stream *t = &q->of[s];
    cl_event event;

    if (cw_next.clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &event) != CL_SUCCESS)
        return false;
    cw_stream_worth_marked(q);
    t->dirty = true;
    if (append(q, s, event))
        return true;
    cw_next.clReleaseEvent(event);
    return false;
}

cl_uint cw_stream_queue_holds(const struct cw_stream_queue *q, cl_event event)
{
    cl_uint n = 0;

    for (uint32_t s = 0; s < q->n; s++)
        for (uint32_t i = 0; i < q->of[s].num_marks; i++)
            n += q->of[s].marks[i].event == event;
    return n;
}

cl_event cw_stream_queue_mark(struct cw_stream_queue *q, uint32_t s, uint64_t number)
{
    struct cw_stream *t = &q->of[s];
    struct cw_stream_mark *m;

    if (number <= t->over)
        return NULL;
    m = mark_of(t, number);
    if (m && cw_query_status(m->event) == CL_COMPLETE) {
        cw_stream_queue_reached(q, s, m->number);
        return NULL;
    }
    if (m)
        return m->event;
    if (!t->queue) /* it was released, and all its commands have marks */
        return NULL;
    if (add_mark(q, s))
        return t->marks[t->num_marks - 1].event;
    cw_next.clFinish(t->queue); /* no memory for a mark */
    cw_stream_queue_reached(q, s, t->last);
    return NULL;
}

bool cw_stream_queue_is_over(struct cw_stream_queue *q, uint32_t s, uint64_t number)
{
    cl_event event = cw_stream_queue_mark(q, s, number);

    if (event && q->of[s].dirty && q->of[s].queue) {
        cw_next.clFlush(q->of[s].queue);
        q->of[s].dirty = false;
    }
    return !event || cw_query_status(event) <= CL_COMPLETE;
}

void cw_stream_queue_flush(struct cw_stream_queue *q, uint32_t but)
{
    for (uint32_t s = 0; s < q->n; s++)
        if (s != but && q->of[s].dirty && q->of[s].queue) {
            cw_next.clFlush(q->of[s].queue);
            q->of[s].dirty = false;
        }
}

cl_command_queue cw_stream_queue_make(struct cw_stream_queue *q, cl_command_queue_properties properties)
{
    cl_uint before = cw_query_context_references(q->vendor_context);
    cl_int err;
    cl_command_queue queue = cw_next.clCreateCommandQueue(q->vendor_context, q->device, properties, &err);

    if (!queue)
        return NULL;
    cw_run_staging_queue_made(q->vendor_context, q->device, queue, properties, true);
    before = cw_query_context_references(q->vendor_context) - before;
    q->own_refs += before;
    q->context->own_refs += before;
    return queue;
}

bool cw_stream_queue_has(struct cw_stream_queue *q, uint32_t s)
{
    if (q->of[s].queue)
        return true;
    if (q->context->queues <= MANY_QUEUES || cw_stream_settings.force)
        q->of[s].queue = cw_stream_queue_make(q, q->properties);
    if (!q->of[s].queue) {
        q->most = s;
        return false;
    }
    q->worth.made = true;
    if (q->n <= s)
        q->n = s + 1;
    if (cw_stream_counts.most < q->n)
        cw_stream_counts.most = q->n;
    return true;
}

/* Events of the queue still ask for the ends of its commands: each has a mark from now on. The other streams
 * stay until the queue is freed: other threads may be about to wait for them. */
void cw_stream_queue_leaves(struct cw_stream_queue *q)
{
    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; s < q->n; s++)
        if (q->n > 1)
            cw_stream_queue_mark(q, s, q->of[s].last);
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    q->of[0].queue = NULL;
    q->closed = true;
    cw_stream_unlock(&q->lock);
    cw_stream_object_released(q->vendor_context, CW_STREAM_CONTEXT);
}

/* Lock held. */
static bool may_leave(struct cw_stream_queue *q)
{
    if (q->left || q->closed || q->callbacks || q->calling || atomic_load(&q->context->seated))
        return false;
    for (uint32_t s = 1; s < q->n; s++)
        if (cw_stream_queue_mark(q, s, q->of[s].last))
            return false;
    return true;
}

/* True: it has left. Nothing happens while the vendor holds another thread that enqueues. */
static bool leave(struct cw_stream_queue *q, bool used)
{
    bool leaves;

    if (!cw_stream_trylock(&q->order)) /* the vendor may hold another thread that has it */
        return false;
    cw_stream_lock(&q->lock);
    leaves = (used || !q->number) && may_leave(q);
    q->left |= leaves;
    cw_stream_unlock(&q->lock);
    cw_stream_unlock(&q->order);
    if (!leaves)
        return false;
    cw_stream_counts.left++;
    cw_stream_object_forget(q->o.handle, CW_STREAM_QUEUE);
    cw_stream_queue_leaves(q);
    return true;
}

/* A queue that the program has made and not used is as one that it makes later. */
static void leave_unused(void *queue, void *unused)
{
    struct cw_stream_queue *q = queue;

    (void)unused;
    if (atomic_load(&q->context->left))
        leave(q, false);
}

void cw_stream_queue_leave_if_idle(struct cw_stream_queue *q)
{
    if (!leave(q, true))
        return;
    cw_stream_queue_context(q->context, false);
    cw_stream_object_each(CW_STREAM_QUEUE, leave_unused, NULL);
}
