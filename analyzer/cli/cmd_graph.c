/* cmd_graph.c - clweave graph: a trace's graph as a table, a file or a picture. */
#include "frame/cli.h"
#include "plan_source.h"
#include "traces.h"
#include "../explain/draw/exporter.h"
#include "../graph/graph_build.h"
#include "../explain/graph_summary.h"
#include "../io/output.h"
#include "../record/trace_write.h"
#include "../graph/trace_read.h"
#include "../io/json_out.h"
#include "../plan/plan_graph.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The format of task graphs that --format `name` or else the extension of `path` asks for: stg or wfformat
 * for a trace (whose json and dot are others), any for a task graph. NULL: none; both may be NULL. */
static const struct cw_graph_format *graph_abstract_format(const char *name, const char *path, bool of_trace)
{
    const struct cw_graph_format *f = name || path ? cw_graph_format_find(name, path) : NULL;

    if (of_trace && (f == &cw_graph_format_clweave || f == &cw_graph_format_dot))
        return NULL;
    return f;
}

/* ---- the summary */

struct summary {
    uint32_t entries, exits, depth, width; /* width: the most tasks on one level */
    double work, data, path;               /* mean times, bytes or the graph's own units */
};

/* Levels by the longest chain of tasks from an entry. */
static enum cw_status sum_up(const struct cw_graph *g, struct summary *s, struct cw_error *err)
{
    uint32_t *level = calloc(g->tasks, sizeof *level), *count = calloc(g->tasks, sizeof *count);
    double *finish = calloc(g->tasks, sizeof *finish);

    *s = (struct summary){0};
    for (uint32_t k = 0; level && count && finish && k < g->tasks; k++) {
        uint32_t i = g->topo[k];
        double cost = cw_graph_mean_cost(g, i);
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++) {
            uint32_t p = g->pred.task[e];
            level[i] = level[p] + 1 > level[i] ? level[p] + 1 : level[i];
            finish[i] = fmax(finish[i], finish[p]);
            s->data += g->pred.data[e];
        }
        finish[i] += cost;
        s->work += cost;
        s->path = fmax(s->path, finish[i]);
        s->entries += g->pred.start[i] == g->pred.start[i + 1];
        s->exits += g->succ.start[i] == g->succ.start[i + 1];
        s->depth = level[i] + 1 > s->depth ? level[i] + 1 : s->depth;
        s->width = ++count[level[i]] > s->width ? count[level[i]] : s->width;
    }
    free(finish);
    free(level);
    free(count);
    return s->depth ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);
}

static void print_json(const struct summary *s, const struct cw_graph *g, const struct cw_platform *p)
{
    const struct cw_json_figure rows[] = {
        {"tasks", g->tasks},        {"edges", g->edges}, {"devices", p->devices}, {"entries", s->entries},
        {"exits", s->exits},        {"depth", s->depth}, {"width", s->width},     {"work", s->work},
        {"critical_path", s->path}, {"data", s->data}};

    cw_json_print_figures(stdout, rows, sizeof rows / sizeof *rows);
}

static void print_summary(const struct summary *s, const struct cw_graph *g, const struct cw_platform *p,
                          const char *path, const char *format)
{
    printf("%s: a task graph (%s)\n\n", path, format);
    printf("tasks            %12u   (%u at the beginning, %u at the end)\n", g->tasks, s->entries, s->exits);
    printf("dependences      %12u   (%.2f a task)\n", g->edges, (double)g->edges / g->tasks);
    printf("levels           %12u   (%u tasks on the widest)\n", s->depth, s->width);
    printf("devices          %12u\n", p->devices);
    printf("work             %12.6g   (mean times of all tasks)\n", s->work);
    printf("critical path    %12.6g   (without transfers)\n", s->path);
    printf("parallelism      %12.2f   (work / critical path)\n", s->path > 0 ? s->work / s->path : 0);
    printf("data             %12.6g   (%.4g of mean transfer time for each of work)\n", s->data,
           s->work > 0 ? cw_platform_mean_comm(p, s->data) / s->work : 0);
}

/* ---- writing */

static bool is_picture(const char *name, const char *out, const char **option)
{
    static const char *const options[] = {"-Tsvg", "-Tpng"};

    for (size_t k = 0; k < 2; k++) {
        const char *extension = options[k] + 2, *dot = out ? strrchr(out, '.') : NULL;
        *option = options[k];
        if (name ? strcmp(name, extension) == 0 : dot && strcmp(dot + 1, extension) == 0)
            return true;
    }
    return false;
}

static enum cw_status write_picture(const struct cw_graph_output *o, const char *path, const char *option,
                                    struct cw_error *err)
{
    struct cw_output out;
    FILE *source;
    enum cw_status status;

