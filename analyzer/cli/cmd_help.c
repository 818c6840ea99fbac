/* cmd_help.c - clweave help, clweave version. */
#include "frame/cli.h"

#include <string.h>

struct help_options {
    bool man, names;
    const char *completion;
};

static const struct cw_cli_option options[] = {
    {"man", 0, CW_CLI_BOOL, offsetof(struct help_options, man), NULL, NULL,
     "print the manual page, or that of COMMAND (roff; pipe it to man -l -)"},
    {"completion", 0, CW_CLI_CHOICE, offsetof(struct help_options, completion), "SHELL", "bash|zsh|fish",
     "print the completion script of a shell: bash, zsh or fish"},
    {"names", 0, CW_CLI_BOOL, offsetof(struct help_options, names), NULL, NULL,
     "print the names of all commands, one a line"},
    CW_CLI_END,
};

static void print_completion(const char *shell)
{
    if (strcmp(shell, "zsh") == 0)
        cw_completion_zsh(stdout, cw_commands);
    else if (strcmp(shell, "fish") == 0)
        cw_completion_fish(stdout, cw_commands);
    else
        cw_completion_bash(stdout, cw_commands);
}

static int run_help(const void *values, int argc, char **argv)
{
    const struct help_options *o = values;

    for (size_t i = 0; argc > 0 && cw_commands[i]; i++)
        if (strcmp(cw_commands[i]->name, argv[0]) == 0) {
            if (o->man)
                cw_cli_man_command(stdout, cw_commands, cw_commands[i]);
            else
                cw_cli_help_command(stdout, cw_commands[i]);
            return CW_EXIT_OK;
        }
    if (argc > 0 && !o->man && strcmp(argv[0], "settings") == 0) {
        cw_cli_help_settings(stdout);
        return CW_EXIT_OK;
    }
    if (argc > 0) {
        cw_cli_complain("help: there is no command '%s'; see clweave help", argv[0]);
        return CW_EXIT_USAGE;
    }
    for (size_t i = 0; o->names && cw_commands[i]; i++)
        puts(cw_commands[i]->name);
    if (o->man)
        cw_cli_man(stdout, cw_commands);
    else if (o->completion)
        print_completion(o->completion);
    else if (!o->names)
        cw_cli_help_all(stdout, cw_commands);
    return CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_help = {
    .name = "help",
    .summary = "explain a command, print the manual or a completion script",
    .usage = "[--completion SHELL | --names | settings | [--man] [COMMAND]]",
    .options = options,
    .words = "settings",
    .values_size = sizeof(struct help_options),
    .max_operands = 1,
    .run = run_help,
};

static int run_version(const void *values, int argc, char **argv)
{
    (void)values, (void)argc, (void)argv;
    puts("clweave " CW_VERSION);
    return CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_version = {
    .name = "version",
    .summary = "print the version",
    .usage = "",
    .run = run_version,
};
