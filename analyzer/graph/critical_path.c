/* critical_path.c - see graph_build.h. */
#include "graph_build.h"
#include "../record/command_facts.h"
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

/* The state of both sweeps. */
struct sweep {
    const struct cw_trace *t;
    bool without_host;  /* edges of host waits do not count */
    bool without_reuse; /* nor do data edges that pass no result on */
    uint32_t *order;
    uint32_t *first, *into; /* edges into c: into[first[c] .. first[c+1]); a trace that was read need not have
                               them sorted */
    uint64_t *weight, *head; /* head: longest chain that ends with the command, its own weight included */
    uint64_t *tail;          /* longest chain behind it, without its own weight */
    uint32_t *before;        /* its predecessor on that chain, CW_NONE */
    uint32_t *level;         /* edges on the longest way to it */
};

static bool sweep_init(struct sweep *s, const struct cw_trace *t)
{
    size_t n = t->commands.count + 2;

    s->t = t;
    s->order = malloc(n * sizeof *s->order);
    s->first = calloc(n, sizeof *s->first);
    s->into = malloc((t->edges.count + 1) * sizeof *s->into);
    s->weight = calloc(n, sizeof *s->weight);
    s->head = calloc(n, sizeof *s->head);
    s->tail = calloc(n, sizeof *s->tail);
    s->before = malloc(n * sizeof *s->before);
    s->level = calloc(n, sizeof *s->level);
    return s->order && s->first && s->into && s->weight && s->head && s->tail && s->before && s->level;
}

static void sweep_finish(struct sweep *s)
{
    free(s->order);
    free(s->first);
    free(s->into);
    free(s->weight);
    free(s->head);
    free(s->tail);
    free(s->before);
    free(s->level);
}

static void weigh(struct sweep *s, struct cw_critical_path *p, enum cw_weight weight)
{
    const struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (cw_command_works(k))
            s->weight[i] = weight == CW_WEIGHT_TIME ? cw_command_device_ns(k) : 1;
        p->work += s->weight[i];
    }
}

static void sort_edges(struct sweep *s)
{
    const struct cw_trace *t = s->t;

    for (size_t e = 0; e < t->edges.count; e++)
        s->first[t->edges.v[e].to + 1]++;
    for (size_t i = 0; i < t->commands.count; i++)
        s->first[i + 1] += s->first[i];
    for (uint32_t e = 0; e < t->edges.count; e++)
        s->into[s->first[t->edges.v[e].to]++] = e;
    for (size_t i = t->commands.count; i > 0; i--) /* each has moved to its end, the next one's beginning */
        s->first[i] = s->first[i - 1];
    s->first[0] = 0;
}

static bool counts(const struct sweep *s, uint32_t e)
{
    const struct cw_edge *edge = &s->t->edges.v[e];

    return cw_graph_edge_binds(edge) && !(s->without_host && edge->kind == CW_EDGE_HOST) &&
           !(s->without_reuse && edge->kind == CW_EDGE_DATA && edge->hazard != CW_HAZARD_RAW);
}

static void sweep_forward(struct sweep *s)
{
    for (size_t i = 0; i < s->t->commands.count; i++) {
        uint32_t id = s->order[i];
        s->before[id] = CW_NONE;
        for (uint32_t e = s->first[id]; e < s->first[id + 1]; e++) {
            const struct cw_edge *edge = &s->t->edges.v[s->into[e]];
            if (!counts(s, s->into[e]))
                continue;
            if (s->before[id] == CW_NONE || s->head[edge->from] > s->head[s->before[id]])
                s->before[id] = edge->from;
            if (s->level[edge->from] + cw_trace_command_is_enqueue(&s->t->commands.v[edge->from]) >
                s->level[id])
                s->level[id] =
                    s->level[edge->from] + cw_trace_command_is_enqueue(&s->t->commands.v[edge->from]);
        }
        s->head[id] = s->weight[id] + (s->before[id] == CW_NONE ? 0 : s->head[s->before[id]]);
    }
}

