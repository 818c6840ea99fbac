/* stream_seat.c - see streams/stream_seat.h. */
#include "stream_seat.h"
#include "../../door/lock_order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../analyzer/io/quantity.h"
#include "../../door/log.h"
#include "../core/fault.h"
#include "stream_event.h"
#include "stream_settings.h"

#define LEAST   ((size_t)1 << 20) /* bytes of a buffer: the driver moves a smaller one as quickly */
#define SHARE   16                /* of the machine's memory may be pinned */
#define AGAIN   2                 /* moves of a buffer after each write */
#define DEVICES 8                 /* of a context */

/* What run mode has for one device of a context. */
struct area {
    cl_device_id device;
    cl_command_queue queue;
    cl_mem memory; /* pinned; bytes that leave this device */
    void *host;
    size_t bytes;
    cl_event read; /* its bytes have been written elsewhere; NULL: there are none */
};

struct cw_stream_areas {
    uint32_t n;
    struct area of[DEVICES];
    size_t missed; /* bytes that the driver has moved */
};

static atomic_ullong moves, moved_bytes;
static size_t pinned_bytes;

/* Of all seats and areas. Held for no command of the program's; recursive, as a vendor may call the program's
 * callbacks inside any call. */
static pthread_mutex_t seats = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
CW_LOCK_RANK(&seats, STREAM_SEATS)

/* References to events of the program do not show in their counts. */
static void count(cl_event event, int more)
{
    struct cw_stream_event *e = event ? cw_stream_object_pin(event, CW_STREAM_EVENT) : NULL;

    if (!e)
        return;
    atomic_fetch_add(&e->seats, (uint32_t)more);
    cw_stream_object_unpin(e);
}

static void set_event(cl_event *to, cl_event event)
{
    if (event)
        cw_next.clRetainEvent(event);
    count(event, 1);
    count(*to, -1);
    if (*to)
        cw_next.clReleaseEvent(*to);
    *to = event;
}

/* Lets go of an event that is over. True: it is not, and stays. */
static bool is_pending(cl_event *event)
{
    if (*event && cw_query_status(*event) <= CL_COMPLETE)
        set_event(event, NULL);
    return *event;
}

static void wait_for(cl_event event)
{
    if (event)
        cw_next.clWaitForEvents(1, &event);
}

/* What arrives does not wait for the host. */
void cw_stream_seat_unseen(struct cw_stream_context *c)
{
    cw_stream_lock(&seats);
    for (uint32_t i = 0; c->areas && i < c->areas->n; i++)
        wait_for(c->areas->of[i].read);
    atomic_store(&c->seated, false);
    cw_stream_unlock(&seats);
}

void cw_stream_seat_leave(struct cw_stream_memory *m)
{
    if (!m)
        return;
    cw_stream_lock(&seats);
    m->seat.stays = true;
    wait_for(m->seat.arrival);
    cw_stream_unlock(&seats);
}

/* ---- what run mode has for the devices of a context */

static size_t most_pinned(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) / SHARE * (size_t)sysconf(_SC_PAGESIZE);
}

static void unpin(struct area *a)
{
    if (a->host) {
        cw_next.clEnqueueUnmapMemObject(a->queue, a->memory, a->host, 0, NULL, NULL);
        cw_next.clFinish(a->queue);
    }
    if (a->memory)
        cw_next.clReleaseMemObject(a->memory);
    pinned_bytes -= a->bytes;
    a->memory = NULL;
    a->host = NULL;
    a->bytes = 0;
}

static bool pin(struct cw_stream_context *c, cl_context context, struct area *a, size_t bytes)
{
    bool again = a->memory;
    cl_uint before;
    cl_int err;

    if (a->bytes >= bytes)
        return true;
    if (a->read)
        cw_next.clWaitForEvents(1, &a->read);
    unpin(a);
    if (pinned_bytes + bytes > most_pinned())
        return false;
    before = again ? 0 : cw_query_context_references(context);
    a->memory = cw_next.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &err);
    c->own_refs += again ? 0 : cw_query_context_references(context) - before;
    a->host = a->memory ? cw_next.clEnqueueMapBuffer(a->queue, a->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                     0, bytes, 0, NULL, NULL, &err)
                        : NULL;
    a->bytes = a->host ? bytes : 0;
    pinned_bytes += a->bytes;
    return a->host;
}

