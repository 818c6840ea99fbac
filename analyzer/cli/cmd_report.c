/* cmd_report.c - clweave report: a traced run as one page for people. */
#include "frame/cli.h"
#include "traces.h"
#include "../explain/draw/report.h"
#include "../plan/plan_graph.h"
#include "../io/folders.h"
#include "../io/output.h"
#include "../explain/figures.h"

#include <limits.h>
#include <stdlib.h>

/* Looks at command `id` of the trace, if it is a launch of which the models say enough. */
static void outside_look(struct cw_outside *o, const struct cw_trace *t, uint32_t id,
                         struct cw_trace_reach *reach)
{
    const struct cw_command *k = &t->commands.v[id];
    const struct cw_reach *r = k->status == 0 ? cw_trace_reach_launch(reach, t, k) : NULL;
    const struct cw_t_arg *a = r && r->outside.end > r->outside.first && r->outside.arg < k->args.count
                                   ? &t->args.v[k->args.first + r->outside.arg]
                                   : NULL;

    if (!a || a->kind != CW_ARG_MEMORY || a->memory >= t->memory.count || o->launches++)
        return;
    o->command = id;
    o->touched = r->outside;
    o->size = t->memory.v[a->memory].size;
}

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
     "make the models of kernels that are not kept, for bytes, operations and GFLOP/s"},
    CW_SELECTION_ROWS(struct report_command),
    CW_CLI_END,
};

static const char *const examples[] = {"clweave report app.json", "findings, on the terminal",
                                       "clweave report app.json -o app.html", "a page for the browser", NULL};

/* What is known of the launches of `t`, by models. */
struct known {
    struct cw_trace_reach reach;
    struct cw_launch_work *work; /* by command; reasons point into `reach` */
    struct cw_outside outside;
    struct cw_device_roofs *roofs; /* by device */
};

static void finish_known(struct known *k)
{
    cw_spill_free(k->work);
    free(k->roofs);
    cw_trace_reach_finish(&k->reach);
}

/* Of models that are kept; with `all` others are made, too. */
static enum cw_status find_work(struct known *k, const struct cw_trace *t, bool all, struct cw_error *err)
{
    enum cw_status status =
        all ? cw_footprints_reach(&k->reach, t, err) : cw_footprints_stored(&k->reach, t, err);
    struct cw_launch_parts *parts = status ? NULL : cw_launch_parts_create(t, &k->reach);
    size_t capacity = 0;
    const char *without = "no model of it is kept; --operations makes one where its source is recorded";

    if (all)
        without = k->reach.missing.status ? k->reach.missing.text : "its source is not recorded";
    if (parts)
        cw_spill_reserve(&k->work, &capacity, 0, t->commands.count + 1, sizeof *k->work);
    for (size_t i = 0; k->work && i < t->commands.count; i++)
        if (t->commands.v[i].kernel < t->kernels.count) {
            cw_launch_parts_work(parts, &t->commands.v[i], without, &k->work[i]);
            outside_look(&k->outside, t, (uint32_t)i, &k->reach);
        }
    cw_launch_parts_destroy(parts);
    if (all && !status && k->reach.missing.status)
        cw_cli_complain("report: not all kernels have models: %s", k->reach.missing.text);
    if (!status && !k->work)
        status = cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    return status;
}

/* Roofs that are kept of the trace's devices. */
static void find_roofs(struct known *k, const struct cw_trace *t)
{
    char cache[PATH_MAX];
    struct cw_error err = {0};

    k->roofs = calloc(t->devices.count + 1, sizeof *k->roofs);
    if (!k->roofs || cw_cache_folder(cache, sizeof cache, &err) != CW_OK)
        return;
    for (size_t d = 0; d < t->devices.count; d++) {
        const struct cw_t_device *v = &t->devices.v[d];
        struct cw_roofs_device id = {v->name, v->version, v->driver_version, v->compute_units};

        if (v->name && v->version && v->driver_version)
            cw_device_roofs_read(cache, &id, &k->roofs[d]);
    }
}

static int run(const void *values, int argc, char **argv)
{
    const struct report_command *o = values;
    struct cw_report_options r = {.limit = o->limit, .graph = !o->no_graph};
    struct cw_output out;
    struct cw_trace t;
    struct cw_error err = {0};
    enum cw_status status;
    struct known known = {.work = NULL};

    (void)argc;
    if (o->limit < 0) {
        cw_cli_complain("report: --limit: a number that is not negative is needed");
        return CW_EXIT_USAGE;
    }
    if (!cw_selection_options_check(&o->selection))
        return CW_EXIT_USAGE;
    cw_trace_init(&t);
    status = cw_footprints_load(&t, argv[0], &err);
    if (!status)
        status = cw_selection_apply(&t, &o->selection, &err);
    if (!status)
        status = find_work(&known, &t, o->operations, &err);
    if (!status)
        find_roofs(&known, &t);
    r.work = known.work;
    r.outside = &known.outside;
    r.roofs = known.roofs;
    if (!status && !o->out)
        status = cw_report_print(&t, &r, stdout, &err);
    else if (!status)
        status = cw_output_open(&out, o->out, 0666, &err);
    if (!status && o->out)
        status = cw_output_close(&out, cw_report_write(&t, &r, out.f, &err), &err);
    finish_known(&known);
    cw_trace_finish(&t);
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
        "none of these (host). Shares of the run are of the whole of it. \"host calls\" are the functions "
        "that "
        "took most time: calls, those that failed, their time in total, in the middle, at most; `clweave "
        "trace --calls` records all. "
        "\"kernels\" are launches by kernel, and by NDRange (global / local size) where a kernel has "
        "several: how many, their share of all kernels' time, the shortest, the middle one, the one "
        "that 95 % do not exceed, the longest; GB/s: bytes that they may read and write, by their "
        "footprints, over their time (- where the device's cores could not load so many); GFLOP/s where "
        "their operations are known. "
        "\"work of a launch\" are the bytes that a launch reads and writes, each once, and its "
        "floating-point operations (a fused multiply-add counts as two), by models of the kernels' sources: "
        "those that tracing has kept; --operations makes the others. Only exact counts are shown. \"of "
        "roof\": of the operations per second (bytes, without operations) that memory and multiply-adds "
        "of the device allow, as `clweave devices --measure` found them; above 100 % the bytes lie in a "
        "cache. \"median, max\" are times of commands: in the call that enqueues, from "
        "CL_PROFILING_COMMAND_QUEUED to SUBMIT, from SUBMIT to START. "
        "\"kept\" are objects that the program had not released when it ended. Of a run, \"cut launches\" "
        "says for "
        "some stretches of it, one after the other, which share of a kernel's cut launches each device had, "
        "in "
        "how many blocks, and the work-groups at which the stretch's last launch was cut; \"not cut\" says "
        "why "
        "other launches were left whole.",
    .options = options,
    .output = output,
    .examples = examples,
    .values_size = sizeof(struct report_command),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
