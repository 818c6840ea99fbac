#include "disjunctive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNRELATED, ANCESTOR, DESCENDANT };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- room */

static double *edge_times(const struct cw_platform *p, const struct cw_adjacency *a, uint32_t edges)
{
    double *time = malloc(((size_t)edges + 1) * sizeof *time);

    for (uint32_t e = 0; time && e < edges; e++)
        time[e] = p->one_bandwidth ? a->data[e] / p->mean_bandwidth : a->data[e];
    return time;
}

enum cw_status cw_disjunctive_init(struct cw_disjunctive *d, const struct cw_plan *plan, struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    size_t n = g->tasks, q = g->devices;
    enum cw_status status;

    *d = (struct cw_disjunctive){.graph = g,
                                 .platform = plan->platform,
                                 .order = malloc(n * sizeof *d->order),
                                 .device = malloc(n * sizeof *d->device),
                                 .prev = malloc(n * sizeof *d->prev),
                                 .next = malloc(n * sizeof *d->next),
                                 .first = malloc(q * sizeof *d->first),
                                 .cost = malloc(n * sizeof *d->cost),
                                 .head = malloc(n * sizeof *d->head),
                                 .tail = malloc(n * sizeof *d->tail),
                                 .without_head = malloc(n * sizeof *d->without_head),
                                 .without_tail = malloc(n * sizeof *d->without_tail),
                                 .arrive = malloc(q * sizeof *d->arrive),
                                 .leave = malloc(q * sizeof *d->leave),
                                 .others = malloc(n * sizeof *d->others),
                                 .relation = calloc(n, sizeof *d->relation),
                                 .in_time = edge_times(plan->platform, &g->pred, g->edges),
                                 .out_time = edge_times(plan->platform, &g->succ, g->edges)};
    if (d->order && d->device && d->prev && d->next && d->first && d->cost && d->head && d->tail &&
        d->without_head && d->without_tail && d->arrive && d->leave && d->others && d->relation &&
        d->in_time && d->out_time)
        status = cw_release_init(&d->release, plan, err);
    else
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the disjunctive graph of %zu tasks", n);
    if (status != CW_OK)
        cw_disjunctive_finish(d);
    return status;
}

void cw_disjunctive_finish(struct cw_disjunctive *d)
{
    free(d->order);
    free(d->device);
    free(d->prev);
    free(d->next);
    free(d->first);
    free(d->cost);
    free(d->head);
    free(d->tail);
    free(d->without_head);
    free(d->without_tail);
    cw_release_finish(&d->release);
    free(d->arrive);
    free(d->leave);
    free(d->others);
    free(d->relation);
    free(d->in_time);
    free(d->out_time);
    *d = (struct cw_disjunctive){0};
}

/* ---- paths */

/* As cw_platform_comm; `time` is of in_time or out_time. */
static inline double transfer(const struct cw_disjunctive *d, double time, uint32_t m, uint32_t n)
{
    const struct cw_platform *p = d->platform;

    if (m == n || cw_platform_shared(p, m, n))
        return 0;
    return p->latency[(size_t)m * p->devices + n] +
           (p->one_bandwidth ? time : time / p->bandwidth[(size_t)m * p->devices + n]);
}

/* When task `i` can start on its device, given `head` of those before it. */
static double find_head(const struct cw_disjunctive *d, const double *head, uint32_t i)
{
    const struct cw_adjacency *pred = &d->graph->pred;
    uint32_t p = d->device[i], before = d->prev[i];
    double at = cw_release_ready(&d->release, i, p);

    if (before != CW_SCHED_NONE)
        at = larger(at, head[before] + d->cost[before]);
    else if (d->cost[i] > 0)
        at = larger(at, d->release.avail[p]);
    for (uint32_t e = pred->start[i]; e < pred->start[i + 1]; e++) {
        uint32_t j = pred->task[e];
        if (d->device[j] != CW_SCHED_NONE)
            at = larger(at, head[j] + d->cost[j] + transfer(d, d->in_time[e], d->device[j], p));
    }
    return at;
}

static double find_tail(const struct cw_disjunctive *d, const double *tail, uint32_t i)
{
    const struct cw_adjacency *succ = &d->graph->succ;
    uint32_t p = d->device[i], behind = d->next[i];
    double most = behind == CW_SCHED_NONE ? 0 : d->cost[behind] + tail[behind];

    for (uint32_t e = succ->start[i]; e < succ->start[i + 1]; e++) {
        uint32_t j = succ->task[e];
        if (d->device[j] != CW_SCHED_NONE)
            most = larger(most, transfer(d, d->out_time[e], p, d->device[j]) + d->cost[j] + tail[j]);
    }
    return most;
}

