/* staging_objects.c - records of contexts and queues, and turns. */
#include "staging_objects.h"
#include "../../door/lock_order.h"
#include "../../door/registry.h"

#include "../../device/device.h"
#include "../../device/dsp_native.h"
#include "../core/recount.h"
#include "staging_crew.h"
#include "staging_pool.h"

#include <stdlib.h>
#include <time.h>

#define MOMENT_S 2

pthread_mutex_t cw_run_staging_objects_lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&cw_run_staging_objects_lock, STAGING)
pthread_cond_t cw_run_staging_objects_changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;

static _Atomic bool some;    /* a queue is known */
static _Atomic bool unseen;  /* turns are in vain: no queue opens */
static _Atomic bool counted; /* objects of a context count among its references */

enum { QUEUE = CW_REGISTRY_STAGING, CONTEXT };

struct cw_run_staging_queue *cw_run_staging_objects_queue(cl_command_queue handle)
{
    return CW_UNLIKELY(atomic_load_explicit(&some, memory_order_relaxed)) ? cw_registry_find(handle, QUEUE)
                                                                          : NULL;
}

/* Its content has the lock. */
static struct cw_run_staging_context *find_context(cl_context handle)
{
    return cw_registry_find(handle, CONTEXT);
}

/* NULL: memory is out. Lock held. */
static void *publish(const void *handle, unsigned kind, size_t bytes)
{
    void *record = calloc(1, bytes);
    struct cw_registry_entry *stale, *e = record ? cw_registry_claim(handle, kind, 0, &stale) : NULL;

    if (e) {
        cw_registry_publish(e, kind, record);
        return record;
    }
    free(record);
    return NULL;
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
    before = cw_query_context_references(context);
    memory = cw_next.clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &err);
    atomic_store(&counted, cw_query_context_references(context) > before);
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
    if (!c)
        c = publish(context, CONTEXT, sizeof *c);
    if (c)
        *c = (struct cw_run_staging_context){.handle = context, .references = 1};
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
    if (n)
        cw_run_recount_begins();
    c->num_own -= n;
    c->hidden -= n;
    pthread_mutex_unlock(lock);
    for (uint32_t i = 0; i < n; i++)
        cw_run_staging_objects_release_queue(queue[i]);
    if (n)
        cw_run_recount_ends();
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

/* The program holds the context no longer, neither itself nor by a queue. Lock held, given up. */
static void end_if_released(struct cw_run_staging_context *c)
{
    if (!c || c->ended || c->references || c->queues) {
        pthread_mutex_unlock(lock);
        return;
    }
    c->ended = true;
    wait_for_gates(c);
    let_go(c);
    cw_run_staging_pool_leave(c);
}

void cw_run_staging_context_released(cl_context context)
{
    struct cw_run_staging_context *c;

    pthread_mutex_lock(lock);
    c = find_context(context);
    if (c && c->references)
        c->references--;
    end_if_released(c);
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
                               cl_command_queue_properties properties, bool own)
{
    struct cw_run_staging_context *c;
    struct cw_run_staging_queue *q;

    pthread_mutex_lock(lock);
    c = find_context(context);
    q = cw_run_staging_objects_queue(queue);
    if (c && !q && !(properties & CL_QUEUE_ON_DEVICE) && (q = publish(queue, QUEUE, sizeof *q)))
        atomic_store(&some, true);
    if (q) { /* of a context that is not known: a handle that has come back */
        q->handle = queue;
        q->context = c;
        q->device = device;
        q->references = !own;
        q->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        atomic_store(&q->given, 0);
        atomic_store(&q->idle, 0);
        q->profiled = properties & CL_QUEUE_PROFILING_ENABLE;
    }
    if (q && c && !own)
        c->queues++;
    pthread_mutex_unlock(lock);
}

void cw_run_staging_queue_retained(cl_command_queue queue)
{
    struct cw_run_staging_queue *q = cw_run_staging_objects_queue(queue);

    if (CW_LIKELY(!q))
        return;
    pthread_mutex_lock(lock);
    q->references++;
    pthread_mutex_unlock(lock);
}

void cw_run_staging_queue_released(cl_command_queue queue)
{
    struct cw_run_staging_queue *q = cw_run_staging_objects_queue(queue);
    struct cw_run_staging_context *c = NULL;

    if (CW_LIKELY(!q))
        return;
    pthread_mutex_lock(lock);
    if (q->references && !--q->references)
        c = q->context;
    if (c && c->queues)
        c->queues--;
    end_if_released(c);
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
    struct cw_registry_entry *e = NULL;
    struct cw_run_staging_queue *q;
    struct cw_run_staging_job *job;

    atomic_store(&unseen, true);
    while ((e = cw_registry_next(QUEUE, e))) {
        q = cw_registry_record(e);
        if ((job = atomic_load(&q->job)) && !cw_run_staging_crew_is_ours(q, job))
            cw_run_staging_crew_hurry(q);
    }
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
    cw_run_recount_begins();
    queue = cw_run_staging_objects_make_queue(c->handle, device);
    pthread_mutex_lock(lock);
    if (queue) {
        c->own[c->num_own].device = device;
        c->own[c->num_own++].queue = queue;
        c->hidden++;
    }
    pthread_mutex_unlock(lock);
    cw_run_recount_ends();
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
    struct cw_registry_entry *e = NULL;

    pthread_mutex_init(lock, NULL);
    pthread_cond_init(&cw_run_staging_objects_changed, NULL);
    atomic_store(&some, false);
    while ((e = cw_registry_next(CONTEXT, e)))
        cw_registry_end(e, CONTEXT); /* what is in them stays: the vendor's threads are not here */
}
