#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_BOOL(value)   ((value) ? "true" : "false")
#define TEXT_INT(value)    #value
#define TEXT_STRING(value) value
#define TEXT_CHOICE(value) value

const struct cw_option_info cw_option_table[] = {
#define CW_OPTION(field, kind, value, choices, name, argument, commands, help)                               \
    {name,                                                                                                   \
     #field,                                                                                                 \
     CW_OPTION_##kind,                                                                                       \
     TEXT_##kind(value),                                                                                     \
     choices,                                                                                                \
     argument,                                                                                               \
     commands,                                                                                               \
     help,                                                                                                   \
     offsetof(struct cw_options, field)},
#include "options.inc"
#undef CW_OPTION
    {0},
};

const char *cw_options_variable(const struct cw_option_info *info, char *text)
{
    size_t n = (size_t)snprintf(text, CW_OPTION_VARIABLE_BYTES, "CLWEAVE_%s", info->name);
    for (size_t i = 0; i < n && i < CW_OPTION_VARIABLE_BYTES; i++)
        text[i] = text[i] == '-' ? '_' : (char)toupper((unsigned char)text[i]);
    return text;
}

static void *value_of(const struct cw_options *o, const struct cw_option_info *info)
{
    return (char *)o + info->offset;
}

static bool holds_string(const struct cw_option_info *info)
{
    return info->kind == CW_OPTION_STRING || info->kind == CW_OPTION_CHOICE;
}

enum cw_status cw_options_init(struct cw_options *o, struct cw_error *err)
{
    memset(o, 0, sizeof *o);
    for (const struct cw_option_info *i = cw_option_table; i->name; i++) {
        enum cw_status s = cw_options_set(o, i, i->default_value, err);
        if (s)
            return s;
    }
    return CW_OK;
}

void cw_options_finish(struct cw_options *o)
{
    if (!o)
        return;
    for (const struct cw_option_info *i = cw_option_table; i->name; i++)
        if (holds_string(i))
            free(*(char **)value_of(o, i));
    memset(o, 0, sizeof *o);
}

static enum cw_status set_bool(bool *to, const char *name, const char *value, struct cw_error *err)
{
    static const char *const yes[] = {"", "1", "true", "yes", "on"}, *const no[] = {"0", "false", "no",
                                                                                    "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!strcasecmp(value, yes[i]))
            return *to = true, CW_OK;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (!strcasecmp(value, no[i]))
            return *to = false, CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "option %s: '%s' is neither true nor false", name, value);
}

static enum cw_status set_int(int *to, const char *name, const char *value, struct cw_error *err)
{
    char *end;
    int saved = errno;
    errno = 0;
    long v = strtol(value, &end, 10);
    bool bad = errno || end == value || *end || v < INT_MIN || v > INT_MAX;
    errno = saved;
    if (bad)
        return cw_error_set(err, CW_ERR_INVALID, "option %s: '%s' is not a number", name, value);
    *to = (int)v;
    return CW_OK;
}

bool cw_options_choice(const char *choices, const char *word)
{
    for (size_t n; *choices; choices += n + (choices[n] == '|')) {
        n = strcspn(choices, "|");
        if (n && n == strlen(word) && !strncmp(choices, word, n))
            return true;
    }
    return false;
}

static enum cw_status set_string(char **to, const char *name, const char *choices, const char *value,
                                 struct cw_error *err)
{
    if (*choices && !cw_options_choice(choices, value))
        return cw_error_set(err, CW_ERR_INVALID, "option %s: '%s' is not one of %s", name, value, choices);
    char *copy = strdup(value);
    if (!copy)
        return cw_error_set(err, CW_ERR_NOMEM, "option %s: out of memory", name);
    free(*to);
    *to = copy;
    return CW_OK;
}

enum cw_status cw_options_set(struct cw_options *o, const struct cw_option_info *info, const char *value,
                              struct cw_error *err)
{
    const char *name = info->commands & CW_CMD_SET ? info->field : info->name; /* as the user writes it */

    switch (info->kind) {
    case CW_OPTION_BOOL:
        return set_bool(value_of(o, info), name, value, err);
    case CW_OPTION_INT:
        return set_int(value_of(o, info), name, value, err);
    case CW_OPTION_STRING:
    case CW_OPTION_CHOICE:
        return set_string(value_of(o, info), name, info->choices, value, err);
    }
    return cw_error_set(err, CW_ERR_INVALID, "option %s: unknown kind", name);
}

