/* staging_crew.c - threads that copy pieces.
 *
 * Each thread has two chunks: while the vendor transfers one, the thread copies the other. Pieces are handed
 * out in order, each to a thread whose chunk is free, so a piece that is handed out is enqueued without a
 * wait for the device. The thread that owns the transfer enqueues the last piece when the vendor has all
 * others. */
#include "staging_crew.h"

#include "../core/fault.h"
#include "../core/thread.h"
#include "staging_pages.h"
#include "staging_pool.h"

enum { MOST_THREADS = 64 };

static struct {
    unsigned threads; /* by the setting */
    unsigned started;
    pthread_t thread[MOST_THREADS];
    pthread_cond_t wake;
    struct cw_run_staging_job *job; /* the threads may join it */
    unsigned seats, next_seat, at_work;
    bool taken, quit;
} crew = {.wake = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;
static pthread_cond_t *const changed = &cw_run_staging_objects_changed;

unsigned cw_run_staging_crew_threads(void)
{
    return crew.threads;
}

void cw_run_staging_crew_configure(unsigned threads)
{
    crew.threads = threads < MOST_THREADS ? threads : MOST_THREADS;
}

/* ---- pieces */

/* As enqueue(). An image without slices has no pitch of them. */
static cl_int enqueue_image(const struct cw_run_staging_job *job, cl_command_queue queue, cl_bool blocking,
                            const struct cw_run_staging_piece *p, uint8_t *memory, size_t row, size_t slice,
                            cl_uint n, const cl_event *list, cl_event *event)
{
    const struct cw_run_staging_side *b = &job->shape.buffer;
    size_t pixel = job->shape.pixel;
    size_t origin[3] = {(b->origin[0] + p->at[0]) / pixel, b->origin[1] + p->at[1], b->origin[2] + p->at[2]};
    size_t region[3] = {p->size[0] / pixel, p->size[1], p->size[2]};

    slice = p->size[2] > 1 ? slice : 0;
    return job->write ? cw_next.clEnqueueWriteImage(queue, job->memory, blocking, origin, region, row, slice,
                                                    memory, n, list, event)
                      : cw_next.clEnqueueReadImage(queue, job->memory, blocking, origin, region, row, slice,
                                                   memory, n, list, event);
}

/* `row`, `slice`: the pitches of `memory` */
static cl_int enqueue(const struct cw_run_staging_job *job, cl_command_queue queue, cl_bool blocking,
                      const struct cw_run_staging_piece *p, uint8_t *memory, size_t row, size_t slice,
                      cl_uint n, const cl_event *list, cl_event *event)
{
    const struct cw_run_staging_side *b = &job->shape.buffer;
    size_t offset = cw_run_staging_pieces_offset(b, p), zero[3] = {0, 0, 0};
    size_t origin[3] = {b->origin[0] + p->at[0], b->origin[1] + p->at[1], b->origin[2] + p->at[2]};

    if (job->shape.pixel)
        return enqueue_image(job, queue, blocking, p, memory, row, slice, n, list, event);
    if (!job->rect && job->write)
        return cw_next.clEnqueueWriteBuffer(queue, job->memory, blocking, offset, p->size[0], memory, n, list,
                                            event);
    if (!job->rect)
        return cw_next.clEnqueueReadBuffer(queue, job->memory, blocking, offset, p->size[0], memory, n, list,
                                           event);
    if (job->write)
        return cw_next.clEnqueueWriteBufferRect(queue, job->memory, blocking, origin, zero, p->size, b->row,
                                                b->slice, row, slice, memory, n, list, event);
    return cw_next.clEnqueueReadBufferRect(queue, job->memory, blocking, origin, zero, p->size, b->row,
                                           b->slice, row, slice, memory, n, list, event);
}

cl_int cw_run_staging_crew_enqueue(const struct cw_run_staging_job *job, cl_command_queue queue,
                                   cl_bool blocking, const struct cw_run_staging_piece *p, uint8_t *memory,
                                   cl_uint n, const cl_event *list, cl_event *event)
{
    return enqueue(job, queue, blocking, p, memory, p->size[0], p->size[0] * p->size[1], n, list, event);
}

cl_int cw_run_staging_crew_head(const struct cw_run_staging_job *job, cl_command_queue queue,
                                cl_bool blocking, uint8_t *memory, cl_uint n, const cl_event *list,
                                cl_event *event)
{
    struct cw_run_staging_job look = *job;
    struct cw_run_staging_piece p;

    look.write = false;
    cw_run_staging_pieces_tail(&job->shape, CW_RUN_STAGING_TAIL, &p);
    return cw_run_staging_crew_enqueue(&look, queue, blocking, &p, memory, n, list, event);
}

cl_int cw_run_staging_crew_whole(const struct cw_run_staging_job *job)
{
    const struct cw_run_staging_side *h = &job->shape.host;
    struct cw_run_staging_piece all = {
        .size = {job->shape.region[0], job->shape.region[1], job->shape.region[2]}};
    cl_event event;
    cl_int err = enqueue(job, job->queue, CL_TRUE, &all, job->host + cw_run_staging_pieces_offset(h, &all),
                         h->row, h->slice, 0, NULL, &event);

    if (err != CL_SUCCESS)
        return err;
    err = cw_next.clWaitForEvents(1, &event); /* the call may have returned from a write before */
    cw_next.clReleaseEvent(event);
    return err;
}

/* A chunk, and the piece that is in it. */
struct chunk {
    uint8_t *bytes;
    cl_event event; /* NULL: the chunk is free */
    struct cw_run_staging_piece piece;
};

static void fails(struct cw_run_staging_job *job, cl_int error)
{
    pthread_mutex_lock(lock);
    if (job->error == CL_SUCCESS)
        job->error = error;
    pthread_mutex_unlock(lock);
}

static bool has_failed(struct cw_run_staging_job *job)
{
    bool failed;

    pthread_mutex_lock(lock);
    failed = job->error != CL_SUCCESS;
    pthread_mutex_unlock(lock);
    return failed;
}

/* The chunk is free afterwards. The vendor fills it while pages are made for what will be in it. */
static void finish(struct cw_run_staging_job *job, struct chunk *c)
{
    cl_int err;

    if (!c->event)
        return;
    if (!job->write)
        cw_run_staging_pages_make(job->host, &job->shape, &c->piece);
    err = cw_next.clWaitForEvents(1, &c->event);
    if (err != CL_SUCCESS)
        fails(job, err);
    else if (!job->write && !cw_run_fault_asks_now(CW_RUN_FAULT_UNCOPIED))
        cw_run_staging_pieces_scatter(job->host, c->bytes, &job->shape, &c->piece);
    cw_next.clReleaseEvent(c->event);
    c->event = NULL;
}

/* The chunk is free before. */
static void send(struct cw_run_staging_job *job, struct chunk *c, size_t i)
{
    cl_int err;

    cw_run_staging_pieces_at(&job->shape, &job->cut, i, &c->piece);
    if (job->write && !cw_run_fault_asks_now(CW_RUN_FAULT_UNCOPIED))
        cw_run_staging_pieces_gather(c->bytes, job->host, &job->shape, &c->piece);
    err = cw_run_staging_crew_enqueue(job, job->queue, CL_FALSE, &c->piece, c->bytes, 0, NULL, &c->event);
    if (err != CL_SUCCESS) {
        c->event = NULL;
        fails(job, err);
    } else {
        cw_next.clFlush(job->queue);
    }
}

/* Another piece is handed out. */
static bool hand_out(struct cw_run_staging_job *job, size_t *i)
{
    bool more;

    pthread_mutex_lock(lock);
    more = job->next < job->limit && job->error == CL_SUCCESS;
    if (more)
        *i = job->next++;
    pthread_mutex_unlock(lock);
    return more;
}

static void is_enqueued(struct cw_run_staging_job *job)
{
    pthread_mutex_lock(lock);
    if (++job->enqueued == job->next)
        pthread_cond_broadcast(changed);
    pthread_mutex_unlock(lock);
}

static void take_part(struct cw_run_staging_job *job, struct chunk *two)
{
    size_t i = 0;

    for (unsigned k = 0;; k ^= 1) {
        finish(job, &two[k]);
        if (!hand_out(job, &i))
            break;
        send(job, &two[k], i);
        is_enqueued(job);
    }
    finish(job, &two[0]);
    finish(job, &two[1]);
}

static void sit_down(struct chunk *two, unsigned seat)
{
    for (unsigned k = 0; k < 2; k++)
        two[k] = (struct chunk){.bytes = cw_run_staging_pool_chunk(seat, k)};
}

/* ---- threads */

static void *work(void *unused)
{
    struct cw_run_staging_job *job;
    struct chunk two[2];

    pthread_mutex_lock(lock);
    while (!crew.quit) {
        job = crew.job;
        if (!job || !crew.seats) {
            pthread_cond_wait(&crew.wake, lock);
            continue;
        }
        crew.seats--;
        crew.at_work++;
        sit_down(two, crew.next_seat++);
        pthread_mutex_unlock(lock);
        take_part(job, two);
        pthread_mutex_lock(lock);
        crew.at_work--;
        pthread_cond_broadcast(changed);
    }
    pthread_mutex_unlock(lock);
    return unused;
}

bool cw_run_staging_crew_take(bool wait)
{
    bool taken;

    pthread_mutex_lock(lock);
    while (crew.taken && wait && !crew.quit)
        pthread_cond_wait(changed, lock);
    taken = !crew.taken && !crew.quit;
    crew.taken |= taken;
    pthread_mutex_unlock(lock);
    return taken;
}

void cw_run_staging_crew_give(void)
{
    pthread_mutex_lock(lock);
    crew.taken = false;
    pthread_cond_broadcast(changed);
    pthread_mutex_unlock(lock);
}

/* The crew is taken: only one thread is here. */
static void start(unsigned threads)
{
    while (crew.started + 1 < threads && cw_thread_try(&crew.thread[crew.started], work, NULL))
        crew.started++;
}

static void begin(struct cw_run_staging_job *job)
{
    start(job->threads);
    pthread_mutex_lock(lock);
    crew.job = job;
    crew.seats = job->threads - 1;
    crew.next_seat = 1;
    for (unsigned i = 1; i < job->threads; i++)
        pthread_cond_signal(&crew.wake);
    pthread_mutex_unlock(lock);
}

static void end(void)
{
    pthread_mutex_lock(lock);
    crew.job = NULL;
    crew.seats = 0;
    while (crew.at_work)
        pthread_cond_wait(changed, lock);
    pthread_mutex_unlock(lock);
}

/* ---- the last piece, or all that were not handed out */

/* From the program's memory, by the vendor: the pieces that were not handed out, or, after an error, all. */
static void enqueue_rest(struct cw_run_staging_job *job)
{
    const struct cw_run_staging_side *h = &job->shape.host;
    struct cw_run_staging_piece p;
    cl_event event = NULL, before = NULL;
    cl_int err = CL_SUCCESS;
    size_t i;

    pthread_mutex_lock(lock);
    i = job->error == CL_SUCCESS ? job->next : 0;
    pthread_mutex_unlock(lock);
    for (; i < job->cut.n && err == CL_SUCCESS; i++) {
        cw_run_staging_pieces_at(&job->shape, &job->cut, i, &p);
        err = enqueue(job, job->queue, CL_FALSE, &p, job->host + cw_run_staging_pieces_offset(h, &p), h->row,
                      h->slice, before != NULL, before ? &before : NULL, &event);
        if (before)
            cw_next.clReleaseEvent(before);
        before = err == CL_SUCCESS ? event : NULL;
    }
    cw_next.clFlush(job->queue);
    pthread_mutex_lock(lock);
    job->last = before;
    job->error = err;
    pthread_mutex_unlock(lock);
}

bool cw_run_staging_crew_is_ours(struct cw_run_staging_queue *q, const struct cw_run_staging_job *job)
{
    bool ours;

    pthread_mutex_lock(lock);
    ours = atomic_load(&q->job) == job && pthread_equal(job->owner, pthread_self());
    pthread_mutex_unlock(lock);
    return ours;
}

static void hurry(struct cw_run_staging_queue *q)
{
    struct cw_run_staging_job *job;

    pthread_mutex_lock(lock);
    while ((job = atomic_load(&q->job))) {
        if (!job->short_turn && !job->rest) {
            job->limit = job->next;
            if (job->enqueued == job->next)
                break;
        }
        pthread_cond_wait(changed, lock);
    }
    if (job)
        job->rest = true;
    pthread_mutex_unlock(lock);
    if (!job)
        return;
    enqueue_rest(job);
    pthread_mutex_lock(lock);
    job->rest_done = true;
    cw_run_staging_objects_close(q);
    pthread_mutex_unlock(lock);
}

void cw_run_staging_crew_hurry(struct cw_run_staging_queue *q)
{
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* it would take the lock with it */
    hurry(q);
    pthread_setcancelstate(cancel, NULL);
}

/* Waits until the vendor has all pieces that are to be handed out. True: the last one is this thread's. */
static bool gets_last(struct cw_run_staging_job *job)
{
    bool ours;

    pthread_mutex_lock(lock);
    while (job->enqueued < job->next && !job->rest)
        pthread_cond_wait(changed, lock);
    ours = !job->rest;
    job->rest |= ours;
    pthread_mutex_unlock(lock);
    return ours;
}

/* Pieces before the last one have not been handed out: another thread hurries, but this one was first. */
static bool is_cut_short(struct cw_run_staging_job *job)
{
    bool is;

    pthread_mutex_lock(lock);
    is = job->next + 1 < job->cut.n;
    pthread_mutex_unlock(lock);
    return is;
}

/* This thread enqueues the last piece, or all that is left, and ends the turn. */
static void send_last(struct cw_run_staging_job *job, struct chunk *c)
{
    size_t i = job->cut.n - 1;
    bool rest = is_cut_short(job);

    if (i && cw_run_fault_asks_now(CW_RUN_FAULT_SHORT))
        i = 0;
    if (!rest && !has_failed(job))
        send(job, c, i);
    if (rest || has_failed(job))
        enqueue_rest(job);
    else if (cw_next.clRetainEvent(c->event) == CL_SUCCESS)
        job->last = c->event;
    pthread_mutex_lock(lock);
    if (job->turn)
        cw_run_staging_objects_close(job->turn);
    pthread_mutex_unlock(lock);
    finish(job, c);
}

/* Another thread has hurried the transfer. */
static void wait_for_rest(struct cw_run_staging_job *job)
{
    pthread_mutex_lock(lock);
    while (!job->rest_done)
        pthread_cond_wait(changed, lock);
    pthread_mutex_unlock(lock);
}

void cw_run_staging_crew_prepare(struct cw_run_staging_job *job, size_t piece, unsigned threads)
{
    cw_run_staging_pieces_cut(&job->shape, piece, &job->cut);
    job->limit = job->cut.n - 1;
    job->threads = threads < job->cut.n ? threads : (unsigned)job->cut.n;
    job->owner = pthread_self();
}

bool cw_run_staging_crew_run(struct cw_run_staging_job *job, cl_event *last)
{
    struct chunk two[2];
    bool whole;

    begin(job);
    sit_down(two, 0);
    take_part(job, two);
    if (gets_last(job))
        send_last(job, two);
    else
        wait_for_rest(job);
    if (job->last && cw_next.clWaitForEvents(1, &job->last) != CL_SUCCESS)
        fails(job, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    end();
    whole = job->error == CL_SUCCESS && job->last;
    if (whole && last)
        *last = job->last;
    else if (job->last)
        cw_next.clReleaseEvent(job->last);
    return whole;
}

void cw_run_staging_crew_stop(void)
{
    pthread_mutex_lock(lock);
    crew.quit = true;
    pthread_cond_broadcast(&crew.wake);
    pthread_cond_broadcast(changed);
    pthread_mutex_unlock(lock);
    for (unsigned i = 0; i < crew.started; i++)
        cw_run_staging_objects_join(crew.thread[i]);
}

void cw_run_staging_crew_after_fork(void)
{
    crew.threads = crew.started = 0;
    crew.quit = true;
}
