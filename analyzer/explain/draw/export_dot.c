/* export_dot.c - the graph in graphviz's language; see exporter.h. */
#include "exporter.h"
#include "palette.h"
#include "../../io/quantity.h"
#include "../../record/command_facts.h"
#include "../../graph/graph_build.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LEGEND = 16, MAX_LABELLED_EDGES = 400 };

struct style {
    const char *name, *colour, *attributes;
};
static const struct style edge_styles[] = {
    [CW_EDGE_QUEUE] = {"queue (implied)", "#c4c4c4", "style=dotted,arrowsize=0.5"},
    [CW_EDGE_EVENT] = {"event", "#2e7d32", "penwidth=1.1"},
    [CW_EDGE_BARRIER] = {"barrier", "#7b1fa2", "penwidth=1.1"},
    [CW_EDGE_HOST] = {"host", "#9e9e9e", "penwidth=0.8,arrowsize=0.6"},
    [CW_EDGE_PATH] = {"path through commands left out", "#00695c", "style=dashed,penwidth=1.1"},
};
static const struct style hazard_styles[] = {
    [CW_HAZARD_NONE] = {"data", "#1f4e79", "penwidth=1.4"},
    [CW_HAZARD_RAW] = {"RAW", "#1f4e79", "penwidth=1.4"},
    [CW_HAZARD_WAR] = {"WAR", "#e07b00", "style=dashed,penwidth=1.2"},
    [CW_HAZARD_WAW] = {"WAW", "#c2185b", "style=dashed,penwidth=1.2"},
};

/* Where the author's declarations are believed there is no such edge: it must not bend the picture. */
static const struct style unproven_style = {"unproven: declarations deny it", "#9a9a9a",
                                            "style=dotted,penwidth=1.0,arrowsize=0.5,constraint=false"};

static const struct style *style_of(const struct cw_draw_edge *e)
{
    if (e->unproven)
        return &unproven_style;
    return e->kind == CW_EDGE_DATA ? &hazard_styles[e->hazard] : &edge_styles[e->kind];
}

/* Text inside an HTML-like label; very long names are cut. */
static void put_html(FILE *f, const char *s)
{
    for (size_t n = 0; *s && n < 60; s++, n++) {
        if (*s == '&')
            fputs("&amp;", f);
        else if (*s == '<')
            fputs("&lt;", f);
        else if (*s == '>')
            fputs("&gt;", f);
        else if (*s == '"')
            fputs("&quot;", f);
        else
            fputc((unsigned char)*s < ' ' || (unsigned char)*s > 126 ? '?' : *s, f);
    }
}

static void put_range(FILE *f, const uint64_t *v, unsigned dimensions)
{
    for (unsigned d = 0; d < dimensions; d++)
        fprintf(f, "%s%llu", d ? "×" : "", (unsigned long long)v[d]);
}

static void put_small(FILE *f)
{
    fputs("<BR/><FONT POINT-SIZE=\"9\" COLOR=\"#555555\">", f);
}

/* "#12" or "8 times", and the device time when it is known. */
static void put_identity(FILE *f, const struct cw_trace *t, const struct cw_draw_node *n)
{
    char text[16];

    if (n->count > 1)
        fprintf(f, "%llu times", (unsigned long long)n->count);
    else
        fprintf(f, "#%u", cw_trace_command_number(t, n->command));
    if (n->device_ns)
        fprintf(f, " · %s", cw_quantity_ns(n->device_ns, text));
}

