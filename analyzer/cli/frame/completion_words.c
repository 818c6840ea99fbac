/* completion_words.c - see completion_words.h. */
#include "completion_words.h"

#include <string.h>

#include "../../../sched/generate.h"
#include "../../../sched/policy.h"
#include "../../plan/platform_file.h"

static size_t put(FILE *f, const char *word, size_t length)
{
    if (f)
        fprintf(f, "%.*s ", (int)length, word);
    return 1;
}

/* The words of "auto|off|N" that are words and no placeholders: those without capitals and brackets. */
static size_t put_choices(FILE *f, const char *choices)
{
    size_t n = 0, length;

    for (const char *p = choices; *p; p += length + (p[length] == '|')) {
        length = strcspn(p, "|");
        if (strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789.-") == length && length)
            n += put(f, p, length);
    }
    return n;
}

static size_t put_names(FILE *f, const char *const *names)
{
    size_t n = 0;

    for (; *names; names++)
        n += put(f, *names, strlen(*names));
    return n;
}

/* A setting of the library (CW_CLI_SHIM) takes one policy that does not search for seconds. */
static size_t put_policies(FILE *f, enum cw_cli_kind kind)
{
    size_t n = kind == CW_CLI_LIST ? put(f, "all", 3) : 0;

    for (size_t i = 0; cw_policies[i]; i++)
        if (kind == CW_CLI_LIST || !cw_policies[i]->offline)
            n += put(f, cw_policies[i]->name, strlen(cw_policies[i]->name));
    return n;
}

bool cw_completion_takes(const struct cw_cli_option *o)
{
    return o->argument && o->kind != CW_CLI_BOOL;
}

size_t cw_completion_words_option(FILE *f, const struct cw_cli_option *o)
{
    if (!cw_completion_takes(o))
        return 0;
    if (o->choices && *o->choices)
        return put_choices(f, o->choices);
    if (strcmp(o->name, "policy") == 0)
        return put_policies(f, o->kind);
    if (strstr(o->name, "platform"))
        return put_names(f, cw_platform_builtin_names);
    return put_choices(f, o->argument);
}

bool cw_completion_words_or_file(const struct cw_cli_option *o)
{
    return cw_completion_takes(o) && (strstr(o->argument, "FILE") || strstr(o->argument, "FOLDER"));
}

size_t cw_completion_words_operand(FILE *f, const struct cw_command_def *const *table,
                                   const struct cw_command_def *def)
{
    size_t n = 0;

    if (def->words)
        return put_choices(f, def->words);
    for (size_t i = 0; strcmp(def->name, "help") == 0 && table[i]; i++)
        n += put(f, table[i]->name, strlen(table[i]->name));
    for (size_t i = 0; strcmp(def->name, "generate") == 0 && cw_generators[i]; i++)
        n += put(f, cw_generators[i]->name, strlen(cw_generators[i]->name));
    return n;
}
