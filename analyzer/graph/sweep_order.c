/* sweep_order.c - see trace_read.h. */
#include "trace_read.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

static bool waits_for_later(const struct cw_trace *t)
{
    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_slice *w = &t->commands.v[i].wait_list;
        for (uint32_t k = 0; k < w->count; k++)
            if (t->waits.v[w->first + k] != CW_NONE && t->waits.v[w->first + k] >= i)
                return true;
    }
    return false;
}

/* Constraints as lists of successors in one array. */
struct constraints {
    uint32_t *first; /* per command, commands + 1 */
    uint32_t *to;
    uint32_t *missing; /* per command: predecessors that have not come yet */
};

/* Calls for every constraint (p before i): counts it when c->to is NULL, else stores it. */
static void note(struct constraints *c, uint32_t p, uint32_t i)
{
    if (c->to) {
        c->to[c->first[p]++] = i;
    } else {
        c->first[p + 1]++;
        c->missing[i]++;
    }
}

/* The state of a walk over the stream. */
struct stream {
    uint32_t *newest;  /* per queue: newest command, CW_NONE; of an out-of-order queue the newest since ... */
    uint32_t *barrier; /* per queue that is out of order: newest barrier, CW_NONE */
    /* per command of such a queue: the one before it, CW_NONE at the latest that collected */
    uint32_t *before;
};

/* `i` of an out-of-order queue: behind its barriers; a command that waits for all earlier ones is behind
 * them, and stands for them from then on. */
static void walk_out_of_order(const struct cw_command *k, struct constraints *c, struct stream *s, uint32_t i)
{
    bool barrier = k->type == CL_COMMAND_BARRIER, finish = k->type == CW_HOST_FINISH;
    uint32_t q = k->queue;

    if (!finish && s->barrier[q] != CW_NONE)
        note(c, s->barrier[q], i);
    s->before[i] = s->newest[q];
    if (finish || (k->wait_list.count == 0 && (barrier || k->type == CL_COMMAND_MARKER))) {
        for (uint32_t p = s->newest[q]; p != CW_NONE; p = s->before[p])
            note(c, p, i);
        s->before[i] = CW_NONE;
    }
    s->newest[q] = i;
    if (barrier)
        s->barrier[q] = i;
}

static void walk_stream(const struct cw_trace *t, struct constraints *c, struct stream *s)
{
    for (size_t q = 0; q < t->queues.count; q++)
        s->newest[q] = s->barrier[q] = CW_NONE;
    for (uint32_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        bool enqueue = cw_trace_command_is_enqueue(k);
        for (uint32_t n = 0; n < k->wait_list.count; n++) {
            uint32_t w = t->waits.v[k->wait_list.first + n];
            if (w < t->commands.count && w != i)
                note(c, w, i);
        }
        if (k->queue >= t->queues.count || k->status != 0 || !(enqueue || k->type == CW_HOST_FINISH))
            continue;
        if (t->queues.v[k->queue].out_of_order) {
            walk_out_of_order(k, c, s, i);
        } else {
            if (s->newest[k->queue] != CW_NONE)
                note(c, s->newest[k->queue], i);
            s->newest[k->queue] = enqueue ? i : s->newest[k->queue];
        }
    }
}

static void walk_edges(const struct cw_trace *t, struct constraints *c, struct stream *s)
{
    (void)s;
    for (size_t i = 0; i < t->edges.count; i++)
        note(c, t->edges.v[i].from, t->edges.v[i].to);
}

static void heap_push(uint32_t *heap, size_t *n, uint32_t id)
{
    size_t i = (*n)++;

    for (; i > 0 && heap[(i - 1) / 2] > id; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = id;
}

static uint32_t heap_pop(uint32_t *heap, size_t *n)
{
    uint32_t top = heap[0], id = heap[--*n];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < *n; i = child) {
        child += child + 1 < *n && heap[child + 1] < heap[child];
        if (heap[child] >= id)
            break;
        heap[i] = heap[child];
    }
    heap[i] = id;
    return top;
}

/* Kahn's algorithm; missing[] of a command that has come is CW_NONE. Commands on a cycle are put last;
 * returns how many came before them. */
