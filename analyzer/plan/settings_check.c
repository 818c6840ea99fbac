/* settings_check.c - see platform_file.h. */
#include "platform_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../sched/adaptive.h"
#include "../../sched/policy.h"
#include "../settings/device_list.h"

static enum cw_status check_callsites(const char *value, struct cw_error *err)
{
    if (cw_options_callsites(value) >= 0)
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "option callsites: '%s' is not off, leaf or a number up to %d",
                        value, CW_CALLSITES_MAX);
}

static enum cw_status check_out(const char *value, struct cw_error *err)
{
    char path[PATH_MAX];

    if (!*value)
        return cw_error_set(err, CW_ERR_INVALID, "--out: the name of the trace is empty");
    return cw_options_expand(value, "", 0, path, sizeof path, err);
}

static enum cw_status check_limit(const char *value, struct cw_error *err)
{
    if (cw_options_limit(value) != UINT64_MAX)
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID,
                        "--limit: '%.60s' is no size of %d MiB or more, such as 500M or 2G", value,
                        CW_LIMIT_BYTES >> 20);
}

static enum cw_status check_device_times(const char *value, struct cw_error *err)
{
    struct cw_device_times_choice choice;

    if (cw_options_device_times(value, &choice))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID,
                        "--device-times: '%.60s' is not on, off, all or every:N with N from 1 to %d", value,
                        CW_DEVICE_TIMES_EVERY);
}

static enum cw_status check_log(const char *value, struct cw_error *err)
{
    const char *file = strchr(value, ':');
    char path[PATH_MAX];

    if (cw_options_log_level(value) < 0)
        return cw_error_set(err, CW_ERR_INVALID,
                            "--log: '%s' does not begin with error, warning, info or debug", value);
    return file ? cw_options_expand(file + 1, "", 0, path, sizeof path, err) : CW_OK;
}

static enum cw_status check_policy(const char *value, struct cw_error *err)
{
    struct cw_policy_config config;
    enum cw_status status = cw_policy_parse(&config, value, err);

    return status == CW_OK ? cw_policy_check_online(config.policy, err) : status;
}

static enum cw_status check_devices(const char *value, struct cw_error *err)
{
    struct cw_device_list list;

    return cw_device_list_parse(value, &list, err);
}

static enum cw_status check_dsp(const char *value, struct cw_error *err)
{
    long n = strtol(value, NULL, 10); /* a number: that was checked */

    if (n >= 0 && n <= CW_HELPERS_MAX)
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--dsp: %ld devices; from 0 to %d are possible", n,
                        CW_HELPERS_MAX);
}

/* As the emulator will: the platform must have a device of class dsp. */
static enum cw_status check_dsp_platform(const char *value, struct cw_error *err)
{
    struct cw_platform_model *model;
    enum cw_status status = cw_platform_model_load(value, -1, &model, err);
    const struct cw_platform *p;
    bool found = false;

    if (status != CW_OK)
        return status;
    p = cw_platform_model_platform(model);
    for (uint32_t d = 0; d < p->devices; d++)
        found |= !strcmp(p->device[d].class_name, "dsp");
    cw_platform_model_destroy(model);
    return found ? CW_OK
                 : cw_error_set(err, CW_ERR_INVALID,
                                "option dsp_platform: the platform %s has no device of class dsp", value);
}

static enum cw_status check_history(const char *value, struct cw_error *err)
{
    struct stat st;

    if (!*value || stat(value, &st) != 0 || S_ISREG(st.st_mode))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--history: %s is not a file; give a file, or off", value);
}

static enum cw_status check_blocks_n(const char *value, struct cw_error *err)
{
    if (strtol(value, NULL, 10) >= 0) /* a number: that was checked */
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--blocks-n: %s is below 0", value);
}

static enum cw_status check_exchange(const char *value, struct cw_error *err)
{
    size_t digits = strspn(value, "0123456789");

    if (!strcmp(value, "auto") || (digits && digits < 8 && !value[digits] && strtol(value, NULL, 10) > 0))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "option exchange: '%s' is neither auto nor a number from 1 on",
                        value);
}

static enum cw_status check_group_tile(const char *value, struct cw_error *err)
{
    unsigned tile, data;
    char rest;

    if (!*value || (sscanf(value, "%7u:%7u%c", &tile, &data, &rest) == 2 && tile && data))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--group-tile: '%s' is not two numbers of KiB, as 512:1280",
                        value);
}

static enum cw_status check_group_reuse(const char *value, struct cw_error *err)
{
    char *end;
    double theta = strtod(value, &end);

    if (!*value || (end != value && !*end && theta > 0 && theta < 1e9))
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "--group-reuse: '%s' is not a number above 0, as 1.5", value);
}

static enum cw_status check_ratio(const char *value, struct cw_error *err)
{
    double ratio[CW_ADAPTIVE_DEVICES];
    uint32_t n;

    return *value ? cw_adaptive_read_ratio(value, ratio, &n, err) : CW_OK;
}

enum cw_status cw_settings_check(const struct cw_option_info *info, const char *value, struct cw_error *err)
{
    static const struct {
        size_t offset;
        enum cw_status (*check)(const char *value, struct cw_error *err);
    } checks[] = {
        {offsetof(struct cw_options, out), check_out},
        {offsetof(struct cw_options, callsites), check_callsites},
        {offsetof(struct cw_options, limit), check_limit},
        {offsetof(struct cw_options, device_times), check_device_times},
        {offsetof(struct cw_options, policy), check_policy},
        {offsetof(struct cw_options, blocks_n), check_blocks_n},
        {offsetof(struct cw_options, exchange), check_exchange},
        {offsetof(struct cw_options, ratio), check_ratio},
        {offsetof(struct cw_options, group_reuse), check_group_reuse},
        {offsetof(struct cw_options, group_tile), check_group_tile},
        {offsetof(struct cw_options, devices), check_devices},
        {offsetof(struct cw_options, dsp), check_dsp},
        {offsetof(struct cw_options, dsp_platform), check_dsp_platform},
        {offsetof(struct cw_options, history), check_history},
        {offsetof(struct cw_options, log), check_log},
    };
    struct cw_options scratch;
    enum cw_status status = cw_options_init(&scratch, err);

    if (status == CW_OK)
        status = cw_options_set(&scratch, info, value, err);
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == CW_OK; i++)
        if (checks[i].offset == info->offset)
            status = checks[i].check(value, err);
    cw_options_finish(&scratch);
    return status;
}
