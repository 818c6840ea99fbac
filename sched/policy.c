#include "policy.h"
#include "nearest_word.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CW_POLICY(name) extern const struct cw_policy cw_policy_##name;
#include "policy_list.inc"
#undef CW_POLICY

const struct cw_policy *const cw_policies[] = {
#define CW_POLICY(name) &cw_policy_##name,
#include "policy_list.inc"
#undef CW_POLICY
    NULL};

#define POLICY_COUNT (sizeof cw_policies / sizeof *cw_policies - 1)

const struct cw_policy *cw_policy_find(const char *name)
{
    for (const struct cw_policy *const *p = cw_policies; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

/* Appends `separator` and `word` to a message under construction, as far as it fits. */
static void append(char *text, size_t size, const char *separator, const char *word)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used ? separator : "", word);
}

static enum cw_status unknown_policy(const char *name, struct cw_error *err)
{
    const char *names[POLICY_COUNT + 1] = {0}, *near;
    char list[320] = "";

    for (size_t k = 0; k < POLICY_COUNT; k++) {
        names[k] = cw_policies[k]->name;
        append(list, sizeof list, ", ", names[k]);
    }
    near = cw_nearest_word(name, names);
    return cw_error_set(err, CW_ERR_NOTFOUND, "unknown policy \"%.60s\"%s%s%s; the policies are: %s", name,
                        near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", list);
}

/* ---- options */

enum kind { FLAG, SWITCH, COUNT, NUMBER, SHARE };

struct option {
    const char *name;
    enum kind kind;
    size_t offset;
};

static const struct option options[] = {
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help)                                         \
    {name, kind, offsetof(struct cw_policy_options, field)},
#include "policy_options.inc"
#undef CW_POLICY_OPTION
};

static const struct cw_policy_options defaults = {
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) .field = initial,
#include "policy_options.inc"
#undef CW_POLICY_OPTION
};

_Static_assert(CW_POLICY_OPTION_COUNT <= 64, "cw_policy.takes has 64 bits");

static const struct option *find_option(const struct cw_policy *policy, const char *name)
{
    for (size_t k = 0; k < CW_POLICY_OPTION_COUNT; k++)
        if ((policy->takes >> k & 1) && strcmp(options[k].name, name) == 0)
            return &options[k];
    return NULL;
}

bool cw_policy_takes(const struct cw_policy *policy, const char *name)
{
    return find_option(policy, name) != NULL;
}

static enum cw_status unknown_option(const struct cw_policy *policy, const char *name, struct cw_error *err)
{
    char list[320] = "";

    for (size_t k = 0; k < CW_POLICY_OPTION_COUNT; k++)
        if (policy->takes >> k & 1)
            append(list, sizeof list, ", ", options[k].name);
    return cw_error_set(err, CW_ERR_NOTFOUND, "policy %s has no option \"%.60s\"; %s%s", policy->name, name,
                        *list ? "its options are: " : "it takes none", list);
}

void cw_policy_config_init(struct cw_policy_config *config, const struct cw_policy *policy)
{
    *config = (struct cw_policy_config){.policy = policy, .options = defaults};
}

static bool parse_flag(const char *value, bool *flag)
{
    static const char *const on[] = {"on", "yes", "true", "1"}, *const off[] = {"off", "no", "false", "0"};

    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
        if (!value || strcmp(value, on[k]) == 0)
            return *flag = true;
        if (strcmp(value, off[k]) == 0)
            return *flag = false, true;
    }
    return false;
}

static bool parse_number(const char *value, double *number)
{
    char *end;

    if (!value || !*value)
        return false;
    errno = 0;
    *number = strtod(value, &end);
    return *end == '\0' && errno == 0 && *number >= 0 && !isinf(*number);
}

/* Sets one option. value NULL means "on" for flags and switches; they take on, off, yes, no, true, false, 1,
 * 0. Errors: CW_ERR_NOTFOUND (this policy has no such option: the message lists those it has), CW_ERR_INVALID
 * (bad value). */
