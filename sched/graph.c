#include "graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    uint32_t from, to;
    double data;
};

struct cw_graph_builder {
    struct cw_graph *g; /* its adjacency is made by cw_graph_builder_finish */
    size_t task_capacity;
    struct edge *edge;
    size_t edges, edge_capacity;
    uint32_t *bucket; /* open hash table of name indices */
    uint32_t buckets; /* a power of two, at least twice name_count */
};

static bool grow(void *pointer, size_t count, size_t size)
{
    void **p = pointer, *q = realloc(*p, count * size);

    if (q)
        *p = q;
    return q != NULL;
}

struct cw_graph_builder *cw_graph_builder_create(uint32_t devices)
{
    struct cw_graph_builder *b = calloc(1, sizeof *b);

    if (b)
        b->g = calloc(1, sizeof *b->g);
    if (!b || !b->g || devices == 0) {
        cw_graph_builder_destroy(b);
        return NULL;
    }
    b->g->devices = devices;
    return b;
}

void cw_graph_builder_destroy(struct cw_graph_builder *b)
{
    if (!b)
        return;
    cw_graph_destroy(b->g);
    free(b->edge);
    free(b->bucket);
    free(b);
}

void cw_graph_destroy(struct cw_graph *g)
{
    if (!g)
        return;
    for (uint32_t k = 0; k < g->name_count; k++)
        free(g->names[k]);
    free(g->names);
    free(g->name);
    free(g->cost);
    free(g->groups);
    free(g->splittable);
    free(g->topo);
    for (struct cw_adjacency *a = &g->succ;; a = &g->pred) {
        free(a->start);
        free(a->task);
        free(a->data);
        if (a == &g->pred)
            break;
    }
    free(g);
}

/* ---- names: a graph of 10^6 tasks has a few dozen kernels, so each distinct name is kept once */

static uint32_t *name_bucket(const struct cw_graph_builder *b, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (uint32_t k = (uint32_t)(hash ^ hash >> 32);; k++) {
        uint32_t *entry = &b->bucket[k & (b->buckets - 1)];
        if (*entry == CW_SCHED_NONE || strcmp(b->g->names[*entry], name) == 0)
            return entry;
    }
}

static bool grow_buckets(struct cw_graph_builder *b)
{
    uint32_t buckets = b->buckets ? 2 * b->buckets : 64;

    if (!grow(&b->bucket, buckets, sizeof *b->bucket) || !grow(&b->g->names, buckets, sizeof *b->g->names))
        return false;
    b->buckets = buckets;
    memset(b->bucket, 0xff, buckets * sizeof *b->bucket);
    for (uint32_t k = 0; k < b->g->name_count; k++)
        *name_bucket(b, b->g->names[k]) = k;
    return true;
}

static bool intern(struct cw_graph_builder *b, const char *name, uint32_t *index)
{
    uint32_t *entry;

    *index = CW_SCHED_NONE;
    if (!name)
        return true;
    if (2 * b->g->name_count >= b->buckets && !grow_buckets(b))
        return false;
    entry = name_bucket(b, name);
    if (*entry == CW_SCHED_NONE) {
        char *copy = strdup(name);
        if (!copy)
            return false;
        *entry = b->g->name_count;
        b->g->names[b->g->name_count++] = copy;
    }
    *index = *entry;
    return true;
}

/* ---- tasks and edges */

static bool reserve_task(struct cw_graph_builder *b)
{
    struct cw_graph *g = b->g;
    size_t n = b->task_capacity ? 2 * b->task_capacity : 64;

    if (g->tasks < b->task_capacity)
        return true;
    if (!grow(&g->cost, n * g->devices, sizeof *g->cost) || !grow(&g->groups, n, sizeof *g->groups) ||
        !grow(&g->splittable, n, sizeof *g->splittable) || !grow(&g->name, n, sizeof *g->name))
        return false;
    b->task_capacity = n;
    return true;
}

enum cw_status cw_graph_builder_add_task(struct cw_graph_builder *b, const struct cw_task_spec *spec,
                                         struct cw_error *err)
{
    struct cw_graph *g = b->g;
    uint32_t runnable = 0;

