/* cmd_replay.c - clweave replay: plan a trace or an abstract graph under policies, or run a captured trace
 * again. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "../execute/execute.h"
#include "../explain/draw/gantt.h"
#include "../explain/graph_summary.h"
#include "../io/folders.h"
#include "plan_source.h"
#include "traces.h"

struct replay_options {
    struct cw_cli_list policies, history;
    const char *platform, *gantt, *host_waits, *show_platform, *lp, *kernels;
    int64_t dsp, seed, processors, repeat, versions;
    bool json, check, list_policies;
    bool execute;
    const char *group_rule;
    double group_reuse;
    const char *order, *on, *out;
    struct cw_selection selection;
};

#define OPTION(name_, letter_, kind_, member, argument_, choices_, help_)                                    \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_, .offset = offsetof(struct replay_options, member),  \
        .argument = argument_, .choices = choices_, .help = help_                                            \
    }

static const struct cw_cli_option options[] = {
    OPTION("policy", 'p', CW_CLI_LIST, policies, "NAME[:OPTION,...]", NULL,
           "plan under this policy (default weave); may be given more than once; 'all' means every policy"),
    OPTION("platform", 'P', CW_CLI_STRING, platform, "NAME|FILE", NULL,
           "plan for this platform, built-in (hxdsp) or from a file (default: the devices of the input)"),
    OPTION("dsp", 0, CW_CLI_INT, dsp, "N", NULL, "number of DSPs of the platform (alone: --platform hxdsp)"),
    OPTION("processors", 'n', CW_CLI_INT, processors, "N", NULL,
           "alike processors for task graphs that name no devices: stg, wfformat, dot (default 4)"),
    OPTION("json", 'j', CW_CLI_BOOL, json, NULL, NULL, "print the plan as JSON"),
    OPTION("gantt", 'g', CW_CLI_STRING, gantt, "FILE.svg", NULL,
           "draw the plan; several policies give several files, named after them"),
    OPTION("seed", 's', CW_CLI_INT, seed, "N", NULL,
           "seed of policies, or of the first random order (default 0, 1)"),
    OPTION("check", 0, CW_CLI_BOOL, check, NULL, NULL, "check every rule that a schedule must keep"),
    OPTION("lp", 0, CW_CLI_CHOICE, lp, "auto|on|off", "auto|on|off",
           "lower bound by linear programming: auto (default) leaves it out for large graphs"),
    OPTION("host-waits", 0, CW_CLI_CHOICE, host_waits, "keep|drop", "keep|drop",
           "keep (default) or drop the order that the host's waiting imposed"),
    OPTION("kernels", 0, CW_CLI_CHOICE, kernels, "free|models", "free|models",
           "kernels of a trace may be cut anywhere (default), or as run does it, by the models of their "
           "sources; then emulated DSPs "
           "also slow each other at their memory, as they do under run"),
    OPTION("versions", 0, CW_CLI_INT, versions, "N", NULL,
           "plan a trace as if each buffer had N copies in turn: what commands surely overwrite waits for no "
           "earlier reader (default 1)"),
    OPTION("history", 0, CW_CLI_LIST, history, "FILE", NULL,
           "costs of kernels by regression over what other launches took: another trace with device times, "
           "or run's history"),
    OPTION("show-platform", 0, CW_CLI_STRING, show_platform, "NAME", NULL,
           "print a built-in platform's file and stop"),
    OPTION("list-policies", 'l', CW_CLI_BOOL, list_policies, NULL, NULL,
           "list the policies, where each is from and the options that it takes, and stop"),
    OPTION("group-rule", 0, CW_CLI_CHOICE, group_rule, "max|skew", "max|skew",
           "groups: the patent's rule or ours (default: both, side by side)"),
    OPTION(
        "group-reuse", 0, CW_CLI_DOUBLE, group_reuse, "THETA", NULL,
        "groups: they touch each of their bytes more often than that in the mean, or their steps stay in the "
        "order of the program (default: no bound)"),
    OPTION("execute", 'x', CW_CLI_BOOL, execute, NULL, NULL,
           "run a trace made with --capture-data again on this machine's OpenCL and compare every byte"),
    OPTION(
        "order", 0, CW_CLI_STRING, order, "trace|plan|random|drop:FROM:TO|drop:auto", NULL,
        "order of --execute (default trace); drop: random, without one dependence, to see that it matters"),
    OPTION("repeat", 0, CW_CLI_INT, repeat, "N", NULL, "number of orders that --execute runs (default 1)"),
    OPTION("on", 0, CW_CLI_STRING, on, "DEVICE", NULL,
           "run everything of --execute on this device: its number, or a part of its name (default: as "
           "traced)"),
    OPTION("out", 'o', CW_CLI_STRING, out, "FOLDER", NULL,
           "write the part of --execute that --commands, --windows, --from and --to choose as a folder that "
           "another "
           "machine can run, instead of running it"),
    CW_SELECTION_ROWS(struct replay_options),
/* options with a new spelling */
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help)                                         \
    OPTION(name, 0, CW_CLI_BOOL, policies,                                                                   \
           sizeof argument > 1 ? "-p NAME:" name "=" argument : "-p NAME:" name, NULL, NULL),
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
    OPTION("group-height", 0, CW_CLI_BOOL, policies, "-p groups:height=H", NULL, NULL),
    OPTION("group-width", 0, CW_CLI_BOOL, policies, "-p groups:width=GW", NULL, NULL),
    OPTION("group-tiles", 0, CW_CLI_BOOL, policies, "-p groups:tiles=N", NULL, NULL),
    OPTION("group-dims", 0, CW_CLI_BOOL, policies, "-p groups:dims=N", NULL, NULL),
    OPTION("cache", 0, CW_CLI_BOOL, policies, "-p groups:cache=BYTES", NULL, NULL),
    OPTION("device", 0, CW_CLI_BOOL, policies, "--on K", NULL, NULL),
    OPTION("drop-edge", 0, CW_CLI_BOOL, policies, "--order drop:FROM:TO", NULL, NULL),
    CW_CLI_END};

