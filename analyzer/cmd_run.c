/* cmd_run.c - clweave run: run an unmodified program under clweave's scheduler. */
#include "launch.h"

static const struct cw_cli_option options[] = {
#define CW_OPTION(field, kind, value, choices, name, argument, commands, help)                               \
    CW_LAUNCH_ROW(field, value, choices, name, argument, commands, CW_CMD_RUN, help)
#include "options.inc"
#undef CW_OPTION
    {"summary", 's', CW_CLI_BOOL, offsetof(struct cw_launch_options, summary), NULL, NULL,
     "print what was done when the program has ended"},
    CW_CLI_END,
};

static const char *const examples[] = {"clweave run -- ./app input.dat",
                                       "run ./app; results and exit status stay as they are", NULL};

static int run(const void *values, int argc, char **argv)
{
    (void)argc;
    return cw_launch("run", values, argv);
}

const struct cw_command_def cw_cmd_run = {
    .name = "run",
    .summary = "run a program on the devices of this machine",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .details = "In this version `run` hands every call to the vendor's implementation unchanged and records "
               "a trace as `trace` does; "
               "nothing is scheduled elsewhere yet. The exit status is the program's own, 128 + n when "
               "signal n killed it, 1 when "
               "it could not be started.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct cw_launch_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = run,
};
