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

/* Piece `i` is read while the one before it is written. */
static cl_int copy(const struct relay *r, const struct cw_run_relay_end *from,
                   const struct cw_run_relay_end *to, size_t low, size_t bytes)
{
    cl_event read[SLOTS] = {NULL}, written[SLOTS] = {NULL};
    size_t piece = piece_of(bytes), n = (bytes + piece - 1) / piece;
    cl_int err = CL_SUCCESS;

    for (size_t i = 0; err == CL_SUCCESS && i <= n; i++) {
        size_t slot = i % SLOTS, last = (i + SLOTS - 1) % SLOTS, at = i * piece, before = at - piece;

        if (i < n) {
            err = wait(&written[slot]);
            if (err == CL_SUCCESS)
                err = cw_next.clEnqueueReadBuffer(from->place->copies, from->memory, CL_FALSE, low + at,
                                                  at + piece > bytes ? bytes - at : piece,
                                                  r->room + slot * PIECE, 0, NULL, &read[slot]);
            if (err == CL_SUCCESS)
                err = cw_next.clFlush(from->place->copies);
        }
        if (i && err == CL_SUCCESS)
            err = wait(&read[last]);
        if (i && err == CL_SUCCESS)
            err = cw_next.clEnqueueWriteBuffer(to->place->copies, to->memory, CL_FALSE, low + before,
                                               before + piece > bytes ? bytes - before : piece,
                                               r->room + last * PIECE, 0, NULL, &written[last]);
        if (i && err == CL_SUCCESS)
            err = cw_next.clFlush(to->place->copies);
    }
    for (int i = 0; i < SLOTS; i++) { /* the room is used until then */
        cl_int late[] = {wait(&read[i]), wait(&written[i])};

        err = err != CL_SUCCESS ? err : late[0] != CL_SUCCESS ? late[0] : late[1];
    }
    return err;
}

cl_int cw_run_relay_copy(const struct cw_run_relay_end *from, const struct cw_run_relay_end *to, size_t low,
                         size_t bytes, uint64_t *took_ns)
{
    struct relay *r = take(from->place->slot->home ? to->place : from->place);
    uint64_t begin = cw_run_global_lock_now_ns();
    cl_int err = r ? copy(r, from, to, low, bytes) : CL_OUT_OF_HOST_MEMORY;

    *took_ns = cw_run_global_lock_now_ns() - begin;
    if (r)
        give(r);
    return err;
}

void cw_run_relay_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    idle = NULL;
}
