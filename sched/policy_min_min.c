/* policy_min_min.c - of all ready tasks, the one that can finish first (min-min), the one whose earliest
 * finish is the latest (max-min), or the one that would lose most by going to its second best device
 * (sufferage); each where it finishes first.
 *
 * Ibarra and Kim 1977; Maheswaran et al. 1999, section 4, over the ready set of a graph, with transfers. To
 * sufferage, a task that only one device can run loses everything and comes first. */
#include "list_plan.h"
#include "policy.h"

#include <math.h>

static double early_score(const struct cw_plan *plan, uint32_t task, const double *ready,
                          struct cw_choice *choice, const void *context)
{
    (void)context;
    *choice = cw_plan_choose_from(plan, task, ready, NULL);
    return -choice->finish;
}

static double late_score(const struct cw_plan *plan, uint32_t task, const double *ready,
                         struct cw_choice *choice, const void *context)
{
    return -early_score(plan, task, ready, choice, context);
}

static double loss_score(const struct cw_plan *plan, uint32_t task, const double *ready,
                         struct cw_choice *choice, const void *context)
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

static enum cw_status plan_min_min(struct cw_plan *plan, const struct cw_policy_options *o,
                                   struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, early_score, true, NULL, err);
}

const struct cw_policy cw_policy_min_min = {
    .name = "min-min",
    .title = "of all ready tasks, the one that can finish first",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_min_min,
};

static enum cw_status plan_max_min(struct cw_plan *plan, const struct cw_policy_options *o,
                                   struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, late_score, false, NULL, err);
}

const struct cw_policy cw_policy_max_min = {
    .name = "max-min",
    .title = "of all ready tasks, the one that finishes last at best",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_max_min,
};

static enum cw_status plan_sufferage(struct cw_plan *plan, const struct cw_policy_options *o,
                                     struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, loss_score, false, NULL, err);
}

const struct cw_policy cw_policy_sufferage = {
    .name = "sufferage",
    .title = "of all ready tasks, the one that would lose most by its second choice",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_sufferage,
};
