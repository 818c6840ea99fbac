/* cmd_compare.c - clweave compare: many graphs under many policies, as a table, CSV, JSON or a picture. */
#include <stdlib.h>
#include <string.h>

#include "../io/output.h"
#include "cli.h"
#include "compare.h"
#include "plan_source.h"

#define OPTION(name_, letter_, kind_, member, argument_, choices_, help_)                                    \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_,                                                     \
        .offset = offsetof(struct cw_compare_options, member), .argument = argument_, .choices = choices_,   \
        .help = help_                                                                                        \
    }

static const struct cw_cli_option options[] = {
    OPTION("policy", 'p', CW_CLI_LIST, policies, "NAME[:OPTION,...]", NULL,
           "compare this policy (default all); may be given more than once"),
    OPTION("platform", 'P', CW_CLI_STRING, platform, "NAME|FILE", NULL,
           "plan for this platform (default: the devices of each input)"),
    OPTION("dsp", 0, CW_CLI_INT, dsp, "N", NULL, "number of DSPs of the platform (alone: --platform hxdsp)"),
    OPTION("processors", 'n', CW_CLI_INT, processors, "N", NULL,
           "alike processors for task graphs that name no devices: stg, wfformat, dot (default 4)"),
    OPTION("csv", 0, CW_CLI_STRING, csv, "FILE", NULL,
           "also write one line per graph and policy ('-': instead of the table)"),
    OPTION("json", 'j', CW_CLI_STRING, json, "FILE", NULL, "the same as JSON"),
    OPTION("plot", 0, CW_CLI_STRING, plot, "FILE.svg", NULL,
           "draw how far policies are from the best of each graph (or .png; by gnuplot)"),
    OPTION("jobs", 0, CW_CLI_INT, jobs, "N", NULL,
           "plan with N threads (default: one per processor; one with --times)"),
    OPTION("seed", 's', CW_CLI_INT, seed, "N", NULL, "seed of policies (default 0)"),
    OPTION("check", 0, CW_CLI_BOOL, check, NULL, NULL, "check every rule that a schedule must keep"),
    OPTION("times", 0, CW_CLI_BOOL, times, NULL, NULL, "report the processor time that planning took, too"),
    OPTION("lp", 0, CW_CLI_CHOICE, lp, "auto|on|off", "auto|on|off",
           "lower bounds by linear programming: auto (default) leaves them out for large graphs"),
    OPTION("host-waits", 0, CW_CLI_CHOICE, host_waits, "keep|drop", "keep|drop",
           "of traces: keep (default) or drop the order that the host's waiting imposed"),
    CW_CLI_END};

static enum cw_status write_file(const struct cw_compare *c, const char *path,
                                 void (*put)(const struct cw_compare *c, FILE *f), struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status != CW_OK)
        return status;
    put(c, out.f);
    return cw_output_commit(&out, err);
}

/* ---- the command */

/* Prints the failure, and goes on: the other results have taken long to make. */
static bool is_written(enum cw_status status, const struct cw_error *err)
{
    if (status != CW_OK)
        cw_cli_fail(err);
    return status == CW_OK;
}

/* The results in every form that is asked for. False when one of them cannot be had. */
static bool put_results(const struct cw_compare *c)
{
    const char *csv = c->o->csv, *json = c->o->json;
    struct cw_error err = {0};
    bool good = true;

    if (!(csv && strcmp(csv, "-") == 0) && !(json && strcmp(json, "-") == 0))
        cw_compare_print(c);
    if (csv)
        good &= is_written(write_file(c, csv, cw_compare_csv, &err), &err);
    if (json)
        good &= is_written(write_file(c, json, cw_compare_json, &err), &err);
    if (c->o->plot)
        good &= is_written(cw_compare_plot(c, c->o->plot, &err), &err);
    return good;
}

static int compare(struct cw_compare *c)
{
    struct cw_error err = {0};
    enum cw_status status = CW_OK;
    int result = CW_EXIT_FAILURE;

    c->cell = calloc(c->files * c->policies.count, sizeof *c->cell);
    c->tasks = calloc(c->files, sizeof *c->tasks);
    if (!c->cell || !c->tasks)
        status = cw_error_set(&err, CW_ERR_NOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_compare_run(c, &err);
    if (status != CW_OK)
        cw_cli_fail(&err);
    else if (put_results(c))
        result = CW_EXIT_OK;
    free(c->cell);
    free(c->tasks);
    return result;
}

static int run(const void *values, int argc, char **argv)
{
    struct cw_compare c = {.o = values, .file = argv, .files = (size_t)argc};
    struct cw_error err = {0};
    int result;

    if (c.o->dsp < -1 || c.o->seed < 0)
        cw_error_set(&err, CW_ERR_INVALID, "compare: --%s takes a whole number from 0 on",
                     c.o->dsp < -1 ? "dsp" : "seed");
    if (c.o->jobs < 0 || c.o->jobs > 1024)
        cw_error_set(&err, CW_ERR_INVALID, "compare: --jobs takes a number from 1 to 1024");
    if (err.status != CW_OK || cw_plan_processors(c.o->processors, &c.processors, &err) != CW_OK ||
        (c.o->plot && cw_compare_plot_check(c.o->plot, &err) != CW_OK) ||
        cw_policy_args_add(&c.policies, &c.o->policies, "all", c.o->seed, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        result = CW_EXIT_USAGE;
    } else {
        result = compare(&c);
    }
    cw_policy_args_finish(&c.policies);
    return result;
}

static const struct cw_compare_options defaults = {.dsp = -1, .processors = -1};

static const char *const examples[] = {
    "clweave compare g-*.json",
    "all policies over many graphs",
    "clweave compare -p heft -p hdgeft:best-k,cross-class --csv results.csv g-*.json",
    "two policies, and every single result in a file",
    "clweave compare --processors 8 --plot out.svg rand*.stg",
    "Standard Task Graphs on eight processors, and a picture",
    NULL};

const struct cw_command_def cw_cmd_compare = {
    .name = "compare",
    .summary = "compare policies over many task graphs and traces",
    .usage = "[options] FILE...",
    .details =
        "Plans every file (trace or task graph: clweave-graph, STG, WfFormat, DOT) under every policy. The "
        "table has a row per policy: mean "
        "schedule length ratio and speedup, mean and worst of makespan over that of the best policy for the "
        "graph, the number of graphs for which it is the best or as good, and mean makespan over the lower "
        "bound for its way of sharing tasks. Files are planned on all processors at once; what is printed "
        "does not "
        "depend on how many there are.",
    .options = options,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};
