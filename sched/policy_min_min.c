/* policy_min_min.c - min-min: of all ready tasks, the one that can finish first, where it does.
 *
 * Ibarra and Kim 1977; Maheswaran et al. 1999, section 4, over the ready set of a graph, with transfers. */
#include "list_plan.h"
#include "policy.h"

static double score(const struct cw_plan *plan, uint32_t task, const double *ready, struct cw_choice *choice,
                    const void *context)
{
    (void)context;
    *choice = cw_plan_choose_from(plan, task, ready, NULL);
    return -choice->finish;
}

static enum cw_status plan_min_min(struct cw_plan *plan, const struct cw_policy_options *o,
                                   struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, score, true, NULL, err);
}

const struct cw_policy cw_policy_min_min = {
    .name = "min-min",
    .title = "of all ready tasks, the one that can finish first",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_min_min,
};
