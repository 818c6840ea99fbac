#include "rank.h"

#include <math.h>
#include <stdlib.h>

#define RANK_LIMIT 4.0e18 /* below 2^62, so that rank_u + rank_d cannot overflow either */

static uint32_t finite_costs(const struct cw_graph *g, uint32_t i, double *sum)
{
    const double *cost = &g->cost[(size_t)i * g->devices];
    uint32_t n = 0;

    *sum = 0;
    for (uint32_t p = 0; p < g->devices; p++)
        if (!isinf(cost[p])) {
            *sum += cost[p];
            n++;
        }
    return n;
}

/* True when x * unit is a whole number but for the rounding of x itself (0.1 is not exactly a tenth). */
static bool is_whole(double x, double unit)
{
    double y = x * unit, whole = nearbyint(y);

    return y < 9e15 && fabs(y - whole) <= 4 * 0x1p-52 * y;
}

/* Transfers first: their times are seldom whole where data travel, while run mode's costs always are. */
static bool all_whole(const struct cw_graph *g, const struct cw_platform *p, double unit)
{
    for (uint32_t e = 0; e < g->edges; e++)
        if (!is_whole(cw_platform_mean_comm(p, g->succ.data[e]), unit))
            return false;
    for (size_t k = 0; k < (size_t)g->tasks * g->devices; k++)
        if (!isinf(g->cost[k]) && !is_whole(g->cost[k], unit))
            return false;
    return true;
}

/* The least unit that makes everything whole; 0 when there is none. */
static double find_unit(const struct cw_graph *g, const struct cw_platform *p)
{
    double unit = 1;

    for (int k = 0; k <= 9; k++, unit *= 10)
        if (all_whole(g, p, unit))
            return unit;
    for (int k = 1; k <= 52; k++)
        if (all_whole(g, p, ldexp(1, k)))
            return ldexp(1, k);
    return 0;
}

/* Least common multiple of the counts of finite costs; 0 when it passes 2^40. */
static int64_t find_factor(const struct cw_graph *g)
{
    int64_t lcm = 1;
    double sum;

    for (uint32_t i = 0; i < g->tasks; i++) {
        int64_t n = finite_costs(g, i, &sum), a = lcm, b = n;
        if (lcm % n == 0)
            continue;
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        lcm = lcm / a * n;
        if (lcm > (int64_t)1 << 40)
            return 0;
    }
    return lcm;
}

/* An upper bound of the length of any path, in time units. */
static double longest_possible(const struct cw_graph *g, const struct cw_platform *p)
{
    double total = 0, sum;

    for (uint32_t i = 0; i < g->tasks; i++) {
        double comm = 0;
        uint32_t n = finite_costs(g, i, &sum);
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            comm = fmax(comm, cw_platform_mean_comm(p, g->succ.data[e]));
        total += sum / n + comm;
    }
    return total;
}

static void choose_scale(struct cw_ranks *r)
{
    const struct cw_graph *g = r->graph;
    double longest = longest_possible(g, r->platform);
    int exponent;

    r->factor = find_factor(g);
    r->unit = r->factor ? find_unit(g, r->platform) : 0;
    r->scale = r->unit * (double)r->factor;
    r->exact = r->scale > 0 && longest * r->scale < RANK_LIMIT;
    if (r->exact)
        return;
    /* each mean is rounded up or down by at most one half, so leave room for that beside `longest` */
    frexp(longest > 0 ? RANK_LIMIT / 2 / longest : 1, &exponent);
    r->factor = 1;
    r->scale = r->unit = ldexp(1, exponent - 1);
}

static int64_t mean_cost(const struct cw_ranks *r, uint32_t i)
{
    const struct cw_graph *g = r->graph;
    double sum;
    int64_t total = 0, n = finite_costs(g, i, &sum);

    if (!r->exact)
        return llrint(sum / (double)n * r->unit);
    for (uint32_t p = 0; p < g->devices; p++)
        if (!isinf(cw_graph_cost(g, i, p)))
            total += llrint(cw_graph_cost(g, i, p) * r->unit);
    return total * (r->factor / n);
}

int64_t cw_ranks_comm(const struct cw_ranks *r, double data)
{
    return llrint(cw_platform_mean_comm(r->platform, data) * r->unit) * r->factor;
}

int64_t cw_ranks_cost(const struct cw_ranks *r, uint32_t i, uint32_t p)
{
    return llrint(cw_graph_cost(r->graph, i, p) * r->unit) * r->factor;
}

static void rank_upward(struct cw_ranks *r)
{
    const struct cw_graph *g = r->graph;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        int64_t most = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
            int64_t via = cw_ranks_comm(r, g->succ.data[e]) + r->up[g->succ.task[e]];
            most = via > most ? via : most;
        }
        r->up[i] = r->mean[i] + most;
    }
}

static void rank_downward(struct cw_ranks *r)
{
    const struct cw_graph *g = r->graph;

    for (uint32_t k = 0; k < g->tasks; k++) {
        uint32_t i = g->topo[k];
        int64_t most = 0;
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++) {
            uint32_t j = g->pred.task[e];
            int64_t via = r->down[j] + r->mean[j] + cw_ranks_comm(r, g->pred.data[e]);
            most = via > most ? via : most;
        }
        r->down[i] = most;
    }
}

void cw_ranks_levels(const struct cw_ranks *r, int64_t *level)
{
    const struct cw_graph *g = r->graph;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        int64_t most = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            most = level[g->succ.task[e]] > most ? level[g->succ.task[e]] : most;
        level[i] = r->mean[i] + most;
    }
}

enum cw_status cw_ranks_init(struct cw_ranks *r, const struct cw_graph *g, const struct cw_platform *p,
                             bool down, struct cw_error *err)
{
    size_t bytes = (size_t)g->tasks * sizeof(int64_t);

    *r = (struct cw_ranks){.graph = g, .platform = p, .mean = malloc(bytes), .up = malloc(bytes)};
    if (down)
        r->down = malloc(bytes);
    if (!r->mean || !r->up || (down && !r->down)) {
        cw_ranks_finish(r);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the ranks of %u tasks", g->tasks);
    }
    choose_scale(r);
    for (uint32_t i = 0; i < g->tasks; i++)
        r->mean[i] = mean_cost(r, i);
    rank_upward(r);
    if (down)
        rank_downward(r);
    return CW_OK;
}

void cw_ranks_finish(struct cw_ranks *r)
{
    free(r->mean);
    free(r->up);
    free(r->down);
    *r = (struct cw_ranks){0};
}

uint32_t cw_ranks_critical_path(const struct cw_ranks *r, uint32_t *path)
{
    const struct cw_graph *g = r->graph;
    uint32_t at = CW_SCHED_NONE, length = 0;

    for (uint32_t i = 0; i < g->tasks; i++)
        if (g->pred.start[i] == g->pred.start[i + 1] &&
            (at == CW_SCHED_NONE || r->up[i] + r->down[i] > r->up[at] + r->down[at]))
            at = i;
    while (at != CW_SCHED_NONE) {
        uint32_t next = CW_SCHED_NONE;
        path[length++] = at;
        for (uint32_t e = g->succ.start[at]; e < g->succ.start[at + 1]; e++) {
            uint32_t j = g->succ.task[e];
            if (next == CW_SCHED_NONE || r->up[j] + r->down[j] > r->up[next] + r->down[next])
                next = j;
        }
        at = next;
    }
    return length;
}
