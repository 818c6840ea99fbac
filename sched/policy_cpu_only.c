/* policy_cpu_only.c - cpu-only: eager within the devices of class cpu. A baseline of Zhao, Li, Wang 2014. */
#include "dynamic_class.h"
#include "policy.h"

static enum cw_status plan_cpu_only(struct cw_plan *plan, const struct cw_policy_options *o,
                                    struct cw_error *err)
{
    (void)o;
    return cw_dynamic_plan_class(plan, "cpu", err);
}

const struct cw_policy cw_policy_cpu_only = {
    .name = "cpu-only",
    .title = "dynamic: one queue by priority, only devices of class cpu",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .commanding = true,
    .plan = plan_cpu_only,
};