static void find_paths(struct cw_disjunctive *d)
{
    d->length = d->release.latest;
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t i = d->order[k];
        d->head[i] = find_head(d, d->head, i);
        d->length = larger(d->length, d->head[i] + d->cost[i]);
    }
    for (uint32_t k = d->count; k-- > 0;)
        d->tail[d->order[k]] = find_tail(d, d->tail, d->order[k]);
    d->work += 2 * ((uint64_t)d->count + d->graph->edges);
}

void cw_disjunctive_load(struct cw_disjunctive *d, const uint32_t *order, uint32_t count,
                         const uint32_t *device)
{
    for (uint32_t i = 0; i < d->graph->tasks; i++)
        d->device[i] = CW_SCHED_NONE;
    for (uint32_t p = 0; p < d->graph->devices; p++)
        d->first[p] = CW_SCHED_NONE;
    for (uint32_t k = count; k-- > 0;) { /* from the end: `first` is then the task behind */
        uint32_t i = order[k], p = device[i];
        d->device[i] = p;
        d->cost[i] = cw_graph_cost(d->graph, i, p);
        d->prev[i] = d->next[i] = CW_SCHED_NONE;
        if (!(d->cost[i] > 0))
            continue;
        d->next[i] = d->first[p];
        if (d->first[p] != CW_SCHED_NONE)
            d->prev[d->first[p]] = i;
        d->first[p] = i;
    }
    memmove(d->order, order, count * sizeof *order);
    d->count = count;
    find_paths(d);
}

/* ---- one task out */

static void unlink_task(struct cw_disjunctive *d, uint32_t v)
{
    uint32_t before = d->prev[v], behind = d->next[v];

    if (before != CW_SCHED_NONE)
        d->next[before] = behind;
    else if (d->first[d->device[v]] == v)
        d->first[d->device[v]] = behind;
    if (behind != CW_SCHED_NONE)
        d->prev[behind] = before;
    d->device[v] = CW_SCHED_NONE;
}

static void link_task(struct cw_disjunctive *d, uint32_t v, uint32_t p, uint32_t after)
{
    d->device[v] = p;
    d->cost[v] = cw_graph_cost(d->graph, v, p);
    d->prev[v] = d->next[v] = CW_SCHED_NONE;
    if (!(d->cost[v] > 0))
        return;
    d->prev[v] = after;
    d->next[v] = after == CW_SCHED_NONE ? d->first[p] : d->next[after];
    if (after == CW_SCHED_NONE)
        d->first[p] = v;
    else
        d->next[after] = v;
    if (d->next[v] != CW_SCHED_NONE)
        d->prev[d->next[v]] = v;
}

/* Tasks behind position `at`: their heads without v = order[at], and its descendants. */
static void pass_down(struct cw_disjunctive *d, uint32_t at)
{
    const struct cw_adjacency *pred = &d->graph->pred;

    for (uint32_t k = at + 1; k < d->count; k++) {
        uint32_t i = d->order[k], before = d->prev[i];
        bool descends = before != CW_SCHED_NONE && d->relation[before] == DESCENDANT;
        for (uint32_t e = pred->start[i]; !descends && e < pred->start[i + 1]; e++)
            descends = d->relation[pred->task[e]] == DESCENDANT;
        d->relation[i] = descends ? DESCENDANT : UNRELATED;
        d->without_head[i] = find_head(d, d->without_head, i);
        d->without_tail[i] = d->tail[i];
    }
}

/* Tasks before position `at`: their tails without v, and its ancestors. */
static void pass_up(struct cw_disjunctive *d, uint32_t at)
{
    const struct cw_adjacency *succ = &d->graph->succ;

    for (uint32_t k = at; k-- > 0;) {
        uint32_t i = d->order[k], behind = d->next[i];
        bool ancestor = behind != CW_SCHED_NONE && d->relation[behind] == ANCESTOR;
        for (uint32_t e = succ->start[i]; !ancestor && e < succ->start[i + 1]; e++)
            ancestor = d->relation[succ->task[e]] == ANCESTOR;
        d->relation[i] = ancestor ? ANCESTOR : UNRELATED;
        d->without_tail[i] = find_tail(d, d->without_tail, i);
    }
}

void cw_disjunctive_take_out(struct cw_disjunctive *d, uint32_t at)
{
    uint32_t v = d->order[at];

    unlink_task(d, v);
    /* relations of tasks placed before stay 0: nothing here is their ancestor, and they bind by release */
    for (uint32_t k = 0; k < at; k++) {
        d->relation[d->order[k]] = UNRELATED;
        d->without_head[d->order[k]] = d->head[d->order[k]];
    }
    d->relation[v] = DESCENDANT;
    pass_down(d, at);
    d->relation[v] = ANCESTOR;
    pass_up(d, at);
    d->relation[v] = UNRELATED;
    d->without_length = d->release.latest;
    for (uint32_t k = 0; k < d->count; k++)
        if (k != at)
            d->without_length =
                larger(d->without_length, d->without_head[d->order[k]] + d->cost[d->order[k]]);
    d->work += 2 * (uint64_t)d->count + d->graph->edges;
}

