/* cmd_replay.c - clweave replay: plan a trace or an abstract graph under policies, or run a captured trace
 * again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "../execute/execute.h"
#include "../explain/draw/gantt.h"
#include "../io/temporary_folder.h"
#include "plan_source.h"
#include "policy_args.h"
#include "replay_groups.h"
#include "selection_options.h"

struct replay_options {
    struct cw_cli_list policies, history;
    const char *platform, *gantt, *host_waits, *show_platform, *lp, *kernels;
    int64_t dsp, seed, processors;
    bool json, check, list_policies;
    bool execute;
    const char *group_rule, *cache;
    int64_t group_height, group_width, group_tiles, group_dims;
    double group_reuse;
    const char *order, *repeat, *device, *on, *drop_edge, *execute_seed, *out;
    struct cw_selection selection;
    /* options of policies: flags and words */
#define FLAG                                                         bool
#define SWITCH                                                       const char *
#define COUNT                                                        const char *
#define NUMBER                                                       const char *
#define SHARE                                                        const char *
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help) kind field;
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
#undef FLAG
#undef SWITCH
#undef COUNT
#undef NUMBER
#undef SHARE
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
    OPTION("history", 0, CW_CLI_LIST, history, "FILE", NULL,
           "costs of kernels by regression over what other launches took: another trace with device times, "
           "or run's history"),
    OPTION("show-platform", 0, CW_CLI_STRING, show_platform, "NAME", NULL,
           "print a built-in platform's file and stop"),
    OPTION("list-policies", 'l', CW_CLI_BOOL, list_policies, NULL, NULL,
           "list the policies, where each is from and the options that it takes, and stop"),
#define FLAG   CW_CLI_BOOL
#define SWITCH CW_CLI_STRING
#define COUNT  CW_CLI_STRING
#define NUMBER CW_CLI_STRING
#define SHARE  CW_CLI_STRING
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help)                                         \
    OPTION(name, 0, kind, field, sizeof argument > 1 ? argument : NULL, NULL, help),
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
#undef FLAG
#undef SWITCH
#undef COUNT
#undef NUMBER
#undef SHARE
    OPTION("group-rule", 0, CW_CLI_CHOICE, group_rule, "max|skew", "max|skew",
           "groups: the patent's rule or ours (default: both, side by side)"),
    OPTION("group-height", 0, CW_CLI_INT, group_height, "H", NULL,
           "groups: steps with neighbours in a block (default: what fits)"),
    OPTION("group-width", 0, CW_CLI_INT, group_width, "GW", NULL,
           "groups: tiles side by side in a group (default: by the model)"),
    OPTION(
        "group-reuse", 0, CW_CLI_DOUBLE, group_reuse, "THETA", NULL,
        "groups: they touch each of their bytes more often than that in the mean, or their steps stay in the "
        "order of the program (default: no bound)"),
    OPTION("group-tiles", 0, CW_CLI_INT, group_tiles, "N", NULL,
           "groups: tiles of a launch, at most (default 128)"),
    OPTION("group-dims", 0, CW_CLI_INT, group_dims, "N", NULL,
           "groups: dimensions in which launches of a trace are cut, 1 to 3 (default 1, as run does)"),
    OPTION("cache", 0, CW_CLI_STRING, cache, "BYTES", NULL,
           "groups: the cache to count on, as 16M (default: half of this machine's last level)"),
    OPTION("execute", 'x', CW_CLI_BOOL, execute, NULL, NULL,
           "run a trace made with --capture-data again on this machine's OpenCL and compare every byte"),
    OPTION("order", 0, CW_CLI_CHOICE, order, "trace|plan|random", "trace|plan|random",
           "order of --execute (default trace)"),
    OPTION("repeat", 0, CW_CLI_STRING, repeat, "N", NULL, "number of orders that --execute runs (default 1)"),
    OPTION("device", 0, CW_CLI_STRING, device, "K", NULL,
           "run everything of --execute on device K (default: as traced)"),
    OPTION("on", 0, CW_CLI_STRING, on, "DEVICE", NULL,
           "run everything of --execute on this device: its number, or a part of its name"),
    OPTION("out", 'o', CW_CLI_STRING, out, "FOLDER", NULL,
           "write the part of --execute that --commands, --windows, --from and --to choose as a folder that "
           "another "
           "machine can run, instead of running it"),
    OPTION("drop-edge", 0, CW_CLI_STRING, drop_edge, "FROM:TO|auto", NULL,
           "leave a dependence out of the orders of --execute, to see that it matters"),
    CW_SELECTION_ROWS(struct replay_options),
    CW_CLI_END};

/* Everything that one replay holds. */
struct replay {
    const struct replay_options *o;
    struct cw_plan_source source;
    struct cw_plan_result *result; /* per policy */
    size_t results;
    struct cw_policy_args policies; /* labels with the long options included */
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

#define FLAG(value)   ((value) ? "on" : NULL)
#define SWITCH(value) (value)
#define COUNT(value)  (value)
#define NUMBER(value) (value)
#define SHARE(value)  (value)
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help)                                         \
    if (status == CW_OK && kind(o->field))                                                                   \
        status = cw_policy_args_set(&r->policies, name, kind(o->field), err);
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
#undef FLAG
#undef SWITCH
#undef COUNT
#undef NUMBER
#undef SHARE
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
                                               o->execute ? NULL : &o->selection};
    enum cw_status status =
        cw_plan_source_init(&r->source, path, o->platform, o->dsp, r->processors, &known, drop, plan, err);

    if (status == CW_OK)
        cw_plan_source_complain(&r->source);
    return status;
}

