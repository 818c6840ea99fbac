/* policy_dm.c - dm (deque model): each task, as it becomes ready, to the device that is expected to finish it
 * first, transfers not counted.
 *
 * StarPU's policy of that name; a baseline of Zhao, Li, Wang 2014. The device's earlier tasks count with the
 * times that they really take, transfers included. */
#include "dynamic.h"
#include "policy.h"

static uint32_t assign(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, false);
}

static enum cw_status plan_dm(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = assign};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dm = {
    .name = "dm",
    .title = "dynamic: to the device expected to finish first, transfers not counted",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .earliest = true,
    .plan = plan_dm,
};
