/* races.c - see graph_build.h. A search from the later command back along edges of control. */
#include "graph_build.h"
#include "../record/command_facts.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_FOR_EACH = 16 }; /* of the search, per command and edge of the trace, for all pairs together */

struct search {
    const struct cw_trace *t;
    uint32_t *first, *into; /* edges of control into c: into[first[c] .. first[c + 1]) */
    uint32_t *seen;         /* per command: 1 + the number of the search that has seen it */
    uint32_t *stack;
    uint64_t steps; /* that are left */
    bool forwards;  /* all edges lead to higher ids */
};

/* Two commands of one in-order queue have its order. */
static bool is_candidate(const struct cw_trace *t, const struct cw_edge *e)
{
    const struct cw_command *a = &t->commands.v[e->from], *b = &t->commands.v[e->to];

    return e->kind == CW_EDGE_DATA && !e->unproven && e->memory != CW_NONE &&
           cw_trace_command_is_enqueue(a) && cw_trace_command_is_enqueue(b) && a->queue < t->queues.count &&
           b->queue < t->queues.count && (a->queue != b->queue || t->queues.v[a->queue].out_of_order);
}

static bool any_candidate(const struct cw_trace *t)
{
    for (size_t e = 0; e < t->edges.count; e++)
        if (is_candidate(t, &t->edges.v[e]))
            return true;
    return false;
}

static void sort_control_edges(struct search *s)
{
    const struct cw_trace *t = s->t;

    for (size_t e = 0; e < t->edges.count; e++)
        if (t->edges.v[e].kind != CW_EDGE_DATA) {
            s->first[t->edges.v[e].to + 1]++;
            s->forwards &= t->edges.v[e].from < t->edges.v[e].to;
        }
    for (size_t i = 0; i < t->commands.count; i++)
        s->first[i + 1] += s->first[i];
    for (size_t e = 0; e < t->edges.count; e++)
        if (t->edges.v[e].kind != CW_EDGE_DATA)
            s->into[s->first[t->edges.v[e].to]++] = t->edges.v[e].from;
    memmove(s->first + 1, s->first, t->commands.count * sizeof *s->first);
    s->first[0] = 0;
}

static bool search_init(struct search *s, const struct cw_trace *t)
{
    const size_t n = t->commands.count + 2;

    *s = (struct search){.t = t, .steps = STEPS_FOR_EACH * (n + t->edges.count), .forwards = true};
    s->first = calloc(n, sizeof *s->first);
    s->into = malloc((t->edges.count + 1) * sizeof *s->into);
    s->seen = calloc(n, sizeof *s->seen);
    s->stack = malloc(n * sizeof *s->stack);
    if (!s->first || !s->into || !s->seen || !s->stack)
        return false;
    sort_control_edges(s);
    return true;
}

static void search_finish(struct search *s)
{
    free(s->first);
    free(s->into);
    free(s->seen);
    free(s->stack);
}

/* True where reaching `c` shows an order behind `from`: it is `from`, or stands behind it in its queue. Edges
 * into a wait for a queue come from its last commands only. */
static bool is_behind(const struct cw_trace *t, uint32_t c, uint32_t from)
{
    const uint32_t queue = t->commands.v[from].queue;

    return c == from || (c > from && t->commands.v[c].queue == queue &&
                         (cw_command_awaits_queue(&t->commands.v[c]) ||
                          (!t->queues.v[queue].out_of_order && cw_command_works(&t->commands.v[c]))));
}

/* `mark`: the number of this search, from 1 on. */
static bool is_ordered(struct search *s, uint32_t from, uint32_t to, uint32_t mark)
{
    size_t depth = 0;

    s->stack[depth++] = to;
    s->seen[to] = mark;
    while (depth) {
        uint32_t c = s->stack[--depth];
        for (uint32_t e = s->first[c]; e < s->first[c + 1]; e++) {
            uint32_t before = s->into[e];
            if (!s->steps || is_behind(s->t, before, from))
                return true;
            s->steps--;
            if (s->seen[before] == mark || (s->forwards && before < from))
                continue;
            s->seen[before] = mark;
            s->stack[depth++] = before;
        }
    }
    return false;
}

static bool is_certain(const struct cw_trace *t, const struct cw_edge *e)
{
    const struct cw_command *a = &t->commands.v[e->from], *b = &t->commands.v[e->to];

    return a->transfer < t->transfers.count && b->transfer < t->transfers.count &&
           cw_command_bytes_are_exact(t, a) && cw_command_bytes_are_exact(t, b);
}

static void look(struct cw_races *r, struct search *s)
{
    const struct cw_trace *t = s->t;
    uint32_t searches = 0;

    for (uint32_t e = 0; e < t->edges.count; e++) {
        const struct cw_edge *edge = &t->edges.v[e];
        if (!is_candidate(t, edge) || is_ordered(s, edge->from, edge->to, ++searches))
            continue;
        r->edge[e] = true;
        r->count++;
        if (r->first == CW_NONE || (!r->certain && is_certain(t, edge))) {
            r->first = e;
            r->certain = is_certain(t, edge);
        }
    }
}

enum cw_status cw_races_find(struct cw_races *r, const struct cw_trace *t, struct cw_error *err)
{
    struct search s = {0};
    bool ok;

    *r = (struct cw_races){.first = CW_NONE};
    if (!any_candidate(t))
        return CW_OK;
    r->edge = calloc(t->edges.count + 1, sizeof *r->edge);
    ok = search_init(&s, t) && r->edge;
    if (ok)
        look(r, &s);
    search_finish(&s);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
}

void cw_races_finish(struct cw_races *r)
{
    free(r->edge);
    *r = (struct cw_races){.first = CW_NONE};
}