/* ---- output */

/* "out.svg" -> "out-hdgeft-guard.svg", for several plans. The caller's; NULL when memory is out. */
static char *name_after(const char *path, const char *label)
{
    const char *dot = strrchr(path, '.');
    size_t size = strlen(path) + strlen(label) + 2, stem;
    char *name = malloc(size);

    if (!name)
        return NULL;
    stem = dot && !strchr(dot, '/') ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s-%s%s", (int)stem, path, label, path + stem);
    for (size_t k = stem; k < stem + 1 + strlen(label); k++)
        if (strchr(":,=", name[k]))
            name[k] = '-';
    return name;
}

static enum cw_status draw(const struct replay *r, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (size_t k = 0; k < r->results && status == CW_OK; k++) {
        char *name = r->results == 1 ? strdup(r->o->gantt) : name_after(r->o->gantt, r->policies.label[k]);
        status = name ? cw_gantt_write(name, &r->source.input, &r->result[k], err)
                      : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        free(name);
    }
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
    if (status == CW_OK && r->o->gantt)
        status = draw(r, &err);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* ---- replay --policy groups: an order, not a placement */

static bool wants_groups(const struct replay_options *o)
{
    return o->policies.count == 1 && strcmp(o->policies.word[0], "groups") == 0;
}

static struct cw_replay_groups_options groups_options(const struct replay_options *o)
{
    return (struct cw_replay_groups_options){.rule = o->group_rule,
                                             .cache = o->cache,
                                             .picture = o->gantt,
                                             .height = o->group_height,
                                             .width = o->group_width,
                                             .tiles = o->group_tiles,
                                             .dims = o->group_dims,
                                             .reuse = o->group_reuse,
                                             .json = o->json,
                                             .keep_waits =
                                                 !(o->host_waits && strcmp(o->host_waits, "drop") == 0)};
}

static int groups(struct replay *r, const char *path)
{
    struct cw_replay_groups_options g = groups_options(r->o);
    const struct cw_plan_source_known known = {.part = &r->o->selection};
    struct cw_error err = {0};
    enum cw_status status =
        cw_plan_source_init(&r->source, path, NULL, -1, r->processors, &known, false, false, &err);

    if (status == CW_OK)
        status = cw_replay_groups(&g, &r->source, stdout, &err);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* ---- replay --execute */

static enum cw_status parse_execute(const struct replay_options *o, struct cw_execute_options *x,
                                    struct cw_error *err)
{
    char seed[32];
    const char *pairs[][2] = {{"order", o->order},         {"repeat", o->repeat},
                              {"device", o->device},       {"on", o->on},
                              {"drop-edge", o->drop_edge}, {"seed", o->seed >= 0 ? seed : NULL}};
    enum cw_status status = CW_OK;

    snprintf(seed, sizeof seed, "%lld", (long long)o->seed);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs && status == CW_OK; k++)
        if (pairs[k][1])
            status = cw_execute_options_parse(x, pairs[k][0], pairs[k][1], err);
    return status;
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
    return o->drop_edge ? "drop-edge"
           : o->order   ? "order"
           : o->repeat  ? "repeat"
           : o->device  ? "device"
           : o->on      ? "on"
           : o->out     ? "out"
                        : NULL;
}

static int run_replay(const void *values, int argc, char **argv)
{
    struct replay r = {.o = values};
    struct cw_execute_options x = CW_EXECUTE_OPTIONS_DEFAULT;
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
    else if (!r.o->execute && only_for_execute(r.o))
        cw_error_set(&err, CW_ERR_INVALID, "replay: --%s is about running again: it needs --execute",
                     only_for_execute(r.o));
    else if (argc == 0)
        cw_error_set(&err, CW_ERR_INVALID, "replay: which file? usage: clweave replay [options] FILE");
    struct cw_replay_groups_options g = groups_options(r.o);
    if (err.status != CW_OK || cw_replay_groups_check(&g, wants_groups(r.o), &err) != CW_OK ||
        cw_plan_processors(r.o->processors, &r.processors, &err) != CW_OK ||
        (!wants_groups(r.o) && choose_policies(&r, &err) != CW_OK) || parse_execute(r.o, &x, &err) != CW_OK ||
        cw_selection_check(&r.o->selection, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        replay_finish(&r);
        return CW_EXIT_USAGE;
    }
    result = r.o->execute && !r.o->out && cw_selection_given(&r.o->selection) ? execute_part(&r, argv[0], &x)
             : r.o->execute                                                   ? execute(&r, argv[0], &x)
             : wants_groups(r.o)                                              ? groups(&r, argv[0])
                                                                              : plan(&r, argv[0]);
    replay_finish(&r);
    return result;
}

static const struct replay_options defaults = {.dsp = -1,
                                               .seed = -1,
                                               .processors = -1,
                                               .group_height = -1,
                                               .group_width = -1,
                                               .group_tiles = -1,
                                               .group_dims = -1,
                                               .group_reuse = -1};

static const char *const examples[] = {
    "clweave replay app.json --dsp 4 --policy heft --policy hdgeft",
    "compare two policies on the HXDSP board",
    "clweave replay graph.json --policy hdgeft --share-idle --gantt plan.svg",
    "plan an abstract graph and draw the plan",
    "clweave replay app.json --policy groups --cache 16M --gantt groups.svg",
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
        "--policy groups is an order, not a placement: launches are cut into tiles where their kernels allow "
        "it, tiles "
        "that depend on each other nearby are put into priority groups, and a least-recently-used cache says "
        "what comes "
        "from memory in the order of the program, by the patent's rule and by ours. --group-dims 2 or 3 "
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
