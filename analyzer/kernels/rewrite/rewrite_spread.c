/* rewrite_spread.c - which names may reach an id built-in, over function bodies and macros; which macros may
 * stand for braces. Breadth-first over the "mentions" graph, backwards; linear in its edges. */
#include "rewrite_state.h"

#include <stdlib.h>

struct graph {
    uint32_t *first; /* nodes + 1: where the mentioners of a node begin in `who` */
    uint32_t *who;
    uint8_t *mark; /* per node: TAINT, BRACES ... */
    uint32_t *queue;
    uint32_t names, nodes;
};
enum { TAINT = 1, BRACES = 2, NO_ROWS = 4, LOOP = 8, SECRET = 16, RANGE = 32 };

static uint32_t node_of(const struct graph *g, uint32_t id)
{
    return id >= CW_RW_FIRST_BODY ? g->names + (id - CW_RW_FIRST_BODY) : id;
}

static bool make_graph(const struct cw_rw *s, struct graph *g)
{
    g->names = (uint32_t)s->names.count;
    g->nodes = g->names + s->bodies;
    g->first = calloc((size_t)g->nodes + 2, sizeof *g->first);
    g->who = calloc(s->edges + 1, sizeof *g->who);
    g->mark = calloc((size_t)g->nodes + 1, 1);
    g->queue = calloc((size_t)g->nodes + 1, sizeof *g->queue);
    if (!g->first || !g->who || !g->mark || !g->queue)
        return false;
    for (size_t i = 0; i < s->edges; i++)
        g->first[node_of(g, s->edge[i].to) + 2]++;
    for (uint32_t n = 0; n < g->nodes; n++)
        g->first[n + 2] += g->first[n + 1];
    for (size_t i = 0; i < s->edges; i++)
        g->who[g->first[node_of(g, s->edge[i].to) + 1]++] = node_of(g, s->edge[i].from);
    return true;
}

/* Carries `bit` from the queued nodes to all that mention them; braces go through macros only. */
static void carry(const struct cw_rw *s, struct graph *g, uint32_t queued, uint8_t bit)
{
    for (uint32_t at = 0; at < queued; at++)
        for (uint32_t i = g->first[g->queue[at]]; i < g->first[g->queue[at] + 1]; i++) {
            uint32_t who = g->who[i];
            if (g->mark[who] & bit ||
                (bit == BRACES && !(who < g->names && s->names.v[who].flags & CW_RW_MACRO)))
                continue;
            g->mark[who] |= bit;
            g->queue[queued++] = who;
        }
}

static void spread(const struct cw_rw *s, struct graph *g, uint32_t flags, uint8_t bit)
{
    uint32_t queued = 0;

    for (uint32_t n = 0; n < g->names; n++)
        if (s->names.v[n].flags & CW_RW_SEEN && s->names.v[n].flags & flags) {
            g->mark[n] |= bit;
            g->queue[queued++] = n;
        }
    carry(s, g, queued, bit);
}

bool cw_rewrite_spread(struct cw_rw *s)
{
    struct graph g = {0};
    bool ok = make_graph(s, &g);

    if (ok) {
        spread(s, &g, CW_RW_ID | CW_RW_TAINTED, TAINT);
        spread(s, &g, CW_RW_BRACES, BRACES);
        spread(s, &g, CW_RW_SECRET, SECRET);
        spread(s, &g, CW_RW_RANGE, RANGE);
        for (uint32_t n = 0; n < g.names; n++)
            s->names.v[n].flags |=
                (g.mark[n] & TAINT ? CW_RW_TAINTED : 0) | (g.mark[n] & BRACES ? CW_RW_BRACES : 0) |
                (g.mark[n] & SECRET ? CW_RW_SECRET : 0) | (g.mark[n] & RANGE ? CW_RW_RANGE : 0) |
                (g.mark[n] & TAINT && s->names.v[n].flags & CW_RW_FUNCTION ? CW_RW_NO_ROWS : 0);
        spread(s, &g, CW_RW_NO_ROWS, NO_ROWS);
        spread(s, &g, CW_RW_LOOP, LOOP);
        for (uint32_t n = 0; n < g.names; n++)
            s->names.v[n].flags |= g.mark[n] & LOOP ? CW_RW_LOOP : 0;
        for (uint32_t b = 0; b < s->bodies; b++)
            s->odd_body[b] |= g.mark[g.names + b] & NO_ROWS ? CW_RW_BODY_NO_ROWS : 0;
        for (uint32_t b = 0; b < s->bodies && ok; b++)
            if (s->odd_body[b] & CW_RW_BODY_ODD && g.mark[g.names + b] & SECRET)
                ok = cw_rewrite_refuse_secret(s);
            else if (s->odd_body[b] & CW_RW_BODY_ODD && g.mark[g.names + b] & TAINT)
                ok = cw_rewrite_refuse(s, "a function whose declaration is made by macros, or unusual, or "
                                          "something outside of functions sees ids");
    } else {
        cw_rewrite_nomem(s);
    }
    free(g.first);
    free(g.who);
    free(g.mark);
    free(g.queue);
    return ok;
}
