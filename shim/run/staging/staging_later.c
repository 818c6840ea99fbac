/* staging_later.c - head, tail, gate, and the thread between them. */
#include "staging_later.h"

#include "../../door/clock.h"
#include "../core/fault.h"
#include "../core/recount.h"
#include "../core/thread.h"
#include "staging_count.h"
#include "staging_notes.h"
#include "staging_pool.h"

#include <stdlib.h>
#include <time.h>

#define MOMENT_S       2
#define LEAST_PAUSE_NS 50000 /* between two looks at heads */
#define MOST_PAUSE_NS  1000000

struct later {
    struct later *next;
    struct cw_run_staging_job job;
    struct cw_run_staging_context *context;
    cl_device_id device;
    bool profiled;
    cl_event head, gate, tail;
    cl_int status; /* of the head */
    uint8_t *cell;
};

static struct {
    pthread_t thread;
    pthread_cond_t wake;
    bool started, quit;
    bool hinted;                      /* a head is over, as the vendor says */
    bool idle;                        /* the thread has found no head that is over since `quit` */
    uint32_t under_way;               /* transfers whose gates are not open */
    struct later *fresh, **fresh_end; /* that the thread has not seen */
    struct later *spent;              /* their tails are over */
    struct {
        struct cw_run_staging_context *context; /* NULL: no pool is wanted */
        cl_device_id device;
        size_t chunk;
        unsigned seats;
    } pool;
} mover = {.wake = PTHREAD_COND_INITIALIZER, .fresh_end = &mover.fresh};
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;

static cl_int transfer(struct later *l)
{
    uint64_t since = cw_now_ns();
    cl_int err = CL_OUT_OF_RESOURCES;
    bool done = false;

    l->job.queue = cw_run_staging_objects_begin(l->context, l->device);
    if (l->job.queue && cw_run_staging_crew_take(true)) {
        done = cw_run_staging_crew_run(&l->job, NULL);
        cw_run_staging_crew_give();
    }
    if (done)
        cw_run_staging_count(l->job.write, cw_run_staging_pieces_bytes(&l->job.shape),
                             (double)(cw_now_ns() - since), 0);
    if (l->job.queue) /* also where the process ends, and the crew is not there any more */
        err = done ? CL_SUCCESS : cw_run_staging_crew_whole(&l->job);
    cw_run_staging_objects_end(l->context);
    return err;
}

static void fill_cell(struct later *l)
{
    struct cw_run_staging_piece p;

    cw_run_staging_pieces_tail(&l->job.shape, CW_RUN_STAGING_TAIL, &p);
    cw_run_staging_pieces_gather(l->cell, l->job.host, &l->job.shape, &p);
}

/* ---- the vendor calls these two on a thread of its own, which a callback of the program may hold: nothing
 * but the end of a cell rests on them */

/* The thread need not wait for its next look. */
static void CL_CALLBACK head_over(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(lock);
    mover.hinted = true;
    pthread_cond_signal(&mover.wake);
    pthread_mutex_unlock(lock);
}

static void CL_CALLBACK tail_over(cl_event event, cl_int status, void *data)
{
    struct later *l = data;

    (void)event;
    (void)status;
    pthread_mutex_lock(lock);
    l->next = mover.spent;
    mover.spent = l;
    pthread_cond_signal(&mover.wake);
    pthread_mutex_unlock(lock);
}

/* The gate opens last: the tail's event must not be over before all that the program may ask for is there. */
static void run(struct later *l)
{
    bool early = cw_run_fault_asks_now(CW_RUN_FAULT_OPEN);
    cl_int err = l->status < 0 ? l->status : early ? CL_SUCCESS : transfer(l);
    struct cw_run_staging_context *c = l->context;
    cl_event gate = l->gate, tail = l->tail;

    if (l->job.write)
        fill_cell(l); /* anew, as a vendor that reads the program's memory late would */
    if (l->profiled)
        cw_run_staging_notes_times(l->tail, l->head);
    cw_next.clReleaseEvent(l->head);
    cw_run_recount_begins();
    cw_next.clReleaseMemObject(l->job.memory);
    cw_run_staging_notes_let_go(l->job.memory);
    cw_run_recount_ends();
    cw_next.clSetEventCallback(tail, CL_COMPLETE, tail_over, l);
    cw_next.clSetUserEventStatus(gate, err < 0 ? err : CL_COMPLETE); /* `l` may be gone from here on */
    cw_next.clReleaseEvent(tail);
    cw_run_recount_begins();
    cw_next.clReleaseEvent(gate);
    cw_run_staging_objects_later(c, false);
    cw_run_recount_ends();
}

static void clear(struct later *l)
{
    cw_run_staging_pool_cell_free(l->cell);
    cw_run_staging_pool_exit();
    free(l);
}

