/* policy_dscls.c - DSCLS: the ready task of highest rank_u first, to the device that finishes it first,
 * transfers counted.
 *
 * Zhao, Li, Wang 2014. Its model learns as tasks end: measured costs replace means, and the priorities of
 * tasks that are not scheduled yet are computed anew. In a plan the costs are known, so that nothing is
 * learnt and priorities stay; a caller that measures plans again on a graph with the new costs. */
#include "dynamic.h"
#include "policy.h"

static uint32_t assign(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, true);
}

static enum cw_status plan_dscls(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = assign, .by_priority = true};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dscls = {
    .name = "dscls",
    .title = "dynamic: by priority to the device expected to finish first",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_dscls,
};