    if (o->graph->tasks > CW_PICTURE_NODES)
        return cw_error_set(err, CW_ERR_LIMIT,
                            "the graph has %u tasks, too many for a picture (more than %d)", o->graph->tasks,
                            CW_PICTURE_NODES);
    status = cw_output_open(&out, path, 0666, err);
    if (status != CW_OK)
        return status;
    source = tmpfile();
    if (!source)
        status = cw_error_set(err, CW_ERR_IO, "cannot make a temporary file");
    if (status == CW_OK)
        status = cw_graph_format_dot.write(o, source, err);
    if (status == CW_OK)
        status = cw_export_run_dot(source, option, out.f, err);
    if (source)
        fclose(source);
    return cw_output_close(&out, status, err);
}

static const char *base_name(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* Shows (out and name NULL) or writes the task graph at `path`, which is of format `in`. json: the summary as
 * JSON. Returns an exit status, having complained. */
static int graph_abstract_run(const struct cw_graph_format *in, const char *path, const char *out,
                              const char *name, bool json)
{
    const struct cw_graph_format *to = graph_abstract_format(name, out, false);
    struct cw_graph *graph;
    struct cw_platform *platform;
    struct cw_error err = {0};
    struct summary s;
    const char *option;
    bool picture = is_picture(name, out, &option);
    enum cw_status status;

    if ((out || name) && !picture && !to) {
        cw_cli_complain(
            "graph: %s: the extension is none of json, stg, wfformat.json, dot, svg, png; say --format", out);
        return CW_EXIT_USAGE;
    }
    status = in->read(path, 0, &graph, &platform, &err);
    if (status == CW_OK && (out || name)) {
        struct cw_graph_output o = {graph, platform, 1, base_name(path)};
        status = picture ? write_picture(&o, out ? out : "-", option, &err)
                         : cw_graph_format_write(to, out ? out : "-", &o, &err);
    } else if (status == CW_OK && (status = sum_up(graph, &s, &err)) == CW_OK) {
        if (json)
            print_json(&s, graph, platform);
        else
            print_summary(&s, graph, platform, path, in->name);
    }
    cw_graph_destroy(graph);
    cw_platform_destroy(platform);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

/* Writes the task graph of a trace, on the trace's own devices, as `format`. Errors: those of plan_graph.h
 * and of the format. */
static enum cw_status graph_abstract_export(const struct cw_graph_format *format, const struct cw_trace *t,
                                            const char *out, struct cw_error *err)
{
    struct cw_plan_graph pg = {0};
    enum cw_status status = cw_plan_graph_init(&pg, t, NULL, NULL, false, err);

    if (status == CW_OK)
        status = cw_graph_format_write(
            format, out ? out : "-",
            &(struct cw_graph_output){pg.graph, pg.platform, 1e-9,
                                      t->process.program ? base_name(t->process.program) : "trace"},
            err);
    cw_plan_graph_finish(&pg);
    return status;
}

struct graph_options {
    const char *out, *format, *footprints;
    bool json, trust_declared, queue_edges, all_edges, collapse;
    int64_t limit, command;
    struct cw_selection selection;
};

#define MEMBER(name) offsetof(struct graph_options, name)
static const struct cw_cli_option options[] = {
    {"out", 'o', CW_CLI_STRING, MEMBER(out), "FILE", NULL,
     "write the graph to FILE (- for standard output); its extension says the format"},
    {"format", 'f', CW_CLI_CHOICE, MEMBER(format), "FORMAT", "json|dot|svg|png|stg|wfformat",
     "the format, when the extension does not say it"},
    {"json", 0, CW_CLI_BOOL, MEMBER(json), NULL, NULL, "print the summary as JSON"},
    {"command", 0, CW_CLI_INT, MEMBER(command), "N", NULL,
     "print command N and its edges, without loading the rest of the file"},
    {"trust-declared", 0, CW_CLI_BOOL, MEMBER(trust_declared), NULL, NULL,
     "build the graph anew and believe every const and CL_MEM_READ_ONLY, proven or not: for pictures, not "
     "for "
     "reordering"},
    {"footprints", 0, CW_CLI_CHOICE, MEMBER(footprints), "on|off", "on|off",
     "build the graph with the bytes that kernels touch, by their sources, or with whole buffers (default: "
     "on for a log; "
     "a JSON trace has its graph)"},
    {"queue-edges", 0, CW_CLI_BOOL, MEMBER(queue_edges), NULL, NULL,
     "draw the implied edges of in-order queues as well"},
    {"all-edges", 0, CW_CLI_BOOL, MEMBER(all_edges), NULL, NULL, "draw edges that others imply as well"},
    {"collapse", 0, CW_CLI_BOOL, MEMBER(collapse), NULL, NULL, "draw one node per kernel or kind of command"},
    {"limit", 'n', CW_CLI_INT, MEMBER(limit), "N", NULL, "draw the first N commands only"},
    CW_SELECTION_ROWS(struct graph_options),
    {"compact", 0, CW_CLI_BOOL, 0, "clweave trace -o FILE.log: the log, which all commands read", NULL, NULL},
    CW_CLI_END,
};
static const struct graph_options defaults = {.command = -1};

static const char *const examples[] = {"clweave graph app.json",
                                       "how many commands and edges of which kind, and the critical path",
                                       "clweave graph app.json -o app.svg",
                                       "a picture",
                                       "clweave graph app.json.log -o app.json",
                                       "convert the log of a killed program",
                                       "clweave graph app.json --windows 10..12 --kernel '^fft'",
                                       "the dependences of some kernels between the 10th and the 13th wait",
                                       NULL};

/* The command's own text, laid out. */
static bool print_object(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, 0, NULL);
    bool ok = value && json_dumpf(value, stdout, JSON_INDENT(2)) == 0;

    json_decref(value);
    if (!ok)
        fwrite(text, 1, length, stdout); /* numbers that jansson cannot hold: as in the file */
    putchar('\n');
    return ok;
}

static int print_command(const char *path, uint32_t id)
{
    struct cw_trace_index x;
    struct cw_trace one;
    struct cw_error err = {0};
    const char *text;
    size_t length;

    cw_trace_init(&one);
    if (!cw_trace_index_open(&x, path, &err) && !cw_trace_index_command(&x, id, &one, &text, &length, &err) &&
        !cw_trace_index_edges(&x, id, &one, &err)) {
        print_object(text, length);
        for (size_t i = 0; i < one.edges.count; i++) {
            const struct cw_edge *e = &one.edges.v[i];
            printf("%s %u: %s%s%s", e->to == id ? "after" : "before", e->to == id ? e->from : e->to,
                   cw_graph_edge_kind_name(e->kind), e->hazard ? " " : "", cw_graph_hazard_name(e->hazard));
            if (e->memory != CW_NONE)
                printf(" of memory %u, %llu bytes", e->memory, (unsigned long long)e->bytes);
            if (e->unproven)
                fputs(" (unproven)", stdout);
            putchar('\n');
        }
    }
    cw_trace_finish(&one);
    cw_trace_index_close(&x);
    return err.status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

/* A picture of too many commands is collapsed, as that of `report` is. */
static bool must_collapse(const struct graph_options *o, const struct cw_exporter *exporter,
                          const struct cw_trace *t)
{
    bool picture = strcmp(exporter->name, "svg") == 0 || strcmp(exporter->name, "png") == 0;

    if (!picture || o->collapse || o->limit || !cw_export_is_large(t))
        return false;
    cw_cli_complain("graph: one node for each kernel and kind of command, as there are more than %d "
                    "commands; --limit N draws each of the first N",
                    CW_PICTURE_NODES);
    return true;
}

static enum cw_status export(const struct graph_options *o, const struct cw_exporter *exporter,
                             const struct cw_trace *t, struct cw_error *err) {
    struct cw_export_options e = {.queue_edges = o->queue_edges,
                                  .all_edges = o->all_edges,
                                  .collapse = o->collapse || must_collapse(o, exporter, t),
                                  .limit = o->limit};
    struct cw_output out;
    /* a trace holds program sources: its owner's business */
    enum cw_status status = cw_output_open(&out, o->out ? o->out : "-",
                                           strcmp(exporter->name, "json") == 0 ? 0600 : 0666, err);

    return status ? status : cw_output_close(&out, exporter->write(t, &e, out.f, err), err);
}

/* The graph that a JSON trace has, or another, as --footprints says. */
static enum cw_status with_footprints(const struct graph_options *o, bool log, struct cw_trace *t,
                                      struct cw_error *err)
{
    if (o->footprints && !strcmp(o->footprints, "off"))
        return cw_graph_build(t, NULL, err);
    return o->footprints || log ? cw_footprints_build(t, o->footprints != NULL, log, err) : CW_OK;
}

/* The trace at `path`, its graph as the options say, the part of it that they select. */
static enum cw_status load(const struct graph_options *o, const char *path, struct cw_trace *t,
                           struct cw_error *err)
{
    bool log;
    enum cw_status status = cw_trace_load_bare(t, path, &log, err);

    if (!status && (o->footprints || o->trust_declared) && t->process.selection)
        status = cw_error_set(
            err, CW_ERR_UNSUPPORTED,
            "%s is a part of a trace (%.200s), whose graph cannot be built anew: select from the "
            "whole trace instead",
            path, t->process.selection);
    if (!status)
        status = with_footprints(o, log, t, err);
    if (!status && o->trust_declared)
        status = cw_graph_build(t, &(struct cw_graph_options){.trust_declared = true}, err);
    return status ? status : cw_selection_apply(t, &o->selection, err);
}

/* The options against each other; false: it has complained. */
static bool check(const struct graph_options *o, const struct cw_exporter *exporter, bool foreign,
                  bool abstract)
{
    const char *why =
        o->limit < 0 ? "--limit: a number that is not negative is needed"
        : abstract && cw_selection_given(&o->selection)
            ? "the file is a task graph; --from, --to, --commands, --windows and --kernel are for "
              "traces"
            : NULL;

    if (why)
        cw_cli_complain("graph: %s", why);
    else if (!abstract && o->out && !exporter && !foreign)
        cw_cli_complain("graph: %s: %s", o->out,
                        why =
                            "the extension is none of json, dot, svg, png, stg, wfformat.json; say --format");
    return !why && cw_selection_options_check(&o->selection);
}

static int run(const void *values, int argc, char **argv)
{
    const struct graph_options *o = values;
    const struct cw_graph_format *abstract = cw_graph_format_probe(argv[0]),
                                 *foreign = graph_abstract_format(o->format, o->out, true);
    const struct cw_exporter *exporter = foreign               ? NULL
                                         : o->out || o->format ? cw_exporter_find(o->format, o->out)
                                                               : NULL;
    struct cw_trace t;
    struct cw_error err = {0};
    enum cw_status status;

    (void)argc;
    if (o->command >= 0 && o->command < CW_NONE)
        return print_command(argv[0], (uint32_t)o->command);
    if (o->command >= 0)
        return cw_cli_complain("graph: --command: no such command"), CW_EXIT_USAGE;
    if (!check(o, exporter, foreign, abstract))
        return CW_EXIT_USAGE;
    if (abstract)
        return graph_abstract_run(abstract, argv[0], o->out, o->format, o->json);
    cw_trace_init(&t);
    status = load(o, argv[0], &t, &err);
    if (!status && foreign)
        status = graph_abstract_export(foreign, &t, o->out, &err);
    else if (!status && exporter)
        status = export(o, exporter, &t, &err);
    else if (!status && o->json)
        status = cw_graph_summary_json(&t, stdout, &err);
    else if (!status)
        cw_graph_summary_print(&t, stdout);
    cw_trace_finish(&t);
    return status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

static const char *const output[] = {
    "commands",
    "commands of this kernel, or of this kind",
    "name",
    "the kernel, or the kind of command as OpenCL names it, without CL_COMMAND_",
    "reads, writes",
    "bytes of all these commands; <= at most, as a kernel that cannot be read may touch all of its buffers",
    "device time",
    "time on the device of all these commands together; - without --device-times",
    "edges, kind",
    "pairs of commands that an order binds: queue (both in one in-order queue), event (a wait list), "
    "barrier, host (the program waited in between), data (RAW, WAR, WAW: both touch the same bytes), path "
    "(of a "
    "part: through commands that it leaves out); race: data edges of commands of several queues, or of an "
    "out-of-order one, between which the program keeps no order",
    "longest chain",
    "commands that must wait for each other",
    "critical path",
    "the chain of commands that takes longest: no number of devices is faster; beside it the time in which "
    "at "
    "least one device ran commands",
    "tasks, levels",
    "of a task graph: its nodes, and the length of the longest chain in tasks",
    "work",
    "of a task graph: mean times of all tasks; parallelism: work over critical path",
    NULL,
};

const struct cw_command_def cw_cmd_graph = {
    .name = "graph",
    .summary = "show or draw the dependences in a trace or task graph",
    .usage = "[options] FILE",
    .details =
        "FILE is a JSON trace, a binary log, or an abstract task graph (clweave-graph, STG, WfCommons "
        "WfFormat, "
        "DOT: see FORMAT.md). Without -o a summary is printed. Task graphs are written as json "
        "(clweave-graph), "
        "stg, wfformat (.wfformat.json), dot, svg or png; so are traces, of which json is the trace itself. "
        "Pictures show edges "
        "that bind an order: data "
        "(RAW, WAR, WAW), events, barriers and host waits; the chain of an in-order queue binds "
        "nothing by itself. SVG and PNG "
        "are drawn by graphviz's dot.\n\n"
        "--from, --to, --commands, --windows and --kernel choose a part of a trace; all that are given must "
        "hold "
        "of a command. A part keeps the order of the whole: where a path of dependences leads from one of "
        "its "
        "commands to another through commands that are left out, it has an edge. Numbers stay those of the "
        "whole "
        "trace.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof(struct graph_options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
