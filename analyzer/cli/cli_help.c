/* cli_help.c - --help, man page and shell completion, all from the command and option tables. */
#include "cli.h"

#include <string.h>

enum { TEXT_WIDTH = 78, OPTION_COLUMN = 28 };

/* Prints `text` wrapped at TEXT_WIDTH, continuation lines indented; the cursor stands at `indent`. A line's
 * end in the text is one. */
static void print_wrapped(FILE *f, const char *text, int indent)
{
    int column = indent;

    while (*text) {
        int n = (int)strcspn(text, " \n"), lines;
        if (column > indent && column + 1 + n > TEXT_WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(f, column > indent ? " %.*s" : "%.*s", n, text);
        text += n;
        for (lines = 0; *text == '\n'; text++, lines++)
            fputc('\n', f);
        if (lines)
            column = fprintf(f, "%*s", indent, "");
        text += strspn(text, " ");
    }
    fputc('\n', f);
}

/* "-o, --out FILE" */
static int option_head(char *text, size_t size, const struct cw_cli_option *o)
{
    int n = o->letter ? snprintf(text, size, "-%c, --%s", o->letter, o->name)
                      : snprintf(text, size, "    --%s", o->name);

    if (o->argument && o->kind != CW_CLI_BOOL && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " %s", o->argument);
    return n;
}

static void print_option(FILE *f, const struct cw_cli_option *o)
{
    char head[128];
    int n = option_head(head, sizeof head, o);

    fprintf(f, "  %s", head);
    if (n + 4 > OPTION_COLUMN)
        fprintf(f, "\n%*s", OPTION_COLUMN, "");
    else
        fprintf(f, "%*s", OPTION_COLUMN - n - 2, "");
    print_wrapped(f, o->help, OPTION_COLUMN);
}

static const struct cw_cli_option help_option = {"help", 'h', CW_CLI_BOOL, 0, NULL, NULL, "show this text"};

void cw_cli_help_command(FILE *f, const struct cw_command_def *def)
{
    fprintf(f, "usage: clweave %s %s\n\n", def->name, def->usage);
    print_wrapped(f, def->summary, 0);
    if (def->details) {
        fputc('\n', f);
        print_wrapped(f, def->details, 0);
    }
    fputs("\noptions:\n", f);
    CW_CLI_EACH(o, def->options)
    print_option(f, o);
    print_option(f, &help_option);
    if (def->examples)
        fputs("\nexamples:\n", f);
    for (size_t i = 0; def->examples && def->examples[i]; i += 2)
        fprintf(f, "  %s\n      %s\n", def->examples[i], def->examples[i + 1]);
}

void cw_cli_help_all(FILE *f, const struct cw_command_def *const *table)
{
    fputs("usage: clweave <command> [options] [-- program arguments]\n\n"
          "Weaves the kernels of an unmodified OpenCL program across devices and time.\n\n"
          "commands:\n",
          f);
    for (size_t i = 0; table[i]; i++)
        fprintf(f, "  %-12s %s\n", table[i]->name, table[i]->summary);
    fputs("\n'clweave <command> --help' explains a command; 'clweave help --man' prints the manual.\n"
          "Exit status: 0 ok, 1 failure, 2 usage; trace and run: the program's own.\n",
          f);
}

/* roff: a leading dot or quote, backslashes and dashes need care. */
static void man_text(FILE *f, const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((p == text || p[-1] == '\n') && (*p == '.' || *p == '\''))
            fputs("\\&", f);
        if (*p == '\\')
            fputs("\\e", f);
        else if (*p == '-')
            fputs("\\-", f);
        else
            fputc(*p, f);
    }
    fputc('\n', f);
}

static void man_command(FILE *f, const struct cw_command_def *def)
{
    char head[128];

    fprintf(f, ".SS clweave %s\n", def->name);
    fprintf(f, ".B clweave %s\n", def->name);
    man_text(f, def->usage);
    fputs(".PP\n", f);
    man_text(f, def->summary);
    if (def->details) {
        fputs(".PP\n", f);
        man_text(f, def->details);
    }
    CW_CLI_EACH(o, def->options)
    {
        const char *p = head;
        option_head(head, sizeof head, o);
        fputs(".TP\n.B ", f);
        man_text(f, p + strspn(p, " "));
        man_text(f, o->help);
    }
    for (size_t i = 0; def->examples && def->examples[i]; i += 2) {
        fputs(".PP\n.nf\n", f);
        man_text(f, def->examples[i]);
        fputs(".fi\n.RS\n", f);
        man_text(f, def->examples[i + 1]);
        fputs(".RE\n", f);
    }
}

void cw_cli_man(FILE *f, const struct cw_command_def *const *table)
{
    fputs(".TH CLWEAVE 1 \"\" \"clweave " CW_VERSION "\" \"User Commands\"\n"
          ".SH NAME\nclweave \\- weave the kernels of an unmodified OpenCL program across devices and time\n"
          ".SH SYNOPSIS\n.B clweave\n<command> [options] [\\-\\- program arguments]\n"
          ".SH COMMANDS\n",
          f);
    for (size_t i = 0; table[i]; i++)
        man_command(f, table[i]);
    fputs(".SH EXIT STATUS\n0 success, 1 failure, 2 usage. trace and run exit with the program's own status, "
          "128 + n when\n"
          "signal n killed it, 1 when it could not be started.\n"
          ".SH ENVIRONMENT\nEach option of trace and run that the library knows can be given as "
          "CLWEAVE_<NAME> (dashes become\n"
          "underscores). CLWEAVE_LIB names libclweave.so when it is not beside the tool or in ../lib.\n",
          f);
}

/* "a|b" as "a b". */
static void print_choices(FILE *f, const char *choices)
{
    for (const char *p = choices; *p; p++)
        fputc(*p == '|' ? ' ' : *p, f);
}

void cw_cli_completion_bash(FILE *f, const struct cw_command_def *const *table)
{
    fputs("# bash completion of clweave: source this file, or install it as "
          ".../bash-completion/completions/clweave\n"
          "_clweave() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '",
          f);
    for (size_t i = 0; table[i]; i++)
        fprintf(f, "%s ", table[i]->name);
    fputs("--help --version' -- \"$cur\")); return\n    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        CW_CLI_EACH(o, table[i]->options)
    if (o->choices && *o->choices) {
        fprintf(f, "    '%s --%s') COMPREPLY=($(compgen -W '", table[i]->name, o->name);
        print_choices(f, o->choices);
        fputs("' -- \"$cur\")); return ;;\n", f);
    }
    fputs("    esac\n    case \"${COMP_WORDS[1]}\" in\n", f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, "    %s) words='", table[i]->name);
        CW_CLI_EACH(o, table[i]->options)
        fprintf(f, "--%s ", o->name);
        fputs("--help' ;;\n", f);
    }
    fputs("    esac\n    case \"${COMP_WORDS[1]} $COMP_CWORD $cur\" in\n", f);
    for (size_t i = 0; table[i]; i++)
        if (table[i]->words) {
            fprintf(f, "    '%s 2 '[!-]* | '%s 2 ') COMPREPLY=($(compgen -W '", table[i]->name,
                    table[i]->name);
            print_choices(f, table[i]->words);
            fputs("' -- \"$cur\")); return ;;\n", f);
        }
    fputs("    esac\n    case $cur in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n    esac\n}\ncomplete -o filenames -F _clweave "
          "clweave\n",
          f);
}
