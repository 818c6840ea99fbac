#include "reorder.h"

#include <stdlib.h>
#include <string.h>

#include "graph_build.h"

enum cw_status cw_reorder_init(struct cw_reorder *r, const struct cw_trace *t, struct cw_error *err)
{
    size_t n = t->commands.count, binding = 0;
    *r = (struct cw_reorder){
        .trace = t, .count = (uint32_t)n, .forward = true, .dropped_from = CW_NONE, .dropped_to = CW_NONE};
    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        if (e->from == e->to || e->from >= n || e->to >= n)
            return cw_error_set(err, CW_ERR_FORMAT, "edge %zu runs from command %u to %u of %zu", i, e->from,
                                e->to, n);
        r->forward &= e->from < e->to;
        binding += cw_graph_edge_binds(e);
    }
    r->first = calloc(n + 2, sizeof *r->first);
    r->indegree = calloc(n + 1, sizeof *r->indegree);
    r->successor = calloc(binding + 1, sizeof *r->successor);
    if (!r->first || !r->indegree || !r->successor)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for the order of %zu commands", n);
    /* count per source one entry further on, sum up, then fill: afterwards first[c] is where c's successors
     * begin */
    for (size_t i = 0; i < t->edges.count; i++)
        if (cw_graph_edge_binds(&t->edges.v[i]))
            r->first[t->edges.v[i].from + 2]++;
    for (size_t c = 2; c <= n + 1; c++)
        r->first[c] += r->first[c - 1];
    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        if (!cw_graph_edge_binds(e))
            continue;
        r->successor[r->first[e->from + 1]++] = e->to;
        r->indegree[e->to]++;
    }
    return CW_OK;
}

void cw_reorder_finish(struct cw_reorder *r)
{
    free(r->first);
    free(r->successor);
    free(r->indegree);
    *r = (struct cw_reorder){0};
}

/* True when a path of binding edges leads from `from` to `to` without using a direct edge between the two.
 * `seen` is scratch of (count+63)/64 words, `stack` of count entries. O(edges between the two). */
static bool reorder_has_detour(const struct cw_reorder *r, uint32_t from, uint32_t to, uint64_t *seen,
                               uint32_t *stack)
{
    uint32_t depth = 0;
    memset(seen, 0, (r->count + 63) / 64 * sizeof *seen);
    stack[depth++] = from;
    seen[from / 64] |= UINT64_C(1) << from % 64;
    while (depth) {
        uint32_t c = stack[--depth];
        for (uint32_t i = r->first[c]; i < r->first[c + 1]; i++) {
            uint32_t next = r->successor[i];
            if (next == to && c != from)
                return true;
            /* where all edges run forwards, commands behind `to` cannot lead back to it */
            if (next == to || (r->forward && next > to) || seen[next / 64] >> next % 64 & 1)
                continue;
            seen[next / 64] |= UINT64_C(1) << next % 64;
            stack[depth++] = next;
        }
    }
    return false;
}

static bool has_edge(const struct cw_reorder *r, uint32_t from, uint32_t to)
{
    for (uint32_t i = r->first[from]; i < r->first[from + 1]; i++)
        if (r->successor[i] == to)
            return true;
    return false;
}

enum cw_status cw_reorder_drop(struct cw_reorder *r, uint32_t from, uint32_t to, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    uint64_t *seen = NULL;
    uint32_t *stack = NULL;
    r->dropped_from = r->dropped_to = CW_NONE;
    if (from == CW_NONE && to == CW_NONE)
        return CW_OK;
    if (from >= r->count || to >= r->count || !has_edge(r, from, to))
        return cw_error_set(err, CW_ERR_NOTFOUND,
                            "no event, barrier, host or data edge leads from command %u to %u", from, to);
    seen = calloc(r->count / 64 + 1, sizeof *seen);
    stack = calloc(r->count, sizeof *stack);
    if (!seen || !stack)
        status = cw_error_set(err, CW_ERR_NOMEM, "no memory for a search over %u commands", r->count);
    else if (reorder_has_detour(r, from, to, seen, stack))
        status = cw_error_set(
            err, CW_ERR_INVALID,
            "leaving out the edge from command %u to %u changes nothing: other edges also lead there", from,
            to);
    else
        r->dropped_from = from, r->dropped_to = to;
    free(seen);
    free(stack);
    return status;
}

/* The state of one topological walk: how many predecessors each command still waits for. */
struct walk {
    const struct cw_reorder *r;
    const bool *planned; /* NULL, or the commands that run only when the plan says so */
    uint32_t *waits;     /* per command */
    uint32_t *ready;     /* commands that may run now, without the planned ones, in no particular order */
    uint32_t ready_count;
    uint32_t *order; /* the commands that have run so far */
    uint32_t done;
};

static void walk_ready(struct walk *w, uint32_t c)
{
    if (!w->planned || !w->planned[c])
        w->ready[w->ready_count++] = c;
}

