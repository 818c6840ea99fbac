#include "profit.h"

#include <math.h>
#include <stdlib.h>

static enum cw_status check_planner(const struct cw_plan_device *slots, uint32_t count,
                                    const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                    struct cw_error *err)
{
    if (cw_policy_check_online(config->policy, err) != CW_OK)
        return CW_ERR_UNSUPPORTED;
    if (count == 0)
        return cw_error_set(err, CW_ERR_INVALID, "there is no device to plan for");
    for (uint32_t p = 0; p < count; p++)
        if (!cw_run_is_time(slots[p].handoff_ns) || !cw_run_is_time(slots[p].set_up_ns))
            return cw_error_set(
                err, CW_ERR_INVALID,
                "device %u: a hand-off takes %g ns, setting up %g ns; both must be finite and not negative",
                p, slots[p].handoff_ns, slots[p].set_up_ns);
    if (!cw_run_is_time(rules->wake_ns) || !cw_run_is_time(rules->planning_ns) ||
        !cw_run_is_time(rules->least_gain_ns) || !cw_run_is_time(rules->least_gain_share))
        return cw_error_set(err, CW_ERR_INVALID,
                            "the rules of the profit test must be finite and not negative");
    return CW_OK;
}

/* Each slot has a memory of its own, between which data travel in wake_ns whatever their size: that is how
 * the policies learn what it costs to wait for a command on another slot. */
static enum cw_status make_platform(struct cw_run_planner *planner, const struct cw_plan_device *slots,
                                    uint32_t count, struct cw_error *err)
{
    struct cw_device_spec *spec = calloc(count, sizeof *spec);
    enum cw_status status;

    if (!spec)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    for (uint32_t p = 0; p < count; p++) {
        spec[p] = (struct cw_device_spec){.name = slots[p].name,
                                          .class_name = slots[p].class_name,
                                          .set_up = nearbyint(slots[p].handoff_ns + slots[p].set_up_ns)};
        if (planner->rules.wake_ns == 0)
            spec[p].memory = "host";
        planner->handoff_ns[p] = slots[p].handoff_ns;
        planner->set_up_ns[p] = slots[p].set_up_ns;
    }
    status = cw_platform_create(spec, count, NULL, INFINITY, NULL, nearbyint(planner->rules.wake_ns),
                                &planner->platform, err);
    free(spec);
    return status;
}

enum cw_status cw_run_planner_create(const struct cw_plan_device *slots, uint32_t count,
                                     const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                     struct cw_run_planner **planner, struct cw_error *err)
{
    struct cw_run_planner *made = NULL;
    enum cw_status status = check_planner(slots, count, rules, config, err);

    *planner = NULL;
    if (status != CW_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (made)
        made->handoff_ns = malloc(2 * (size_t)count * sizeof *made->handoff_ns);
    if (!made || !made->handoff_ns) {
        cw_run_planner_destroy(made);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    }
    made->set_up_ns = made->handoff_ns + count;
    made->shares = config->policy->sharing && config->policy->sharing(&config->options) != CW_SHARE_NEVER;
    made->config = *config;
    made->rules = *rules;
    made->asked = rules->always || config->policy->commanding;
    made->earliest = config->policy->earliest;
    status = make_platform(made, slots, count, err);
    if (status == CW_OK)
        *planner = made;
    else
        cw_run_planner_destroy(made);
    return status;
}

void cw_run_planner_destroy(struct cw_run_planner *planner)
{
    if (!planner)
        return;
    cw_platform_destroy(planner->platform);
    free(planner->handoff_ns);
    free(planner);
}

bool cw_run_planner_shares(const struct cw_run_planner *planner)
{
    return planner->shares;
}

uint32_t cw_run_planner_tasks_max(const struct cw_run_planner *planner)
{
    return planner->config.policy->quadratic ? 512 : 65536;
}