    if (g->tasks >= CW_SCHED_NONE - 1)
        return cw_error_set(err, CW_ERR_LIMIT, "a graph holds at most %u tasks", CW_SCHED_NONE - 1);
    for (uint32_t p = 0; p < g->devices; p++) {
        if (isnan(spec->cost[p]) || spec->cost[p] < 0)
            return cw_error_set(err, CW_ERR_INVALID,
                                "task %u%s%s: the cost on device %u is %g; costs are not negative", g->tasks,
                                spec->name ? " " : "", spec->name ? spec->name : "", p, spec->cost[p]);
        runnable += !isinf(spec->cost[p]);
    }
    if (runnable == 0)
        return cw_error_set(err, CW_ERR_INFEASIBLE, "task %u%s%s can run on none of the %u devices", g->tasks,
                            spec->name ? " " : "", spec->name ? spec->name : "", g->devices);
    if (!reserve_task(b) || !intern(b, spec->name, &g->name[g->tasks]))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for task %u", g->tasks);
    memcpy(&g->cost[(size_t)g->tasks * g->devices], spec->cost, g->devices * sizeof *g->cost);
    g->groups[g->tasks] = spec->groups;
    g->splittable[g->tasks] = spec->splittable;
    g->tasks++;
    return CW_OK;
}

enum cw_status cw_graph_builder_add_edge(struct cw_graph_builder *b, uint32_t from, uint32_t to, double data,
                                         struct cw_error *err)
{
    char text[100];

    if (!(data >= 0) || isinf(data))
        return cw_error_set(err, CW_ERR_INVALID,
                            "edge %u -> %u: its data is %g; it must be finite and not negative", from, to,
                            data);
    if (from == to)
        return cw_error_set(err, CW_ERR_CYCLE, "%s depends on itself",
                            from < b->g->tasks ? cw_graph_describe(b->g, from, text, sizeof text) : "a task");
    if (b->edges >= CW_SCHED_NONE - 1)
        return cw_error_set(err, CW_ERR_LIMIT, "a graph holds at most %u edges", CW_SCHED_NONE - 1);
    if (b->edges == b->edge_capacity) {
        size_t n = b->edge_capacity ? 2 * b->edge_capacity : 64;
        if (!grow(&b->edge, n, sizeof *b->edge))
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for edge %u -> %u", from, to);
        b->edge_capacity = n;
    }
    b->edge[b->edges++] = (struct edge){from, to, data};
    return CW_OK;
}

/* ---- from the edge list to compressed rows */

static bool adjacency_alloc(struct cw_adjacency *a, uint32_t tasks, size_t edges)
{
    a->start = calloc((size_t)tasks + 2, sizeof *a->start);
    a->task = malloc((edges + 1) * sizeof *a->task);
    a->data = malloc((edges + 1) * sizeof *a->data);
    return a->start && a->task && a->data;
}

/* Fills `rows` with the transpose of `columns`. Since `columns` is read in ascending order, each row comes
 * out sorted. */
static void transpose(const struct cw_adjacency *columns, struct cw_adjacency *rows, uint32_t tasks)
{
    uint32_t *next = rows->start + 1; /* next[i] ends as start[i + 1] */

    for (uint32_t e = 0; e < columns->start[tasks]; e++)
        next[columns->task[e] + 1]++;
    for (uint32_t i = 0; i < tasks; i++)
        next[i + 1] += next[i];
    for (uint32_t j = 0; j < tasks; j++)
        for (uint32_t e = columns->start[j]; e < columns->start[j + 1]; e++) {
            uint32_t at = next[columns->task[e]]++;
            rows->task[at] = j;
            rows->data[at] = columns->data[e];
        }
}

/* Joins neighbouring equal entries of every (sorted) row. */
static void merge_parallel(struct cw_adjacency *a, uint32_t tasks)
{
    uint32_t out = 0, e = 0;

    for (uint32_t i = 0; i < tasks; i++) {
        uint32_t row = out;
        for (; e < a->start[i + 1]; e++) {
            if (out > row && a->task[out - 1] == a->task[e]) {
                a->data[out - 1] += a->data[e];
            } else {
                a->task[out] = a->task[e];
                a->data[out++] = a->data[e];
            }
        }
        a->start[i] = row;
    }
    /* the loop above still needed the old start[i + 1]; only now may the end move */
    a->start[tasks] = out;
}

static enum cw_status build_adjacency(struct cw_graph_builder *b, struct cw_error *err)
{
    struct cw_graph *g = b->g;
    uint32_t *next;