static enum cw_status walk_init(struct walk *w, const struct cw_reorder *r, const bool *planned,
                                uint32_t *order, struct cw_error *err)
{
    *w = (struct walk){.r = r, .planned = planned, .order = order};
    w->waits = malloc((r->count + 1) * sizeof *w->waits);
    w->ready = malloc((r->count + 1) * sizeof *w->ready);
    if (!w->waits || !w->ready)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for an order of %u commands", r->count);
    memcpy(w->waits, r->indegree, r->count * sizeof *w->waits);
    if (r->dropped_from != CW_NONE) {
        for (uint32_t i = r->first[r->dropped_from]; i < r->first[r->dropped_from + 1]; i++)
            w->waits[r->dropped_to] -= r->successor[i] == r->dropped_to;
        w->waits[r->dropped_from]++; /* the reversed edge */
    }
    for (uint32_t c = 0; c < r->count; c++)
        if (w->waits[c] == 0)
            walk_ready(w, c);
    return CW_OK;
}

static void walk_finish(struct walk *w)
{
    free(w->waits);
    free(w->ready);
}

static void walk_release(struct walk *w, uint32_t c)
{
    if (--w->waits[c] == 0)
        walk_ready(w, c);
}

/* Runs `c`, which waits for nothing and has left the ready list. */
static void walk_run(struct walk *w, uint32_t c)
{
    const struct cw_reorder *r = w->r;
    w->order[w->done++] = c;
    for (uint32_t s = r->first[c]; s < r->first[c + 1]; s++)
        if (!(c == r->dropped_from && r->successor[s] == r->dropped_to))
            walk_release(w, r->successor[s]);
    if (c == r->dropped_to)
        walk_release(w, r->dropped_from);
}

static void walk_run_ready(struct walk *w)
{
    while (w->ready_count)
        walk_run(w, w->ready[--w->ready_count]);
}

static enum cw_status walk_complete(const struct walk *w, struct cw_error *err)
{
    if (w->done == w->r->count)
        return CW_OK;
    return cw_error_set(err, CW_ERR_CYCLE, "the binding edges have a cycle: %u of %u commands can never run",
                        w->r->count - w->done, w->r->count);
}

/* splitmix64 (Steele, Lea, Flood 2014): small, good enough for picking, the same on every machine. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

enum cw_status cw_reorder_random(const struct cw_reorder *r, uint64_t seed, uint32_t *order,
                                 struct cw_error *err)
{
    struct walk w;
    enum cw_status status = walk_init(&w, r, NULL, order, err);
    if (status == CW_OK) {
        while (w.ready_count) {
            uint32_t pick = (uint32_t)((random_next(&seed) >> 32) * w.ready_count >> 32);
            uint32_t c = w.ready[pick];
            w.ready[pick] = w.ready[--w.ready_count];
            walk_run(&w, c);
        }
        status = walk_complete(&w, err);
    }
    walk_finish(&w);
    return status;
}

static enum cw_status plan_too_early(const struct walk *w, uint32_t c, struct cw_error *err)
{
    const struct cw_trace *t = w->r->trace;
    uint32_t missing = CW_NONE;
    bool *done = calloc(w->r->count, sizeof *done);
    for (uint32_t i = 0; done && i < w->done; i++)
        done[w->order[i]] = true;
    for (size_t i = 0; done && i < t->edges.count; i++)
        if (t->edges.v[i].to == c && cw_graph_edge_binds(&t->edges.v[i]) && !done[t->edges.v[i].from])
            missing = t->edges.v[i].from;
    free(done);
    return cw_error_set(err, CW_ERR_INVALID,
                        "the plan runs command %u before command %u, on which it depends", c, missing);
}

static enum cw_status plan_mark(const struct cw_reorder *r, const uint32_t *plan, size_t plan_count,
                                bool *planned, struct cw_error *err)
{
    for (size_t i = 0; i < plan_count; i++) {
        if (plan[i] >= r->count)
            return cw_error_set(err, CW_ERR_INVALID, "the plan runs command %u of a trace with %u", plan[i],
                                r->count);
        if (planned[plan[i]])
            return cw_error_set(err, CW_ERR_INVALID, "the plan runs command %u twice", plan[i]);
        planned[plan[i]] = true;
    }
    return CW_OK;
}

enum cw_status cw_reorder_plan(const struct cw_reorder *r, const uint32_t *plan, size_t plan_count,
                               uint32_t *order, struct cw_error *err)
{
    struct walk w = {0};
    bool *planned = calloc(r->count + 1, sizeof *planned);
    enum cw_status status =
        planned ? plan_mark(r, plan, plan_count, planned, err)
                : cw_error_set(err, CW_ERR_NOMEM, "no memory for a plan of %zu commands", plan_count);
    if (status == CW_OK)
        status = walk_init(&w, r, planned, order, err);
    if (status == CW_OK)
        walk_run_ready(&w);
    for (size_t p = 0; status == CW_OK && p < plan_count; p++) {
        if (w.waits[plan[p]]) {
            status = plan_too_early(&w, plan[p], err);
            break;
        }
        walk_run(&w, plan[p]);
        walk_run_ready(&w);
    }
    if (status == CW_OK)
        status = walk_complete(&w, err);
    walk_finish(&w);
    free(planned);
    return status;
}