/* NULL: the vendor has no queue more. */
static struct area *area_of(struct cw_stream_context *c, cl_context context, cl_device_id device)
{
    struct cw_stream_areas *x = c->areas = c->areas ? c->areas : calloc(1, sizeof *x);
    uint32_t i = 0;
    cl_uint before;
    cl_int err;

    while (x && i < x->n && x->of[i].device != device)
        i++;
    if (!x || i == DEVICES)
        return NULL;
    if (i < x->n)
        return &x->of[i];
    x->of[i] = (struct area){.device = device};
    before = cw_query_context_references(context);
    x->of[i].queue = cw_next.clCreateCommandQueue(context, device, 0, &err);
    c->own_refs += cw_query_context_references(context) - before;
    x->n += x->of[i].queue != NULL;
    return x->of[i].queue ? &x->of[i] : NULL;
}

void cw_stream_seat_free_context(void *context)
{
    struct cw_stream_context *c = context;

    for (uint32_t i = 0; c->areas && i < c->areas->n; i++) {
        struct area *a = &c->areas->of[i];

        cw_next.clFinish(a->queue);
        unpin(a);
        set_event(&a->read, NULL);
        cw_next.clReleaseCommandQueue(a->queue);
    }
    for (uint32_t i = 0; i < c->num_closers; i++)
        set_event(&c->closer[i], NULL);
    free(c->areas);
    cw_stream_queue_context(c, false);
}

void cw_stream_seat_free_memory(void *memory)
{
    struct cw_stream_seat *s = &((struct cw_stream_memory *)memory)->seat;

    for (uint32_t i = 0; i < s->n; i++)
        set_event(&s->user[i].event, NULL);
    set_event(&s->arrival, NULL);
}

/* ---- moves */

/* Users of the buffer that are not over, in list[]. False: one may wait for the host. */
static bool find_users(struct cw_stream_seat *s, cl_event *list, cl_uint *n)
{
    uint32_t pending = 0;
    bool hosted = s->in_call;

    for (uint32_t i = 0; i < s->n; i++)
        if (is_pending(&s->user[i].event))
            s->user[pending++] = s->user[i];
    s->n = pending;
    for (uint32_t i = 0; i < s->n; i++) {
        list[(*n)++] = s->user[i].event;
        hosted |= s->user[i].hosted;
    }
    return !hosted;
}

/* Nothing has handed these commands to the device, maybe. */
static void flush(const cl_event *list, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++) {
        cl_command_queue queue = NULL;

        if (cw_next.clGetEventInfo(list[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) ==
                CL_SUCCESS &&
            queue)
            cw_next.clFlush(queue);
    }
}

/* The buffer arrives without its contents, then these. */
static cl_event put(struct area *from, struct area *to, cl_mem buffer, size_t bytes, cl_event got)
{
    cl_event arrival = NULL;

    if (cw_next.clEnqueueMigrateMemObjects(to->queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1,
                                           &got, NULL) != CL_SUCCESS)
        return NULL;
    if (cw_next.clEnqueueWriteBuffer(to->queue, buffer, CL_FALSE, 0, bytes, from->host, 1, &got, &arrival) ==
        CL_SUCCESS)
        return arrival;
    /* they go back to where they were */
    cw_next.clEnqueueMigrateMemObjects(from->queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                       NULL, NULL);
    if (cw_next.clEnqueueWriteBuffer(from->queue, buffer, CL_TRUE, 0, bytes, from->host, 0, NULL, NULL) !=
            CL_SUCCESS ||
        cw_next.clFinish(from->queue) != CL_SUCCESS)
        cw_log_error("the driver gave a buffer of %zu bytes to no device: its bytes are lost", bytes);
    return NULL;
}