static size_t sort(struct constraints *c, size_t count, uint32_t *heap, uint32_t *order)
{
    size_t ready = 0, done = 0, acyclic;

    for (uint32_t i = 0; i < count; i++)
        if (c->missing[i] == 0)
            heap_push(heap, &ready, i);
    while (ready) {
        uint32_t id = heap_pop(heap, &ready);
        order[done++] = id;
        c->missing[id] = CW_NONE;
        for (uint32_t n = c->first[id]; n < c->first[id + 1]; n++)
            if (--c->missing[c->to[n]] == 0)
                heap_push(heap, &ready, c->to[n]);
    }
    acyclic = done;
    for (uint32_t i = 0; i < count; i++)
        if (c->missing[i] != CW_NONE)
            order[done++] = i;
    return acyclic;
}

/* Walks the constraints twice, to count and to store them, and sorts. */
static enum cw_status sort_by(const struct cw_trace *t, bool by_edges, uint32_t *order, size_t *acyclic)
{
    size_t n = t->commands.count;
    struct constraints c = {calloc(n + 2, sizeof *c.first), NULL, calloc(n + 1, sizeof *c.missing)};
    uint32_t *scratch = malloc((n + 2 * t->queues.count + 1) * sizeof *scratch);
    uint32_t *heap = malloc((n + 1) * sizeof *heap);
    struct stream stream = {0};
    enum cw_status status = CW_ERR_NOMEM;

    if (!c.first || !c.missing || !scratch || !heap)
        goto out;
    stream = (struct stream){scratch, scratch + t->queues.count, scratch + 2 * t->queues.count};
    (by_edges ? walk_edges : walk_stream)(t, &c, &stream);
    for (size_t i = 0; i < n; i++)
        c.first[i + 1] += c.first[i];
    c.to = malloc((c.first[n] + (size_t)1) * sizeof *c.to);
    if (!c.to)
        goto out;
    (by_edges ? walk_edges : walk_stream)(t, &c, &stream);
    for (size_t i = n; i > 0; i--) /* storing moved each first[] to its end: move them back */
        c.first[i] = c.first[i - 1];
    c.first[0] = 0;
    *acyclic = sort(&c, n, heap, order);
    status = CW_OK;
out:
    free(c.first);
    free(c.to);
    free(c.missing);
    free(scratch);
    free(heap);
    return status;
}

enum cw_status cw_sweep_order(const struct cw_trace *t, uint32_t **order, struct cw_error *err)
{
    size_t acyclic;

    *order = NULL;
    if (!waits_for_later(t))
        return CW_OK;
    *order = malloc((t->commands.count + 1) * sizeof **order);
    if (*order && sort_by(t, false, *order, &acyclic) == CW_OK)
        return CW_OK;
    free(*order);
    *order = NULL;
    return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
}

/* A command on a cycle, given the commands that Kahn's algorithm left over: they are the cycles and the
 * commands behind them, so going back from any of them ends on a cycle. CW_NONE when memory is out. */
static uint32_t find_cycle(const struct cw_trace *t, const uint32_t *left, size_t count)
{
    uint32_t *before = malloc((t->commands.count + 1) * sizeof *before), at = left[0];

    if (!before)
        return CW_NONE;
    memset(before, 0xff, (t->commands.count + 1) * sizeof *before);
    for (size_t i = 0; i < count; i++)
        before[left[i]] = left[i];
    for (size_t i = 0; i < t->edges.count; i++)
        if (before[t->edges.v[i].from] != CW_NONE && before[t->edges.v[i].to] != CW_NONE)
            before[t->edges.v[i].to] = t->edges.v[i].from;
    for (size_t i = 0; i < count; i++)
        at = before[at];
    free(before);
    return at;
}

enum cw_status cw_sweep_topological_order(const struct cw_trace *t, uint32_t *order, struct cw_error *err)
{
    size_t n = t->commands.count, acyclic = n;
    bool ascending = true;

    for (size_t i = 0; i < t->edges.count && ascending; i++)
        ascending = t->edges.v[i].from < t->edges.v[i].to;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    if (!ascending && sort_by(t, true, order, &acyclic) != CW_OK)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    if (acyclic < n)
        return cw_error_set(err, CW_ERR_CYCLE, "the edges form a cycle through command %u",
                            find_cycle(t, order + acyclic, n - acyclic));
    return CW_OK;
}