enum cw_status cw_options_from_environment(struct cw_options *o, struct cw_error *err)
{
    for (const struct cw_option_info *i = cw_option_table; i->name; i++) {
        char variable[CW_OPTION_VARIABLE_BYTES];
        const char *value = secure_getenv(cw_options_variable(i, variable));
        enum cw_status s = value && *value ? cw_options_set(o, i, value, err) : CW_OK;
        if (s)
            return s;
    }
    return CW_OK;
}

/* The value as one would write it; `number` holds a formatted INT. */
static const char *value_text(const struct cw_options *o, const struct cw_option_info *info, char number[16])
{
    if (holds_string(info))
        return *(char **)value_of(o, info);
    if (info->kind == CW_OPTION_BOOL)
        return *(bool *)value_of(o, info) ? "true" : "false";
    snprintf(number, 16, "%d", *(int *)value_of(o, info));
    return number;
}

size_t cw_options_describe(const struct cw_options *o, char *text, size_t size)
{
    size_t used = 0;
    if (size)
        *text = '\0';
    for (const struct cw_option_info *i = cw_option_table; i->name; i++) {
        char number[16];
        const char *value = value_text(o, i, number);
        if (i->commands & CW_CMD_INTERNAL || !value || !strcmp(value, i->default_value))
            continue;
        int n = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s%s=%s",
                         used ? " " : "", i->name, value);
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}

/* The text that the sequence %c stands for; NULL if there is none. `number` holds a formatted pid. */
static const char *expansion(char c, const char *program, long pid, char number[24])
{
    snprintf(number, 24, "%ld", pid);
    return c == 'e' ? program : c == 'p' ? number : c == '%' ? "%" : NULL;
}

enum cw_status cw_options_expand(const char *pattern, const char *program, long pid, char *path, size_t size,
                                 struct cw_error *err)
{
    size_t used = 0;
    for (const char *c = pattern; *c; c++) {
        char number[24], literal[2] = {*c, '\0'};
        const char *part = literal;
        if (*c == '%') {
            part = expansion(*++c, program, pid, number);
            if (!part)
                return cw_error_set(
                    err, CW_ERR_INVALID,
                    "'%%%c' in '%s' stands for nothing: use %%e (program), %%p (process id) or %%%%",
                    *c ? *c : ' ', pattern);
        }
        size_t n = strlen(part);
        if (used + n >= size)
            return cw_error_set(err, CW_ERR_LIMIT, "the path that '%s' expands to is longer than %zu bytes",
                                pattern, size - 1);
        for (size_t i = 0; i < n; i++)
            path[used++] = part == program && part[i] == '/' ? '_' : part[i];
    }
    if (size <= used)
        return cw_error_set(err, CW_ERR_LIMIT, "no room for the path '%s'", pattern);
    path[used] = '\0';
    return CW_OK;
}

int cw_options_callsites(const char *text)
{
    char *end;
    unsigned long n;

    if (!strcmp(text, "off"))
        return 0;
    if (!strcmp(text, "leaf"))
        return 1;
    if (!isdigit((unsigned char)*text))
        return -1;
    n = strtoul(text, &end, 10);
    return *end || n > CW_CALLSITES_MAX ? -1 : (int)n;
}

uint64_t cw_options_limit(const char *text)
{
    static const char units[] = "KMGT";
    const char *unit;
    char *end;
    double value;

    if (!*text)
        return 0;
    value = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!(value > 0))
        return UINT64_MAX;
    unit = *end ? strchr(units, *end) : NULL;
    if (unit)
        value *= (double)(UINT64_C(1024) << (10 * (unit - units))), end++;
    return *end || value < CW_LIMIT_BYTES || value > 0x1p60 ? UINT64_MAX : (uint64_t)value;
}

bool cw_options_device_times(const char *text, struct cw_device_times_choice *choice)
{
    const char *number = strncmp(text, "every:", 6) ? "" : text + 6;
    size_t digits = strspn(number, "0123456789");
    bool on = false;

    *choice = (struct cw_device_times_choice){0};
    if (!strcmp(text, "all"))
        *choice = (struct cw_device_times_choice){1, true};
    else if (digits && digits < 8 && !number[digits])
        choice->every = (uint32_t)strtoul(number, NULL, 10);
    else if (*text && !set_bool(&on, "", text, NULL))
        return choice->every = on, true;
    return choice->every >= 1 && choice->every <= CW_DEVICE_TIMES_EVERY
               ? true
               : (*choice = (struct cw_device_times_choice){0}, false);
}

int cw_options_log_level(const char *text)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    size_t n = strcspn(text, ":");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && !strncmp(text, names[i], n))
            return (int)i;
    return -1;
}