static void put_kernel(FILE *f, const struct cw_trace *t, const struct cw_draw_node *n,
                       const struct cw_palette *p)
{
    const struct cw_command *k = &t->commands.v[n->command];
    const struct cw_palette_colour *colour = cw_palette_of(p, t, k);

    fprintf(f, "shape=box,style=\"rounded,filled\",penwidth=2,fillcolor=\"%s\",color=\"%s\",label=<<B>",
            colour->tint, colour->fill);
    put_html(f, t->kernels.v[k->kernel].name);
    fputs("</B>", f);
    if (n->count == 1 && k->work_dim) {
        put_small(f);
        put_range(f, k->global_size, k->work_dim);
        if (!k->local_null) {
            fputs(" / ", f);
            put_range(f, k->local_size, k->work_dim);
        }
        fputs("</FONT>", f);
    }
    put_small(f);
    put_identity(f, t, n);
    fputs("</FONT>>", f);
}

static uint64_t bytes_moved(const struct cw_trace *t, const struct cw_command *k)
{
    uint64_t read = 0, written = 0;

    for (uint32_t i = 0; i < k->accesses.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[k->accesses.first + i];
        read += a->mode & CW_ACCESS_READ ? a->bytes : 0;
        written += a->mode & CW_ACCESS_WRITE ? a->bytes : 0;
    }
    return read > written ? read : written;
}

static void put_memory(FILE *f, const struct cw_trace *t, uint32_t m)
{
    if (m < t->memory.count)
        fprintf(f, "%s %u", t->memory.v[m].kind == CW_MEM_IMAGE ? "image" : "buffer", m);
    else
        fputs("host", f);
}

static void put_transfer(FILE *f, const struct cw_trace *t, const struct cw_draw_node *n)
{
    const struct cw_palette_colour *colour =
        &cw_palette_kinds[cw_palette_kind_of(t->commands.v[n->command].type)];
    const struct cw_command *k = &t->commands.v[n->command];
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];
    char text[16];

    fprintf(f, "shape=ellipse,style=filled,fillcolor=\"%s\",color=\"%s\",label=<", colour->tint,
            colour->fill);
    fputs(cw_trace_command_short_name(k->type), f);
    if (n->count == 1 && bytes_moved(t, k))
        fprintf(f, " %s%s", cw_command_bytes_are_exact(t, k) ? "" : "≤ ",
                cw_quantity_bytes(bytes_moved(t, k), text));
    if (n->count == 1) {
        put_small(f);
        if (x->src < t->memory.count && x->dst < t->memory.count) {
            put_memory(f, t, x->src);
            fputs(" → ", f);
            put_memory(f, t, x->dst);
        } else {
            put_memory(f, t, x->src < t->memory.count ? x->src : x->dst);
        }
        fputs("</FONT>", f);
    }
    put_small(f);
    put_identity(f, t, n);
    fputs("</FONT>>", f);
}

static void put_other(FILE *f, const struct cw_trace *t, const struct cw_draw_node *n)
{
    const struct cw_command *k = &t->commands.v[n->command];

    if (cw_trace_command_is_enqueue(k)) {
        fputs("shape=hexagon,style=filled,fillcolor=\"#f3eef8\",color=\"#7b1fa2\",fontsize=10,height=0.3,"
              "label=<",
              f);
        fputs(cw_trace_command_short_name(k->type), f);
    } else {
        fputs("shape=box,style=filled,fillcolor=\"#eeeeee\",color=\"#bbbbbb\",fontcolor=\"#555555\",fontsize="
              "9,height=0.25,"
              "margin=\"0.08,0.03\",label=<",
              f);
        put_html(f, cw_trace_command_type_name(k->type));
    }
    if (n->count > 1)
        fprintf(f, " × %llu", (unsigned long long)n->count);
    fputc('>', f);
}

static void put_node(FILE *f, const struct cw_trace *t, const struct cw_draw_graph *g,
                     const struct cw_palette *p, size_t i)
{
    const struct cw_draw_node *n = &g->nodes.v[i];
    char text[16];

    fprintf(f, "  n%zu [", i);
    if (n->command == CW_NONE) {
        fputs("shape=cylinder,style=filled,fillcolor=\"#ffffff\",color=\"#777777\",label=<input", f);
        put_small(f);
        put_memory(f, t, n->memory);
        fprintf(f, " · %s</FONT>>", cw_quantity_bytes(t->memory.v[n->memory].size, text));
    } else if (t->commands.v[n->command].kernel < t->kernels.count) {
        put_kernel(f, t, n, p);
    } else if (t->commands.v[n->command].transfer < t->transfers.count) {
        put_transfer(f, t, n);
    } else {
        put_other(f, t, n);
    }
    fputs("];\n", f);
}