/* Everything that one replay holds. */
struct replay {
    const struct replay_options *o;
    struct cw_plan_source source;
    struct cw_plan_result *result; /* per policy */
    size_t results;
    struct cw_policy_args policies;
    uint32_t processors;
};

static void replay_finish(struct replay *r)
{
    for (size_t k = 0; k < r->results; k++)
        cw_plan_result_finish(&r->result[k]);
    free(r->result);
    cw_policy_args_finish(&r->policies);
    cw_plan_source_finish(&r->source);
}

/* ---- policies and their options: mistakes here are mistakes of usage */

static enum cw_status choose_policies(struct replay *r, struct cw_error *err)
{
    const struct replay_options *o = r->o;
    enum cw_status status = cw_policy_args_add(&r->policies, &o->policies, "weave", o->seed, err);

    r->result = status == CW_OK ? calloc(r->policies.count, sizeof *r->result) : NULL;
    return status == CW_OK && !r->result ? cw_error_set(err, CW_ERR_NOMEM, "out of memory") : status;
}

/* ---- input */

static enum cw_status load(struct replay *r, const char *path, struct cw_error *err)
{
    const struct replay_options *o = r->o;
    bool drop = o->host_waits && strcmp(o->host_waits, "drop") == 0,
         plan = !o->execute || (o->order && strcmp(o->order, "plan") == 0);

    const struct cw_plan_source_known known = {o->kernels && strcmp(o->kernels, "models") == 0, &o->history,
                                               o->execute ? NULL : &o->selection, (uint32_t)o->versions};
    enum cw_status status =
        cw_plan_source_init(&r->source, path, o->platform, o->dsp, r->processors, &known, drop, plan, err);

    if (status == CW_OK)
        cw_plan_source_complain(&r->source);
    return status;
}

/* ---- output */

static enum cw_status draw(const struct replay *r, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (size_t k = 0; k < r->results && status == CW_OK; k++) {
        char *name =
            r->results == 1 ? strdup(r->o->gantt) : cw_cli_name_after(r->o->gantt, r->policies.label[k]);
        status = name ? cw_gantt_write(name, &r->source.input, &r->result[k], err)
                      : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        free(name);
    }
    return status;
}

/* Under the plans of a trace as it is. */
static enum cw_status print_reuse(const struct replay *r, struct cw_error *err)
{
    struct cw_graph_summary s = {0};
    enum cw_status status = CW_OK;

    if (r->source.is_trace && !r->o->json && r->o->versions == 1) {
        status = cw_graph_summary_init(&s, &r->source.trace, err);
        if (cw_graph_summary_reuses(&s))
            printf("\n");
        cw_graph_summary_print_reuse(&s, stdout);
    }
    cw_graph_summary_finish(&s);
    return status;
}

