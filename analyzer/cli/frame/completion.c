/* completion.c - the completion scripts of fish, bash and zsh. */
#include "cli.h"
#include "../../../sched/generate.h"
#include "../../../sched/policy.h"
#include "../../plan/platform_file.h"

#include <string.h>

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

/* "rows=on|off" of a row that --set replaces, else NULL. */
static const char *completion_setting(const struct cw_cli_option *o)
{
    return o->kind == CW_CLI_SHIM && !o->help && o->argument ? o->argument + strlen("--set ") : NULL;
}

/* The words of an argument, `before` before each. */
static bool put_words(FILE *f, const char *before, const struct cw_cli_option *o)
{
    const char *setting = completion_setting(o);

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
        snprintf(before, sizeof before, "%s", completion_setting(o) ? completion_setting(o) : "=");
        before[strcspn(before, "=") + 1] = '\0';
        if (before[1] && !put_words(f, before, o))
            put(f, "", before, strlen(before));
    }
    return true;
}

static bool completion_words_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    if (!cw_cli_takes(o))
        return false;
    return strcmp(o->argument, "NAME=VALUE") == 0 ? put_settings(f, def->options) : put_words(f, "", o);
}

/* Whether the argument may name a file, besides the words. */
static bool completion_words_or_file(const struct cw_cli_option *o)
{
    return cw_cli_takes(o) &&
           (strstr(o->argument, "FILE") || strstr(o->argument, "FOLDER") || strstr(o->argument, "DIR"));
}

/* Write the words to `f`, a blank behind each (f NULL: do not); return whether there are any. Those of --set
 * are "rows=on rows=off seed= ", those of a row that --set replaces "on off ". */
static bool completion_words_operand(FILE *f, const struct cw_command_def *const *table,
                                     const struct cw_command_def *def)
{
    bool any = def->words && put_choices(f, "", def->words);

    for (size_t i = 0; strcmp(def->name, "help") == 0 && table[i]; i++)
        put(f, "", table[i]->name, strlen(table[i]->name));
    for (size_t i = 0; strcmp(def->name, "generate") == 0 && cw_generators[i]; i++)
        any = put(f, "", cw_generators[i]->name, strlen(cw_generators[i]->name));
    return any;
}

/* ---- fish */

/* Within single quotes. */
static void fish_put_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    for (const char *p = text; *p; p++)
        if (*p == '\'' || *p == '\\')
            fprintf(f, "\\%c", *p);
        else
            fputc(*p == '\n' ? ' ' : *p, f);
    fputc('\'', f);
}

static void begin(FILE *f, const struct cw_command_def *def)
{
    fprintf(f, "complete -c clweave -n '__clweave_is %s'", def->name);
}

static void fish_put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    begin(f, def);
    fprintf(f, " -l %s", o->name);
    if (o->letter)
        fprintf(f, " -s %c", o->letter);
    if (cw_cli_takes(o))
        fputs(completion_words_or_file(o) ? " -r -F" : " -x", f);
    if (completion_words_option(NULL, def, o)) {
        fputs(" -a '", f);
        completion_words_option(f, def, o);
        fputc('\'', f);
    }
    fputs(" -d ", f);
    fish_put_quoted(f, o->help);
    fputc('\n', f);
}

static void fish_put_command(FILE *f, const struct cw_command_def *const *table,
                             const struct cw_command_def *def)
{
    CW_CLI_EACH(o, def->options)
    fish_put_option(f, def, o);
    begin(f, def);
    fputs(" -l help -s h -d 'show help'\n", f);
    if (completion_words_operand(NULL, table, def)) {
        fprintf(f, "complete -c clweave -n '__clweave_is %s first' -a '", def->name);
        completion_words_operand(f, table, def);
        fputs("'\n", f);
    }
    if (def->max_operands == 0)
        return;
    begin(f, def);
    fputs(def->program ? " -a '(__fish_complete_command)' -F\n" : " -F\n", f);
}

void cw_completion_fish(FILE *f, const struct cw_command_def *const *table)
{
    fputs("# fish completion of clweave: install it as .../fish/vendor_completions.d/clweave.fish\n"
          "function __clweave_is\n    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
          "    and begin; test -z \"$argv[2]\"; or test (count $words) -eq 2; end\nend\n"
          "function __clweave_none\n    test (count (commandline -opc)) -eq 1\nend\n"
          "complete -c clweave -f\n",
          f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, "complete -c clweave -n __clweave_none -a %s -d ", table[i]->name);
        fish_put_quoted(f, table[i]->summary);
        fputc('\n', f);
    }
    for (size_t i = 0; table[i]; i++)
        fish_put_command(f, table, table[i]);
}

/* ---- bash */

