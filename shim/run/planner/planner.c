#include "profit.h"
#include "transfers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum cw_status check_planner(const struct cw_plan_device *devices, uint32_t count,
                                    const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                    struct cw_error *err)
{
    if (cw_policy_check_online(config->policy, err) != CW_OK)
        return CW_ERR_UNSUPPORTED;
    if (count == 0)
        return cw_error_set(err, CW_ERR_INVALID, "there is no device to plan for");
    for (uint32_t p = 0; p < count; p++)
        if (!cw_run_is_time(devices[p].handoff_ns) || !cw_run_is_time(devices[p].set_up_ns))
            return cw_error_set(
                err, CW_ERR_INVALID,
                "device %u: a hand-off takes %g ns, setting up %g ns; both must be finite and not negative",
                p, devices[p].handoff_ns, devices[p].set_up_ns);
    if (!cw_run_is_time(rules->wake_ns) || !cw_run_is_time(rules->planning_ns) ||
        !cw_run_is_time(rules->least_gain_ns) || !cw_run_is_time(rules->least_gain_share))
        return cw_error_set(err, CW_ERR_INVALID,
                            "the rules of the profit test must be finite and not negative");
    return CW_OK;
}

static bool is_link(const struct cw_plan_link *l)
{
    return cw_run_is_time(l->latency_ns) && l->bytes_per_ns > 0 && cw_run_is_time(l->error_share);
}

static enum cw_status check_spaces(const struct cw_plan_device *devices, uint32_t count,
                                   const struct cw_run_rules *rules, struct cw_error *err)
{
    uint32_t spaces = rules->space ? rules->spaces : 1;

    if (spaces > CW_RUN_PLAN_SPACES)
        return cw_error_set(err, CW_ERR_INVALID, "%u memories; at most %d are possible", spaces,
                            CW_RUN_PLAN_SPACES);
    for (uint32_t p = 0; p < count; p++)
        if (devices[p].space >= spaces)
            return cw_error_set(err, CW_ERR_INVALID, "device %u is on memory %u of %u", p, devices[p].space,
                                spaces);
    for (uint32_t s = 1; s < spaces; s++)
        if (!is_link(&rules->space[s].in) || !is_link(&rules->space[s].out))
            return cw_error_set(err, CW_ERR_INVALID,
                                "memory %u: a link's latency and error must be finite and not negative, its "
                                "rate above 0",
                                s);
    return CW_OK;
}

/* The memories, where devices are on several. False: memory is out. */
static bool keep_spaces(struct cw_run_planner *planner, const struct cw_plan_device *devices, uint32_t count,
                        const struct cw_run_rules *rules)
{
    bool several = false;

    planner->rules.space = NULL; /* the caller's */
    for (uint32_t p = 0; p < count; p++)
        several |= devices[p].space != 0;
    if (!several)
        return true;
    planner->space = malloc(rules->spaces * sizeof *planner->space);
    planner->space_of = malloc(count * sizeof *planner->space_of);
    if (!planner->space || !planner->space_of)
        return false;
    memcpy(planner->space, rules->space, rules->spaces * sizeof *planner->space);
    for (uint32_t p = 0; p < count; p++)
        planner->space_of[p] = devices[p].space;
    return true;
}

/* To the policies each device has a memory of its own, from which even no bytes take wake_ns to another: that
 * is how they learn the cost of waiting for a command on another device. */
