/* cmd_run.c - clweave trace and clweave run: an unmodified program, recorded or under the scheduler. */
#include "launch.h"

#define CW_LAUNCH_TAKES(field, commands) ((commands)&CW_CMD_TRACE)
#define CW_LAUNCH_SUMMARY                "print the tables of `clweave graph` when the program has ended"
static const struct cw_cli_option trace_options[] = {
#include "launch_options.inc"
};

static const char *const trace_examples[] = {"clweave trace -o app.json -- ./app input.dat",
                                             "record ./app; its output and exit status stay as they are",
                                             "clweave graph app.json -o app.svg", "then draw the dependences",
                                             NULL};

static int trace_run(const void *values, int argc, char **argv)
{
    (void)argc;
    return cw_launch("trace", values, argv);
}

const struct cw_command_def cw_cmd_trace = {
    .name = "trace",
    .summary = "run a program and record its OpenCL commands",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .details =
        "The program runs as it is, with libclweave.so loaded into it and its children; each process "
        "that uses OpenCL leaves one trace. Of several with one file name the program gets it or, if that "
        "enqueues nothing, the process that enqueues most; the others' have their process ids inserted. "
        "The exit status is the program's own, 128 + n when signal n killed it, 1 "
        "when it could not be "
        "started. Without the tool: LD_PRELOAD=libclweave.so CLWEAVE_MODE=trace PROGRAM.",
    .options = trace_options,
    .examples = trace_examples,
    .values_size = sizeof(struct cw_launch_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = trace_run,
};

#undef CW_LAUNCH_TAKES
#undef CW_LAUNCH_SUMMARY
#define CW_LAUNCH_TAKES(field, commands) ((commands)&CW_CMD_RUN)
#define CW_LAUNCH_SUMMARY                                                                                    \
    "print how many commands were managed, reordered and moved, "                                            \
    "and why others were not"
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

static const char *const output[] = {
    "gain",
    "without --quiet: bare over run, as earlier runs have shown",
    "commands managed",
    "--summary: planned and run by clweave; kernels: those of them that are launches",
    "reordered",
    "begun before a command that the program enqueued earlier",
    "moved",
    "run on another device than that of their queue",
    "cut",
    "launches that ran in parts; tiles: these parts",
    "windows",
    "sets of commands that were planned together",
    "native",
    "left to the vendor, in the order of the program; lines below: why, and how long they took",
    "left by choice",
    "might have been managed; the vendor is quicker; lines below: why",
    NULL,
};

const struct cw_command_def cw_cmd_run = {
    .name = "run",
    .summary = "run a program on the devices of this machine, and on emulated ones",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .details =
        "The program's commands are gathered into windows. The policy decides for each window in which order "
        "they run, "
        "as far as their memory allows, and on which device: the program's own, or helpers that only clweave "
        "sees "
        "and whose kernels give the same bits. What the program reads, and the answers that it gets, stay as "
        "they would be "
        "without. Short or unprofitable windows, first launches of a kernel, and what clweave does not "
        "manage "
        "(command buffers, what waits for user events) go to the vendor in the program's order. "
        "With "
        "--dsp the program also sees emulated DSPs, whose kernels take the time that the board's would.\n\n"
        "With -o the program's commands are recorded as `clweave trace` does it, with the devices that they "
        "ran on and "
        "the times at which they did: `clweave timeline` shows what really ran where. Commands of extensions "
        "(command buffers) are not in it. The exit status is the program's own, 128 + n when signal n killed "
        "it, 1 when it could "
        "not be started.",
    .options = options,
    .output = output,
    .examples = examples,
    .values_size = sizeof(struct cw_launch_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = run,
};
