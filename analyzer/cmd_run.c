/* cmd_run.c - clweave run: run an unmodified program under clweave's scheduler. */
#include "launch.h"

#define CW_LAUNCH_COMMAND CW_CMD_RUN
static const struct cw_cli_option options[] = {
#include "launch_options.inc"
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
    .summary = "run a program on the devices of this machine, and on emulated ones",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .details = "In this version nothing is scheduled elsewhere and nothing is recorded: every call goes to the vendor's "
               "implementation, in the program's order. With --dsp the program sees emulated DSPs beside its devices, whose "
               "kernels take the time that the board's would. Options of recording (-o, --callsites, --device-times, "
               "--capture-data, --no-sources, --summary), --policy and --numerics have no effect yet. The exit status is "
               "the program's own, 128 + n when signal n killed it, 1 when it could not be started.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct cw_launch_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = run,
};
