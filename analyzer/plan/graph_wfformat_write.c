/* graph_wfformat_write.c - graphs as WfFormat 1.5; see graph_format.h.
 *
 * A task's run time is the mean of its times on the devices that can run it. A file stands for each edge that
 * carries something; its size is such that a transfer at CW_WFFORMAT_BYTES_PER_S takes as long as one in the
 * mean on the graph's own platform. Traces have bytes and keep them. The format wants a length and a date of
 * the execution: it is said to have run in sequence, at the beginning of 1970. */
#include <math.h>

#include "../io/json_out.h"
#include "graph_wfformat.h"

static double bytes(const struct cw_graph_output *o, double data)
{
    const struct cw_platform *p = o->platform;

    if (o->unit_s != 1) /* a trace */
        return round(data);
    if (p->one_memory || p->devices == 1)
        return round(data * CW_WFFORMAT_BYTES_PER_S);
    return round(cw_platform_mean_comm(p, data) * CW_WFFORMAT_BYTES_PER_S);
}

static void put_id(struct cw_json_out *j, const char *prefix, uint32_t i)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u", prefix, i);
    cw_json_put_string(j, text);
}

static void put_file_id(struct cw_json_out *j, uint32_t from, uint32_t to)
{
    char text[48];

    snprintf(text, sizeof text, "t%u-t%u", from, to);
    cw_json_put_string(j, text);
}

/* One list of task `i`: those before or behind it, or the files from or to them. */
static void put_list(struct cw_json_out *j, const struct cw_graph_output *o, uint32_t i, const char *key,
                     bool before, bool files)
{
    const struct cw_adjacency *a = before ? &o->graph->pred : &o->graph->succ;
    bool first = true;

    cw_json_put_key(j, key);
    cw_json_put_char(j, '[');
    for (uint32_t e = a->start[i]; e < a->start[i + 1]; e++) {
        if (files && bytes(o, a->data[e]) == 0)
            continue;
        cw_json_put_text(j, first ? "" : ", ");
        first = false;
        if (files)
            put_file_id(j, before ? a->task[e] : i, before ? i : a->task[e]);
        else
            put_id(j, "t", a->task[e]);
    }
    cw_json_put_char(j, ']');
}

static void put_specification(struct cw_json_out *j, const struct cw_graph_output *o)
{
    const struct cw_graph *g = o->graph;
    bool first = true;

    cw_json_put_text(j, " \"workflow\": {\n  \"specification\": {\n   \"tasks\": [");
    for (uint32_t i = 0; i < g->tasks; i++) {
        cw_json_put_text(j, i ? ",\n    " : "\n    ");
        cw_json_put_open(j);
        cw_json_put_key(j, "name");
        if (cw_graph_name(g, i) && *cw_graph_name(g, i))
            cw_json_put_string(j, cw_graph_name(g, i));
        else
            put_id(j, "task ", i);
        cw_json_put_key(j, "id");
        put_id(j, "t", i);
        put_list(j, o, i, "parents", true, false);
        put_list(j, o, i, "children", false, false);
        put_list(j, o, i, "inputFiles", true, true);
        put_list(j, o, i, "outputFiles", false, true);
        cw_json_put_close(j);
    }
    cw_json_put_text(j, "],\n   \"files\": [");
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
            double size = bytes(o, g->succ.data[e]);
            if (size == 0)
                continue;
            cw_json_put_text(j, first ? "\n    " : ",\n    ");
            first = false;
            cw_json_put_open(j);
            cw_json_put_key(j, "id");
            put_file_id(j, i, g->succ.task[e]);
            cw_json_put_key(j, "sizeInBytes");
            cw_json_put_double(j, size);
            cw_json_put_close(j);
        }
    cw_json_put_text(j, "]},\n");
}

static void put_execution(struct cw_json_out *j, const struct cw_graph_output *o)
{
    const struct cw_graph *g = o->graph;
    double total = 0;

    for (uint32_t i = 0; i < g->tasks; i++)
        total += cw_graph_mean_cost(g, i) * o->unit_s;
    cw_json_put_text(j, "  \"execution\": {\n   \"makespanInSeconds\": ");
    cw_json_put_double(j, total);
    cw_json_put_text(j, ", \"executedAt\": \"1970-01-01T00:00:00Z\",\n   \"tasks\": [");
    for (uint32_t i = 0; i < g->tasks; i++) {
        cw_json_put_text(j, i ? ",\n    " : "\n    ");
        cw_json_put_open(j);
        cw_json_put_key(j, "id");
        put_id(j, "t", i);
        cw_json_put_key(j, "runtimeInSeconds");
        cw_json_put_double(j, cw_graph_mean_cost(g, i) * o->unit_s);
        cw_json_put_close(j);
    }
    cw_json_put_text(j, "]}}}\n");
}

enum cw_status cw_graph_wf_write(const struct cw_graph_output *o, FILE *f, struct cw_error *err)
{
    struct cw_json_out j;

    (void)err;
    cw_json_out_init(&j, f);
    cw_json_put_text(&j, "{\"name\": ");
    cw_json_put_string(&j, o->title && *o->title ? o->title : "clweave");
    cw_json_put_text(&j, ", \"schemaVersion\": \"1.5\",\n");
    put_specification(&j, o);
    put_execution(&j, o);
    cw_json_out_flush(&j);
    return CW_OK;
}
