/* draw_graph.c - see exporter.h. */
#include "exporter.h"
#include "../../graph/trace_read.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

/* A picture of kinds is about data: everything waits for the host sooner or later. */
static bool is_drawn(const struct cw_trace *t, uint32_t id, bool collapse)
{
    return t->commands.v[id].status == 0 && t->commands.v[id].type != CW_HOST_FLUSH &&
           (!collapse || cw_trace_command_is_enqueue(&t->commands.v[id]));
}

static bool same_kind(const struct cw_trace *t, const struct cw_command *a, const struct cw_command *b)
{
    return a->type == b->type && a->queue == b->queue &&
           (a->kernel == b->kernel ||
            (a->kernel < t->kernels.count && b->kernel < t->kernels.count &&
             strcmp(t->kernels.v[a->kernel].name, t->kernels.v[b->kernel].name) == 0));
}

/* The node for command `id`, made when there is none yet. CW_NONE when memory is out. */
static uint32_t node_for(struct cw_draw_graph *g, const struct cw_trace *t, uint32_t id, bool collapse)
{
    struct cw_draw_node *n;

    for (size_t i = 0; collapse && i < g->nodes.count; i++)
        if (same_kind(t, &t->commands.v[g->nodes.v[i].command], &t->commands.v[id]))
            return (uint32_t)i;
    n = cw_trace_push(&g->nodes, 1);
    if (!n)
        return CW_NONE;
    *n = (struct cw_draw_node){.command = id, .memory = CW_NONE};
    return (uint32_t)(g->nodes.count - 1);
}

/* node_of[command] is its node or CW_NONE. */
static bool make_nodes(struct cw_draw_graph *g, const struct cw_trace *t, const struct cw_export_options *o,
                       uint32_t *node_of)
{
    for (uint32_t id = 0; id < t->commands.count; id++) {
        const struct cw_command *k = &t->commands.v[id];
        node_of[id] = CW_NONE;
        if (!is_drawn(t, id, o->collapse))
            continue;
        if (o->limit > 0 && g->nodes.count >= (size_t)o->limit && !o->collapse) {
            g->left_out++;
            continue;
        }
        node_of[id] = node_for(g, t, id, o->collapse);
        if (node_of[id] == CW_NONE)
            return false;
        g->nodes.v[node_of[id]].count++;
        g->nodes.v[node_of[id]].device_ns +=
            k->end_ns > k->start_ns && k->start_ns ? k->end_ns - k->start_ns : 0;
    }
    return true;
}

static int strength(const struct cw_draw_edge *e)
{
    static const int kinds[] = {[CW_EDGE_QUEUE] = 0,
                                [CW_EDGE_HOST] = 1,
                                [CW_EDGE_BARRIER] = 2,
                                [CW_EDGE_EVENT] = 3,
                                [CW_EDGE_PATH] = 3};
    static const int hazards[] = {
        [CW_HAZARD_NONE] = 4, [CW_HAZARD_WAR] = 5, [CW_HAZARD_WAW] = 6, [CW_HAZARD_RAW] = 7};

    return (e->kind == CW_EDGE_DATA ? hazards[e->hazard] : kinds[e->kind]) +
           (e->unproven || e->kind == CW_EDGE_QUEUE ? 0 : 8);
}

