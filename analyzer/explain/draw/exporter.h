/* exporter.h - formats that a trace's graph can be written in: one const struct each, in one NULL-ended
 * table. */
#ifndef CW_EXPORTER_H
#define CW_EXPORTER_H

#include "../../record/trace.h"

#include <stdbool.h>
#include <stdio.h>

struct cw_export_options {
    bool queue_edges; /* draw the implied edges of in-order queues too */
    bool all_edges;   /* no transitive reduction */
    bool collapse;    /* one node per kind of command instead of one per command */
    int64_t limit;    /* draw only the first commands; 0: all */
    bool perfetto;    /* timelines: Perfetto's protobuf instead of JSON */
};

struct cw_exporter {
    const char *name; /* also the file extension, without the dot */
    const char *description;
    /* Writes to `f`; the caller looks at its error flag afterwards. */
    enum cw_status (*write)(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                            struct cw_error *err);
};

extern const struct cw_exporter *const cw_exporters[];

/* The exporter named `name`, or the one for the extension of `path` when name is NULL. NULL when there is
 * none. */
const struct cw_exporter *cw_exporter_find(const char *name, const char *path);

/* Writes the graph in graphviz's language. Pictures of more than CW_DOT_REDUCE_NODES nodes are not reduced.
 */
enum cw_status cw_export_dot(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                             struct cw_error *err);
enum { CW_DOT_REDUCE_NODES = 8000, CW_PICTURE_NODES = 600 };

/* True when a picture with a node for each command has more than CW_PICTURE_NODES, for which graphviz takes
 * long. */
bool cw_export_is_large(const struct cw_trace *t);

/* Chrome's trace-event JSON, or Perfetto's protobuf (https://ui.perfetto.dev opens both). */
enum cw_status cw_export_timeline(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                  struct cw_error *err);

/* Runs graphviz's dot on `source` (rewound), its output to `out`; option: "-Tsvg", "-Tpng". Errors:
 * CW_ERR_UNSUPPORTED (not installed), CW_ERR_IO, CW_ERR_NOMEM. */
enum cw_status cw_export_run_dot(FILE *source, const char *option, FILE *out, struct cw_error *err);

/* ---- the part of a trace's graph that a picture shows: nodes, merged edges, without edges that
 * others imply. */

/* A command, or all commands of one kind (collapsed), or an input: the initial contents of a read-only
 * object. */
struct cw_draw_node {
    uint32_t command; /* the (first) command; CW_NONE for an input */
    uint32_t memory;  /* of an input, else CW_NONE */
    uint64_t count;
    uint64_t device_ns;
};

/* All edges between two nodes as one: the strongest kind (RAW, WAW, WAR, event or path, barrier, host,
 * queue). */
struct cw_draw_edge {
    uint32_t from, to; /* nodes */
    uint8_t kind, hazard;
    bool unproven;  /* all of them are */
    uint64_t bytes; /* of the RAW edges */
    uint64_t count;
};

struct cw_draw_graph {
    CW_ARRAY(struct cw_draw_node) nodes;
    CW_ARRAY(struct cw_draw_edge) edges; /* sorted by (to, from) */
    uint64_t left_out;                   /* commands beyond the limit */
};

/* Failed commands and flushes are not drawn, nor host waits when collapsed. An edge is left out when a path
 * of other drawn edges implies it, except RAW edges, which show data; unproven edges imply nothing, and are
 * left out when others imply them. CW_ERR_NOMEM, CW_ERR_CYCLE. Finish it in any case. */
enum cw_status cw_draw_graph_init(struct cw_draw_graph *g, const struct cw_trace *t,
                                  const struct cw_export_options *o, struct cw_error *err);
void cw_draw_graph_finish(struct cw_draw_graph *g);

#endif
