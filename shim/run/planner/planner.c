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

static enum cw_status check_links(const struct cw_plan_device *slots, uint32_t count,
                                  const struct cw_run_rules *rules, struct cw_error *err)
{
    uint32_t spaces = rules->links ? rules->spaces : 1;

    for (uint32_t p = 0; p < count; p++)
        if (slots[p].space >= spaces)
            return cw_error_set(err, CW_ERR_INVALID, "device %u is on memory %u of %u", p, slots[p].space,
                                spaces);
    for (uint32_t a = 0; rules->links && a < spaces; a++)
        for (uint32_t b = 0; b < spaces; b++) {
            const struct cw_run_link *l = &rules->links[(size_t)a * spaces + b];
            if (a != b && (!cw_run_is_time(l->latency_ns) || !(l->bytes_per_ns > 0)))
                return cw_error_set(err, CW_ERR_INVALID,
                                    "from memory %u to %u: a latency of %g ns, %g bytes per ns", a, b,
                                    l->latency_ns, l->bytes_per_ns);
        }
    return CW_OK;
}

/* The links between slots, where there are several memories. False: memory is out. */
static bool keep_links(struct cw_run_planner *planner, const struct cw_plan_device *slots, uint32_t count,
                       const struct cw_run_rules *rules)
{
    planner->rules.links = NULL; /* the caller's */
    if (!rules->links || rules->spaces < 2)
        return true;
    planner->links = calloc((size_t)count * count, sizeof *planner->links);
    for (uint32_t p = 0; planner->links && p < count; p++)
        for (uint32_t q = 0; q < count; q++)
            if (slots[p].space != slots[q].space)
                planner->links[(size_t)p * count + q] =
                    rules->links[(size_t)slots[p].space * rules->spaces + slots[q].space];
    return planner->links;
}

/* latency[p]: from the end of a command on slot p to the start of another elsewhere. Policies know one
 * latency per sender: the longest of its links. bandwidth: count x count. */
static void describe_links(const struct cw_run_planner *planner, uint32_t count, double *latency,
                           double *bandwidth)
{
    for (uint32_t p = 0; p < count; p++) {
        double longest = 0;
        for (uint32_t q = 0; q < count; q++) {
            const struct cw_run_link *l = planner->links ? &planner->links[(size_t)p * count + q] : NULL;
            longest = l ? fmax(longest, l->latency_ns) : 0;
            bandwidth[(size_t)p * count + q] = l && l->bytes_per_ns > 0 ? l->bytes_per_ns : INFINITY;
        }
        latency[p] = nearbyint(planner->rules.wake_ns + longest);
    }
}

/* To the policies each slot has a memory of its own, from which even no bytes take wake_ns to another: that
 * is how they learn the cost of waiting for a command on another slot. */
static enum cw_status make_platform(struct cw_run_planner *planner, const struct cw_plan_device *slots,
                                    uint32_t count, struct cw_error *err)
{
    struct cw_device_spec *spec = calloc(count, sizeof *spec);
    double *latency = malloc(((size_t)count + 1) * count * sizeof *latency);
    enum cw_status status = CW_ERR_NOMEM;

    if (!spec || !latency)
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    for (uint32_t p = 0; spec && p < count; p++) {
        spec[p] = (struct cw_device_spec){.name = slots[p].name,
                                          .class_name = slots[p].class_name,
                                          .set_up = nearbyint(slots[p].handoff_ns + slots[p].set_up_ns)};
        if (planner->rules.wake_ns == 0 && !planner->links)
            spec[p].memory = "host";
        planner->handoff_ns[p] = slots[p].handoff_ns;
        planner->set_up_ns[p] = slots[p].set_up_ns;
    }
    if (spec && latency) {
        describe_links(planner, count, latency, latency + count);
        status = cw_platform_create(spec, count, latency + count, 0, latency, 0, &planner->platform, err);
    }
    free(latency);
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
    if (status == CW_OK)
        status = check_links(slots, count, rules, err);
    if (status != CW_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (made)
        made->handoff_ns = malloc(2 * (size_t)count * sizeof *made->handoff_ns);
    if (made)
        made->rules = *rules;
    if (!made || !made->handoff_ns || !keep_links(made, slots, count, rules)) {
        cw_run_planner_destroy(made);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    }
    made->set_up_ns = made->handoff_ns + count;
    made->shares = config->policy->sharing && config->policy->sharing(&config->options) != CW_SHARE_NEVER;
    made->config = *config;
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
    free(planner->links);
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