/* Moves the buffer from its seat to `to`. False: nothing has happened. */
static bool move(struct cw_stream_memory *m, struct area *from, struct area *to)
{
    struct cw_stream_seat *s = &m->seat;
    cl_mem buffer = (cl_mem)(uintptr_t)m->o.handle;
    cl_event list[CW_STREAM_USERS + 1], got = NULL, arrival = NULL;
    size_t bytes = m->bytes.high - m->bytes.low;
    cl_uint n = 0;

    if (!find_users(s, list, &n))
        return false;
    if (is_pending(&from->read))
        list[n++] = from->read;
    if (CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_LOOSE &&
                    cw_run_fault_asks_since(CW_RUN_FAULT_LOOSE)))
        n = 0;
    flush(list, n);
    if (cw_next.clEnqueueReadBuffer(from->queue, buffer, CL_FALSE, 0, bytes, from->host, n, n ? list : NULL,
                                    &got) == CL_SUCCESS) {
        cw_next.clFlush(from->queue);
        arrival = put(from, to, buffer, bytes, got);
        cw_next.clReleaseEvent(got);
        cw_next.clFlush(to->queue);
    }
    if (!arrival) {
        cw_stream_seat_leave(m);
        return false;
    }
    set_event(&from->read, arrival);
    set_event(&s->arrival, arrival);
    cw_next.clReleaseEvent(arrival);
    moves++;
    moved_bytes += bytes;
    return true;
}

/* Run mode moves it rather than the driver. */
static bool is_worth(const struct cw_stream_memory *m, bool write)
{
    const struct cw_stream_seat *s = &m->seat;
    size_t bytes = m->bytes.high - m->bytes.low;

    return m->plain && !m->image && !m->host_sees && !s->stays && s->written &&
           m->bytes.region == (uintptr_t)m->o.handle && (bytes >= LEAST || cw_stream_settings.force) &&
           (s->dirty || write || s->moves < AGAIN);
}

/* The first bytes of a context are the driver's: pinning takes twice as long as it does. */
static bool pays(struct cw_stream_areas *x, size_t bytes)
{
    size_t missed = x->missed;

    x->missed += bytes;
    return missed >= bytes || cw_stream_settings.force;
}

static void bring(struct cw_stream_call *c, struct cw_stream_memory *m, bool write)
{
    struct cw_stream_context *x = c->q->context;
    struct cw_stream_seat *s = &m->seat;
    struct area *from, *to;

    if (!s->device || s->device == c->q->device || !is_worth(m, write))
        return;
    to = area_of(x, c->q->vendor_context, c->q->device);
    from = to ? area_of(x, c->q->vendor_context, s->device) : NULL;
    if (from && pays(x->areas, m->bytes.high - m->bytes.low) &&
        pin(x, c->q->vendor_context, from, m->bytes.high - m->bytes.low) && move(m, from, to)) {
        s->device = c->q->device;
        s->dirty = false;
        s->moves++;
    }
}

/* ---- commands */

/* Pinned: another thread may release it, where the command uses a part of it. */
static struct cw_stream_memory *memory_of(const struct cw_stream_bytes *b)
{
    return b->region ? cw_stream_object_pin((const void *)b->region, CW_STREAM_MEMORY) : NULL;
}

/* Commands whose bytes are not known: they wait for all that arrives. */
static cl_uint find_arrivals(struct cw_stream_areas *x, cl_event *list)
{
    cl_uint n = 0;

    for (uint32_t i = 0; x && i < x->n; i++)
        if (is_pending(&x->of[i].read))
            list[n++] = x->of[i].read;
    return n;
}

/* A command of unknown bytes that is under way may use the buffers, too. */
static bool is_known(struct cw_stream_context *c)
{
    uint32_t pending = 0;

    for (uint32_t i = 0; i < c->num_closers; i++)
        if (is_pending(&c->closer[i]))
            c->closer[pending++] = c->closer[i];
    for (uint32_t i = pending; i < c->num_closers; i++)
        c->closer[i] = NULL;
    c->num_closers = pending;
    return !pending && !c->in_call;
}

/* A thread enters (more: 1) or leaves (-1) the vendor's function for the command. */
static void stay(struct cw_stream_call *c, int more)
{
    const struct cw_stream_use *t = c->use;

    if (t->closes && !t->idle)
        c->q->context->in_call += (uint32_t)more;
    for (uint32_t i = 0; !t->closes && i < t->n; i++) {
        struct cw_stream_memory *m = memory_of(&t->of[i]);

        if (!m)
            continue;
        m->seat.in_call += (uint32_t)more;
        cw_stream_object_unpin(m);
    }
}