static int by_ends(const void *a, const void *b)
{
    const struct cw_draw_edge *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* One edge of the strongest kind per pair of nodes. */
static void merge_edges(struct cw_draw_graph *g)
{
    size_t stay = 0;

    if (g->edges.count == 0)
        return;
    qsort(g->edges.v, g->edges.count, sizeof *g->edges.v, by_ends);
    for (size_t i = 1; i < g->edges.count; i++) {
        struct cw_draw_edge *last = &g->edges.v[stay], *e = &g->edges.v[i];
        if (by_ends(last, e) != 0) {
            g->edges.v[++stay] = *e;
            continue;
        }
        e->bytes += last->bytes;
        e->count += last->count;
        if (strength(last) > strength(e)) {
            e->kind = last->kind;
            e->hazard = last->hazard;
            e->unproven = last->unproven;
        }
        *last = *e;
    }
    g->edges.count = stay + 1;
}

static bool make_edges(struct cw_draw_graph *g, const struct cw_trace *t, const struct cw_export_options *o,
                       const uint32_t *node_of)
{
    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        struct cw_draw_edge *d;
        uint32_t from = node_of[e->from], to = node_of[e->to];
        if (from == CW_NONE || to == CW_NONE || (e->kind == CW_EDGE_QUEUE && !o->queue_edges))
            continue;
        if (o->collapse && (e->kind == CW_EDGE_HOST || (from == to && e->kind != CW_EDGE_DATA)))
            continue;
        d = cw_trace_push(&g->edges, 1);
        if (!d)
            return false;
        *d = (struct cw_draw_edge){.from = from,
                                   .to = to,
                                   .kind = e->kind,
                                   .hazard = e->hazard,
                                   .unproven = e->unproven,
                                   .bytes = e->hazard == CW_HAZARD_RAW && !e->unproven ? e->bytes : 0,
                                   .count = 1};
    }
    merge_edges(g);
    return true;
}

/* Ancestors of every node as bit rows; an edge whose source is an ancestor of another source is implied. */
struct reduction {
    uint64_t *rows;
    size_t words;
    const uint32_t *position; /* of a node in topological order */
};

static int by_position(const void *a, const void *b, void *context)
{
    const struct reduction *r = context;
    const struct cw_draw_edge *x = a, *y = b;

    if (x->unproven != y->unproven)
        return x->unproven ? 1 : -1;
    return r->position[x->from] < r->position[y->from] ? 1 : -1; /* latest source first */
}

/* Reduces the edges into one node, v[0..n-1]; returns how many stay. */
static size_t reduce_node(const struct reduction *r, struct cw_draw_edge *v, size_t n)
{
    uint64_t *row = r->rows + v->to * r->words;
    size_t stay = 0;

    qsort_r(v, n, sizeof *v, by_position, (void *)r);
    for (size_t i = 0; i < n; i++) {
        uint32_t from = v[i].from;
        bool implied = row[from / 64] >> from % 64 & 1;
        if (implied && (v[i].hazard != CW_HAZARD_RAW || v[i].unproven))
            continue;
        v[stay++] = v[i];
        if (v[i].unproven)
            continue;
        row[from / 64] |= (uint64_t)1 << from % 64;
        for (size_t w = 0; w < r->words; w++)
            row[w] |= r->rows[from * r->words + w];
    }
    return stay;
}

/* Nodes are in the order of their commands; this is the topological one. */
static bool topological_positions(const struct cw_trace *t, const uint32_t *node_of, uint32_t *order,
                                  uint32_t *position, enum cw_status *status, struct cw_error *err)
{
    uint32_t *commands = malloc((t->commands.count + 1) * sizeof *commands), n = 0;

    if (!commands)
        return false;
    *status = cw_sweep_topological_order(t, commands, err);
    for (size_t i = 0; !*status && i < t->commands.count; i++)
        if (node_of[commands[i]] != CW_NONE) {
            order[n] = node_of[commands[i]];
            position[order[n]] = n;
            n++;
        }
    free(commands);
    return true;
}

static bool reduce(struct cw_draw_graph *g, const struct cw_trace *t, const uint32_t *node_of,
                   enum cw_status *status, struct cw_error *err)
{
    size_t n = g->nodes.count, words = (n + 63) / 64, stay = 0;
    uint32_t *order = malloc((n + 1) * sizeof *order), *position = calloc(n + 1, sizeof *position);
    size_t *first = calloc(n + 2, sizeof *first), *stays = calloc(n + 1, sizeof *stays);
    struct reduction r = {calloc(n * words + 1, sizeof *r.rows), words, position};
    bool ok = order && position && first && stays && r.rows &&
              topological_positions(t, node_of, order, position, status, err);

