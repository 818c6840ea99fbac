/* graph_dot_write.c - graphs in graphviz's language, so that dot draws them and graph_dot.c reads them back.
 * Of links, which the language has no room for, the means are written. */
#include <math.h>
#include <string.h>

#include "../io/json_out.h"
#include "../io/text.h"
#include "graph_dot.h"

/* A character of the text at s; '?' for an unprintable one. Returns how many bytes it has. */
static size_t put_character(struct cw_json_out *j, const char *s)
{
    size_t length = cw_printable_length(s, strnlen(s, 4));

    for (size_t i = 0; i < length; i++)
        cw_json_put_char(j, s[i]);
    if (!length)
        cw_json_put_char(j, '?');
    return length ? length : 1;
}

/* A quoted string: backslashes and quotes get a backslash in front. */
static void put_string(struct cw_json_out *j, const char *s)
{
    cw_json_put_char(j, '"');
    while (*s) {
        if (*s == '"' || *s == '\\')
            cw_json_put_char(j, '\\');
        s += put_character(j, s);
    }
    cw_json_put_char(j, '"');
}

/* A class as one word: other characters become "_". */
static void put_word(struct cw_json_out *j, const char *s)
{
    if (!*s)
        cw_json_put_char(j, '_');
    while (*s)
        s += strchr(", \t\n\"\\", *s) ? put_character(j, "_") : put_character(j, s);
}

/* A number behind "=": the language knows no exponents, so one that is written with one stands in quotes. */
static void put_number(struct cw_json_out *j, double x)
{
    bool exponent = x != 0 && (fabs(x) < 1e-4 || fabs(x) >= 1e15);

    cw_json_put_text(j, exponent ? "\"" : "");
    cw_json_put_double(j, x);
    cw_json_put_text(j, exponent ? "\"" : "");
}

static void put_platform(struct cw_json_out *j, const struct cw_platform *p)
{
    cw_json_put_text(j, "  graph [classes=\"");
    for (uint32_t d = 0; d < p->devices; d++) {
        cw_json_put_text(j, d ? "," : "");
        put_word(j, p->device[d].class_name);
    }
    cw_json_put_text(j, "\", memories=\"");
    for (uint32_t d = 0; d < p->devices; d++) {
        cw_json_put_text(j, d ? "," : "");
        cw_json_put_u64(j, p->device[d].memory_id);
    }
    cw_json_put_char(j, '"');
    if (p->devices > 1 && isfinite(p->mean_bandwidth)) {
        cw_json_put_text(j, ", bandwidth=");
        put_number(j, p->mean_bandwidth);
    }
    cw_json_put_text(j, ", latency=");
    put_number(j, p->mean_latency);
    cw_json_put_text(j, "];\n  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n"
                        "  edge [fontname=\"Helvetica\", fontsize=9];\n");
}

static void put_task(struct cw_json_out *j, const struct cw_graph *g, uint32_t i)
{
    cw_json_put_text(j, "  n");
    cw_json_put_u64(j, i);
    cw_json_put_text(j, " [cost=\"");
    for (uint32_t d = 0; d < g->devices; d++) {
        cw_json_put_text(j, d ? "," : "");
        if (isfinite(cw_graph_cost(g, i, d)))
            cw_json_put_double(j, cw_graph_cost(g, i, d));
        else
            cw_json_put_char(j, '-');
    }
    cw_json_put_char(j, '"');
    if (cw_graph_name(g, i)) {
        cw_json_put_text(j, ", label=");
        put_string(j, cw_graph_name(g, i));
    }
    if (g->groups[i]) {
        cw_json_put_text(j, ", groups=");
        cw_json_put_u64(j, g->groups[i]);
    }
    if (g->splittable[i])
        cw_json_put_text(j, ", splittable=true");
    cw_json_put_text(j, "];\n");
}

static void put_edge(struct cw_json_out *j, const struct cw_graph *g, uint32_t i, uint32_t e)
{
    cw_json_put_text(j, "  n");
    cw_json_put_u64(j, i);
    cw_json_put_text(j, " -> n");
    cw_json_put_u64(j, g->succ.task[e]);
    cw_json_put_text(j, " [data=");
    put_number(j, g->succ.data[e]);
    if (g->succ.data[e] > 0) {
        char text[40];
        snprintf(text, sizeof text, ", label=\" %.4g\"", g->succ.data[e]);
        cw_json_put_text(j, text);
    }
    cw_json_put_text(j, "];\n");
}

enum cw_status cw_graph_dot_write(const struct cw_graph_output *o, FILE *f, struct cw_error *err)
{
    const struct cw_graph *g = o->graph;
    struct cw_json_out j;

    (void)err;
    cw_json_out_init(&j, f);
    cw_json_put_text(&j, "digraph ");
    put_string(&j, o->title && *o->title ? o->title : "clweave");
    cw_json_put_text(&j, " {\n");
    put_platform(&j, o->platform);
    for (uint32_t i = 0; i < g->tasks; i++)
        put_task(&j, g, i);
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            put_edge(&j, g, i, e);
    cw_json_put_text(&j, "}\n");
    cw_json_out_flush(&j);
    return CW_OK;
}
