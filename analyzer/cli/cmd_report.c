/* cmd_report.c - clweave report: a traced run as one page for people. */
#include <stdlib.h>

#include "cli.h"
#include "footprints.h"
#include "selection_options.h"
#include "../draw/report.h"
#include "../plan/launch_parts.h"
#include "../io/output.h"
#include "../graph/trace_read.h"

struct report_command {
    const char *out;
    int64_t limit;
    bool no_graph, operations;
    struct cw_selection selection;
};

static const struct cw_cli_option options[] = {
    {"out", 'o', CW_CLI_STRING, offsetof(struct report_command, out), "FILE.html", NULL,
     "write the page to FILE.html (- for standard output) instead of a summary"},
    {"limit", 'n', CW_CLI_INT, offsetof(struct report_command, limit), "N", NULL,
     "show the first N commands in the timeline and the table (default 50000)"},
    {"no-graph", 0, CW_CLI_BOOL, offsetof(struct report_command, no_graph), NULL, NULL,
     "leave the picture of the graph out"},
    {"operations", 0, CW_CLI_BOOL, offsetof(struct report_command, operations), NULL, NULL,
     "count the kernels' floating-point operations by models of their sources, for GFLOP/s"},
    CW_SELECTION_ROWS(struct report_command),
    CW_CLI_END,
};

static const char *const examples[] = {"clweave report app.json", "findings, on the terminal",
                                       "clweave report app.json -o app.html", "a page for the browser", NULL};

/* Of a launch, by the model of its kernel; 0: not known. A fused multiply-add counts as two. */
static double flops_of(struct cw_launch_parts *parts, const struct cw_command *k)
{
    const double items = (double)k->global_size[0] * (double)k->global_size[1] * (double)k->global_size[2];
    struct cw_work_ops ops;

    if (!cw_launch_parts_ops(parts, k, &ops))
        return 0;
    return items * (ops.per_item[CW_OP_SINGLE] + ops.per_item[CW_OP_DOUBLE] + ops.per_item[CW_OP_SPECIAL] +
                    2 * ops.per_item[CW_OP_SINGLE_FMA] + 2 * ops.per_item[CW_OP_DOUBLE_FMA]);
}

/* *flops: of each command; the caller frees it. */
static enum cw_status count_operations(const struct cw_trace *t, double **flops, struct cw_error *err)
{
    struct cw_trace_reach reach;
    struct cw_launch_parts *parts = NULL;
    enum cw_status status = cw_footprints_reach(&reach, t, err);

    *flops = status ? NULL : calloc(t->commands.count + 1, sizeof **flops);
    if (*flops)
        parts = cw_launch_parts_create(t, &reach);
    for (size_t i = 0; parts && i < t->commands.count; i++)
        if (t->commands.v[i].kernel < t->kernels.count)
            (*flops)[i] = flops_of(parts, &t->commands.v[i]);
    if (!status && reach.missing.status)
        cw_cli_complain("report: not all kernels have operations: %s", reach.missing.text);
    if (!status && !parts)
        status = cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    cw_launch_parts_destroy(parts);
    cw_trace_reach_finish(&reach);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct report_command *o = values;
    struct cw_report_options r = {.limit = o->limit, .graph = !o->no_graph};
    struct cw_output out;
    struct cw_trace t;
    struct cw_error err = {0};
    enum cw_status status;
    double *flops = NULL;

    (void)argc;
    if (o->limit < 0) {
        cw_cli_complain("report: --limit: a number that is not negative is needed");
        return CW_EXIT_USAGE;
    }
    if (!cw_selection_options_check(&o->selection))
        return CW_EXIT_USAGE;
    cw_trace_init(&t);
    status = cw_trace_load(&t, argv[0], &err);
    if (!status)
        status = cw_selection_apply(&t, &o->selection, &err);
    if (!status && o->operations)
        status = count_operations(&t, &flops, &err);
    r.flops = flops;
    if (!status && !o->out)
        status = cw_report_print(&t, &r, stdout, &err);
    else if (!status)
        status = cw_output_open(&out, o->out, 0666, &err);
    if (!status && o->out)
        status = cw_output_close(&out, cw_report_write(&t, &r, out.f, &err), &err);
    cw_trace_finish(&t);
    free(flops);
    return status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

static const char *const output[] = {
    "commands in",
    "commands that the program enqueued, and the time from the first to the end of the last",
    "device time",
    "of all commands together; critical path: of the chain that takes longest",
    "device",
    "one line each: the time in which it ran commands, of the time between its first and its last",
    "streams",
    "commands that run mode put on queues of its own; staged: bytes that went by pinned memory",
    "copies",
    "bytes that run mode copied to a device with a memory of its own, and back",
    "*, !",
    "a finding that time could be gained by; one about a fault or a doubt. The others are notes",
    NULL,
};

const struct cw_command_def cw_cmd_report = {
    .name = "report",
    .summary = "show findings about a trace, as a page or on the terminal",
    .usage = "[-o FILE.html] TRACE",
    .details =
        "TRACE is a JSON trace or a binary log, best recorded with --device-times. The page is one "
        "file that needs no "
        "network: findings, a timeline with dependences, the critical path, the task graph (by "
        "graphviz's dot), "
        "kernels, calls by function, and every command with the time that it has to spare. Of a run (clweave "
        "run -o) it "
        "also shows what "
        "each device ran beside what was planned for it, how cut launches were shared, and tiles by "
        "priority group.\n\n"
        "The line \"time\" counts each moment of the run once, for the first of these that goes on: a "
        "kernel or a transfer runs on a device; a build; presumably the vendor compiles for a first "
        "launch; a call makes or releases objects (set-up); a call waits for commands; another call; "
        "none of these (host). \"host calls\" are the functions that took most time: calls, those that "
        "failed, their time in total, in the middle, at most; `clweave trace --calls` records all. "
        "\"kernels\" are launches by kernel, and by NDRange (global / local size) where a kernel has "
        "several: how many, their share of all kernels' time, the shortest, the middle one, the one "
        "that 95 % do not exceed, the longest; GB/s: bytes that they may read and write, by their "
        "footprints, over their time; GFLOP/s with --operations, a fused multiply-add counting as two. "
        "\"kept\" are objects that the program had not released when it ended.",
    .options = options,
    .output = output,
    .examples = examples,
    .values_size = sizeof(struct report_command),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
