/* relay.c - see memory/relay.h. */
#include "relay.h"

#include <pthread.h>
#include <stdlib.h>

#include "../../door/dispatch.h"
#include "../core/global_lock.h"

enum {
    SLOTS = 3,
    PIECE = 4 << 20,       /* bytes, of which a slot holds one */
    PIECE_LEAST = 1 << 18, /* a shorter one is over before the next call of the vendor's */
    PIECES_LEAST = 4       /* else one end rests half of the time */
};

/* Room for the pieces of one copy. Stays for the life of the process, as helpers' contexts do. */
struct relay {
    struct relay *next;
    unsigned char *room; /* SLOTS pieces */
};

static struct relay *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Pinned memory of the helper; where there is none, any. */
static struct relay *create(const struct cw_run_context_device *helper)
{
    struct relay *r = calloc(1, sizeof *r);
    cl_int err;
    cl_mem memory = r ? cw_next.clCreateBuffer(helper->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                               (size_t)SLOTS * PIECE, NULL, &err)
                      : NULL;

    if (memory)
        r->room = cw_next.clEnqueueMapBuffer(helper->copies, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                             (size_t)SLOTS * PIECE, 0, NULL, NULL, &err);
    if (memory && !r->room)
        cw_next.clReleaseMemObject(memory);
    if (r && !r->room)
        r->room = malloc((size_t)SLOTS * PIECE);
    if (r && !r->room) {
        free(r);
        r = NULL;
    }
    return r;
}

static struct relay *take(const struct cw_run_context_device *helper)
{
    struct relay *r;

    pthread_mutex_lock(&lock);
    r = idle;
    if (r)
        idle = r->next;
    pthread_mutex_unlock(&lock);
    return r ? r : create(helper);
}

static void give(struct relay *r)
{
    pthread_mutex_lock(&lock);
    r->next = idle;
    idle = r;
    pthread_mutex_unlock(&lock);
}

static cl_int wait(cl_event *event)
{
    cl_int err = *event ? cw_next.clWaitForEvents(1, event) : CL_SUCCESS;

    if (*event)
        cw_next.clReleaseEvent(*event);
    *event = NULL;
    return err;
}

static size_t piece_of(size_t bytes)
{
    size_t piece = bytes / PIECES_LEAST;

    return piece < PIECE_LEAST ? PIECE_LEAST : piece > PIECE ? PIECE : piece;
}

/* Bytes [low, high) of the buffer, the first of which is the piece at `at`. */
struct piece {
    size_t low, bytes;
    unsigned char *at;
};

static struct piece piece_at(const struct relay *r, size_t low, size_t bytes, size_t piece, size_t i)
{
    size_t first = i * piece;

    return (struct piece){low + first, first + piece > bytes ? bytes - first : piece,
                          r->room + i % SLOTS * PIECE};
}

static cl_int begin_read(const struct cw_run_relay_end *from, const struct piece *p, cl_event *event)
{
    cl_int err = cw_next.clEnqueueReadBuffer(from->place->copies, from->memory, CL_FALSE, p->low, p->bytes,
                                             p->at, 0, NULL, event);

    return err == CL_SUCCESS ? cw_next.clFlush(from->place->copies) : err;
}

static cl_int begin_write(const struct cw_run_relay_end *to, const struct piece *p, cl_event *event)
{
    cl_int err = cw_next.clEnqueueWriteBuffer(to->place->copies, to->memory, CL_FALSE, p->low, p->bytes,
                                              p->at, 0, NULL, event);

    return err == CL_SUCCESS ? cw_next.clFlush(to->place->copies) : err;
}

/* A copy under way. */
struct job {
    struct cw_run_relay_copy *copy;
    struct relay *room; /* NULL: there is none */
    cl_event read[SLOTS], written[SLOTS];
    size_t piece, n;
    cl_int reads, writes; /* the first error of each end */
};

static bool is_good(const struct job *j)
{
    return j->reads == CL_SUCCESS && j->writes == CL_SUCCESS;
}

/* Piece `i` is read while the one before it is written. */
static void step(struct job *j, size_t i)
{
    const struct cw_run_relay_copy *c = j->copy;
    struct piece p;

    if (i < j->n && is_good(j)) {
        p = piece_at(j->room, c->low, c->bytes, j->piece, i);
        j->writes = wait(&j->written[i % SLOTS]);
        j->reads = j->writes == CL_SUCCESS ? begin_read(&c->from, &p, &j->read[i % SLOTS]) : j->reads;
    }
    if (i && i <= j->n && is_good(j)) {
        p = piece_at(j->room, c->low, c->bytes, j->piece, i - 1);
        j->reads = wait(&j->read[(i - 1) % SLOTS]);
        j->writes =
            j->reads == CL_SUCCESS ? begin_write(&c->to, &p, &j->written[(i - 1) % SLOTS]) : j->writes;
    }
}

/* The room is used until then. */
static void finish(struct job *j, uint64_t begin)
{
    struct cw_run_relay_copy *c = j->copy;

    for (int i = 0; i < SLOTS; i++) {
        cl_int read_late = wait(&j->read[i]), written_late = wait(&j->written[i]);

        j->reads = j->reads == CL_SUCCESS ? read_late : j->reads;
        j->writes = j->writes == CL_SUCCESS ? written_late : j->writes;
    }
    give(j->room);
    c->took_ns = cw_run_global_lock_now_ns() - begin;
    c->err = j->reads != CL_SUCCESS ? j->reads : j->writes;
    c->failed = j->reads != CL_SUCCESS ? &c->from : j->writes != CL_SUCCESS ? &c->to : NULL;
}

void cw_run_relay_copies(struct cw_run_relay_copy *copy, uint32_t n)
{
    struct job job[CW_RUN_RELAY_COPIES] = {0};
    size_t steps = 0;
    uint64_t begin;

    for (uint32_t k = 0; k < n; k++) {
        struct job *j = &job[k];

        j->copy = &copy[k];
        j->copy->err = CL_OUT_OF_HOST_MEMORY;
        j->copy->failed = NULL;
        j->room = take(j->copy->from.place->slot->home ? j->copy->to.place : j->copy->from.place);
        j->piece = piece_of(j->copy->bytes);
        j->n = j->room ? (j->copy->bytes + j->piece - 1) / j->piece : 0;
        steps = j->n > steps ? j->n : steps;
    }
    begin = cw_run_global_lock_now_ns();
    for (size_t i = 0; i <= steps; i++)
        for (uint32_t k = 0; k < n; k++)
            step(&job[k], i);
    for (uint32_t k = 0; k < n; k++)
        if (job[k].room)
            finish(&job[k], begin);
}

void cw_run_relay_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    idle = NULL;
}
