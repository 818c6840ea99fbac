/* completion_fish.c - the completion script of fish. */
#include "cli.h"

/* Within single quotes. */
static void put_quoted(FILE *f, const char *text)
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

static void put_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o)
{
    begin(f, def);
    fprintf(f, " -l %s", o->name);
    if (o->letter)
        fprintf(f, " -s %c", o->letter);
    if (cw_completion_takes(o))
        fputs(cw_completion_words_or_file(o) ? " -r -F" : " -x", f);
    if (cw_completion_words_option(NULL, def, o)) {
        fputs(" -a '", f);
        cw_completion_words_option(f, def, o);
        fputc('\'', f);
    }
    fputs(" -d ", f);
    put_quoted(f, o->help);
    fputc('\n', f);
}

static void put_command(FILE *f, const struct cw_command_def *const *table, const struct cw_command_def *def)
{
    CW_CLI_EACH(o, def->options)
    put_option(f, def, o);
    begin(f, def);
    fputs(" -l help -s h -d 'show help'\n", f);
    if (cw_completion_words_operand(NULL, table, def)) {
        fprintf(f, "complete -c clweave -n '__clweave_is %s first' -a '", def->name);
        cw_completion_words_operand(f, table, def);
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
        put_quoted(f, table[i]->summary);
        fputc('\n', f);
    }
    for (size_t i = 0; table[i]; i++)
        put_command(f, table, table[i]);
}