static int plan(struct replay *r, const char *path)
{
    struct cw_error err = {0};
    enum cw_status status = load(r, path, &err);

    r->source.bounds.entries_max = cw_plan_bounds_entries(r->o->lp);
    for (; r->results < r->policies.count && status == CW_OK; r->results++)
        status = cw_plan_result_init(&r->result[r->results], &r->source.input, r->policies.label[r->results],
                                     &r->policies.config[r->results], r->o->check, &err);
    if (status == CW_OK && r->o->json)
        cw_plan_result_json(stdout, &r->source.input, r->result, r->results);
    else if (status == CW_OK)
        cw_plan_result_print(stdout, &r->source.input, r->result, r->results);
    if (status == CW_OK)
        status = print_reuse(r, &err);
    if (status == CW_OK && r->o->gantt)
        status = draw(r, &err);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* ---- replay --policy groups: an order, not a placement */

static bool wants_groups(const struct replay_options *o)
{
    return o->policies.count == 1 && strcspn(o->policies.word[0], ":") == strlen("groups") &&
           strncmp(o->policies.word[0], "groups", strlen("groups")) == 0;
}

static enum cw_status choose_groups(const struct replay_options *o, struct cw_replay_groups_options *g,
                                    struct cw_error *err)
{
    const char *colon = wants_groups(o) ? strchr(o->policies.word[0], ':') : NULL;

    *g = (struct cw_replay_groups_options){.rule = o->group_rule,
                                           .picture = o->gantt,
                                           .reuse = o->group_reuse,
                                           .json = o->json,
                                           .keep_waits =
                                               !(o->host_waits && strcmp(o->host_waits, "drop") == 0)};
    if (!wants_groups(o) && (o->group_rule || o->group_reuse != -1))
        return cw_error_set(err, CW_ERR_INVALID, "replay: --%s is about --policy groups, alone",
                            o->group_rule ? "group-rule" : "group-reuse");
    return cw_replay_groups_parse(colon ? colon + 1 : "", g, err);
}

static int groups(struct replay *r, const struct cw_replay_groups_options *g, const char *path)
{
    const struct cw_plan_source_known known = {.part = &r->o->selection};
    struct cw_error err = {0};
    enum cw_status status =
        cw_plan_source_init(&r->source, path, NULL, -1, r->processors, &known, false, false, &err);

    if (status == CW_OK)
        status = cw_replay_groups(g, &r->source, stdout, &err);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* ---- replay --execute */

static enum cw_status parse_execute(const struct replay_options *o, struct cw_execute_options *x,
                                    struct cw_error *err)
{
    if (o->repeat < 1 || o->repeat > 1000000)
        return cw_error_set(err, CW_ERR_INVALID, "--repeat %" PRId64 ": expected a number from 1 to 1000000",
                            o->repeat);
    if (o->on && !*o->on)
        return cw_error_set(err, CW_ERR_INVALID, "--on takes the number of a device, or a part of its name");
    x->repeat = (uint32_t)o->repeat;
    x->seed = o->seed >= 0 ? (uint64_t)o->seed : x->seed;
    if (o->on)
        cw_execute_parse_on(x, o->on);
    return o->order ? cw_execute_parse_order(x, o->order, err) : CW_OK;
}

/* The order of a policy's plan, to be freed. */
static enum cw_status plan_order(struct replay *r, uint32_t **order, uint32_t *count, struct cw_error *err)
{
    enum cw_status status = cw_plan_result_init(&r->result[0], &r->source.input, r->policies.label[0],
                                                &r->policies.config[0], r->o->check, err);

    r->results = status == CW_OK;
    *order = malloc((r->source.trace.commands.count + 1) * sizeof **order);
    if (status == CW_OK && !*order)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    return status == CW_OK ? cw_plan_result_order(&r->result[0], &r->source.input, *order, count, err)
                           : status;
}

static int execute(struct replay *r, const char *path, const struct cw_execute_options *x)
{
    struct cw_error err = {0};
    struct cw_execute_report report;
    uint32_t *order = NULL, count = 0;
    enum cw_status status = load(r, path, &err);

    if (status == CW_OK && !r->source.is_trace)
        status =
            cw_error_set(&err, CW_ERR_INVALID, "%s: is an abstract graph; --execute needs a trace", path);
    if (status == CW_OK && r->o->out)
        status = cw_execute_slice(&r->source.trace, &r->o->selection, x, r->o->out, &err);
    else if (status == CW_OK && x->order == CW_EXECUTE_PLAN)
        status = plan_order(r, &order, &count, &err);
    if (status == CW_OK && !r->o->out) {
        status = cw_execute_run(&r->source.trace, x, order, count, &report, &err);
        if (status == CW_OK || status == CW_ERR_MISMATCH)
            cw_execute_report_print(&report, &r->source.trace, stdout, r->o->json);
    }
    free(order);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* A part of a trace runs from a folder, which is gone afterwards. The commands before it run where they
 * ran, the part where the options say. */
static int execute_part(struct replay *r, const char *path, const struct cw_execute_options *x)
{
    static const char *const names[] = {"/trace.json", "/trace.json.data", "/run", ""};
    struct cw_execute_options before = CW_EXECUTE_OPTIONS_DEFAULT;
    struct replay_options rest = *r->o, first = *r->o;
    char folder[256], file[288];
    int result;

    snprintf(folder, sizeof folder, "%.200s/clweave-XXXXXX", cw_temporary_folder());
    if (!mkdtemp(folder)) {
        cw_cli_complain("replay: cannot make a folder for the part: %s: %s", folder, strerror(errno));
        return CW_EXIT_FAILURE;
    }
    first.out = folder;
    first.order = NULL;
    rest.selection = (struct cw_selection){0};
    r->o = &first;
    result = execute(r, path, &before);
    cw_plan_source_finish(&r->source);
    r->o = &rest;
    snprintf(file, sizeof file, "%s/trace.json", folder);
    if (result == CW_EXIT_OK)
        result = execute(r, file, x);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s%s", folder, names[i]);
        remove(file);
    }
    return result;
}

/* An option that means nothing without --execute, NULL: none was given. */
static const char *only_for_execute(const struct replay_options *o)
{
    return o->order ? "order" : o->repeat != 1 ? "repeat" : o->on ? "on" : o->out ? "out" : NULL;
}

static int run_replay(const void *values, int argc, char **argv)
{
    struct replay r = {.o = values};
    struct cw_execute_options x = CW_EXECUTE_OPTIONS_DEFAULT;
    struct cw_replay_groups_options g;
    struct cw_error err = {0};
    const char *text = r.o->show_platform ? cw_platform_builtin(r.o->show_platform) : NULL;
    int result;

    if (r.o->list_policies) {
        cw_policy_args_print(stdout);
        return CW_EXIT_OK;
    }
    if (text) {
        fputs(text, stdout);
        return CW_EXIT_OK;
    }
    if (r.o->show_platform)
        cw_error_set(&err, CW_ERR_NOTFOUND, "--show-platform: there is no built-in platform %s; built in: %s",
                     r.o->show_platform, cw_platform_builtin_names[0]);
    else if (r.o->dsp < -1 || r.o->seed < -1)
        cw_error_set(&err, CW_ERR_INVALID, "replay: --%s takes a whole number from 0 on",
                     r.o->dsp < -1 ? "dsp" : "seed");
    else if (r.o->versions < 1 || r.o->versions > CW_VERSIONS_MAX ||
             (r.o->versions > 1 && (r.o->execute || wants_groups(r.o))))
        cw_error_set(
            &err, CW_ERR_INVALID,
            "replay: --versions takes a number from 1 to %d, for plans alone: programs that run have "
            "one of each buffer",
            CW_VERSIONS_MAX);
    else if (!r.o->execute && only_for_execute(r.o))
        cw_error_set(&err, CW_ERR_INVALID, "replay: --%s is about running again: it needs --execute",
                     only_for_execute(r.o));
    else if (argc == 0)
        cw_error_set(&err, CW_ERR_INVALID, "replay: which file? usage: clweave replay [options] FILE");
    if (err.status != CW_OK || choose_groups(r.o, &g, &err) != CW_OK ||
        cw_plan_processors(r.o->processors, &r.processors, &err) != CW_OK ||
        (!wants_groups(r.o) && choose_policies(&r, &err) != CW_OK) || parse_execute(r.o, &x, &err) != CW_OK ||
        cw_selection_check(&r.o->selection, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        replay_finish(&r);
        return CW_EXIT_USAGE;
    }
    result = r.o->execute && !r.o->out && cw_selection_given(&r.o->selection) ? execute_part(&r, argv[0], &x)
             : r.o->execute                                                   ? execute(&r, argv[0], &x)
             : wants_groups(r.o)                                              ? groups(&r, &g, argv[0])
                                                                              : plan(&r, argv[0]);
    replay_finish(&r);
    return result;
}

static const struct replay_options defaults = {
    .dsp = -1, .seed = -1, .processors = -1, .repeat = 1, .versions = 1, .group_reuse = -1};

static const char *const examples[] = {
    "clweave replay app.json --dsp 4 --policy heft --policy hdgeft",
    "compare two policies on the HXDSP board",
    "clweave replay graph.json --policy hdgeft:share-idle --gantt plan.svg",
    "plan an abstract graph and draw the plan",
    "clweave replay app.json --policy groups:cache=16M --gantt groups.svg",
    "how much memory traffic an order by priority groups saves, and the picture of it",
    "clweave replay app.json --execute --order random --repeat 100",
    "run a captured trace again in 100 orders and compare every byte",
    "clweave replay app.json --execute --commands 100..200 -o part",
    "cut out some commands with the memory that they find, for `part/run --on NAME` on another machine",
    NULL};

static const char *const output[] = {
    "policy",
    "as asked for, with its options",
    "makespan",
    "time from the first start to the last finish, as planned; of task graphs in their own unit",
    "lower bound",
    "no plan under this way of sharing is shorter: the best of the bounds below",
    "SLR",
    "schedule length ratio: makespan over the least times along the critical path",
    "NSL",
    "normalised schedule length: makespan over the time of that path on its best device",
    "speedup",
    "time of all on the best single device over makespan",
    "effic.",
    "efficiency: speedup over the number of devices",
    "shared",
    "commands or tasks that several devices share",
    "lower bounds",
    "one row for each way in which the policies may share tasks: no plan is shorter than the largest of its "
    "row",
    "critical path",
    "bound: the longest chain of dependences, each at its least time, with free transfers",
    "OCT",
    "bound: the same with transfers, by an optimistic cost table (Arabnejad and Barbosa)",
    "area",
    "bound: all work at its least time, spread evenly over the devices",
    "LP",
    "bound by linear programming; - when it was left out",
    "busy",
    "how much of the makespan each device works",
    "start, finish",
    "of one policy: when each command or task runs",
    "command",
    "of a trace: the command that the program enqueued, by number, with its kernel or kind",
    "task",
    "of a task graph: its node, by number and name",
    "device",
    "where it runs; in brackets the work-groups of each device, where they share it",
    "order",
    "--policy groups: of the program, by the largest tile depended on (max), and skewed (skew)",
    "blocks, groups",
    "blocks of steps, priority groups of tiles in all of them",
    "H, gw",
    "steps in a block, tiles side by side in a group, in each dimension",
    "largest group",
    "bytes that its tiles touch",
    "reuse",
    "how often groups touch each of their bytes, in the mean",
    "from memory, to memory",
    "bytes that the counted cache fetches and gives back; traffic: compared with the order of the program",
    NULL,
};

const struct cw_command_def cw_cmd_replay = {
    .name = "replay",
    .summary = "plan a trace or task graph for other devices and policies, or run it again",
    .usage = "[options] FILE",
    .details =
        "FILE is a trace (JSON or log) or an abstract task graph: clweave-graph, STG, WfCommons WfFormat or "
        "DOT "
        "(FORMAT.md says how each is read). The plan says which device "
        "runs each command and when, and how far it is from the least possible time. Kernels are taken to be "
        "divisible at their work-groups.\n\n"
        "--execute runs code that the trace holds, with your rights: give it only traces whose origin you "
        "trust. Nothing "
        "of a trace runs without it. A part of the trace is cut out first: the commands before it run, and "
        "what memory "
        "holds then goes along.\n\n"
        "An option of a policy follows its name: --policy hdgeft:share-idle,overhead=500. --list-policies "
        "explains them.\n\n"
        "--policy groups is an order, not a placement: launches are cut into tiles where their kernels allow "
        "it, tiles "
        "that depend on each other nearby are put into priority groups, and a least-recently-used cache says "
        "what comes "
        "from memory in the order of the program, by the patent's rule and by ours. groups:dims=2 or 3 "
        "cuts rows (or planes) that are wider than the cache, too. --gantt draws the "
        "groups. In a task "
        "graph a step is all tasks equally far from an entry, and data count as bytes.\n\n"
        "A platform file is JSON (--show-platform hxdsp prints one to start from). Each entry of its devices "
        "has a "
        "class and may have: name; memory (devices that name the same one exchange data for free); count; "
        "speed "
        "(kernels take their traced time divided by it) or ns_per_item (time per work-item instead); "
        "launch_ns "
        "(added to each kernel); kernels (a list of exceptions by name pattern: speed, ns_per_item, "
        "launch_ns, or "
        "run: false); transfers (false, or table of [bytes, ns], latency_ns, bytes_per_ns; absent: as "
        "traced). "
        "Beside devices: bandwidth in bytes per ns and latency in ns between memories: a number, or a matrix "
        "by "
        "device.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .max_operands = 1,
    .run = run_replay,
};
