/* policy_hscgs.c - HSCGS: SCLS, then a genetic search over the devices; never worse than SCLS. See scls.h,
 * genetic.h. */
#include "genetic.h"
#include "scls.h"

static enum cw_status plan_hscgs(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    uint32_t base = plan->schedule->placed;
    enum cw_status status;

    plan->insertion = o->insertion;
    status = cw_scls_plan(plan, o, err);
    return status == CW_OK ? cw_genetic_improve(plan, base, o, err) : status;
}

const struct cw_policy cw_policy_hscgs = {
    .name = "hscgs",
    .title = "SCLS, improved by a genetic search",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .takes = CW_SCLS_TAKES | CW_GENETIC_TAKES,
    .plan = plan_hscgs,
};
