#include "plan_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../explain/draw/exporter.h"
#include "../io/json_out.h"
#include "../io/output.h"
#include "../plan/plan_graph.h"
#include "frame/cli.h"

const struct cw_graph_format *cw_graph_abstract_format(const char *name, const char *path, bool of_trace)
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

int cw_graph_abstract_run(const struct cw_graph_format *in, const char *path, const char *out,
                          const char *name, bool json)
{
    const struct cw_graph_format *to = cw_graph_abstract_format(name, out, false);
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

enum cw_status cw_graph_abstract_export(const struct cw_graph_format *format, const struct cw_trace *t,
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
