/* draw_graph.h - the part of a trace's graph that a picture shows: nodes, merged edges, without edges that
 * others imply. */
#ifndef CW_DRAW_GRAPH_H
#define CW_DRAW_GRAPH_H

#include "exporter.h"

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