static void make_pool(void)
{
    struct cw_run_staging_context *c = mover.pool.context;

    pthread_mutex_unlock(lock);
    cw_run_staging_pool_make(c, mover.pool.device, mover.pool.chunk, mover.pool.seats);
    cw_run_recount_begins();
    cw_run_staging_objects_hide(c, -1);
    cw_next.clReleaseContext(c->handle);
    cw_run_recount_ends();
    pthread_mutex_lock(lock);
    mover.pool.context = NULL;
}

/* ---- the thread's own list: heads that it looks at */

static struct later *watched, **watched_end = &watched;

/* Lock held. */
static bool take_fresh(void)
{
    if (!mover.fresh)
        return false;
    *watched_end = mover.fresh;
    watched_end = mover.fresh_end;
    mover.fresh = NULL;
    mover.fresh_end = &mover.fresh;
    return true;
}

/* Takes out the first transfer whose head is over; NULL: there is none. Lock not held. */
static struct later *next_over(void)
{
    struct later **at = &watched, *l;

    for (; (l = *at); at = &l->next) {
        l->status = CL_COMPLETE; /* if the vendor does not know the event, nothing will ever be over */
        cw_next.clGetEventInfo(l->head, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof l->status, &l->status,
                               NULL);
        if (l->status <= CL_COMPLETE)
            break;
    }
    if (!l)
        return NULL;
    *at = l->next;
    watched_end = *at ? watched_end : at;
    return l;
}

/* Until something has changed, or heads are to be looked at again: at the end of the process only when the
 * vendor says so, which may end meanwhile. Lock held. */
