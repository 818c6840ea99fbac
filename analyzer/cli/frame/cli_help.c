/* cli_help.c - --help, from the command and option tables. */
#include "cli.h"
#include "../../settings/options.h"

#include <string.h>

enum { TEXT_WIDTH = 78, OPTION_COLUMN = 28, OUTPUT_COLUMN = 18 };

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

int cw_cli_option_head(char *text, size_t size, const struct cw_cli_option *o)
{
    int n = o->letter ? snprintf(text, size, "-%c, --%s", o->letter, o->name)
                      : snprintf(text, size, "    --%s", o->name);

    if (o->argument && o->kind != CW_CLI_BOOL && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, "%s%s", cw_cli_takes(o) ? " " : "", o->argument);
    return n;
}

static void print_option(FILE *f, const struct cw_cli_option *o)
{
    char head[128];
    int n = cw_cli_option_head(head, sizeof head, o);

    fprintf(f, "  %s", head);
    if (n + 4 > OPTION_COLUMN)
        fprintf(f, "\n%*s", OPTION_COLUMN, "");
    else
        fprintf(f, "%*s", OPTION_COLUMN - n - 2, "");
    print_wrapped(f, o->help, OPTION_COLUMN);
}

/* The columns and lines that the command prints. */
static void print_output(FILE *f, const char *const *output)
{
    if (output)
        fputs("\noutput:\n", f);
    for (size_t i = 0; output && output[i]; i += 2) {
        fprintf(f, "  %-*s", OUTPUT_COLUMN - 2, output[i]);
        if (strlen(output[i]) + 3 > OUTPUT_COLUMN)
            fprintf(f, "\n%*s", OUTPUT_COLUMN, "");
        print_wrapped(f, output[i + 1], OUTPUT_COLUMN);
    }
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
    print_output(f, def->output);
    fputs("\noptions:\n", f);
    CW_CLI_EACH(o, def->options)
    print_option(f, o);
    print_option(f, &help_option);
    if (def->examples)
        fputs("\nexamples:\n", f);
    for (size_t i = 0; def->examples && def->examples[i]; i += 2)
        fprintf(f, "  %s\n      %s\n", def->examples[i], def->examples[i + 1]);
}

void cw_cli_help_settings(FILE *f)
{
    char text[96];

    fputs(
        "Settings for experiments, of run and learn; trace takes those of recording and of programs' texts.\n"
        "The variable CLWEAVE_NAME, in capitals, does the same; --set wins.\n\n",
        f);
    for (const struct cw_option_info *info = cw_option_table; info->name; info++) {
        snprintf(text, sizeof text, "%s=%s", info->field, info->argument);
        if (info->commands & CW_CMD_SET)
            print_option(f, &(struct cw_cli_option){"set", 0, CW_CLI_LIST, 0, text, NULL, info->help});
    }
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
