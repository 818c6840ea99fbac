/* data_flow.c - see data_flow.h; ALGORITHMS A2. */
#include "data_flow.h"
#include "interval_map.h"

#include <stdlib.h>

/* Where a memory object lies: objects that can share bytes have one space in common. */
struct place {
    uint32_t space;
    uint64_t offset;
};

/* Commands of a context since its last one with unknown accesses: such a one waits for all that nothing waits
 * for. */
struct context_state {
    uint32_t unknown;        /* newest command with unknown accesses, CW_NONE */
    CW_ARRAY(uint32_t) open; /* commands since, that no later one of the context depends on */
    size_t live;
};

struct cw_data_flow {
    const struct cw_trace *t;
    struct place *places;         /* per memory object */
    struct cw_interval_map *maps; /* per space */
    struct cw_interval_pool *pool;
    struct context_state *contexts; /* one more than there are, for commands whose context is not known */
    uint8_t *closed;                /* per command */
    bool any_unknown;               /* only then are contexts tracked */
};

static int by_host_range(const void *a, const void *b)
{
    const struct cw_t_memory *x = *(const struct cw_t_memory *const *)a,
                             *y = *(const struct cw_t_memory *const *)b;

    if (x->host_ptr != y->host_ptr)
        return x->host_ptr < y->host_ptr ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Roots on host memory whose ranges meet get the space of the first of them. */
static bool alias_host_ranges(struct cw_data_flow *d)
{
    const struct cw_trace *t = d->t;
    const struct cw_t_memory **sorted = malloc((t->memory.count + 1) * sizeof *sorted);
    size_t n = 0, first = 0;
    uint64_t end = 0;

    if (!sorted)
        return false;
    for (size_t m = 0; m < t->memory.count; m++)
        if (t->memory.v[m].host_ptr && t->memory.v[m].parent == CW_NONE && t->memory.v[m].size &&
            t->memory.v[m].size <= UINT64_MAX - t->memory.v[m].host_ptr)
            sorted[n++] = &t->memory.v[m];
    qsort(sorted, n, sizeof *sorted, by_host_range);
    for (size_t i = 0; i < n; i++) {
        struct place *p = &d->places[sorted[i] - t->memory.v];
        if (i == 0 || sorted[i]->host_ptr >= end) {
            first = i;
            end = sorted[i]->host_ptr;
        }
        p->space = (uint32_t)(sorted[first] - t->memory.v);
        p->offset = sorted[i]->host_ptr - sorted[first]->host_ptr;
        if (sorted[i]->host_ptr + sorted[i]->size > end)
            end = sorted[i]->host_ptr + sorted[i]->size;
    }
    free(sorted);
    return true;
}

static bool find_places(struct cw_data_flow *d)
{
    const struct cw_trace *t = d->t;

    for (uint32_t m = 0; m < t->memory.count; m++)
        d->places[m] = (struct place){m, 0};
    if (!alias_host_ranges(d))
        return false;
    for (uint32_t m = 0; m < t->memory.count; m++) {
        uint64_t offset;
        uint32_t root = cw_memory_root(t, m, &offset);
        if (root != m && root < t->memory.count)
            d->places[m] = (struct place){d->places[root].space, d->places[root].offset + offset};
    }
    return true;
}

struct cw_data_flow *cw_data_flow_create(const struct cw_trace *t)
{
    struct cw_data_flow *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->t = t;
    d->places = calloc(t->memory.count + 1, sizeof *d->places);
    d->maps = calloc(t->memory.count + 1, sizeof *d->maps);
    d->contexts = calloc(t->contexts.count + 1, sizeof *d->contexts);
    d->closed = calloc(t->commands.count + 1, 1);
    d->pool = cw_interval_pool_create();
    if (!d->places || !d->maps || !d->contexts || !d->closed || !d->pool || !find_places(d)) {
        cw_data_flow_destroy(d);
        return NULL;
    }
    for (size_t i = 0; i <= t->contexts.count; i++)
        d->contexts[i].unknown = CW_NONE;
    for (size_t i = 0; i < t->commands.count; i++)
        d->any_unknown |= t->commands.v[i].unknown_access;
    return d;
}

void cw_data_flow_destroy(struct cw_data_flow *d)
{
    if (!d)
        return;
    for (size_t i = 0; d->contexts && i <= d->t->contexts.count; i++)
        free(d->contexts[i].open.v);
    free(d->contexts);
    free(d->places);
    free(d->maps);
    free(d->closed);
    cw_interval_pool_destroy(d->pool);
    free(d);
}

/* One access on its way through the segments of its space. */
struct visit {
    struct cw_edge_list *edges;
    uint32_t to, memory;
    bool reads, writes;
};

static void visit_segment(void *context, uint64_t bytes, uint32_t writer, const struct cw_reader *readers)
{
    const struct visit *v = context;
    bool other_reader = false;

    if (v->writes)
        for (const struct cw_reader *r = readers; r; r = r->next)
            if (r->command != v->to) {
                other_reader = true;
                cw_edge_list_add_data(v->edges, r->command, v->to, CW_HAZARD_WAR, v->memory, bytes);
            }
    if (writer == CW_NONE || writer == v->to)
        return;
    if (v->reads)
        cw_edge_list_add_data(v->edges, writer, v->to, CW_HAZARD_RAW, v->memory, bytes);
    else if (!other_reader)
        cw_edge_list_add_data(v->edges, writer, v->to, CW_HAZARD_WAW, v->memory, bytes);
}

static bool access_memory(struct cw_data_flow *d, uint32_t id, const struct cw_t_access *a, bool write_pass,
                          struct cw_edge_list *edges)
{
    struct place p = d->places[a->memory];
    bool writes = a->mode & CW_ACCESS_WRITE;
    struct visit v = {edges, id, p.space, a->mode & CW_ACCESS_READ, writes};
    uint64_t lo = p.offset + a->offset, hi = lo + a->bytes;

    if (writes != write_pass || a->bytes == 0 || lo < p.offset || hi <= lo)
        return true;
    if (writes)
        return cw_interval_map_write(&d->maps[p.space], d->pool, lo, hi, id, visit_segment, &v);
    return cw_interval_map_read(&d->maps[p.space], d->pool, lo, hi, id, visit_segment, &v);
}

static uint32_t context_of(const struct cw_trace *t, const struct cw_command *k)
{
    if (k->queue < t->queues.count && t->queues.v[k->queue].context < t->contexts.count)
        return t->queues.v[k->queue].context;
    return (uint32_t)t->contexts.count;
}

/* Orders `id` against commands whose accesses are not known. */
static bool unknown_accesses(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_command *k = &d->t->commands.v[id];
    uint32_t context = context_of(d->t, k), *slot;
    struct context_state *c = &d->contexts[context];
    size_t kept = 0;

    if (c->unknown != CW_NONE)
        cw_edge_list_add_data(edges, c->unknown, id, CW_HAZARD_RAW, CW_NONE, 0);
    for (size_t i = 0; k->unknown_access && i < c->open.count; i++)
        if (!d->closed[c->open.v[i]])
            cw_edge_list_add_data(edges, c->open.v[i], id, CW_HAZARD_RAW, CW_NONE, 0);
    if (k->unknown_access) {
        c->unknown = id;
        c->open.count = c->live = 0;
        return true;
    }
    for (size_t i = 0; i < edges->pending.count; i++)
        if (edges->pending.v[i].kind != CW_EDGE_QUEUE &&
            context_of(d->t, &d->t->commands.v[edges->pending.v[i].from]) == context)
            d->closed[edges->pending.v[i].from] = 1;
    if (c->open.count > 2 * c->live + 64) {
        for (size_t i = 0; i < c->open.count; i++)
            if (!d->closed[c->open.v[i]])
                c->open.v[kept++] = c->open.v[i];
        c->open.count = c->live = kept;
    }
    slot = cw_trace_push(&c->open, 1);
    if (slot)
        *slot = id;
    return slot != NULL;
}

bool cw_data_flow_command(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_command *k = &d->t->commands.v[id];
    bool ok = true;

    if (k->status != 0)
        return true;
    /* reads first: a command that reads and writes one range by two arguments must not wait for itself */
    for (int write_pass = 0; write_pass <= 1; write_pass++)
        for (uint32_t i = 0; ok && i < k->accesses.count; i++)
            ok = access_memory(d, id, &d->t->accesses.v[k->accesses.first + i], write_pass, edges);
    if (ok && d->any_unknown && cw_command_is_enqueue(k))
        ok = unknown_accesses(d, id, edges);
    return ok;
}
