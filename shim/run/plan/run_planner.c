#include "run_profit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool policy_among(const struct cw_policy *policy, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(policy->name, *names) == 0)
            return true;
    return false;
}

static enum cw_status check_planner(const struct cw_run_slot *slots, uint32_t count,
                                    const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                    struct cw_error *err)
{
    if (cw_policy_check_online(config->policy, err) != CW_OK)
        return CW_ERR_UNSUPPORTED;
    if (count == 0)
        return cw_error_set(err, CW_ERR_INVALID, "there is no device to plan for");
    for (uint32_t p = 0; p < count; p++)
        if (!cw_run_is_time(slots[p].handoff_ns))
            return cw_error_set(err, CW_ERR_INVALID,
                                "device %u: a hand-off takes %g ns; it must be finite and not negative", p,
                                slots[p].handoff_ns);
    if (!cw_run_is_time(rules->wake_ns) || !cw_run_is_time(rules->planning_ns) ||
        !cw_run_is_time(rules->least_gain_ns) || !cw_run_is_time(rules->least_gain_share))
        return cw_error_set(err, CW_ERR_INVALID,
                            "the rules of the profit test must be finite and not negative");
    return CW_OK;
}

/* Each slot has a memory of its own, between which data travel in wake_ns whatever their size: that is how
 * the policies learn what it costs to wait for a command on another slot. */
static enum cw_status make_platform(struct cw_run_planner *planner, const struct cw_run_slot *slots,
                                    uint32_t count, struct cw_error *err)
{
    struct cw_device_spec *spec = calloc(count, sizeof *spec);
    enum cw_status status;

    if (!spec)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    for (uint32_t p = 0; p < count; p++) {
        spec[p] = (struct cw_device_spec){.name = slots[p].name, .class_name = slots[p].class_name};
        if (planner->rules.wake_ns == 0)
            spec[p].memory = "host";
        planner->handoff_ns[p] = slots[p].handoff_ns;
    }
    status = cw_platform_create(spec, count, NULL, INFINITY, NULL, nearbyint(planner->rules.wake_ns),
                                &planner->platform, err);
    free(spec);
    return status;
}

enum cw_status cw_run_planner_create(const struct cw_run_slot *slots, uint32_t count,
                                     const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                     struct cw_run_planner **planner, struct cw_error *err)
{
    static const char *const commanding[] = {"chaos", "random", "cpu-only", "gpu-only", "dsp-only", NULL};
    static const char *const earliest[] = {"heft", "dm", "dmda", NULL};
    struct cw_run_planner *made = NULL;
    enum cw_status status = check_planner(slots, count, rules, config, err);

    *planner = NULL;
    if (status != CW_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (made)
        made->handoff_ns = malloc(count * sizeof *made->handoff_ns);
    if (!made || !made->handoff_ns) {
        cw_run_planner_destroy(made);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    }
    made->config = *config;
    made->rules = *rules;
    made->asked = rules->always || policy_among(config->policy, commanding);
    made->earliest = policy_among(config->policy, earliest);
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

uint32_t cw_run_planner_tasks_max(const struct cw_run_planner *planner)
{
    static const char *const quadratic[] = {"dls", "min-min", "max-min", "sufferage", "ldcp", NULL};

    return policy_among(planner->config.policy, quadratic) ? 512 : 65536;
}
