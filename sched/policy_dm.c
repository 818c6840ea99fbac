/* policy_dm.c - dm and dmda (deque model, data aware): each task, as it becomes ready, to the device that is
 * expected to finish it first, transfers not counted or counted; DSCLS: counted, the ready task of highest
 * rank_u first.
 *
 * StarPU's policies of these names; dm is a baseline of Zhao, Li, Wang 2014. The device's earlier tasks count
 * with the times that they really take, transfers included.
 *
 * DSCLS (Zhao, Li, Wang 2014): its model learns as tasks end: measured costs replace means, and the
 * priorities of tasks that are not scheduled yet are computed anew. In a plan the costs are known, so that
 * nothing is learnt and priorities stay; a caller that measures plans again on a graph with the new costs. */
#include "dynamic.h"
#include "policy.h"

static uint32_t without_transfers(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, false);
}

static uint32_t with_transfers(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, true);
}

static enum cw_status plan_dm(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = without_transfers};

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

static enum cw_status plan_dmda(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = with_transfers};

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

static enum cw_status plan_dscls(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = with_transfers, .by_priority = true};

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
