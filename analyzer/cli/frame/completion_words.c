/* completion_words.c - see cli.h. */
#include "cli.h"

#include <string.h>

#include "../../../sched/generate.h"
#include "../../../sched/policy.h"
#include "../../plan/platform_file.h"

static bool put(FILE *f, const char *before, const char *word, size_t length)
{
    if (f)
        fprintf(f, "%s%.*s ", before, (int)length, word);
    return true;
}

/* The words of "auto|off|N" that are words and no placeholders: those without capitals and brackets. */
static bool put_choices(FILE *f, const char *before, const char *choices)
{
    bool any = false;

    for (size_t n; *choices; choices += n + (choices[n] == '|')) {
        n = strcspn(choices, "|");
        if (strspn(choices, "abcdefghijklmnopqrstuvwxyz0123456789.-") == n && n)
            any = put(f, before, choices, n);
    }
    return any;
}

/* A setting of the library (CW_CLI_SHIM) takes one policy that does not search for seconds. */
static bool put_policies(FILE *f, enum cw_cli_kind kind)
{
    if (kind == CW_CLI_LIST)
        put(f, "", "all", 3);
    for (size_t i = 0; cw_policies[i]; i++)
        if (kind == CW_CLI_LIST || !cw_policies[i]->offline)
            put(f, "", cw_policies[i]->name, strlen(cw_policies[i]->name));
    return true;
}

bool cw_completion_takes(const struct cw_cli_option *o)
{
    return o->argument && o->kind != CW_CLI_BOOL;
}

const char *cw_completion_setting(const struct cw_cli_option *o)
{
    return o->kind == CW_CLI_SHIM && !o->help && o->argument ? o->argument + strlen("--set ") : NULL;
}

/* The words of an argument, `before` before each. */
static bool put_words(FILE *f, const char *before, const struct cw_cli_option *o)
{
    const char *setting = cw_completion_setting(o);

    if (o->choices && *o->choices)
        return put_choices(f, before, o->choices);
    if (strcmp(o->name, "policy") == 0)
        return put_policies(f, o->kind);
    for (size_t i = 0; strstr(o->name, "platform") && cw_platform_builtin_names[i]; i++)
        put(f, before, cw_platform_builtin_names[i], strlen(cw_platform_builtin_names[i]));
    return strstr(o->name, "platform") ||
           put_choices(f, before, setting ? strchr(setting, '=') + 1 : o->argument);
}

/* "rows=on rows=off ", and "seed= " where the values are no words. */
static bool put_settings(FILE *f, const struct cw_cli_option *options)
{
    char before[64];

    for (const struct cw_cli_option *o = options; o->name; o++) {
        snprintf(before, sizeof before, "%s", cw_completion_setting(o) ? cw_completion_setting(o) : "=");
        before[strcspn(before, "=") + 1] = '\0';
        if (before[1] && !put_words(f, before, o))
            put(f, "", before, strlen(before));
    }
    return true;
}

bool cw_completion_words_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    if (!cw_completion_takes(o))
        return false;
    return strcmp(o->argument, "NAME=VALUE") == 0 ? put_settings(f, def->options) : put_words(f, "", o);
}

bool cw_completion_words_or_file(const struct cw_cli_option *o)
{
    return cw_completion_takes(o) &&
           (strstr(o->argument, "FILE") || strstr(o->argument, "FOLDER") || strstr(o->argument, "DIR"));
}

bool cw_completion_words_operand(FILE *f, const struct cw_command_def *const *table,
                                 const struct cw_command_def *def)
{
    bool any = def->words && put_choices(f, "", def->words);

    for (size_t i = 0; strcmp(def->name, "help") == 0 && table[i]; i++)
        put(f, "", table[i]->name, strlen(table[i]->name));
    for (size_t i = 0; strcmp(def->name, "generate") == 0 && cw_generators[i]; i++)
        any = put(f, "", cw_generators[i]->name, strlen(cw_generators[i]->name));
    return any;
}