static void sweep_back(struct sweep *s)
{
    for (size_t i = s->t->commands.count; i-- > 0;) {
        uint32_t id = s->order[i];
        uint64_t behind = s->tail[id] + s->weight[id];
        for (uint32_t e = s->first[id]; e < s->first[id + 1]; e++) {
            const struct cw_edge *edge = &s->t->edges.v[s->into[e]];
            if (counts(s, s->into[e]) && s->tail[edge->from] < behind)
                s->tail[edge->from] = behind;
        }
    }
}

/* The chain, from its end; pseudo-commands at either end of it say nothing and are left out. */
static bool read_chain(const struct sweep *s, struct cw_critical_path *p)
{
    uint32_t last = CW_NONE;
    size_t n = 0;

    for (uint32_t i = 0; i < s->t->commands.count; i++)
        if (s->weight[i] && (last == CW_NONE || s->head[i] > s->head[last]))
            last = i;
    p->length = last == CW_NONE ? 0 : s->head[last];
    for (uint32_t i = last; i != CW_NONE; i = s->before[i])
        n++;
    p->chain = malloc((n + 1) * sizeof *p->chain);
    if (!p->chain)
        return false;
    p->chain_count = n;
    for (uint32_t i = last; i != CW_NONE; i = s->before[i])
        p->chain[--n] = i;
    while (n < p->chain_count && s->weight[p->chain[n]] == 0)
        n++;
    p->chain_count -= n;
    memmove(p->chain, p->chain + n, p->chain_count * sizeof *p->chain);
    return true;
}

static bool read_width(const struct sweep *s, struct cw_critical_path *p)
{
    size_t n = s->t->commands.count;
    uint64_t *count = calloc(n + 1, sizeof *count);

    for (size_t i = 0; count && i < n; i++)
        if (s->weight[i] && ++count[s->level[i]] > p->width)
            p->width = count[s->level[i]];
    free(count);
    return count;
}

/* Behind all that needs the heads of the chain with them. */
static uint64_t length_without(struct sweep *s, bool host, bool reuse)
{
    uint64_t length = 0;

    s->without_host = host;
    s->without_reuse = reuse;
    sweep_forward(s);
    for (size_t i = 0; i < s->t->commands.count; i++)
        length = s->weight[i] && s->head[i] > length ? s->head[i] : length;
    return length;
}

enum cw_status cw_critical_path_init(struct cw_critical_path *p, const struct cw_trace *t,
                                     enum cw_weight weight, struct cw_error *err)
{
    struct sweep s = {.t = t};
    enum cw_status status = CW_ERR_NOMEM;

    memset(p, 0, sizeof *p);
    p->slack = calloc(t->commands.count + 1, sizeof *p->slack);
    if (!sweep_init(&s, t) || !p->slack)
        goto out;
    status = cw_sweep_topological_order(t, s.order, err);
    if (status)
        goto out;
    weigh(&s, p, weight);
    sort_edges(&s);
    sweep_forward(&s);
    sweep_back(&s);
    status = read_chain(&s, p) && read_width(&s, p) ? CW_OK : CW_ERR_NOMEM;
    for (size_t i = 0; i < t->commands.count; i++)
        p->slack[i] = p->length > s.head[i] + s.tail[i] ? p->length - s.head[i] - s.tail[i] : 0;
    p->without_host = length_without(&s, true, false);
    p->without_reuse = length_without(&s, true, true);
    p->results = length_without(&s, false, true);
out:
    sweep_finish(&s);
    return status == CW_ERR_NOMEM ? cw_error_set(err, CW_ERR_NOMEM, "critical path: out of memory") : status;
}

void cw_critical_path_finish(struct cw_critical_path *p)
{
    free(p->chain);
    free(p->slack);
    memset(p, 0, sizeof *p);
}
