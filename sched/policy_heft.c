/* policy_heft.c - HEFT: tasks by upward rank, each where it finishes first, insertion-based.
 *
 * Topcuoglu, Hariri, Wu: Performance-effective and low-complexity task scheduling for heterogeneous
 * computing, IEEE TPDS 13(3), 2002, figure 3. O(edges x devices + tasks x devices x log tasks). */
#include "list_order.h"
#include "policy.h"

#include <stdlib.h>

static enum cw_status plan_heft(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    uint32_t *order, count;
    enum cw_status status = cw_list_order_by_rank(plan, &order, &count, err);

    plan->insertion = o->insertion;
    if (status == CW_OK)
        status = cw_plan_place_in_order(plan, order, count, err);
    free(order);
    return status;
}

const struct cw_policy cw_policy_heft = {
    .name = "heft",
    .title = "earliest finish time, tasks by upward rank",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, figure 3",
    .takes = CW_TAKES(insertion),
    .plan = plan_heft,
};
