/* policy_dls.c - DLS: always the pair of ready task and device with the highest dynamic level.
 *
 * Sih, Lee: A compile-time scheduling heuristic for interconnection-constrained heterogeneous processor
 * architectures, IEEE TPDS 4(2), 1993, DL1: DL(i,p) = SL(i) - max(data arrival, device free) + (E(i) -
 * W[i][p]), E(i) the median of the costs that are finite, SL(i) the longest path of such medians from i on,
 * without transfers; no insertion. Without the last term (option delta=off) it is the level of their section
 * 3, for alike processors. */
#include "list_plan.h"
#include "policy.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

/* HLFET: ready tasks by static level, each where it can start first.
 *
 * Adam, Chandy, Dickson: A comparison of list schedules for parallel processing systems, CACM 17(12), 1974.
 * Levels are the mean costs to the end of the graph, transfers not counted. */

static struct cw_choice choose(struct cw_plan *plan, uint32_t task, const void *context)
{
    struct cw_choice best = {.device = CW_SCHED_NONE};

    (void)context;
    for (uint32_t p = 0; p < plan->graph->devices; p++) {
        double cost = cw_graph_cost(plan->graph, task, p), start;
        if (isinf(cost))
            continue;
        start = cw_plan_start(plan, p, cw_plan_ready(plan, task, p), cost);
        if (best.device == CW_SCHED_NONE || start < best.start)
            best = (struct cw_choice){p, start, start + cost};
    }
    return best;
}

static enum cw_status plan_hlfet(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    int64_t *level = malloc(plan->graph->tasks * sizeof *level);
    struct cw_ranks ranks = {0};
    enum cw_status status =
        level ? cw_ranks_init(&ranks, plan->graph, plan->platform, false, err)
              : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", plan->graph->tasks);

    (void)o;
    plan->insertion = false;
    if (status == CW_OK) {
        cw_ranks_levels(&ranks, level);
        status = cw_list_plan(plan, level, choose, NULL, err);
    }
    cw_ranks_finish(&ranks);
    free(level);
    return status;
}

const struct cw_policy cw_policy_hlfet = {
    .name = "hlfet",
    .title = "highest level first, where it can start first",
    .source = "Adam, Chandy, Dickson, CACM 17(12), 1974",
    .plan = plan_hlfet,
};

struct levels {
    double *median, *level; /* per task */
    bool delta;
};

static double median(const struct cw_graph *g, uint32_t i, double *sorted)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < g->devices; p++) {
        uint32_t k = n;
        if (isinf(cw_graph_cost(g, i, p)))
            continue;
        for (; k > 0 && sorted[k - 1] > cw_graph_cost(g, i, p); k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = cw_graph_cost(g, i, p);
        n++;
    }
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static double score(const struct cw_plan *plan, uint32_t task, const double *ready, struct cw_choice *choice,
                    const void *context)
{
    const struct levels *l = context;
    double best = -INFINITY;

    for (uint32_t p = 0; p < plan->graph->devices; p++) {
        double cost = cw_graph_cost(plan->graph, task, p), start, dynamic;
        if (isinf(cost))
            continue;
        start = cw_plan_start(plan, p, ready[p], cost);
        dynamic = l->level[task] - start + (l->delta ? l->median[task] - cost : 0);
        if (dynamic > best) {
            best = dynamic;
            *choice = (struct cw_choice){p, start, start + cost};
        }
    }
    return best;
}

static enum cw_status plan_dls(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    struct levels l = {malloc(g->tasks * sizeof(double)), malloc(g->tasks * sizeof(double)), o->delta};
    double *sorted = malloc(g->devices * sizeof *sorted);
    enum cw_status status = CW_OK;

    if (!l.median || !l.level || !sorted)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);
    for (uint32_t k = g->tasks; k-- > 0 && status == CW_OK;) {
        uint32_t i = g->topo[k];
        double most = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            most = fmax(most, l.level[g->succ.task[e]]);
        l.median[i] = median(g, i, sorted);
        l.level[i] = l.median[i] + most;
    }
    plan->insertion = false;
    if (status == CW_OK)
        status = cw_list_plan_by_score(plan, score, true, &l, err);
    free(l.median);
    free(l.level);
    free(sorted);
    return status;
}

const struct cw_policy cw_policy_dls = {
    .name = "dls",
    .title = "the ready task and device with the highest dynamic level",
    .source = "Sih, Lee, IEEE TPDS 4(2), 1993, DL1",
    .takes = CW_TAKES(delta),
    .quadratic = true,
    .plan = plan_dls,
};