/* True where a node's bytes are those that it may touch, not just those that it moves. */
static bool is_bound(const struct cw_trace *t, const struct cw_draw_graph *g, uint32_t node)
{
    uint32_t c = g->nodes.v[node].command;

    return c != CW_NONE && !cw_command_bytes_are_exact(t, &t->commands.v[c]);
}

static void put_edge(FILE *f, const struct cw_trace *t, const struct cw_draw_graph *g,
                     const struct cw_draw_edge *e)
{
    const struct style *s = style_of(e);
    char text[16];

    fprintf(f, "  n%u -> n%u [color=\"%s\",%s", e->from, e->to, s->colour, s->attributes);
    if (g->nodes.v[e->from].command == CW_NONE)
        fputs(",style=dotted", f);
    if (e->bytes && g->edges.count <= MAX_LABELLED_EDGES)
        fprintf(f, ",label=\" %s%s\"", is_bound(t, g, e->from) || is_bound(t, g, e->to) ? "≤ " : "",
                cw_quantity_bytes(e->bytes, text));
    if (e->kind == CW_EDGE_DATA && e->hazard != CW_HAZARD_RAW && g->edges.count <= MAX_LABELLED_EDGES)
        fprintf(f, ",label=\" %s\"", cw_graph_hazard_name(e->hazard));
    fputs("];\n", f);
}

static void put_swatch(FILE *f, const char *fill, const char *line, const char *text)
{
    fprintf(f, "<TD BGCOLOR=\"%s\" COLOR=\"%s\" BORDER=\"1\" STYLE=\"ROUNDED\">", fill, line);
    put_html(f, text);
    fputs("</TD>", f);
}

/* Kernels by colour, as far as the picture has them. */
static void put_kernel_legend(FILE *f, const struct cw_trace *t, const struct cw_draw_graph *g,
                              const struct cw_palette *p)
{
    struct cw_name_table shown = {0};

    for (size_t i = 0; i < g->nodes.count && shown.count < MAX_LEGEND; i++) {
        const struct cw_command *k =
            g->nodes.v[i].command == CW_NONE ? NULL : &t->commands.v[g->nodes.v[i].command];
        if (!k || k->kernel >= t->kernels.count)
            continue;
        const char *name = t->kernels.v[k->kernel].name;
        uint32_t before = shown.count;
        if (cw_name_table_add(&shown, name, strlen(name)) == before)
            put_swatch(f, cw_palette_of(p, t, k)->tint, cw_palette_of(p, t, k)->fill, name);
    }
    if (shown.count == 0)
        fputs("<TD></TD>", f);
    cw_name_table_finish(&shown);
}

static void put_edge_legend(FILE *f, const struct cw_draw_graph *g)
{
    uint8_t seen[16] = {0};
    bool unproven = false;

    for (size_t i = 0; i < g->edges.count; i++)
        if (g->edges.v[i].unproven)
            unproven = true;
        else
            seen[g->edges.v[i].kind == CW_EDGE_DATA ? 8 + g->edges.v[i].hazard : g->edges.v[i].kind] = 1;
    for (unsigned i = 0; i < 16; i++) {
        const struct style *s = i >= 8 ? &hazard_styles[(i - 8) % 4] : &edge_styles[i % CW_EDGE_KINDS];
        if (seen[i])
            fprintf(f, "<FONT COLOR=\"%s\"><B>→ %s</B></FONT>    ", s->colour, s->name);
    }
    if (unproven)
        fprintf(f, "<FONT COLOR=\"%s\"><B>→ %s</B></FONT>    ", unproven_style.colour, unproven_style.name);
}

