#include "policy_args.h"

#include <stdlib.h>
#include <string.h>

void cw_policy_args_finish(struct cw_policy_args *a)
{
    free(a->config);
    free(a->label);
    *a = (struct cw_policy_args){0};
}

/* For one more. */
static bool make_room(struct cw_policy_args *a)
{
    struct cw_policy_config *config = realloc(a->config, (a->count + 1) * sizeof *config);
    char(*label)[sizeof *a->label];

    a->config = config ? config : a->config;
    label = config ? realloc(a->label, (a->count + 1) * sizeof *label) : NULL;
    a->label = label ? label : a->label;
    return label != NULL;
}

static enum cw_status add(struct cw_policy_args *a, const char *text, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    if (strcmp(text, "all") == 0) {
        /* the message lists the options that it takes */
        for (size_t p = 0; cw_policies[p] && status == CW_OK; p++)
            status = add(a, cw_policies[p]->name, err);
        return status;
    }
    if (!make_room(a))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu policies", a->count + 1);
    snprintf(a->label[a->count], sizeof *a->label, "%s", text);
    return cw_policy_parse(&a->config[a->count++], text, err);
}

enum cw_status cw_policy_args_add(struct cw_policy_args *a, const struct cw_cli_list *list,
                                  const char *fallback, int64_t seed, struct cw_error *err)
{
    enum cw_status status = list->count ? CW_OK : add(a, fallback, err);

    for (size_t k = 0; k < list->count && status == CW_OK; k++)
        status = add(a, list->word[k], err);
    for (size_t k = 0; k < a->count; k++)
        a->config[k].seed = seed < 0 ? 0 : (uint64_t)seed;
    return status;
}

enum cw_status cw_policy_args_set(struct cw_policy_args *a, const char *name, const char *value,
                                  struct cw_error *err)
{
    enum cw_status status = CW_OK;
    bool taken = false;

    for (size_t k = 0; k < a->count && status == CW_OK; k++)
        if (cw_policy_takes(a->config[k].policy, name)) {
            size_t used = strlen(a->label[k]);
            status = cw_policy_set(&a->config[k], name, value, err);
            taken = true;
            snprintf(a->label[k] + used, sizeof *a->label - used, "%c%s%s%s",
                     strchr(a->label[k], ':') ? ',' : ':', name, strcmp(value, "on") ? "=" : "",
                     strcmp(value, "on") ? value : "");
        }
    if (status == CW_OK && !taken)
        status = cw_policy_set(&a->config[0], name, value, err);
    return status;
}

void cw_policy_args_print(FILE *f)
{
    static const char *const options[] = {
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) name,
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
        NULL};

    for (size_t p = 0; cw_policies[p]; p++) {
        bool any = false;
        fprintf(f, "%-10s %s\n%-10s %s\n", cw_policies[p]->name, cw_policies[p]->title, "",
                cw_policies[p]->source);
        for (size_t o = 0; options[o]; o++)
            if (cw_policy_takes(cw_policies[p], options[o])) {
                fprintf(f, any ? " %s" : "           options: %s", options[o]);
                any = true;
            }
        if (any)
            fputc('\n', f);
    }
}
