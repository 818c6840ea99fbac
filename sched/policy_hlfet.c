/* policy_hlfet.c - HLFET: ready tasks by static level, each where it can start first.
 *
 * Adam, Chandy, Dickson: A comparison of list schedules for parallel processing systems, CACM 17(12), 1974.
 * Levels are the mean costs to the end of the graph, transfers not counted. */
#include "list_plan.h"
#include "policy.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

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
