/* policy_dmda.c - dmda (deque model, data aware): each task, as it becomes ready, to the device that is
 * expected to finish it first, transfers counted. StarPU's policy of that name. */
#include "dynamic.h"
#include "policy.h"

static uint32_t assign(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, true);
}

static enum cw_status plan_dmda(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = assign};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dmda = {
    .name = "dmda",
    .title = "dynamic: to the device expected to finish first, transfers counted",
    .source = "StarPU",
    .dynamic = true,
    .earliest = true,
    .plan = plan_dmda,
};