/* One case of the options' arguments; "-o" and "--out" alike. Behind `--set rows=`, "=" divides words. */
static void bash_put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    const char *name = o->help ? o->name : completion_setting(o);

    fprintf(f, "    '%s %s%.*s'", def->name, o->help ? "--" : "", (int)strcspn(name, "="), name);
    if (o->letter)
        fprintf(f, " | '%s -%c'", def->name, o->letter);
    fputs(") COMPREPLY=($(", f);
    if (completion_words_option(NULL, def, o)) {
        fputs("compgen -W '", f);
        completion_words_option(f, def, o);
        fputs("' -- \"$cur\"", f);
    }
    if (completion_words_or_file(o))
        fprintf(f, "%scompgen -f -- \"$cur\"", completion_words_option(NULL, def, o) ? "; " : "");
    fputs(")); return ;;\n", f);
}

static void put_operands(FILE *f, const struct cw_command_def *const *table)
{
    fputs("    case \"${COMP_WORDS[1]} $COMP_CWORD $cur\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        if (completion_words_operand(NULL, table, table[i])) {
            fprintf(f, "    '%s 2 '[!-]* | '%s 2 ') COMPREPLY=($(compgen -W '", table[i]->name,
                    table[i]->name);
            completion_words_operand(f, table, table[i]);
            fputs("' -- \"$cur\")); return ;;\n", f);
        }
    fputs("    esac\n", f);
}

void cw_completion_bash(FILE *f, const struct cw_command_def *const *table)
{
    fputs("# bash completion of clweave: source this file, or install it as "
          ".../bash-completion/completions/clweave\n"
          "_clweave() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    if [ \"$cur\" = = ]; then cur=\n"
          "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '",
          f);
    for (size_t i = 0; table[i]; i++)
        fprintf(f, "%s ", table[i]->name);
    fputs("--help --version' -- \"$cur\")); return\n    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        for (const struct cw_cli_option *o = table[i]->options; o && o->name; o++)
            if (cw_cli_takes(o))
                bash_put_option(f, table[i], o);
    fputs("    esac\n    case \"${COMP_WORDS[1]}\" in\n", f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, "    %s) words='", table[i]->name);
        CW_CLI_EACH(o, table[i]->options)
        fprintf(f, "--%s ", o->name);
        fputs("--help' ;;\n", f);
    }
    fputs("    esac\n", f);
    put_operands(f, table);
    fputs("    case $cur in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n    esac\n}\ncomplete -o filenames -F _clweave "
          "clweave\n",
          f);
}

/* Within single quotes; brackets and colons mean something to _arguments and _describe. */
static void put_quoted(FILE *f, const char *text)
{
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            fputs("'\\''", f);
        else if (*p == '\n')
            fputc(' ', f);
        else
            fprintf(f, strchr("[]:\\", *p) ? "\\%c" : "%c", *p);
}

/* What completes an argument, as _arguments takes it: (a b), a function or {code}. */
static void put_action(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    bool words = completion_words_option(NULL, def, o), files = completion_words_or_file(o);

    if (words && files) {
        fputs("{compadd -- ", f);
        completion_words_option(f, def, o);
        fputs("; _files}", f);
    } else if (words) {
        fputc('(', f);
        completion_words_option(f, def, o);
        fputc(')', f);
    } else {
        fputs(files ? "_files" : " ", f);
    }
}

static void put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o,
                       const char *dashes, const char *name, const char *tie)
{
    bool takes = cw_cli_takes(o);

    fprintf(f, " \\\n        '%s%s%s%s[", o->kind == CW_CLI_LIST ? "*" : "", dashes, name, takes ? tie : "");
    put_quoted(f, o->help);
    fputc(']', f);
    if (takes) {
        fputc(':', f);
        put_quoted(f, o->argument);
        fputc(':', f);
        put_action(f, def, o);
    }
    fputc('\'', f);
}

static void put_command(FILE *f, const struct cw_command_def *const *table, const struct cw_command_def *def)
{
    fprintf(f, "    %s) _arguments : '(-h --help)'{-h,--help}'[show help]'", def->name);
    CW_CLI_EACH(o, def->options)
    {
        put_option(f, def, o, "--", o->name, "=");
        if (o->letter)
            put_option(f, def, o, "-", (const char[]){o->letter, '\0'}, "+");
    }
    if (completion_words_operand(NULL, table, def)) {
        fputs(" \\\n        '1:word:(", f);
        completion_words_operand(f, table, def);
        fputs(")'", f);
    }
    if (def->program)
        fputs(" \\\n        '(-):program:_command_names -e' '*::argument:_normal'", f);
    else if (def->max_operands != 0)
        fputs(" \\\n        '*:file:_files'", f);
    fputs(" ;;\n", f);
}

void cw_completion_zsh(FILE *f, const struct cw_command_def *const *table)
{
    fputs("#compdef clweave\n# zsh completion of clweave: install it as _clweave in a folder of $fpath\n"
          "_clweave() {\n    local -a commands=(\n",
          f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, "        '%s:", table[i]->name);
        put_quoted(f, table[i]->summary);
        fputs("'\n", f);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
          "    fi\n    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n",
          f);
    for (size_t i = 0; table[i]; i++)
        put_command(f, table, table[i]);
    fputs("    esac\n}\n_clweave \"$@\"\n", f);
}
