/* policy_random.c - random: each task, as it becomes ready, to a random device that can run it.
 *
 * Zhao, Li, Wang 2014: "one FIFO, device at random". Every device equally likely; the plan's seed decides. */
#include "dynamic.h"
#include "policy.h"
#include "random.h"

static uint32_t assign(struct cw_dynamic *d, uint32_t task, const void *context)
{
    uint32_t able = 0, pick;

    (void)context;
    for (uint32_t p = 0; p < d->plan->graph->devices; p++)
        able += cw_dynamic_may(d, task, p);
    pick = (uint32_t)cw_random_below(&d->random, able);
    for (uint32_t p = 0;; p++)
        if (cw_dynamic_may(d, task, p) && pick-- == 0)
            return p;
}

static enum cw_status plan_random(struct cw_plan *plan, const struct cw_policy_options *o,
                                  struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = assign};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_random = {
    .name = "random",
    .title = "dynamic: to a random device",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .commanding = true,
    .plan = plan_random,
};
