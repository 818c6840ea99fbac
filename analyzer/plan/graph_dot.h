/* graph_dot.h - the nodes and edges read from a graph in graphviz's language, before it is a graph. */
#ifndef CW_GRAPH_DOT_H
#define CW_GRAPH_DOT_H

#include "../io/name_table.h"
#include "dot_lex.h"
#include "graph_format.h"

/* The attributes that mean something, of nodes, edges and graphs. */
#define CW_DOT_KEY_LIST(X)                                                                                   \
    X(CW_DOT_COST, "cost")                                                                                   \
    X(CW_DOT_WEIGHT, "weight")                                                                               \
    X(CW_DOT_SIZE, "size")                                                                                   \
    X(CW_DOT_DATA, "data")                                                                                   \
    X(CW_DOT_LABEL, "label")                                                                                 \
    X(CW_DOT_GROUPS, "groups")                                                                               \
    X(CW_DOT_SPLITTABLE, "splittable")                                                                       \
    X(CW_DOT_CLASSES, "classes")                                                                             \
    X(CW_DOT_MEMORIES, "memories")                                                                           \
    X(CW_DOT_BANDWIDTH, "bandwidth")                                                                         \
    X(CW_DOT_LATENCY, "latency")

enum cw_dot_key {
#define X(id, name) id,
    CW_DOT_KEY_LIST(X)
#undef X
        CW_DOT_KEYS
};

struct cw_dot_attributes {
    char *value[CW_DOT_KEYS];    /* owned; NULL: not given */
    const char *at[CW_DOT_KEYS]; /* where in the text */
};

struct cw_dot_edge {
    uint32_t from, to;
    double data;
    const char *at;
};

struct cw_dot {
    struct cw_dot_lex lex;
    struct cw_name_table names;     /* of nodes */
    struct cw_dot_attributes *node; /* per name */
    uint32_t nodes, node_room;
    struct cw_dot_edge *edge;
    size_t edges, edge_room;
    struct cw_dot_attributes graph;
};

/* The data that an edge with attributes `a` carries. Errors: CW_ERR_FORMAT, as all of these tell in
 * d->lex.err. */
enum cw_status cw_graph_dot_edge_data(struct cw_dot *d, const struct cw_dot_attributes *a, double *data);

/* Makes the graph and its platform. */
enum cw_status cw_graph_dot_build(struct cw_dot *d, uint32_t processors, struct cw_graph **graph,
                                  struct cw_platform **platform);

/* Slot of struct cw_graph_format. */
enum cw_status cw_graph_dot_write(const struct cw_graph_output *o, FILE *f, struct cw_error *err);

#endif
