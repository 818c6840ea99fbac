/* policy_max_min.c - max-min: of all ready tasks, the one whose earliest finish is the latest, where that is.
 *
 * Maheswaran et al. 1999, section 4, over the ready set of a graph, with transfers. */
#include "list_plan.h"
#include "policy.h"

static double score(const struct cw_plan *plan, uint32_t task, const double *ready, struct cw_choice *choice,
                    const void *context)
{
    (void)context;
    *choice = cw_plan_choose_from(plan, task, ready, NULL);
    return choice->finish;
}

static enum cw_status plan_max_min(struct cw_plan *plan, const struct cw_policy_options *o,
                                   struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_list_plan_by_score(plan, score, false, NULL, err);
}

const struct cw_policy cw_policy_max_min = {
    .name = "max-min",
    .title = "of all ready tasks, the one that finishes last at best",
    .source = "Maheswaran et al., JPDC 59(2), 1999",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_max_min,
};
