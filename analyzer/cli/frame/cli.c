/* cli.c - command lookup and option parsing; see cli.h. */
#include "cli.h"
#include "../../settings/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64, MAX_WORD = 64, LONG_BASE = 1000, HELP_ID = LONG_BASE - 1 };

char *cw_cli_name_after(const char *path, const char *label)
{
    const char *dot = strrchr(path, '.');
    size_t size = strlen(path) + strlen(label) + 2, stem;
    char *name = malloc(size);

    if (!name)
        return NULL;
    stem = dot && !strchr(dot, '/') ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s-%s%s", (int)stem, path, label, path + stem);
    for (size_t k = stem; k < stem + 1 + strlen(label); k++)
        if (strchr(":,=", name[k]))
            name[k] = '-';
    return name;
}

static enum cw_status add_word(struct cw_cli_list *list, const char *word, struct cw_error *err)
{
    const char **words = realloc(list->word, (list->count + 1) * sizeof *words);

    if (!words)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the command line");
    list->word = words;
    words[list->count++] = word;
    return CW_OK;
}

/* Frees the lists of a values struct. */
static void free_lists(const struct cw_command_def *def, char *values)
{
    CW_CLI_EACH(o, def->options)
    if (o->kind == CW_CLI_LIST)
        free(((struct cw_cli_list *)(void *)(values + o->offset))->word);
}

/* Stores one option's argument in the values struct. */
static enum cw_status store(const struct cw_cli_option *o, const char *word, void *values,
                            struct cw_error *err)
{
    char *member = (char *)values + o->offset, *end;

    if (o->choices && *o->choices && !cw_options_choice(o->choices, word))
        return cw_error_set(err, CW_ERR_INVALID, "--%s: '%s' is not one of %s", o->name, word, o->choices);
    switch (o->kind) {
    case CW_CLI_BOOL:
        *(bool *)member = true;
        break;
    case CW_CLI_STRING:
    case CW_CLI_CHOICE:
        *(const char **)member = word;
        break;
    case CW_CLI_SHIM:
        *(const char **)member = word ? word : "1";
        break;
    case CW_CLI_LIST:
        return add_word((void *)member, word, err);
    case CW_CLI_INT:
        errno = 0;
        *(int64_t *)member = strtoll(word, &end, 0);
        if (errno || end == word || *end)
            return cw_error_set(err, CW_ERR_INVALID, "--%s: '%s' is not a whole number", o->name, word);
        break;
    case CW_CLI_DOUBLE:
        *(double *)member = strtod(word, &end);
        if (end == word || *end || !isfinite(*(double *)member))
            return cw_error_set(err, CW_ERR_INVALID, "--%s: '%s' is not a number", o->name, word);
        break;
    }
    return CW_OK;
}

/* The message for a word that getopt_long did not understand, or that stands for `gone` (NULL: none), an
 * option with a new spelling. */
static enum cw_status bad_option(const struct cw_command_def *def, const struct cw_cli_option *gone,
                                 int result, const char *word, struct cw_error *err)
{
    const char *names[MAX_OPTIONS + 2], *nearest;
    char given[MAX_WORD + 1];
    size_t n = 0;

    if (gone)
        return cw_error_set(err, CW_ERR_INVALID, "%s: --%s is now %s", def->name, gone->name, gone->argument);
    if (result == ':')
        return cw_error_set(err, CW_ERR_INVALID, "%s: option '%s' needs an argument; see clweave %s --help",
                            def->name, word, def->name);
    CW_CLI_EACH(o, def->options)
    names[n++] = o->name; /* parsing has checked that there are at most MAX_OPTIONS */
    names[n++] = "help";
    names[n] = NULL;
    snprintf(given, sizeof given, "%s", word + strspn(word, "-"));
    given[strcspn(given, "=")] = '\0';
    nearest = strncmp(word, "--", 2) == 0 ? cw_cli_nearest(given, names) : NULL;
    if (nearest && strcmp(nearest, given) == 0)
        return cw_error_set(err, CW_ERR_INVALID, "%s: option '--%s' takes no argument", def->name, given);
    if (nearest)
        return cw_error_set(err, CW_ERR_INVALID, "%s: unknown option '%s'; did you mean --%s?", def->name,
                            word, nearest);
    return cw_error_set(err, CW_ERR_INVALID, "%s: unknown option '%s'; see clweave %s --help", def->name,
                        word, def->name);
}