enum cw_status cw_policy_set(struct cw_policy_config *config, const char *name, const char *value,
                             struct cw_error *err)
{
    static const char *const wanted[] = {"on or off", "on or off", "a whole number from 0 on",
                                         "a number from 0 on", "a number from 0 to 1"};
    const struct option *o = find_option(config->policy, name);
    char *entry = (char *)&config->options;
    double number = 0;
    bool flag = false, good;

    if (!o)
        return unknown_option(config->policy, name, err);
    entry += o->offset;
    good = o->kind <= SWITCH ? parse_flag(value, &flag) : parse_number(value, &number);
    if ((o->kind == COUNT && !cw_whole_is(number, 0x1p53)) || (o->kind == SHARE && number > 1))
        good = false;
    if (!good)
        return cw_error_set(err, CW_ERR_INVALID, "option %s of policy %s takes %s, not \"%.60s\"", name,
                            config->policy->name, wanted[o->kind], value ? value : "");
    if (o->kind <= SWITCH)
        *(bool *)entry = flag;
    else if (o->kind == COUNT)
        *(uint64_t *)entry = cw_whole_from(number, UINT64_MAX);
    else
        *(double *)entry = number;
    return CW_OK;
}

enum cw_status cw_policy_check_online(const struct cw_policy *policy, struct cw_error *err)
{
    if (!policy->offline)
        return CW_OK;
    return cw_error_set(
        err, CW_ERR_UNSUPPORTED,
        "policy %s searches for seconds, which a running program cannot wait for; use it with "
        "`clweave replay`",
        policy->name);
}

enum cw_status cw_policy_parse(struct cw_policy_config *config, const char *text, struct cw_error *err)
{
    const char *colon = strchr(text, ':');
    char *copy = strdup(text), *rest, *item, *save = NULL;
    const struct cw_policy *policy;
    enum cw_status status = CW_OK;

    if (!copy)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    rest = colon ? copy + (colon - text) : copy + strlen(copy);
    if (colon)
        *rest++ = '\0';
    policy = cw_policy_find(copy);
    if (!policy)
        status = unknown_policy(copy, err);
    else
        cw_policy_config_init(config, policy);
    for (item = strtok_r(rest, ",", &save); item && status == CW_OK; item = strtok_r(NULL, ",", &save)) {
        char *value = strchr(item, '=');
        if (value)
            *value++ = '\0';
        status = cw_policy_set(config, item, value, err);
    }
    free(copy);
    return status;
}

/* ---- running */

/* The shares that a program put into the options itself. */
static enum cw_status check_shares(const struct cw_policy_config *config, struct cw_error *err)
{
    for (size_t k = 0; k < CW_POLICY_OPTION_COUNT; k++) {
        double x = options[k].kind == SHARE
                       ? *(const double *)((const char *)&config->options + options[k].offset)
                       : 0;
        if ((config->policy->takes >> k & 1) && !(x >= 0 && x <= 1))
            return cw_error_set(err, CW_ERR_INVALID,
                                "option %s of policy %s takes a number from 0 to 1, not %g", options[k].name,
                                config->policy->name, x);
    }
    return CW_OK;
}

enum cw_status cw_policy_run(const struct cw_policy_config *config, const struct cw_graph *g,
                             const struct cw_platform *p, struct cw_schedule **schedule, struct cw_error *err)
{
    struct cw_plan plan;
    enum cw_status status = check_shares(config, err);

    *schedule = NULL;
    if (status != CW_OK)
        return status;
    status = cw_plan_init(&plan, g, p, err);
    if (status == CW_OK) {
        plan.seed = config->seed;
        status = config->policy->plan(&plan, &config->options, err);
    }
    if (status == CW_OK) {
        *schedule = plan.schedule;
        plan.schedule = NULL;
    }
    cw_plan_finish(&plan);
    return status;
}

enum cw_sharing cw_policy_sharing(const struct cw_policy_config *config)
{
    return config->policy->sharing ? config->policy->sharing(&config->options) : CW_SHARE_NEVER;
}
