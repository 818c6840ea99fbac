#include "bounds.h"
#include "energy_bound.h"

#include <math.h>
#include <stdlib.h>

/* 1 / sum of speeds of the devices in class `class_id`, or of all devices for CW_SCHED_NONE. */
static double shared_cost(const struct cw_graph *g, const struct cw_platform *p, uint32_t i,
                          uint32_t class_id)
{
    double speed = 0;

    for (uint32_t d = 0; d < p->devices; d++)
        if (class_id == CW_SCHED_NONE || p->device[d].class_id == class_id)
            speed += 1 / cw_graph_cost(g, i, d);
    return 1 / speed;
}

double cw_bounds_task(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing,
                      uint32_t i)
{
    double least = cw_graph_min_cost(g, i);

    if (sharing == CW_SHARE_NEVER || !g->splittable[i] || g->groups[i] == 1 || least <= 0)
        return least;
    if (sharing == CW_SHARE_ALL)
        return fmin(least, shared_cost(g, p, i, CW_SCHED_NONE));
    for (uint32_t d = 0; d < p->devices; d++)
        least = fmin(least, shared_cost(g, p, i, p->device[d].class_id));
    return least;
}

/* Longest path with each task at its least possible time; `below` has one entry per task. */
static double longest_path(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing,
                           double *below)
{
    double longest = 0;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        double most = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            most = fmax(most, below[g->succ.task[e]]);
        below[i] = most + cw_bounds_task(g, p, sharing, i);
        longest = fmax(longest, below[i]);
    }
    return longest;
}

/* `finish[i * q + d]`: the least time from the start of i on device d to the end of everything behind it. */
static double oct_bound(const struct cw_graph *g, const struct cw_platform *p, double *finish)
{
    uint32_t q = p->devices;
    double bound = 0;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        double best = INFINITY;
        for (uint32_t d = 0; d < q; d++) {
            double behind = 0;
            for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
                const double *next = &finish[(size_t)g->succ.task[e] * q];
                double least = INFINITY;
                for (uint32_t r = 0; r < q; r++) {
                    if (next[r] < least)
                        least = fmin(least, next[r] + cw_platform_comm(p, g->succ.data[e], d, r));
                }
                behind = fmax(behind, least);
            }
            finish[(size_t)i * q + d] = cw_graph_cost(g, i, d) + behind;
            best = fmin(best, finish[(size_t)i * q + d]);
        }
        bound = fmax(bound, best);
    }
    return bound;
}

enum cw_status cw_bounds_compute(const struct cw_graph *g, const struct cw_platform *p,
                                 enum cw_sharing sharing, struct cw_bounds *bounds, struct cw_error *err)
{
    double *scratch = malloc((size_t)g->tasks * g->devices * sizeof *scratch), work = 0;
    bool shared = false;
    enum cw_status status = CW_OK;

    if (!scratch)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the bounds of %u tasks", g->tasks);
    for (uint32_t i = 0; i < g->tasks; i++) {
        work += cw_graph_min_cost(g, i);
        shared |= sharing != CW_SHARE_NEVER && g->splittable[i] && g->groups[i] != 1;
    }
    bounds->critical_path = longest_path(g, p, sharing, scratch);
    bounds->oct = shared ? bounds->critical_path : oct_bound(g, p, scratch);
    bounds->area = work / p->devices;
    bounds->best = fmax(fmax(bounds->critical_path, bounds->oct), bounds->area);
    free(scratch);
    bounds->energy = bounds->best;
    if (!shared)
        status = cw_energy_bound(g, p, bounds->best, &bounds->energy, err);
    bounds->best = bounds->energy;
    return status;
}