/* getopt_long's two tables from the command's table. letters: 2 + 2 per option bytes. */
static void getopt_tables(const struct cw_command_def *def, struct option *longs, char *letters)
{
    /* '+' stops at the first operand, so that a program's own options are left alone; ':' reports missing
     * arguments */
    if (def->program)
        *letters++ = '+';
    *letters++ = ':';
    *letters++ = 'h';
    for (const struct cw_cli_option *o = def->options; o && o->name; o++) {
        bool takes = o->help && cw_cli_takes(o), may = cw_cli_may_take(o);

        if (!o->help && !o->argument)
            continue;
        *longs++ = (struct option){o->name,
                                   takes ? required_argument
                                   : may ? optional_argument
                                         : no_argument,
                                   NULL, LONG_BASE + (int)(o - def->options)};
        if (o->letter) {
            *letters++ = o->letter;
            if (takes)
                *letters++ = ':';
        }
    }
    *longs++ = (struct option){"help", no_argument, NULL, HELP_ID};
    *longs = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

/* ---- words that look like options and are none */

/* Whether the word behind `word` is its argument. */
static bool takes_next(const struct cw_command_def *def, const char *word)
{
    CW_CLI_EACH(o, def->options)
    {
        if (!cw_cli_takes(o))
            continue;
        if ((word[1] == o->letter && o->letter && !word[2]) ||
            (word[1] == '-' && word[2] && strncmp(o->name, word + 2, strlen(word + 2)) == 0))
            return *word == '-';
    }
    return false;
}

/* Moves raw words from argv into their list. */
static enum cw_status take_raw(const struct cw_command_def *def, int *argc, char **argv, void *values,
                               struct cw_error *err)
{
    const struct cw_cli_option *to = NULL;
    int stay = 1, at = 1;
    enum cw_status status = CW_OK;

    CW_CLI_EACH(o, def->options)
    if (def->raw && strcmp(o->name, def->raw) == 0)
        to = o;
    while (to && at < *argc && strcmp(argv[at], "--") != 0 && status == CW_OK) {
        int raw = def->raw_words(argv[at]), words = raw ? raw : 1 + takes_next(def, argv[at]);
        for (; words > 0 && at < *argc && status == CW_OK; words--, at++)
            if (raw)
                status = add_word((void *)((char *)values + to->offset), argv[at], err);
            else
                argv[stay++] = argv[at];
    }
    while (at < *argc)
        argv[stay++] = argv[at++];
    argv[stay] = NULL;
    *argc = stay;
    return status;
}

/* The word that getopt_long has looked at; it began at argv[at], and may have passed operands. */
static const char *option_word(int argc, char **argv, int at)
{
    if (optind <= at) /* one letter of several */
        return argv[at < argc ? at : argc - 1];
    return argv[optind - 1][0] != '-' && optind < argc ? argv[optind] : argv[optind - 1];
}

enum cw_status cw_cli_parse(const struct cw_command_def *def, int *argc, char **argv, void *values,
                            int *first, bool *help, struct cw_error *err)
{
    struct option longs[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 8];
    size_t n = 0;
    enum cw_status status = CW_OK;

    *help = false;
    while (def->options && def->options[n].name)
        n++;
    if (n > MAX_OPTIONS)
        return cw_error_set(err, CW_ERR_LIMIT, "%s: too many options in its table", def->name);
    getopt_tables(def, longs, letters);
    status = take_raw(def, argc, argv, values, err);
    opterr = 0;
    optind = 0; /* glibc: start afresh, also for the tests that parse many lines */
    while (!status && !*help) {
        int at = optind ? optind : 1, r = getopt_long(*argc, argv, letters, longs, NULL);
        const char *word = option_word(*argc, argv, at);
        int row = r == '?' ? optopt : r; /* '?': also for a flag with a value */
        const struct cw_cli_option *o = row >= LONG_BASE ? &def->options[row - LONG_BASE] : NULL;

        if (r < 0)
            break;
        *help = r == 'h' || r == HELP_ID;
        for (size_t i = 0; !o && r != '?' && i < n; i++)
            o = def->options[i].help && def->options[i].letter == r ? &def->options[i] : NULL;
        if (r == '?' || r == ':' || (o && !o->help))
            status = bad_option(def, o && !o->help ? o : NULL, r, word, err);
        else if (o)
            status = store(o, optarg, values, err);
    }
    *first = optind;
    return status;
}

static int run_command(const struct cw_command_def *def, int argc, char **argv)
{
    struct cw_error err = {0};
    char *values = calloc(1, def->values_size + 1);
    int first = 0, result;
    bool help;

    if (!values) {
        cw_cli_complain("out of memory");
        return CW_EXIT_FAILURE;
    }
    if (def->defaults)
        memcpy(values, def->defaults, def->values_size);
    if (cw_cli_parse(def, &argc, argv, values, &first, &help, &err)) {
        cw_cli_complain("%s", err.text);
        result = CW_EXIT_USAGE;
    } else if (help) {
        cw_cli_help_command(stdout, def);
        result = CW_EXIT_OK;
    } else if (argc - first < def->min_operands ||
               (def->max_operands >= 0 && argc - first > def->max_operands)) {
        if (argc - first < def->min_operands)
            cw_cli_complain("%s: an argument is missing; usage: clweave %s %s", def->name, def->name,
                            def->usage);
        else
            cw_cli_complain("%s: unexpected '%s'; usage: clweave %s %s", def->name,
                            argv[first + def->max_operands], def->name, def->usage);
        result = CW_EXIT_USAGE;
    } else {
        result = def->run(def->values_size ? values : NULL, argc - first, argv + first);
    }
    free_lists(def, values);
    free(values);
    return result;
}

static int unknown_command(const struct cw_command_def *const *table, const char *word)
{
    const char *names[MAX_OPTIONS], *nearest;
    size_t n = 0;

    for (; table[n] && n < MAX_OPTIONS - 1; n++)
        names[n] = table[n]->name;
    names[n] = NULL;
    nearest = cw_cli_nearest(word, names);
    if (nearest)
        cw_cli_complain("unknown command '%s'; did you mean '%s'?", word, nearest);
    else
        cw_cli_complain("unknown command '%s'; see clweave --help", word);
    return CW_EXIT_USAGE;
}

/* Standard output may be a full disk too: the printed text must have arrived. */
static int check_stdout(int result)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return result;
    if (errno != EPIPE)
        cw_cli_complain("cannot write standard output: %s", strerror(errno));
    return result ? result : CW_EXIT_FAILURE;
}

int cw_cli_main(const struct cw_command_def *const *table, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;

    if (!word) {
        cw_cli_help_all(stderr, table);
        return CW_EXIT_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cw_cli_help_all(stdout, table);
        return check_stdout(CW_EXIT_OK);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        word = "version";
    for (size_t i = 0; table[i]; i++)
        if (strcmp(table[i]->name, word) == 0)
            return check_stdout(run_command(table[i], argc - 1, argv + 1));
    return unknown_command(table, word);
}
