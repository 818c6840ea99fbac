/* stream_callback.c - see streams/stream_callback.h. */
#include "stream_callback.h"

#include <stdlib.h>

#include "../../door/door.h"
#include "stream_hooks.h"

struct cw_stream_callback {
    struct cw_stream_callback *next;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    cl_int type;
    struct cw_stream_event *event; /* pinned */
    uint64_t number;
    cl_event marker; /* retained */
};

/* Handed to the vendor. */
struct due {
    struct cw_stream_queue *queue; /* pinned */
    uint64_t number;
};

static atomic_bool any;
static _Thread_local unsigned inside;

bool cw_stream_callback_any(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

/* Callbacks for earlier states of a command come first. */
static bool comes_before(const struct cw_stream_callback *a, const struct cw_stream_callback *b)
{
    return a->number < b->number || (a->number == b->number && a->type >= b->type);
}

static void insert(struct cw_stream_queue *q, struct cw_stream_callback *c)
{
    struct cw_stream_callback **at = &q->callbacks;

    while (*at && comes_before(*at, c))
        at = &(*at)->next;
    c->next = *at;
    *at = c;
}

/* The program's function, as a call of the program's: its calls are hooked. */
static void call_program(void(CL_CALLBACK *function)(cl_event, cl_int, void *), cl_event event, cl_int status,
                         void *data)
{
    unsigned outer = cw_door_callback;

    inside++;
    cw_door_callback = cw_door_depth + 1;
    function(event, status, data);
    cw_door_callback = outer;
    inside--;
}

static void call(const struct cw_stream_callback *c)
{
    cl_event event = (cl_event)(uintptr_t)c->event->o.handle;
    cl_int status = cw_query_status(event);

    cw_handoff_wait(event);
    call_program(c->function, event, status < 0 ? status : c->type, c->data);
}

/* A callback that the vendor makes by itself. */
struct plain {
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
};

static void CL_CALLBACK plain_called(cl_event event, cl_int status, void *data)
{
    struct plain p = *(struct plain *)data;

    free(data);
    call_program(p.function, event, status, p.data);
}

static cl_int set_plain(cl_event event, cl_int type, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                        void *data)
{
    struct plain *p = function ? malloc(sizeof *p) : NULL;
    cl_int err;

    if (!p)
        return cw_next.clSetEventCallback(event, type, function, data);
    *p = (struct plain){function, data};
    err = cw_handoff_set(cw_next.clSetEventCallback, event, type, plain_called, p);
    if (err != CL_SUCCESS)
        free(p);
    return err;
}

static void free_callback(struct cw_stream_callback *c)
{
    cw_next.clReleaseEvent(c->marker);
    cw_next.clReleaseEvent((cl_event)(uintptr_t)c->event->o.handle);
    cw_stream_object_unpin(c->event);
    free(c);
}

/* Calls all that are due, unless another thread is at it. Lock held, given up meanwhile. */
static void call_due(struct cw_stream_queue *q)
{
    struct cw_stream_callback *c;

    if (q->calling)
        return;
    q->calling = true;
    while ((c = q->callbacks) && c->number <= q->called) {
        q->callbacks = c->next;
        cw_stream_unlock(&q->lock);
        call(c);
        free_callback(c);
        cw_stream_lock(&q->lock);
    }
    q->calling = false;
    pthread_cond_broadcast(&q->calls);
}

static void CL_CALLBACK reached(cl_event marker, cl_int status, void *data)
{
    struct due *d = data;
    struct cw_stream_queue *q = d->queue;

    (void)marker, (void)status;
    cw_stream_lock(&q->lock);
    if (q->called < d->number)
        q->called = d->number;
    call_due(q);
    cw_stream_unlock(&q->lock);
    cw_stream_object_unpin(q);
    free(d);
}

/* The queue of markers. They end in any order. */
static cl_command_queue view_of(struct cw_stream_queue *q)
{
    if (!q->view)
        q->view = cw_stream_queue_make(q, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!q->view)
        q->view = cw_stream_queue_make(q, 0);
    return q->view;
}

/* A marker that ends when all commands up to that of `e` are over. Lock held. */
static cl_event marker_of(struct cw_stream_event *e)
{
    cl_event list[CW_STREAM_MAX + 1], marker = NULL;
    struct cw_stream_queue *q = e->queue;
    cl_uint n = 0;

    list[n++] = (cl_event)(uintptr_t)e->o.handle;
    for (uint32_t s = 0; !e->over && s < q->n; s++) {
        cl_event mark = e->tails[s] ? cw_stream_queue_mark(q, s, e->tails[s]) : NULL;
        if (mark)
            list[n++] = mark;
    }
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    if (!view_of(q) || cw_next.clEnqueueMarkerWithWaitList(q->view, n, list, &marker) != CL_SUCCESS)
        return NULL;
    return marker;
}

/* Callbacks of the queue that are the vendor's alone are in its order. Lock held. */
static bool is_plain(struct cw_stream_event *e, cl_int type)
{
    return type == CL_SUBMITTED || (e->queue->n == 1 || (!e->queue->callbacks && !e->queue->calling &&
                                                         cw_stream_event_before_is_over(e)));
}

static cl_int set(struct cw_stream_event *e, struct cw_stream_callback *c, struct due *d)
{
    cl_event marker = marker_of(e), event = (cl_event)(uintptr_t)e->o.handle;

    if (!marker)
        return CL_OUT_OF_RESOURCES;
    c->marker = marker;
    cw_next.clRetainEvent(event);
    cw_stream_object_pin_again(e);
    cw_stream_object_pin_again(e->queue);
    cw_next.clRetainEvent(marker); /* another one's end may call it, and let it go, at once */
    insert(e->queue, c);
    cw_stream_unlock(&e->queue->lock); /* the vendor may call it at once */
    cw_next.clFlush(e->queue->view);
    cw_handoff_set(cw_next.clSetEventCallback, marker, CL_COMPLETE, reached, d);
    cw_next.clReleaseEvent(marker);
    cw_stream_lock(&e->queue->lock);
    return CL_SUCCESS;
}

static cl_int set_streamed(struct cw_stream_event *e, cl_event event, cl_int type,
                           void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct cw_stream_callback *c;
    struct due *d;
    cl_int err = CL_OUT_OF_HOST_MEMORY;

    atomic_store(&any, true);
    cw_stream_lock(&e->queue->lock);
    e->queue->hosted = true;
    if (!function || (type != CL_RUNNING && type != CL_COMPLETE) || is_plain(e, type)) {
        cw_stream_unlock(&e->queue->lock);
        return set_plain(event, type, function, data);
    }
    c = calloc(1, sizeof *c);
    d = calloc(1, sizeof *d);
    if (c && d) {
        *c = (struct cw_stream_callback){
            .function = function, .data = data, .type = type, .event = e, .number = e->number};
        *d = (struct due){e->queue, e->number};
        err = set(e, c, d);
    }
    cw_stream_unlock(&e->queue->lock);
    if (err != CL_SUCCESS) {
        free(c);
        free(d);
    }
    return err;
}

cl_int cw_stream_hook_clSetEventCallback(cl_event event, cl_int type,
                                         void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct cw_stream_event *e = cw_stream_object_pin(event, CW_STREAM_EVENT);
    cl_int err;

    if (!e) {
        if (cw_stream_object_any())
            atomic_store(&any, true);
        return cw_stream_below.clSetEventCallback(event, type, function, data);
    }
    err = set_streamed(e, event, type, function, data);
    cw_stream_object_unpin(e);
    return err;
}

/* The marker of the first callback up to `number`, retained; NULL: there is none. */
static cl_event next_marker(struct cw_stream_queue *q, uint64_t number)
{
    struct cw_stream_callback *c = q->callbacks;

    if (!c || c->number > number)
        return NULL;
    cw_next.clRetainEvent(c->marker);
    return c->marker;
}

void cw_stream_callback_wait(struct cw_stream_queue *q, uint64_t number)
{
    cl_event marker;

    if (inside || !q->calls_first)
        return;
    cw_stream_lock(&q->lock);
    while ((marker = next_marker(q, number))) {
        cw_stream_unlock(&q->lock);
        cw_next.clWaitForEvents(1, &marker);
        cw_next.clReleaseEvent(marker);
        cw_stream_lock(&q->lock);
        if (q->callbacks && q->callbacks->number <= number && q->callbacks->marker == marker && !q->calling)
            break; /* its command has failed: the vendor does not call it */
    }
    while (q->calling)
        pthread_cond_wait(&q->calls, &q->lock);
    cw_stream_unlock(&q->lock);
}
