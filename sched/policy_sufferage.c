/* policy_sufferage.c - sufferage: of all ready tasks, the one that would lose most by going to its second
 * best device.
 *
 * Maheswaran et al. 1999, section 4, over the ready set of a graph, with transfers. A task that only one
 * device can run loses everything and comes first. */
#include "list_plan.h"
#include "policy.h"

#include <math.h>

static double score(const struct cw_plan *plan, uint32_t task, const double *ready, struct cw_choice *choice,
                    const void *context)
{
    double second = INFINITY;

    (void)context;
    *choice = cw_plan_choose_from(plan, task, ready, NULL);
    for (uint32_t p = 0; p < plan->graph->devices; p++) {
        double cost = cw_graph_cost(plan->graph, task, p);
        if (p != choice->device && ready[p] + cost < second) /* it can be: starting when ready is the best */
            second = fmin(second, cw_plan_start(plan, p, ready[p], cost) + cost);
    }
    return second - choice->finish;
}

static enum cw_status plan_sufferage(struct cw_plan *plan, const struct cw_policy_options *o,
                                     struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, score, false, NULL, err);
}

const struct cw_policy cw_policy_sufferage = {
    .name = "sufferage",
    .title = "of all ready tasks, the one that would lose most by its second choice",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_sufferage,
};
