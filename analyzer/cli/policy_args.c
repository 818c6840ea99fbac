#include "plan_source.h"

#include <stdlib.h>
#include <string.h>

void cw_policy_args_finish(struct cw_policy_args *a)
{
    free(a->config);
    free(a->label);
    *a = (struct cw_policy_args){0};
}

static enum cw_status add(struct cw_policy_args *a, const char *text, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    if (strcmp(text, "all") == 0) {
        for (size_t p = 0; cw_policies[p] && status == CW_OK; p++)
            status = add(a, cw_policies[p]->name, err);
        return status;
    }
    a->label[a->count] = text;
    return cw_policy_parse(&a->config[a->count++], text, err);
}

enum cw_status cw_policy_args_add(struct cw_policy_args *a, const struct cw_cli_list *list,
                                  const char *fallback, int64_t seed, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    size_t most = 0;

    while (cw_policies[most])
        most++;
    most *= list->count + 1; /* each word may be `all` */
    a->config = calloc(most, sizeof *a->config);
    a->label = calloc(most, sizeof *a->label);
    if (!a->config || !a->label)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu policies", most);
    if (!list->count)
        status = add(a, fallback, err);
    for (size_t k = 0; k < list->count && status == CW_OK; k++)
        status = add(a, list->word[k], err);
    for (size_t k = 0; k < a->count; k++)
        a->config[k].seed = seed < 0 ? 0 : (uint64_t)seed;
    return status;
}

/* Options, and what they are about, in the words of --list-policies; those of `groups` are no policy's. */
static const struct {
    const char *name, *argument, *help;
} options[] = {
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) {name, argument, help},
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
    {"height", "H", "groups: steps with neighbours in a block (default: what fits)"},
    {"width", "GW", "groups: tiles side by side in a group (default: by the model)"},
    {"tiles", "N", "groups: tiles of a launch, at most (default 128)"},
    {"dims", "N", "groups: dimensions in which launches of a trace are cut, 1 to 3 (default 1, as run does)"},
    {"cache", "BYTES", "groups: the cache to count on, as 16M (default: half of this machine's last level)"},
};
enum { OPTIONS = sizeof options / sizeof *options };

void cw_policy_args_print(FILE *f)
{
    for (size_t p = 0; cw_policies[p]; p++) {
        bool any = false;
        fprintf(f, "%-10s %s\n%-10s %s\n", cw_policies[p]->name, cw_policies[p]->title, "",
                cw_policies[p]->source);
        for (size_t o = 0; o < OPTIONS; o++)
            if (cw_policy_takes(cw_policies[p], options[o].name)) {
                fprintf(f, any ? " %s" : "           options: %s", options[o].name);
                any = true;
            }
        if (any)
            fputc('\n', f);
    }
    fputs("groups     for replay: an order of tiles that saves memory traffic\n\n"
          "Options, written as NAME:OPTION=VALUE,...:\n",
          f);
    for (size_t o = 0; o < OPTIONS; o++) {
        int n = fprintf(f, *options[o].argument ? "%s=%s" : "%s%s", options[o].name, options[o].argument);
        fprintf(f, "%*s%s\n", 23 - n, "", options[o].help);
    }
}
