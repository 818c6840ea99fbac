/* policy_ws.c - ws (work stealing): a task goes to the device that released it, an idle device steals from
 * the most loaded.
 *
 * StarPU's policy of that name; Zhao, Li, Wang 2014: "to the device that runs the scheduler", which is the
 * one whose task ended last of the predecessors. Entry tasks, which no device released, are dealt out in
 * turn. A device that cannot run a task that it released hands it to the next device that can. Queues are
 * first come, first served; the most loaded is the one with the most tasks of those that hold something for
 * the thief, lowest id on ties. */
#include "dynamic.h"
#include "policy.h"

static uint32_t enqueue(struct cw_dynamic *d, uint32_t task, const void *context)
{
    uint32_t q = d->plan->graph->devices, to = d->freed[task];

    (void)context;
    if (to == CW_SCHED_NONE)
        to = d->turn++ % q;
    while (!cw_dynamic_may(d, task, to))
        to = (to + 1) % q;
    return to;
}

static uint32_t source(struct cw_dynamic *d, uint32_t device, const void *context)
{
    uint32_t from = device;

    (void)context;
    if (d->queue[device].count)
        return device; /* enqueue() put nothing there that the device cannot run */
    for (uint32_t k = 0; k < d->plan->graph->devices; k++)
        if (d->queue[k].count > d->queue[from].count && cw_dynamic_find(d, k, device) != CW_SCHED_NONE)
            from = k;
    return from;
}

static enum cw_status plan_ws(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.enqueue = enqueue, .source = source};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_ws = {
    .name = "ws",
    .title = "dynamic: queues per device, idle devices steal",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_ws,
};
