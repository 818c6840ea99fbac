/* policy_ldcp.c - LDCP: the longest dynamic critical path first, each task where it finishes first. See
 * ldcp.h. */
#include "ldcp.h"
#include "policy.h"

static enum cw_status plan_ldcp(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    plan->insertion = o->insertion;
    return cw_ldcp_plan(plan, err);
}

const struct cw_policy cw_policy_ldcp = {
    .name = "ldcp",
    .title = "longest dynamic critical path first",
    .source = "Daoud, Kharma, JPDC 68(4), 2008",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_ldcp,
};
