/* graph_dot.h - the nodes, edges and subgraphs read from a graph in graphviz's language, before it is a task
 * graph. */
#ifndef CW_GRAPH_DOT_H
#define CW_GRAPH_DOT_H

#include <stdbool.h>
#include <stddef.h>

#include "../io/name_table.h"
#include "graph_format.h"
#include "../../sched/status.h"

/* Graphviz's language as tokens (graphviz.org/doc/info/lang.html), as graphviz 2.42 reads it. */

enum cw_dot_token {
    CW_DOT_END,
    CW_DOT_ID,    /* a word, a number, a quoted string or an HTML string; its text in `word` */
    CW_DOT_ARROW, /* -> */
    CW_DOT_LINE,  /* -- */
    CW_DOT_SIGN,  /* one of { } [ ] ; , = : in `sign` */
    CW_DOT_ERROR, /* told in err */
};

struct cw_dot_lex {
    const char *name, *text, *p, *end; /* set by the caller, p = text */
    struct cw_error *err;
    enum cw_dot_token token;
    const char *at; /* where the token begins */
    char sign;
    bool quoted; /* a quoted or HTML string is never a keyword */
    char *word;  /* NUL-terminated; owned */
    size_t length, capacity;
};

/* Moves to the next token and returns its kind. Strings joined by + are one; a backslash before a quote or a
 * line's end is taken away, others stay. Errors: unfinished strings and comments, strange bytes, and words
 * that touch (graphviz reads 2a as the words 2 and a). */
enum cw_dot_token cw_dot_next(struct cw_dot_lex *l);
void cw_dot_lex_finish(struct cw_dot_lex *l);

/* True when the token is that sign, or that keyword (in any case). */
bool cw_dot_is(const struct cw_dot_lex *l, char sign);
bool cw_dot_is_word(const struct cw_dot_lex *l, const char *keyword);

/* Sets the error "expected <what>, found <token>"; does nothing when there is one already. */
enum cw_status cw_dot_expected(struct cw_dot_lex *l, const char *what);

/* The attributes that mean something, of nodes, edges and graphs. Those of edges come first. */
#define CW_DOT_KEY_LIST(X)                                                                                   \
    X(CW_DOT_DATA, "data")                                                                                   \
    X(CW_DOT_SIZE, "size")                                                                                   \
    X(CW_DOT_WEIGHT, "weight")                                                                               \
    X(CW_DOT_KEY, "key")                                                                                     \
    X(CW_DOT_COST, "cost")                                                                                   \
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
        CW_DOT_KEYS,
    CW_DOT_EDGE_KEYS = CW_DOT_KEY + 1
};

struct cw_dot_attributes {
    const char *at[CW_DOT_KEYS]; /* the value, in the file's text; NULL: not given, or given as "" */
    uint32_t set;                /* bit k: key k is given, perhaps as "" */
};

struct cw_dot_edge {
    uint32_t from, to;
    const char *at;                      /* its head, in the file's text */
    const char *value[CW_DOT_EDGE_KEYS]; /* as in cw_dot_attributes */
};

/* The graph itself is number 0; its subgraphs follow. */
struct cw_dot_subgraph {
    uint32_t parent;
    struct cw_dot_attributes *node, *edge; /* the defaults that it gives; owned, NULL: none */
    uint32_t *member;                      /* its nodes (number 0 has no list); owned */
    size_t members, capacity;
    bool sorted; /* the members ascend and differ */
};

struct cw_dot {
    struct cw_dot_lex lex, value;   /* `value` reads values again, at their places */
    struct cw_name_table names;     /* of nodes */
    struct cw_dot_attributes *node; /* per name */
    size_t node_capacity;
    struct cw_dot_edge *edge;
    size_t edges, edge_capacity;
    uint64_t pairs; /* of nodes between which the text asks for an edge */
    struct cw_name_table
        edge_names;       /* of edges that the text may name again: with a key, or in a strict graph */
    uint32_t *named_edge; /* per name: its number */
    size_t named_capacity;
    struct cw_dot_subgraph *subgraph;
    size_t subgraphs, subgraph_capacity;
    struct cw_name_table subgraph_names; /* each with its parent */
    uint32_t *named_subgraph;            /* per name: its number */
    size_t named_subgraph_capacity;
    struct cw_dot_attributes graph;
    const char *title; /* the graph's name, in the file's text; NULL: none */
    bool strict;
};

/* ---- graph_dot_store.c. Errors of all: CW_ERR_NOMEM, told in d->lex.err. */

/* The subgraph of `parent` that is called `name`, made when there is none; NULL: one without a name. */
enum cw_status cw_graph_dot_subgraph(struct cw_dot *d, uint32_t parent, const char *name, size_t length,
                                     uint32_t *subgraph);

/* The node called `name`, made with the defaults of `subgraph` when it is new; from here on a member of
 * `subgraph` and of its parents. */
enum cw_status cw_graph_dot_node(struct cw_dot *d, uint32_t subgraph, const char *name, size_t length,
                                 uint32_t *node);

/* Makes, in `subgraph`, the edge from -> to at `at` with the attributes `own`, or gives them to the edge that
 * it is. */
enum cw_status cw_graph_dot_edge(struct cw_dot *d, uint32_t subgraph, uint32_t from, uint32_t to,
                                 const char *at, const struct cw_dot_attributes *own);

/* The members of a subgraph in ascending order; valid until it gets another. */
const uint32_t *cw_graph_dot_members(struct cw_dot *d, uint32_t subgraph, size_t *count);

/* Overwrites the attributes of `from`. */
void cw_graph_dot_give(struct cw_dot_attributes *to, const struct cw_dot_attributes *from);

/* The text of the value at `at`; valid until the next call. NULL: memory is out. */
const char *cw_graph_dot_value(struct cw_dot *d, const char *at);

void cw_graph_dot_finish(struct cw_dot *d);

/* ---- graph_dot_build.c */

/* Makes the graph and its platform. Errors: CW_ERR_FORMAT and those of the builder, told in d->lex.err. */
enum cw_status cw_graph_dot_build(struct cw_dot *d, uint32_t processors, struct cw_graph **graph,
                                  struct cw_platform **platform);

/* The `write` of struct cw_graph_format. */
enum cw_status cw_graph_dot_write(const struct cw_graph_output *o, FILE *f, struct cw_error *err);

#endif
