/* shared_contexts.c - see figures.h. */
#include "figures.h"
#include "../record/command_facts.h"
#include "explain.h"
#include "../graph/graph_build.h"

#include <CL/cl.h>
#include <stdlib.h>

/* When a command ran, on the host's clock. */
struct span {
    uint32_t context, device;
    int64_t begin, end;
};

/* Of a context. */
struct tally {
    uint32_t devices; /* that have run commands */
    int64_t busy;     /* the sum over devices of the time for which each was busy */
    int64_t any;      /* the time for which some device was busy */
    int64_t last;     /* the end of the last command */
    int64_t
        handed;   /* the same had each command begun when it was handed over and its predecessors were over */
    int64_t free; /* the same had each been handed over at time 0 */
};

/* Times of traces that lie grow no further. */
static int64_t sum(int64_t a, int64_t b)
{
    return a < INT64_MAX / 4 - b ? a + b : INT64_MAX / 4;
}

struct search {
    const struct cw_trace *t;
    int64_t *shift; /* per device, to the host's clock */
    struct tally *tally;
    struct span *span;
    size_t n;
    uint32_t *first; /* per command: its first edge in `into`, those of the next one begin behind its last */
    uint32_t *into;  /* edges by the command that they lead to */
    int64_t *end, *idle; /* per command: its end; per device: it is idle from then on */
};

/* False for commands that have no place or no time. */
static bool span_of(const struct search *s, size_t i, struct span *to)
{
    const struct cw_command *k = &s->t->commands.v[i];
    uint32_t device = cw_trace_command_device(s->t, k);

    if (!cw_command_device_ns(k) || device == CW_NONE || k->queue >= s->t->queues.count)
        return false;
    *to = (struct span){s->t->queues.v[k->queue].context, device,
                        cw_device_clock_on_host(k->start_ns, s->shift[device]),
                        cw_device_clock_on_host(k->end_ns, s->shift[device])};
    return to->context < s->t->contexts.count;
}

/* ---- the run as it was */

static int by_device_and_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Adds to a member of each context's tally the time that its spans cover: of each device alone, or of all
 * of them together. */
static void cover(struct search *s, bool each)
{
    int64_t reached = 0;

    qsort(s->span, s->n, sizeof *s->span, each ? by_device_and_begin : by_begin);
    for (size_t i = 0; i < s->n; i++) {
        const struct span *x = &s->span[i], *before = i ? x - 1 : NULL;
        struct tally *y = &s->tally[x->context];
        bool first = !before || before->context != x->context || (each && before->device != x->device);
        int64_t from = first || x->begin > reached ? x->begin : reached;
        y->devices += each && first;
        int64_t *to = each ? &y->busy : &y->any;
        *to = sum(*to, x->end > from ? x->end - from : 0);
        reached = first || x->end > reached ? x->end : reached;
        y->last = (!each && first) || x->end > y->last ? x->end : y->last;
    }
}

/* ---- the run as it could have been: each command on its device, behind its predecessors and those before
 * it on the device */

/* Edges of a trace that a person wrote are in no order. */
static void sort_edges(struct search *s)
{
    const struct cw_trace *t = s->t;

    for (size_t e = 0; e < t->edges.count; e++)
        s->first[t->edges.v[e].to + 2]++;
    for (size_t i = 2; i < t->commands.count + 2; i++)
        s->first[i] += s->first[i - 1];
    for (uint32_t e = 0; e < t->edges.count; e++)
        s->into[s->first[t->edges.v[e].to + 1]++] = e;
}

/* The end of what command `i` waits for, as far as it is known. Host calls count where commands are handed
 * over as they were. */
