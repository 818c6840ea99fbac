/* cmd_dispatch.c - clweave dispatch: handing tasks to many workers through masters, simulated. */
#include <string.h>

#include "../../sched/dispatch.h"
#include "../io/json_out.h"
#include "frame/cli.h"

struct dispatch_options {
    int64_t workers, levels, fan_out, tasks, block, seed;
    double task, spread, message_s, latency_s, worker_mtbf, master_mtbf, detect;
    bool json;
};

#define OPTION(name_, kind_, member, argument_, help_)                                                       \
    {                                                                                                        \
        .name = name_, .kind = kind_, .offset = offsetof(struct dispatch_options, member),                   \
        .argument = argument_, .help = help_                                                                 \
    }

static const struct cw_cli_option options[] = {
    OPTION("workers", CW_CLI_INT, workers, "N", "workers (default 1000)"),
    OPTION("levels", CW_CLI_INT, levels, "N", "levels of masters: 1 (default) is a single master, 6 at most"),
    OPTION("fan-out", CW_CLI_INT, fan_out, "N", "children of a master below the top (default 100)"),
    OPTION("tasks", CW_CLI_INT, tasks, "N", "tasks (default 20 for each worker)"),
    OPTION("block", CW_CLI_INT, block, "N", "tasks that a worker asks for at a time (default 1)"),
    OPTION("task", CW_CLI_DOUBLE, task, "SECONDS", "mean time of a task (default 1)"),
    OPTION("spread", CW_CLI_DOUBLE, spread, "X", "how far tasks differ from it, 0 to 1 (default 0.5)"),
    OPTION("message", CW_CLI_DOUBLE, message_s, "SECONDS", "a master's time for a message (default 0.0001)"),
    OPTION("latency", CW_CLI_DOUBLE, latency_s, "SECONDS", "of a message (default 0.0001)"),
    OPTION("worker-mtbf", CW_CLI_DOUBLE, worker_mtbf, "SECONDS",
           "between failures of a worker (default 0: never)"),
    OPTION("master-mtbf", CW_CLI_DOUBLE, master_mtbf, "SECONDS",
           "between failures of a master (default 0: never)"),
    OPTION("detect", CW_CLI_DOUBLE, detect, "SECONDS", "until a failure is noticed (default 1)"),
    OPTION("seed", CW_CLI_INT, seed, "N", "seed of the random numbers (default 0)"),
    OPTION("json", CW_CLI_BOOL, json, NULL, "print the result as JSON"),
    CW_CLI_END};

static void print_json(const struct dispatch_options *o, const struct cw_dispatch_result *r)
{
    const struct cw_json_figure rows[] = {{"workers", (double)o->workers},
                                          {"levels", (double)o->levels},
                                          {"fan_out", (double)o->fan_out},
                                          {"tasks", (double)o->tasks},
                                          {"seconds", r->seconds},
                                          {"throughput", r->throughput},
                                          {"formula", r->formula},
                                          {"idle", r->idle},
                                          {"busiest_master", r->busiest},
                                          {"messages", (double)r->messages},
                                          {"worker_failures", r->worker_failures},
                                          {"master_failures", r->master_failures},
                                          {"global_failures", r->global_failures},
                                          {"lost_seconds_per_failure", r->lost_s},
                                          {"stale_messages", (double)r->stale},
                                          {"results_once", r->once}};

    cw_json_print_figures(stdout, rows, sizeof rows / sizeof *rows);
}

static void print_table(const struct dispatch_options *o, const struct cw_dispatch_result *r)
{
    printf("%lld tasks, %lld workers, %lld level%s of masters\n\n", (long long)o->tasks,
           (long long)o->workers, (long long)o->levels, o->levels == 1 ? "" : "s");
    printf("time             %12.6g s\n", r->seconds);
    printf("throughput       %12.6g tasks/s   (queueing formula: %.6g)\n", r->throughput, r->formula);
    printf("workers idle     %12.2f %%\n", 100 * r->idle);
    printf("busiest master   %12.2f %%         (%llu messages)\n", 100 * r->busiest,
           (unsigned long long)r->messages);
    if (r->worker_failures + r->master_failures)
        printf("failures         %12u           (%u of masters, %u of them the global one)\n"
               "lost work        %12.6g s each    (%llu messages were stale)\n",
               r->worker_failures + r->master_failures, r->master_failures, r->global_failures, r->lost_s,
               (unsigned long long)r->stale);
    printf("results          %12u           each taken once\n", r->once);
}

static bool fits(int64_t x)
{
    return x >= 0 && x <= UINT32_MAX;
}

static int run(const void *values, int argc, char **argv)
{
    struct dispatch_options o = *(const struct dispatch_options *)values;
    struct cw_dispatch_result r;
    struct cw_error err = {0};
    enum cw_status status = CW_OK;

    (void)argc;
    (void)argv;
    if (o.tasks == 0 && fits(o.workers))
        o.tasks = 20 * o.workers;
    if (!fits(o.workers) || !fits(o.levels) || !fits(o.fan_out) || !fits(o.tasks) || !fits(o.block) ||
        o.seed < 0)
        status = cw_error_set(&err, CW_ERR_INVALID,
                              "dispatch: numbers of workers, levels, tasks and the like are whole "
                              "numbers from 0 on");
    if (status == CW_OK)
        status = cw_dispatch_run(&(struct cw_dispatch_options){(uint32_t)o.workers, (uint32_t)o.levels,
                                                               (uint32_t)o.fan_out, (uint32_t)o.tasks,
                                                               (uint32_t)o.block, o.task, o.spread,
                                                               o.message_s, o.latency_s, o.worker_mtbf,
                                                               o.master_mtbf, o.detect, (uint64_t)o.seed},
                                 &r, &err);
    if (status != CW_OK) {
        cw_cli_complain("%s", err.text);
        return status == CW_ERR_INVALID ? CW_EXIT_USAGE : CW_EXIT_FAILURE;
    }
    if (o.json)
        print_json(&o, &r);
    else
        print_table(&o, &r);
    return CW_EXIT_OK;
}

static const struct dispatch_options defaults = {CW_DISPATCH_DEFAULTS, .workers = 1000, .fan_out = 100,
                                                 .task = 1, .detect = 1};

static const char *const examples[] = {
    "clweave dispatch --workers 100000", "where a single master is the bottleneck",
    "clweave dispatch --workers 100000 --levels 2 --fan-out 300 --worker-mtbf 5000 --master-mtbf 5000",
    "the same with regional masters, and failures", NULL};

static const char *const output[] = {
    "time",
    "until the last task is done",
    "throughput",
    "of the middle half of the tasks; queueing formula: of the tree without failures",
    "workers idle",
    "of the time of all workers",
    "busiest master",
    "how much of the time it handles messages",
    "failures",
    "of workers and masters",
    "lost work",
    "work of tasks that was begun in vain; stale: messages of dead ones",
    "results",
    "tasks whose result was taken",
    NULL,
};

const struct cw_command_def cw_cmd_dispatch = {
    .name = "dispatch",
    .summary = "simulate masters that hand tasks to very many workers",
    .usage = "[options]",
    .details = "A tree of masters hands tasks to workers in blocks, on request. Printed are throughput (of "
               "the middle half of the "
               "tasks) beside what a queueing formula says of the tree without failures, how idle the "
               "workers and how busy the "
               "busiest master were, and what failures cost: a dead worker's tasks go to its master's tail, "
               "a dead master is "
               "replaced, the global one from its checkpoint.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .run = run,
};