static void put_title(FILE *f, const struct cw_trace *t, const struct cw_draw_graph *g,
                      const struct cw_palette *p)
{
    uint64_t commands = 0;

    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.v[i].command != CW_NONE &&
            cw_trace_command_is_enqueue(&t->commands.v[g->nodes.v[i].command]))
            commands += g->nodes.v[i].count;
    fputs("  label=<<TABLE BORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\"><TR><TD ALIGN=\"LEFT\"><B>", f);
    put_html(f, t->process.program && strrchr(t->process.program, '/') ? strrchr(t->process.program, '/') + 1
                : t->process.program                                   ? t->process.program
                                                                       : "?");
    fprintf(f, "</B> · %s", CW_COUNT(commands, "command"));
    if (g->left_out)
        fprintf(f, ", %llu more are not drawn", (unsigned long long)g->left_out);
    fputs("</TD></TR><TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLSPACING=\"6\" CELLPADDING=\"4\"><TR>", f);
    put_kernel_legend(f, t, g, p);
    fputs("</TR></TABLE></TD></TR><TR><TD ALIGN=\"LEFT\">", f);
    put_edge_legend(f, g);
    fputs("</TD></TR></TABLE>>;\n", f);
}

/* Nodes of one queue, in a box of its own when there are several. CW_NONE: nodes without a queue. */
static void put_queue(FILE *f, const struct cw_trace *t, const struct cw_draw_graph *g,
                      const struct cw_palette *p, uint32_t queue, bool boxed)
{
    bool open = false;

    for (size_t i = 0; i < g->nodes.count; i++) {
        const struct cw_command *k =
            g->nodes.v[i].command == CW_NONE ? NULL : &t->commands.v[g->nodes.v[i].command];
        uint32_t of = k && cw_trace_command_is_enqueue(k) && k->queue < t->queues.count ? k->queue : CW_NONE;
        if (of != queue)
            continue;
        if (boxed && !open) {
            const struct cw_t_queue *q = &t->queues.v[queue];
            fprintf(f,
                    "  subgraph cluster_q%u { style=\"rounded,dashed\"; color=\"#bbbbbb\"; "
                    "fontcolor=\"#555555\"; "
                    "label=<queue %u (%s) · ",
                    queue, queue, q->out_of_order ? "out of order" : "in order");
            put_html(f, q->device < t->devices.count ? t->devices.v[q->device].name : "?");
            fputs(">;\n", f);
            open = true;
        }
        put_node(f, t, g, p, i);
    }
    if (open)
        fputs("  }\n", f);
}

enum cw_status cw_export_dot(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                             struct cw_error *err)
{
    struct cw_draw_graph g;
    struct cw_palette palette = {0};
    enum cw_status status = cw_draw_graph_init(&g, t, o, err);

    if (!status) {
        cw_palette_add_kernels(&palette, t);
        fputs("digraph clweave {\n  graph "
              "[rankdir=TB,newrank=true,fontname=\"Helvetica\",fontsize=11,labelloc=b,labeljust=l,nodesep=0."
              "3,ranksep=0.6]"
              ";\n"
              "  node [fontname=\"Helvetica\",fontsize=11,margin=\"0.12,0.06\"];\n"
              "  edge [fontname=\"Helvetica\",fontsize=8,fontcolor=\"#555555\",arrowsize=0.7];\n",
              f);
        put_title(f, t, &g, &palette);
        for (uint32_t q = 0; q < t->queues.count; q++)
            put_queue(f, t, &g, &palette, q, t->queues.count > 1);
        put_queue(f, t, &g, &palette, CW_NONE, false);
        for (size_t i = 0; i < g.edges.count; i++)
            put_edge(f, t, &g, &g.edges.v[i]);
        fputs("}\n", f);
    }
    cw_palette_finish(&palette);
    cw_draw_graph_finish(&g);
    return status;
}
