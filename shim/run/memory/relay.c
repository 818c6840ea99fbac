/* relay.c - see memory/relay.h. */
#include "relay.h"
#include "../../door/lock_order.h"

#include <pthread.h>
#include <stdlib.h>

#include "../../door/dispatch.h"
#include "../core/global_lock.h"
#include "../core/instruction.h"

enum {
    AT_ONCE = 3,           /* pieces under way */
    PIECE = 4 << 20,       /* bytes, of which a device holds one */
    PIECE_LEAST = 1 << 18, /* a shorter one is over before the next call of the vendor's */
    PIECES_LEAST = 4       /* else one end rests half of the time */
};

/* Room for the pieces of copies of the same bytes. Stays for the life of the process, as helpers' contexts
 * do. */
struct relay {
    struct relay *next;
    unsigned char *bytes; /* of AT_ONCE pieces */
};

static struct relay *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, RELAY)

/* Pinned memory of the helper; where there is none, any. */
static struct relay *create(const struct cw_run_context_device *helper)
{
    struct relay *r = calloc(1, sizeof *r);
    cl_int err;
    cl_mem memory = r ? cw_next.clCreateBuffer(helper->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                               (size_t)AT_ONCE * PIECE, NULL, &err)
                      : NULL;

    if (memory)
        r->bytes = cw_next.clEnqueueMapBuffer(helper->copies, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                              (size_t)AT_ONCE * PIECE, 0, NULL, NULL, &err);
    if (memory && !r->bytes)
        cw_next.clReleaseMemObject(memory);
    if (r && !r->bytes)
        r->bytes = malloc((size_t)AT_ONCE * PIECE);
    if (r && !r->bytes) {
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

static size_t piece_of(size_t bytes)
{
    size_t piece = bytes / PIECES_LEAST;

    return piece < PIECE_LEAST ? PIECE_LEAST : piece > PIECE ? PIECE : piece;
}

/* A copy under way, without its reads. */
struct sink {
    struct cw_run_relay_copy *copy;
    cl_event written[AT_ONCE];
    cl_int err; /* the first of its end */
};

/* Bytes under way from one end to those of `n` sinks. */
struct job {
    struct sink *sink;
    uint32_t n;
    struct relay *relay; /* NULL: there is none */
    cl_event read[AT_ONCE];
    size_t piece, pieces;
    cl_int err; /* the first of the end that is read */
};

static void note(cl_int *first, cl_int err)
{
    *first = *first == CL_SUCCESS ? err : *first;
}

/* The other sinks go on where one fails. */
static bool is_good(const struct job *j)
{
    bool any = false;

    for (uint32_t k = 0; k < j->n; k++)
        any |= j->sink[k].err == CL_SUCCESS;
    return any && j->err == CL_SUCCESS;
}

/* Piece `i` goes through the relay, from or to the end. */
static cl_int begin(const struct job *j, enum cw_run_instruction_kind kind,
                    const struct cw_run_relay_end *end, size_t i, cl_event *event)
{
    const struct cw_run_relay_copy *c = j->sink->copy;
    size_t first = i * j->piece, rest = c->bytes - first;
    const struct cw_run_instruction piece = {kind,
                                             false,
                                             end->place,
                                             {{end->memory, c->low + first, rest < j->piece ? rest : j->piece,
                                               j->relay->bytes + i % AT_ONCE * PIECE}}};
    cl_int err = cw_run_instruction_begin(&piece, event);

    return err == CL_SUCCESS ? cw_next.clFlush(end->place->copies) : err;
}

static void read_piece(struct job *j, size_t i)
{
    for (uint32_t k = 0; k < j->n; k++)
        note(&j->sink[k].err, cw_run_instruction_wait(&j->sink[k].written[i % AT_ONCE]));
    if (is_good(j))
        j->err = begin(j, CW_RUN_I_FETCH, &j->sink->copy->from, i, &j->read[i % AT_ONCE]);
}

static void write_piece(struct job *j, size_t i)
{
    j->err = cw_run_instruction_wait(&j->read[i % AT_ONCE]);
    for (uint32_t k = 0; j->err == CL_SUCCESS && k < j->n; k++)
        if (j->sink[k].err == CL_SUCCESS)
            j->sink[k].err =
                begin(j, CW_RUN_I_GIVE, &j->sink[k].copy->to, i, &j->sink[k].written[i % AT_ONCE]);
}

/* Piece `i` is read while the one before it is written. */
static void step(struct job *j, size_t i)
{
    if (i < j->pieces && is_good(j))
        read_piece(j, i);
    if (i && i <= j->pieces && is_good(j))
        write_piece(j, i - 1);
}

/* The room is used until then. */
static void finish(struct job *j, uint64_t begin_ns)
{
    uint64_t took_ns;

    for (int i = 0; i < AT_ONCE; i++) {
        note(&j->err, cw_run_instruction_wait(&j->read[i]));
        for (uint32_t k = 0; k < j->n; k++)
            note(&j->sink[k].err, cw_run_instruction_wait(&j->sink[k].written[i]));
    }
    give(j->relay);
    took_ns = cw_run_global_lock_now_ns() - begin_ns;
    for (uint32_t k = 0; k < j->n; k++) {
        const struct sink *s = &j->sink[k];

        s->copy->took_ns = took_ns;
        s->copy->err = j->err != CL_SUCCESS ? j->err : s->err;
        s->copy->failed = j->err != CL_SUCCESS ? &s->copy->from : s->err != CL_SUCCESS ? &s->copy->to : NULL;
    }
}

static bool are_same_bytes(const struct cw_run_relay_copy *a, const struct cw_run_relay_copy *b)
{
    return a->from.place == b->from.place && a->from.memory == b->from.memory && a->low == b->low &&
           a->bytes == b->bytes;
}

/* One job for the sinks at `sink`, as many of `n` as are of the same bytes. */
static struct job begin_job(struct sink *sink, uint32_t n)
{
    const struct cw_run_relay_copy *c = sink->copy;
    struct job j = {.sink = sink, .n = 1};

    while (j.n < n && are_same_bytes(sink[j.n].copy, c))
        j.n++;
    j.relay = take(c->from.place->device->home ? c->to.place : c->from.place);
    j.piece = piece_of(c->bytes);
    j.pieces = j.relay ? (c->bytes + j.piece - 1) / j.piece : 0;
    return j;
}

void cw_run_relay_copies(struct cw_run_relay_copy *copy, uint32_t n)
{
    struct sink sink[CW_RUN_RELAY_COPIES] = {0};
    struct job job[CW_RUN_RELAY_COPIES];
    uint32_t jobs = 0;
    size_t steps = 0;
    uint64_t begin_ns;

    for (uint32_t k = 0; k < n; k++) {
        copy[k].err = CL_OUT_OF_HOST_MEMORY;
        copy[k].failed = NULL;
        sink[k].copy = &copy[k];
    }
    for (uint32_t k = 0; k < n; k += job[jobs++].n) {
        job[jobs] = begin_job(&sink[k], n - k);
        steps = job[jobs].pieces > steps ? job[jobs].pieces : steps;
    }
    begin_ns = cw_run_global_lock_now_ns();
    for (size_t i = 0; i <= steps; i++)
        for (uint32_t k = 0; k < jobs; k++)
            step(&job[k], i);
    for (uint32_t k = 0; k < jobs; k++)
        if (job[k].relay)
            finish(&job[k], begin_ns);
}

void cw_run_relay_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    idle = NULL;
}