void cw_disjunctive_put_back(struct cw_disjunctive *d, uint32_t v, uint32_t device, uint32_t after)
{
    link_task(d, v, device, after);
}

/* Longest paths to and from `v` on each device, over the edges of the task graph alone. */
static void find_reach(struct cw_disjunctive *d, uint32_t v)
{
    const struct cw_adjacency *pred = &d->graph->pred, *succ = &d->graph->succ;
    uint32_t q = d->graph->devices;

    for (uint32_t p = 0; p < q; p++) {
        d->arrive[p] = cw_release_ready(&d->release, v, p);
        d->leave[p] = 0;
    }
    for (uint32_t e = pred->start[v]; e < pred->start[v + 1]; e++) {
        uint32_t j = pred->task[e], from = d->device[j];
        for (uint32_t p = 0; from != CW_SCHED_NONE && p < q; p++)
            d->arrive[p] =
                larger(d->arrive[p], d->without_head[j] + d->cost[j] + transfer(d, d->in_time[e], from, p));
    }
    for (uint32_t e = succ->start[v]; e < succ->start[v + 1]; e++) {
        uint32_t j = succ->task[e], to = d->device[j];
        for (uint32_t p = 0; to != CW_SCHED_NONE && p < q; p++)
            d->leave[p] =
                larger(d->leave[p], transfer(d, d->out_time[e], p, to) + d->cost[j] + d->without_tail[j]);
    }
    d->work += (uint64_t)q * (2 + pred->start[v + 1] - pred->start[v] + succ->start[v + 1] - succ->start[v]);
}

/* The places on device `p`, where `v` takes `cost`. */
static void visit_device(struct cw_disjunctive *d, uint32_t p, double cost, cw_disjunctive_visit *visit,
                         void *context)
{
    uint32_t after = CW_SCHED_NONE, behind = d->first[p];

    for (uint32_t k = behind; k != CW_SCHED_NONE && d->relation[k] != DESCENDANT; k = d->next[k])
        if (d->relation[k] == ANCESTOR) { /* ancestors may stand behind tasks that are not related */
            after = k;
            behind = d->next[k];
        }
    for (;;) {
        struct cw_insertion place = {.device = p, .after = after};
        double start = after == CW_SCHED_NONE ? d->release.avail[p] : d->without_head[after] + d->cost[after];
        double rest = behind == CW_SCHED_NONE ? 0 : d->cost[behind] + d->without_tail[behind];
        place.through = larger(d->arrive[p], start) + cost + larger(d->leave[p], rest);
        place.length = larger(place.through, d->without_length);
        visit(context, &place);
        d->work++;
        if (behind == CW_SCHED_NONE || d->relation[behind] == DESCENDANT)
            return;
        after = behind;
        behind = d->next[behind];
    }
}

void cw_disjunctive_places(struct cw_disjunctive *d, uint32_t v, cw_disjunctive_visit *visit, void *context)
{
    find_reach(d, v);
    for (uint32_t p = 0; p < d->graph->devices; p++) {
        double cost = cw_graph_cost(d->graph, v, p);
        if (isinf(cost))
            continue;
        if (cost > 0) {
            visit_device(d, p, cost, visit, context);
        } else {
            struct cw_insertion place = {p, CW_SCHED_NONE, 0, d->arrive[p] + cost + d->leave[p]};
            place.length = larger(place.through, d->without_length);
            visit(context, &place);
        }
    }
}

/* ---- one task in */

/* A topological order with `v` in it: first v's ancestors, by both kinds of arcs, then v, then the others. */
static void order_around(struct cw_disjunctive *d, uint32_t v)
{
    const struct cw_adjacency *succ = &d->graph->succ;
    uint32_t n = 0, stay = 0;

    d->relation[v] = ANCESTOR;
    for (uint32_t k = d->count; k-- > 0;) {
        uint32_t i = d->order[k], behind = d->next[i];
        bool ancestor = i != v && behind != CW_SCHED_NONE && d->relation[behind] == ANCESTOR;
        if (i == v)
            continue;
        for (uint32_t e = succ->start[i]; !ancestor && e < succ->start[i + 1]; e++)
            ancestor = d->relation[succ->task[e]] == ANCESTOR;
        d->relation[i] = ancestor ? ANCESTOR : UNRELATED;
    }
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t i = d->order[k];
        if (i != v && d->relation[i] == ANCESTOR)
            d->order[stay++] = i;
        else if (i != v)
            d->others[n++] = i;
    }
    d->order[stay++] = v;
    memcpy(d->order + stay, d->others, n * sizeof *d->others);
    d->relation[v] = UNRELATED;
    d->work += (uint64_t)d->count + d->graph->edges;
}

void cw_disjunctive_insert(struct cw_disjunctive *d, uint32_t v, const struct cw_insertion *place)
{
    link_task(d, v, place->device, place->after);
    order_around(d, v);
    find_paths(d);
}