static void rest(long *pause_ns)
{
    struct timespec until;

    mover.idle = true;
    pthread_cond_broadcast(&cw_run_staging_objects_changed);
    if (!watched || mover.quit) {
        pthread_cond_wait(&mover.wake, lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += *pause_ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&mover.wake, lock, &until);
    *pause_ns = 2 * *pause_ns < MOST_PAUSE_NS ? 2 * *pause_ns : MOST_PAUSE_NS;
}

/* Lock held, given up meanwhile. False: no head is over. */
static bool run_next(void)
{
    struct later *l;

    mover.hinted = false;
    pthread_mutex_unlock(lock);
    l = next_over();
    if (l)
        run(l);
    pthread_mutex_lock(lock);
    mover.under_way -= l != NULL;
    if (l)
        pthread_cond_broadcast(&cw_run_staging_objects_changed);
    return l != NULL;
}

static void *move(void *unused)
{
    long pause_ns = LEAST_PAUSE_NS;
    struct later *l;

    pthread_mutex_lock(lock);
    while (!mover.quit || mover.under_way) {
        if (take_fresh())
            pause_ns = LEAST_PAUSE_NS;
        if (mover.pool.context) {
            make_pool();
        } else if ((l = mover.spent)) {
            mover.spent = l->next;
            pthread_mutex_unlock(lock);
            clear(l);
            pthread_mutex_lock(lock);
        } else if (run_next()) {
            pause_ns = LEAST_PAUSE_NS;
        } else if (!mover.fresh && !mover.spent && !mover.pool.context && !mover.hinted) {
            rest(&pause_ns);
        }
    }
    pthread_mutex_unlock(lock);
    return unused;
}

/* Lock held. */
static bool start(void)
{
    if (!mover.started && !mover.quit)
        mover.started = cw_thread_try(&mover.thread, move, NULL);
    return mover.started && !mover.quit;
}

void cw_run_staging_later_wants_pool(struct cw_run_staging_context *c, cl_device_id device, size_t chunk,
                                     unsigned seats)
{
    bool takes;

    cw_run_recount_begins();
    if (cw_next.clRetainContext(c->handle) != CL_SUCCESS) {
        cw_run_recount_ends();
        return;
    }
    pthread_mutex_lock(lock);
    takes = !mover.pool.context && start();
    if (takes) {
        c->hidden++;
        mover.pool.context = c;
        mover.pool.device = device;
        mover.pool.chunk = chunk;
        mover.pool.seats = seats;
        pthread_cond_signal(&mover.wake);
    }
    pthread_mutex_unlock(lock);
    if (!takes)
        cw_next.clReleaseContext(c->handle);
    cw_run_recount_ends();
}

/* ---- enqueueing */

/* Head, gate and tail in the program's queue, whose turn is this job's. False: not all could be had. */
static bool enqueue_ends(struct later *l, cl_command_queue queue, cl_uint n, const cl_event *list)
{
    struct cw_run_staging_piece p;
    cl_int err;

    cw_run_staging_pieces_tail(&l->job.shape, CW_RUN_STAGING_TAIL, &p);
    if (l->job.write)
        fill_cell(l); /* the vendor may read it now */
    l->gate = cw_next.clCreateUserEvent(l->context->handle, &err);
    if (!l->gate)
        return false;
    if (cw_next.clEnqueueMarkerWithWaitList(queue, n, list, &l->head) != CL_SUCCESS)
        return false;
    err = cw_run_staging_crew_enqueue(&l->job, queue, CL_FALSE, &p, l->cell, 1, &l->gate, &l->tail);
    if (err != CL_SUCCESS)
        cw_next.clReleaseEvent(l->head);
    return err == CL_SUCCESS;
}

static bool has_turn(struct later *l, struct cw_run_staging_queue *q, cl_uint n, const cl_event *list)
{
    bool enqueued;

    l->job.short_turn = true;
    if (!cw_run_staging_objects_open(q, &l->job, atomic_load(&q->given)))
        return false;
    enqueued = enqueue_ends(l, q->handle, n, list);
    pthread_mutex_lock(lock);
    cw_run_staging_objects_close(q);
    pthread_mutex_unlock(lock);
    return enqueued;
}

/* Nothing waits for its gate, but NVIDIA's clReleaseContext waits for every user event. */
static void drop(struct later *l)
{
    if (l->gate) {
        cw_next.clSetUserEventStatus(l->gate, CL_COMPLETE);
        cw_next.clReleaseEvent(l->gate);
    }
    if (l->cell)
        cw_run_staging_pool_cell_free(l->cell);
    free(l);
    pthread_mutex_lock(lock);
    mover.under_way--;
    pthread_cond_signal(&mover.wake);
    pthread_mutex_unlock(lock);
}

/* `l` may be gone afterwards. */
static void watch_head(struct later *l, cl_command_queue queue)
{
    cl_event head = l->head;

    cw_next.clRetainEvent(head); /* it stays for as long as the vendor's functions use it */
    cw_next.clFlush(queue);
    pthread_mutex_lock(lock);
    l->next = NULL;
    *mover.fresh_end = l;
    mover.fresh_end = &l->next;
    pthread_cond_signal(&mover.wake);
    pthread_mutex_unlock(lock);
    cw_next.clSetEventCallback(head, CL_COMPLETE, head_over, NULL);
    cw_next.clReleaseEvent(head);
}

static struct later *create(struct cw_run_staging_queue *q, const struct cw_run_staging_job *job)
{
    struct later *l = calloc(1, sizeof *l);
    bool works;

    pthread_mutex_lock(lock);
    works = l && start();
    mover.under_way += works;
    pthread_mutex_unlock(lock);
    if (!works) {
        free(l);
        return NULL;
    }
    l->cell = cw_run_staging_pool_cell();
    if (!l->cell) {
        drop(l);
        return NULL;
    }
    l->job = *job;
    l->job.turn = NULL;
    l->job.owner = pthread_self();
    l->context = q->context;
    l->device = q->device;
    l->profiled = q->profiled;
    return l;
}

bool cw_run_staging_later_enqueue(struct cw_run_staging_queue *q, const struct cw_run_staging_job *job,
                                  cl_uint n, const cl_event *list, cl_event *event)
{
    /* in a queue out of order a marker without a list would wait for commands that the transfer passes */
    struct later *l = q->in_order ? create(q, job) : NULL;
    cl_event tail;

    if (!l)
        return false;
    cw_run_recount_begins();
    if (!has_turn(l, q, n, list)) {
        drop(l);
        cw_run_recount_ends();
        return false;
    }
    tail = l->tail;
    cw_run_staging_notes_new(tail);
    cw_next.clRetainMemObject(l->job.memory);
    cw_run_staging_notes_hold(l->job.memory);
    cw_run_staging_objects_later(l->context, true);
    cw_run_recount_ends();
    if (event)
        cw_next.clRetainEvent(tail);
    watch_head(l, q->handle);
    if (event)
        *event = tail;
    return true;
}

/* Transfers whose heads are over are waited for, a moment. The thread goes on with the others: functions that
 * the program runs at its end may wait for them. */
void cw_run_staging_later_stop(void)
{
    struct timespec until;
    bool ends;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOMENT_S;
    pthread_mutex_lock(lock);
    mover.quit = true;
    mover.idle = false;
    pthread_cond_signal(&mover.wake);
    while (mover.started && mover.under_way && !mover.idle &&
           !pthread_cond_timedwait(&cw_run_staging_objects_changed, lock, &until))
        ;
    ends = mover.started && !mover.under_way;
    pthread_mutex_unlock(lock);
    if (ends)
        cw_run_staging_objects_join(mover.thread);
}

void cw_run_staging_later_after_fork(void)
{
    mover.quit = true;
    mover.started = false;
}