static int64_t end_of(const struct search *s, const struct cw_edge *e, bool handed)
{
    const struct cw_command *from = &s->t->commands.v[e->from];

    if (!cw_graph_edge_binds(e) || e->kind == CW_EDGE_HOST)
        return INT64_MIN;
    if (!cw_trace_command_is_enqueue(from))
        return handed ? cw_device_clock_ns(from->call_end_ns) : INT64_MIN;
    return e->from < e->to ? s->end[e->from] : INT64_MIN;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void run_again(struct search *s, bool handed)
{
    const struct cw_trace *t = s->t;
    struct span x;

    for (size_t d = 0; d < t->devices.count; d++)
        s->idle[d] = INT64_MIN;
    for (size_t i = 0; i < t->commands.count; i++) {
        int64_t call = cw_device_clock_ns(t->commands.v[i].call_end_ns), start = INT64_MIN, *last;
        for (uint32_t e = s->first[i]; e < s->first[i + 1]; e++)
            start = later(start, end_of(s, &t->edges.v[s->into[e]], handed));
        s->end[i] = start;
        if (!span_of(s, i, &x))
            continue;
        call = !handed ? 0 : call && call < x.begin ? call : x.begin;
        start = later(later(start, call), s->idle[x.device]);
        s->end[i] = s->idle[x.device] = sum(start, x.end - x.begin);
        last = handed ? &s->tally[x.context].handed : &s->tally[x.context].free;
        *last = later(*last, s->end[i]);
    }
}

static bool weighs(int64_t lost, const struct tally *y)
{
    return lost >= CW_ALONE_NS && lost >= y->any / CW_ALONE_SHARE;
}

static void judge(const struct search *s, struct cw_shared_contexts *to)
{
    for (uint32_t c = 0; c < s->t->contexts.count; c++) {
        const struct tally *y = &s->tally[c];
        bool handed = weighs(y->last - y->handed, y);
        int64_t lost = handed ? y->last - y->handed : y->any - y->free;
        if (y->devices < 2 || y->busy - y->any > y->busy / 100 || !weighs(lost, y) ||
            (uint64_t)lost <= to->lost_ns)
            continue;
        to->alone = c;
        to->devices = y->devices;
        to->busy_ns = (uint64_t)y->any;
        to->lost_ns = (uint64_t)lost;
        to->by_host = !handed;
    }
}

/* Whether several devices of a context have run commands. */
static bool any_shared(const struct search *s)
{
    for (size_t c = 0; c < s->t->contexts.count; c++)
        if (s->tally[c].devices >= 2)
            return true;
    return false;
}

static bool find_alone(struct cw_shared_contexts *to, const struct cw_trace *t)
{
    struct search s = {.t = t};
    bool ok;

    s.shift = calloc(t->devices.count + 1, sizeof *s.shift);
    s.idle = calloc(t->devices.count + 1, sizeof *s.idle);
    s.tally = calloc(t->contexts.count + 1, sizeof *s.tally);
    s.span = calloc(t->commands.count + 1, sizeof *s.span);
    ok = s.shift && s.idle && s.tally && s.span;
    if (ok) {
        cw_device_clock_shifts(t, s.shift);
        for (size_t i = 0; i < t->commands.count; i++)
            s.n += span_of(&s, i, &s.span[s.n]);
        cover(&s, true);
        cover(&s, false);
    }
    if (ok && any_shared(&s)) {
        s.end = calloc(t->commands.count + 1, sizeof *s.end);
        s.first = calloc(t->commands.count + 2, sizeof *s.first);
        s.into = calloc(t->edges.count + 1, sizeof *s.into);
        ok = s.end && s.first && s.into;
    }
    if (ok && s.into) {
        sort_edges(&s);
        run_again(&s, true);
        run_again(&s, false);
        judge(&s, to);
    }
    free(s.shift);
    free(s.idle);
    free(s.tally);
    free(s.span);
    free(s.end);
    free(s.first);
    free(s.into);
    return ok;
}

/* ---- buffers that go to and fro */

static bool is_far(const struct cw_trace *t, uint32_t device)
{
    const struct cw_t_device *d = &t->devices.v[device];

    return !d->host_unified && !(d->type & CL_DEVICE_TYPE_CPU);
}

/* The bytes that its device must have before a command with that access. */
static bool needs_bytes(const struct cw_t_access *a, const struct cw_t_memory *m)
{
    return a->bytes && (a->mode & CW_ACCESS_READ || a->bytes < m->size);
}

static bool find_moves(struct cw_shared_contexts *to, const struct cw_trace *t)
{
    struct {
        uint32_t device, moves;
    } *at = calloc(t->memory.count + 1, sizeof *at); /* device: the last to use it + 1 */
    uint32_t most = 0;

    for (size_t i = 0; at && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t device = cw_trace_command_device(t, k);
        for (uint32_t n = 0; cw_command_works(k) && device != CW_NONE && n < k->accesses.count; n++) {
            const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
            const struct cw_t_memory *m = a->memory < t->memory.count ? &t->memory.v[a->memory] : NULL;
            if (!m || m->kind == CW_MEM_SVM || !a->mode)
                continue;
            if (at[a->memory].device && at[a->memory].device != device + 1 && needs_bytes(a, m) &&
                (is_far(t, device) || is_far(t, at[a->memory].device - 1))) {
                to->moves++;
                to->moved_bytes += m->size;
                to->moved_objects += !at[a->memory].moves++;
            }
            at[a->memory].device = device + 1;
            if (at[a->memory].moves > most) {
                most = at[a->memory].moves;
                to->most_moved = a->memory;
            }
        }
    }
    free(at);
    return at;
}

enum cw_status cw_shared_contexts_find(struct cw_shared_contexts *s, const struct cw_trace *t,
                                       struct cw_error *err)
{
    *s = (struct cw_shared_contexts){.alone = CW_NONE, .most_moved = CW_NONE};
    return (t->process.times_every || find_alone(s, t)) && find_moves(s, t)
               ? CW_OK
               : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}
