/* cmd_trace.c - clweave trace: records the OpenCL calls of an unmodified program. */
#include "launch.h"

#define CW_LAUNCH_TAKES(field, commands) ((commands)&CW_CMD_TRACE)
#define CW_LAUNCH_SUMMARY                "print the tables of `clweave graph` when the program has ended"
static const struct cw_cli_option options[] = {
#include "launch_options.inc"
};

static const char *const examples[] = {"clweave trace -o app.json -- ./app input.dat",
                                       "record ./app; its output and exit status stay as they are",
                                       "clweave graph app.json -o app.svg", "then draw the dependences",
                                       NULL};

static int run(const void *values, int argc, char **argv)
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
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct cw_launch_options),
    .min_operands = 1,
    .max_operands = -1,
    .program = true,
    .run = run,
};