    for (size_t e = 0; e < b->edges; e++)
        if (b->edge[e].from >= g->tasks || b->edge[e].to >= g->tasks)
            return cw_error_set(err, CW_ERR_INVALID,
                                "edge %zu (%u -> %u) names a task that does not exist; there are %u", e,
                                b->edge[e].from, b->edge[e].to, g->tasks);
    if (!adjacency_alloc(&g->pred, g->tasks, b->edges) || !adjacency_alloc(&g->succ, g->tasks, b->edges))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu edges", b->edges);
    next = g->pred.start + 1;
    for (size_t e = 0; e < b->edges; e++)
        next[b->edge[e].to + 1]++;
    for (uint32_t i = 0; i < g->tasks; i++)
        next[i + 1] += next[i];
    for (size_t e = 0; e < b->edges; e++) {
        uint32_t at = next[b->edge[e].to]++;
        g->pred.task[at] = b->edge[e].from;
        g->pred.data[at] = b->edge[e].data;
    }
    transpose(&g->pred, &g->succ, g->tasks);
    merge_parallel(&g->succ, g->tasks);
    memset(g->pred.start, 0, ((size_t)g->tasks + 2) * sizeof *g->pred.start);
    transpose(&g->succ, &g->pred, g->tasks);
    g->edges = g->succ.start[g->tasks];
    return CW_OK;
}

/* ---- topological order, and the cycle that prevents one */

/* `left[i]` > 0 marks tasks on or behind a cycle. Each has such a predecessor, so walking back must come
 * round. */
static enum cw_status report_cycle(const struct cw_graph *g, uint32_t *left, struct cw_error *err)
{
    char text[360];
    size_t used = 0;
    uint32_t i = 0, first, length = 0;

    while (left[i] == 0)
        i++;
    for (uint32_t steps = 0; steps < g->tasks; steps++) {
        uint32_t e = g->pred.start[i];
        while (left[g->pred.task[e]] == 0)
            e++;
        i = g->pred.task[e];
    }
    first = i;
    do {
        uint32_t e = g->pred.start[i];
        if (used < sizeof text - 60)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u%s%.24s", length ? " <- " : "", i,
                                     cw_graph_name(g, i) ? " " : "",
                                     cw_graph_name(g, i) ? cw_graph_name(g, i) : "");
        while (left[g->pred.task[e]] == 0)
            e++;
        i = g->pred.task[e];
        length++;
    } while (i != first);
    return cw_error_set(err, CW_ERR_CYCLE, "the graph has a cycle of %u tasks: %s%s <- %u", length, text,
                        used < sizeof text - 60 ? "" : " ...", first);
}

static enum cw_status build_topo(struct cw_graph *g, struct cw_error *err)
{
    uint32_t *left = malloc((size_t)g->tasks * sizeof *left), tail = 0;
    enum cw_status status = CW_OK;

    g->topo = malloc((size_t)g->tasks * sizeof *g->topo);
    if (!left || !g->topo) {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);
        goto out;
    }
    for (uint32_t i = 0; i < g->tasks; i++) {
        left[i] = g->pred.start[i + 1] - g->pred.start[i];
        if (left[i] == 0)
            g->topo[tail++] = i;
    }
    for (uint32_t head = 0; head < tail; head++)
        for (uint32_t i = g->topo[head], e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            if (--left[g->succ.task[e]] == 0)
                g->topo[tail++] = g->succ.task[e];
    if (tail < g->tasks)
        status = report_cycle(g, left, err);
out:
    free(left);
    return status;
}

enum cw_status cw_graph_builder_finish(struct cw_graph_builder *b, struct cw_graph **graph,
                                       struct cw_error *err)
{
    enum cw_status status;

    *graph = NULL;
    if (b->g->tasks == 0)
        status = cw_error_set(err, CW_ERR_INVALID, "the graph has no tasks");
    else
        status = build_adjacency(b, err);
    if (status == CW_OK)
        status = build_topo(b->g, err);
    if (status == CW_OK) {
        *graph = b->g;
        b->g = NULL;
    }
    cw_graph_builder_destroy(b);
    return status;
}

double cw_graph_min_cost(const struct cw_graph *g, uint32_t i)
{
    double least = INFINITY;

    for (uint32_t p = 0; p < g->devices; p++)
        least = fmin(least, cw_graph_cost(g, i, p));
    return least;
}

const char *cw_graph_describe(const struct cw_graph *g, uint32_t i, char *text, size_t size)
{
    const char *name = cw_graph_name(g, i);

    if (name)
        snprintf(text, size, "task %u (%.60s)", i, name);
    else
        snprintf(text, size, "task %u", i);
    return text;
}
