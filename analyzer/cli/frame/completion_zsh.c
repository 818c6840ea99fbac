/* completion_zsh.c - the completion script of zsh. */
#include "cli.h"

#include <string.h>

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
    bool words = cw_completion_words_option(NULL, def, o), files = cw_completion_words_or_file(o);

    if (words && files) {
        fputs("{compadd -- ", f);
        cw_completion_words_option(f, def, o);
        fputs("; _files}", f);
    } else if (words) {
        fputc('(', f);
        cw_completion_words_option(f, def, o);
        fputc(')', f);
    } else {
        fputs(files ? "_files" : " ", f);
    }
}

static void put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o,
                       const char *dashes, const char *name, const char *tie)
{
    bool takes = cw_completion_takes(o);

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
    if (cw_completion_words_operand(NULL, table, def)) {
        fputs(" \\\n        '1:word:(", f);
        cw_completion_words_operand(f, table, def);
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