void cw_stream_seat_begin(struct cw_stream_call *c)
{
    struct cw_stream_context *x = c->q->context;
    const struct cw_stream_use *t = c->use;
    cl_event list[CW_STREAM_TOUCHES + DEVICES];
    cl_uint n = 0;

    c->seated = atomic_load(&x->seated);
    if (CW_LIKELY(!c->seated))
        return;
    if (!c->event && !cw_stream_call_is_over(c))
        c->event = &c->made;
    cw_stream_lock(&seats);
    if (t->closes && !t->idle)
        n = find_arrivals(x->areas, list);
    for (cl_uint i = 0; i < n; i++)
        cw_next.clRetainEvent(list[i]);
    for (uint32_t i = 0; !t->closes && i < t->n; i++) {
        struct cw_stream_memory *m = memory_of(&t->of[i]);

        if (!m)
            continue;
        if (!c->waits.bad && is_known(x))
            bring(c, m, t->of[i].write);
        if (is_pending(&m->seat.arrival) &&
            cw_next.clRetainEvent(m->seat.arrival) == CL_SUCCESS) /* a later touch may let go of it */
            list[n++] = m->seat.arrival;
        cw_stream_object_unpin(m);
    }
    if (n && cw_next.clEnqueueBarrierWithWaitList(c->queue, n, list, NULL) != CL_SUCCESS)
        cw_next.clWaitForEvents(n, list);
    while (n)
        cw_next.clReleaseEvent(list[--n]);
    stay(c, 1);
    cw_stream_unlock(&seats);
}

static void use(struct cw_stream_call *c, struct cw_stream_memory *m, bool write)
{
    struct cw_stream_seat *s = &m->seat;
    cl_event list[CW_STREAM_USERS];
    cl_uint n = 0;
    uint32_t i = 0;

    s->device = c->q->device;
    s->written |= write;
    s->dirty |= write;
    s->moves = write ? 0 : s->moves;
    if (cw_stream_call_is_over(c)) /* it is over */
        return;
    if (s->n == CW_STREAM_USERS)
        find_users(s, list, &n);
    while (i < s->n && s->user[i].queue != c->queue)
        i++;
    if (i == CW_STREAM_USERS) {
        cw_stream_seat_leave(m);
        return;
    }
    if (i == s->n)
        s->user[s->n++] = (struct cw_stream_user){.queue = c->queue};
    set_event(&s->user[i].event, *c->event);
    s->user[i].hosted = c->q->hosted;
}

static void close_all(struct cw_stream_context *x, cl_event event)
{
    if (x->num_closers == CW_STREAM_CLOSERS)
        is_known(x); /* lets go of those that are over */
    if (x->num_closers == CW_STREAM_CLOSERS)
        cw_stream_seat_unseen(x);
    else
        set_event(&x->closer[x->num_closers++], event);
}

void cw_stream_seat_end(struct cw_stream_call *c, cl_int err)
{
    struct cw_stream_context *x;
    const struct cw_stream_use *t = c->use;

    if (CW_LIKELY(!c->seated))
        return;
    x = c->q->context;
    cw_stream_lock(&seats);
    stay(c, -1);
    if (err == CL_SUCCESS && t->closes && !t->idle && c->event && *c->event)
        close_all(x, *c->event);
    for (uint32_t i = 0; err == CL_SUCCESS && !t->closes && i < t->n; i++) {
        struct cw_stream_memory *m = memory_of(&t->of[i]);

        if (!m)
            continue;
        use(c, m, t->of[i].write);
        cw_stream_object_unpin(m);
    }
    cw_stream_unlock(&seats);
    if (c->made && !c->by_event) {
        cw_next.clReleaseEvent(c->made);
        c->made = NULL;
    }
}

int cw_stream_seat_describe(char *text, unsigned size)
{
    char bytes[16];

    if (!moves)
        return 0;
    return snprintf(text, size,
                    "run: streams: %llu buffers moved from one device of a context to another, %s, by way of "
                    "pinned memory\n",
                    (unsigned long long)moves, cw_quantity_bytes(moved_bytes, bytes));
}
