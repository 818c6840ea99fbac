/* policy_h2gs.c - H2GS: LDCP, then a genetic search over the devices.
 *
 * Daoud, Kharma: A hybrid heuristic-genetic algorithm for task scheduling in heterogeneous processor
 * networks, JPDC 71(11), 2011. A reconstruction: the search is that of genetic.h, in LDCP's order, seeded
 * with LDCP's devices. */
#include "genetic.h"
#include "ldcp.h"

static enum cw_status plan_h2gs(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    uint32_t base = plan->schedule->placed;
    enum cw_status status;

    plan->insertion = o->insertion;
    status = cw_ldcp_plan(plan, err);
    return status == CW_OK ? cw_genetic_improve(plan, base, o, err) : status;
}

const struct cw_policy cw_policy_h2gs = {
    .name = "h2gs",
    .title = "LDCP, improved by a genetic search",
    .source = "Daoud, Kharma, JPDC 71(11), 2011",
    .takes = CW_TAKES(insertion) | CW_GENETIC_TAKES,
    .offline = true,
    .plan = plan_h2gs,
};
