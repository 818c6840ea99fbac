/* policy_eager.c - eager: one queue by rank_u; an idle device takes the first task that it can run.
 *
 * Zhao, Li, Wang 2014: "one priority queue, device at random": of several idle devices a random one takes
 * first; the plan's seed decides. */
#include "dynamic.h"
#include "policy.h"

static enum cw_status plan_eager(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.by_priority = true, .shuffled = true};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_eager = {
    .name = "eager",
    .title = "dynamic: one queue by priority, idle devices take from it",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_eager,
};
