/* staging_objects.c - tables of contexts and queues, and turns. */
#include "staging_objects.h"
#include "../../door/lock_order.h"

#include "../../device/device.h"
#include "../../device/dsp_native.h"
#include "staging_crew.h"
#include "staging_pool.h"

#include <stdlib.h>
#include <time.h>

#define BUCKETS  256
#define MOMENT_S 2

pthread_mutex_t cw_run_staging_objects_lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&cw_run_staging_objects_lock, STAGING)
pthread_cond_t cw_run_staging_objects_changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;

/* Lists only grow, at their heads: they are read without the lock. */
static _Atomic(struct cw_run_staging_queue *) queues[BUCKETS];
static struct cw_run_staging_context *contexts;
static _Atomic bool some;    /* a queue is known */
static _Atomic bool unseen;  /* turns are in vain: no queue opens */
static _Atomic bool counted; /* objects of a context count among its references */

static unsigned bucket_of(const void *handle)
{
    uintptr_t x = (uintptr_t)handle;

    return (unsigned)((x >> 4 ^ x >> 12) % BUCKETS);
}

struct cw_run_staging_queue *cw_run_staging_objects_queue(cl_command_queue handle)
{
    struct cw_run_staging_queue *q;

    if (CW_LIKELY(!atomic_load_explicit(&some, memory_order_relaxed)))
        return NULL;
    q = atomic_load_explicit(&queues[bucket_of(handle)], memory_order_acquire);
    while (q && q->handle != handle)
        q = q->next;
    return q;
}

/* Lock held. */
static struct cw_run_staging_context *find_context(cl_context handle)
{
    struct cw_run_staging_context *c = contexts;

    while (c && c->handle != handle)
        c = c->next;
    return c;
}

static cl_uint references(cl_context context)
{
    cl_uint n = 0;

    cw_next.clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

/* Whether the vendor counts a context's objects among its references; asked once, in a context that the
 * program does not have yet. By a buffer: once a context of NVIDIA has had a user event, a thread of the
 * vendor spins for as long as commands are under way. */
static void look_at_counts(cl_context context)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    cl_uint before;
    cl_mem memory;
    cl_int err;

    if (atomic_flag_test_and_set(&done))
        return;
    before = references(context);
    memory = cw_next.clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &err);
    atomic_store(&counted, references(context) > before);
    if (memory)
        cw_next.clReleaseMemObject(memory);
}

void cw_run_staging_context_made(cl_context context)
{
    struct cw_run_staging_context *c;

    if (!cw_run_staging_crew_threads())
        return;
    look_at_counts(context);
    pthread_mutex_lock(lock);
    c = find_context(context);
    if (!c && (c = calloc(1, sizeof *c))) {
        c->next = contexts;
        contexts = c;
    }
    if (c)
        *c = (struct cw_run_staging_context){.next = c->next, .handle = context, .references = 1};
    pthread_mutex_unlock(lock);
}

void cw_run_staging_context_retained(cl_context context)
{
    struct cw_run_staging_context *c;

    pthread_mutex_lock(lock);
    c = find_context(context);
    if (c && !c->ended)
        c->references++;
    pthread_mutex_unlock(lock);
}

cl_command_queue cw_run_staging_objects_make_queue(cl_context context, cl_device_id device)
{
    cl_command_queue queue;
    cl_int err;

    queue = cw_next.clCreateCommandQueue(context, device, 0, &err);
    if (queue)
        cw_context_devices_hold(device);
    return queue;
}

void cw_run_staging_objects_release_queue(cl_command_queue queue)
{
    cl_device_id device = NULL;

    cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    cw_next.clReleaseCommandQueue(queue);
    cw_context_devices_let_go(device);
}

/* Takes the own queues out of an ended context that no transfer uses. Lock held, given up: they are
 * released. */
static void let_go(struct cw_run_staging_context *c)
{
    cl_command_queue queue[CW_RUN_STAGING_OWN_QUEUES];
    uint32_t n = c->ended && !c->jobs ? c->num_own : 0;

    for (uint32_t i = 0; i < n; i++)
        queue[i] = c->own[i].queue;
    c->num_own -= n;
    c->hidden -= n;
    pthread_mutex_unlock(lock);
    for (uint32_t i = 0; i < n; i++)
        cw_run_staging_objects_release_queue(queue[i]);
}

/* NVIDIA's clReleaseContext waits for user events: gates are opened before, as far as that does not take
 * long. Lock held. */
static void wait_for_gates(struct cw_run_staging_context *c)
{
    struct timespec until;
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOMENT_S;
    while (c->later && !pthread_cond_timedwait(&cw_run_staging_objects_changed, lock, &until))
        ;
    pthread_setcancelstate(cancel, NULL);
}

void cw_run_staging_context_released(cl_context context)
{
    struct cw_run_staging_context *c;
    bool last;

    pthread_mutex_lock(lock);
    c = find_context(context);
    last = c && !c->ended && !--c->references;
    if (!last) {
        pthread_mutex_unlock(lock);
        return;
    }
    c->ended = true;
    wait_for_gates(c);
    let_go(c);
    cw_run_staging_pool_leave(c);
}

cl_uint cw_run_staging_context_hidden(cl_context context)
{
    struct cw_run_staging_context *c;
    cl_uint hidden;

    pthread_mutex_lock(lock);
    c = find_context(context);
    hidden = c && atomic_load(&counted) ? c->hidden : 0;
    pthread_mutex_unlock(lock);
    return hidden;
}