    for (size_t e = 0; ok && e < g->edges.count; e++)
        first[g->edges.v[e].to + 1]++;
    for (size_t i = 0; ok && i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; ok && !*status && i < n; i++) {
        uint32_t node = order[i];
        if (first[node + 1] > first[node])
            stays[node] = reduce_node(&r, g->edges.v + first[node], first[node + 1] - first[node]);
    }
    for (size_t i = 0; ok && !*status && i < n; i++) {
        if (stays[i])
            memmove(g->edges.v + stay, g->edges.v + first[i], stays[i] * sizeof *g->edges.v);
        stay += stays[i];
    }
    if (ok && !*status) {
        g->edges.count = stay;
        if (stay)
            qsort(g->edges.v, stay, sizeof *g->edges.v, by_ends);
    }
    free(order);
    free(position);
    free(first);
    free(stays);
    free(r.rows);
    return ok;
}

/* Algorithm A2: the initial contents of a read-only object come from a pseudo-command of their own. */
static bool add_inputs(struct cw_draw_graph *g, const struct cw_trace *t, const uint32_t *node_of)
{
    uint32_t *input = malloc((t->memory.count + 1) * sizeof *input);

    if (!input)
        return false;
    memset(input, 0xff, (t->memory.count + 1) * sizeof *input);
    for (uint32_t id = 0; id < t->commands.count; id++)
        for (uint32_t i = 0; node_of[id] != CW_NONE && i < t->commands.v[id].accesses.count; i++) {
            const struct cw_t_access *a = &t->accesses.v[t->commands.v[id].accesses.first + i];
            uint32_t m = a->memory < t->memory.count ? cw_trace_memory_root(t, a->memory, NULL) : CW_NONE;
            struct cw_draw_edge *e;
            if (m == CW_NONE || !(t->memory.v[m].flags & CL_MEM_READ_ONLY) ||
                !(t->memory.v[m].flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)))
                continue;
            if (input[m] == CW_NONE) {
                struct cw_draw_node *n = cw_trace_push(&g->nodes, 1);
                if (!n)
                    goto out_of_memory;
                *n = (struct cw_draw_node){.command = CW_NONE, .memory = m, .count = 1};
                input[m] = (uint32_t)(g->nodes.count - 1);
            }
            if (g->edges.count && g->edges.v[g->edges.count - 1].from == input[m] &&
                g->edges.v[g->edges.count - 1].to == node_of[id])
                continue;
            e = cw_trace_push(&g->edges, 1);
            if (!e)
                goto out_of_memory;
            *e = (struct cw_draw_edge){.from = input[m],
                                       .to = node_of[id],
                                       .kind = CW_EDGE_DATA,
                                       .hazard = CW_HAZARD_RAW,
                                       .bytes = a->bytes,
                                       .count = 1};
        }
    free(input);
    return true;
out_of_memory:
    free(input);
    return false;
}

enum cw_status cw_draw_graph_init(struct cw_draw_graph *g, const struct cw_trace *t,
                                  const struct cw_export_options *o, struct cw_error *err)
{
    uint32_t *node_of = malloc((t->commands.count + 1) * sizeof *node_of);
    enum cw_status status = CW_OK;
    bool ok;

    memset(g, 0, sizeof *g);
    ok = node_of && make_nodes(g, t, o, node_of) && make_edges(g, t, o, node_of);
    if (ok && !o->all_edges && !o->collapse && g->nodes.count <= CW_DOT_REDUCE_NODES)
        ok = reduce(g, t, node_of, &status, err);
    if (ok && !status && !o->collapse)
        ok = add_inputs(g, t, node_of);
    free(node_of);
    return ok ? status : cw_error_set(err, CW_ERR_NOMEM, "picture: out of memory");
}

void cw_draw_graph_finish(struct cw_draw_graph *g)
{
    free(g->nodes.v);
    free(g->edges.v);
    memset(g, 0, sizeof *g);
}
