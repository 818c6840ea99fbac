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

/* Piece `i` is read while the one before it is written. *reads, *writes: the first error of each end. */
static void copy(const struct relay *r, const struct cw_run_relay_end *from,
                 const struct cw_run_relay_end *to, size_t low, size_t bytes, cl_int *reads, cl_int *writes)
{
    cl_event read[SLOTS] = {NULL}, written[SLOTS] = {NULL};
    size_t piece = piece_of(bytes), n = (bytes + piece - 1) / piece;
    struct piece p;

    for (size_t i = 0; *reads == CL_SUCCESS && *writes == CL_SUCCESS && i <= n; i++) {
        if (i < n) {
            p = piece_at(r, low, bytes, piece, i);
            *writes = wait(&written[i % SLOTS]);
            *reads = *writes == CL_SUCCESS ? begin_read(from, &p, &read[i % SLOTS]) : *reads;
        }
        if (i && *reads == CL_SUCCESS && *writes == CL_SUCCESS) {
            p = piece_at(r, low, bytes, piece, i - 1);
            *reads = wait(&read[(i - 1) % SLOTS]);
            *writes = *reads == CL_SUCCESS ? begin_write(to, &p, &written[(i - 1) % SLOTS]) : *writes;
        }
    }
    for (int i = 0; i < SLOTS; i++) { /* the room is used until then */
        cl_int read_late = wait(&read[i]), written_late = wait(&written[i]);

        *reads = *reads == CL_SUCCESS ? read_late : *reads;
        *writes = *writes == CL_SUCCESS ? written_late : *writes;
    }
}

cl_int cw_run_relay_copy(const struct cw_run_relay_end *from, const struct cw_run_relay_end *to, size_t low,
                         size_t bytes, uint64_t *took_ns, const struct cw_run_relay_end **failed)
{
    struct relay *r = take(from->place->slot->home ? to->place : from->place);
    uint64_t begin = cw_run_global_lock_now_ns();
    cl_int reads = CL_SUCCESS, writes = CL_SUCCESS;

    *failed = NULL;
    if (!r)
        return CL_OUT_OF_HOST_MEMORY;
    copy(r, from, to, low, bytes, &reads, &writes);
    give(r);
    *took_ns = cw_run_global_lock_now_ns() - begin;
    if (reads != CL_SUCCESS || writes != CL_SUCCESS)
        *failed = reads != CL_SUCCESS ? from : to;
    return reads != CL_SUCCESS ? reads : writes;
}

void cw_run_relay_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    idle = NULL;
}