void cw_run_staging_queue_made(cl_context context, cl_device_id device, cl_command_queue queue,
                               cl_command_queue_properties properties)
{
    _Atomic(struct cw_run_staging_queue *) *head = &queues[bucket_of(queue)];
    struct cw_run_staging_context *c;
    struct cw_run_staging_queue *q;

    pthread_mutex_lock(lock);
    c = find_context(context);
    q = cw_run_staging_objects_queue(queue);
    if (c && !q && !(properties & CL_QUEUE_ON_DEVICE) && (q = calloc(1, sizeof *q))) {
        q->handle = queue;
        q->next = atomic_load(head);
        atomic_store_explicit(head, q, memory_order_release);
        atomic_store(&some, true);
    }
    if (q) { /* of a context that is not known: a handle that has come back */
        q->context = c;
        q->device = device;
        q->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        atomic_store(&q->given, 0);
        atomic_store(&q->idle, 0);
        q->profiled = properties & CL_QUEUE_PROFILING_ENABLE;
    }
    pthread_mutex_unlock(lock);
}

struct cw_run_staging_queue *cw_run_staging_turn_take(cl_command_queue queue)
{
    struct cw_run_staging_queue *q = cw_run_staging_objects_queue(queue);
    struct cw_run_staging_job *job;

    if (CW_LIKELY(!q))
        return NULL;
    for (;;) {
        atomic_fetch_add(&q->calls, 1);
        job = atomic_load(&q->job);
        if (CW_LIKELY(!job))
            break;
        if (cw_run_staging_crew_is_ours(q, job))
            break; /* a callback of the program inside the transfer's own call */
        atomic_fetch_sub(&q->calls, 1);
        cw_run_staging_crew_hurry(q);
    }
    atomic_fetch_add(&q->given, 1);
    return q;
}

void cw_run_staging_turn_give(struct cw_run_staging_queue *q)
{
    if (CW_UNLIKELY(q != NULL))
        atomic_fetch_sub(&q->calls, 1);
}

bool cw_run_staging_objects_open(struct cw_run_staging_queue *q, struct cw_run_staging_job *job,
                                 uint64_t given)
{
    struct cw_run_staging_job *none = NULL;

    if (!atomic_compare_exchange_strong(&q->job, &none, job))
        return false;
    if (atomic_load(&q->calls) <= 1 && atomic_load(&q->given) == given && !atomic_load(&unseen))
        return true;
    pthread_mutex_lock(lock);
    cw_run_staging_objects_close(q);
    pthread_mutex_unlock(lock);
    return false;
}

void cw_run_staging_objects_open_no_more(void)
{
    struct cw_run_staging_job *job;

    atomic_store(&unseen, true);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct cw_run_staging_queue *q = atomic_load(&queues[i]); q; q = q->next)
            if ((job = atomic_load(&q->job)) && !cw_run_staging_crew_is_ours(q, job))
                cw_run_staging_crew_hurry(q);
}

bool cw_run_staging_objects_may_open(void)
{
    return !atomic_load_explicit(&unseen, memory_order_relaxed);
}

void cw_run_staging_objects_close(struct cw_run_staging_queue *q)
{
    atomic_store(&q->job, NULL);
    pthread_cond_broadcast(&cw_run_staging_objects_changed);
}

cl_command_queue cw_run_staging_objects_begin(struct cw_run_staging_context *c, cl_device_id device)
{
    cl_command_queue queue = NULL;

    pthread_mutex_lock(lock);
    c->jobs++;
    for (uint32_t i = 0; i < c->num_own; i++)
        if (c->own[i].device == device)
            queue = c->own[i].queue;
    pthread_mutex_unlock(lock);
    if (queue || c->num_own == CW_RUN_STAGING_OWN_QUEUES)
        return queue;
    queue = cw_run_staging_objects_make_queue(c->handle, device);
    pthread_mutex_lock(lock);
    if (queue) {
        c->own[c->num_own].device = device;
        c->own[c->num_own++].queue = queue;
        c->hidden++;
    }
    pthread_mutex_unlock(lock);
    return queue;
}

void cw_run_staging_objects_end(struct cw_run_staging_context *c)
{
    pthread_mutex_lock(lock);
    c->jobs--;
    let_go(c);
}

void cw_run_staging_objects_later(struct cw_run_staging_context *c, bool begins)
{
    pthread_mutex_lock(lock);
    c->hidden += begins ? 1u : -1u;
    if (begins || c->later) /* a context whose handle has come back has none */
        c->later += begins ? 1u : -1u;
    pthread_cond_broadcast(&cw_run_staging_objects_changed);
    pthread_mutex_unlock(lock);
}

void cw_run_staging_objects_hide(struct cw_run_staging_context *c, int more)
{
    pthread_mutex_lock(lock);
    c->hidden += (uint32_t)more;
    pthread_mutex_unlock(lock);
}

void cw_run_staging_objects_join(pthread_t thread)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOMENT_S;
    pthread_timedjoin_np(thread, NULL, &until);
}

void cw_run_staging_objects_after_fork(void)
{
    pthread_mutex_init(lock, NULL);
    pthread_cond_init(&cw_run_staging_objects_changed, NULL);
    atomic_store(&some, false);
    contexts = NULL; /* what is in them stays: the vendor's threads are not here */
}