static enum cw_status make_platform(struct cw_run_planner *planner, const struct cw_plan_device *devices,
                                    uint32_t count, struct cw_error *err)
{
    struct cw_device_spec *spec = calloc(count, sizeof *spec);
    double *latency = planner->space ? malloc(2 * (size_t)count * count * sizeof *latency) : NULL;
    enum cw_status status = CW_ERR_NOMEM;

    if (!spec || (planner->space && !latency))
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    for (uint32_t p = 0; spec && p < count; p++) {
        spec[p] = (struct cw_device_spec){.name = devices[p].name,
                                          .class_name = devices[p].class_name,
                                          .set_up = nearbyint(devices[p].handoff_ns + devices[p].set_up_ns)};
        if (planner->rules.wake_ns == 0 && !planner->space)
            spec[p].memory = "host";
        planner->handoff_ns[p] = devices[p].handoff_ns;
        planner->set_up_ns[p] = devices[p].set_up_ns;
    }
    if (spec && latency) {
        double *bandwidth = latency + (size_t)count * count;
        cw_run_transfers_links(planner, count, latency, bandwidth);
        status = cw_platform_create_pairs(spec, count, bandwidth, 0, latency, &planner->platform, err);
    } else if (spec && !planner->space) {
        status = cw_platform_create(spec, count, NULL, INFINITY, NULL, nearbyint(planner->rules.wake_ns),
                                    &planner->platform, err);
    }
    free(latency);
    free(spec);
    return status;
}

enum cw_status cw_run_planner_create(const struct cw_plan_device *devices, uint32_t count,
                                     const struct cw_run_rules *rules, const struct cw_policy_config *config,
                                     struct cw_run_planner **planner, struct cw_error *err)
{
    struct cw_run_planner *made = NULL;
    enum cw_status status = check_planner(devices, count, rules, config, err);

    *planner = NULL;
    if (status == CW_OK)
        status = check_spaces(devices, count, rules, err);
    if (status != CW_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (made)
        made->handoff_ns = malloc(2 * (size_t)count * sizeof *made->handoff_ns);
    if (made)
        made->rules = *rules;
    if (!made || !made->handoff_ns || !keep_spaces(made, devices, count, rules)) {
        cw_run_planner_destroy(made);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", count);
    }
    made->set_up_ns = made->handoff_ns + count;
    made->shares = config->policy->sharing && config->policy->sharing(&config->options) != CW_SHARE_NEVER;
    made->config = *config;
    made->asked = rules->always || config->policy->commanding;
    made->earliest = config->policy->earliest;
    status = make_platform(made, devices, count, err);
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
    free(planner->space);
    free(planner->space_of);
    free(planner);
}

uint64_t cw_run_planner_holds(const struct cw_run_planner *planner, const struct cw_plan_piece *piece,
                              uint32_t count)
{
    uint64_t bytes = 0, devices = 0;

    for (uint32_t k = 0; k < count; k++) {
        bool counted = false;
        for (uint32_t n = 0; n < k && !counted; n++)
            counted = piece[n].root == piece[k].root;
        bytes += counted ? 0 : piece[k].root_bytes;
    }
    for (uint32_t p = 0; p < planner->platform->devices; p++) {
        uint64_t capacity = planner->space ? planner->space[planner->space_of[p]].capacity : 0;
        if (capacity == 0 || bytes <= capacity)
            devices |= UINT64_C(1) << p;
    }
    return devices;
}

double cw_run_planner_fetch_ns(const struct cw_run_planner *planner, const struct cw_plan_piece *piece,
                               uint32_t count, uint32_t p)
{
    uint32_t to = planner->space ? planner->space_of[p] : 0, from;
    double ns = 0, bytes;

    for (uint32_t k = 0; k < count && planner->space; k++) {
        bytes = cw_run_transfers_bytes(planner->space, &piece[k], to, &from);
        ns += bytes > 0 ? cw_run_transfers_ns(planner->space, from, to, bytes, 0) : 0;
    }
    return ns;
}

double cw_run_planner_return_ns(const struct cw_run_planner *planner, double bytes, uint32_t p)
{
    return planner->space && bytes > 0
               ? cw_run_transfers_ns(planner->space, planner->space_of[p], 0, bytes, 0)
               : 0;
}

bool cw_run_planner_shares(const struct cw_run_planner *planner)
{
    return planner->shares;
}
