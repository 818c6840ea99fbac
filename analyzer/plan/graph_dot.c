/* graph_dot.c - reading task graphs in graphviz's language; see graph_format.h.
 *
 * A node is a task, an edge a dependence. A node's time is the first of its attributes cost, weight, size
 * that it has (own or by default, "node [cost=1]"); a cost may be a list, one number per device, "-" where
 * the task cannot run. An edge carries the first of data, size, weight, else nothing. Attributes of the
 * graph: classes (of devices), memories, bandwidth, latency. groups and splittable are as in clweave-graph.
 * The rest is decoration. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../io/file_text.h"
#include "../io/text_place.h"
#include "graph_dot.h"

enum { DEPTH_MAX = 64, EDGES_MAX = 50000000 }; /* groups multiply: a small file may say many */

struct scope {
    struct cw_dot_attributes node, edge; /* defaults */
};

/* A list of nodes: the ends of an edge. */
struct nodes {
    uint32_t *v;
    size_t count, room;
};

static enum cw_status no_memory(struct cw_dot *d)
{
    return cw_error_set(d->lex.err, CW_ERR_NOMEM, "%s: out of memory", d->lex.name);
}

static void copy_attributes(struct cw_dot_attributes *to, const struct cw_dot_attributes *from)
{
    for (int k = 0; k < CW_DOT_KEYS; k++) {
        free(to->value[k]);
        to->value[k] = from->value[k] ? strdup(from->value[k]) : NULL;
        to->at[k] = from->at[k];
    }
}

static void finish_attributes(struct cw_dot_attributes *a)
{
    for (int k = 0; k < CW_DOT_KEYS; k++)
        free(a->value[k]);
}

static bool eat(struct cw_dot *d, char sign)
{
    if (!cw_dot_is(&d->lex, sign))
        return false;
    cw_dot_next(&d->lex);
    return true;
}

static enum cw_status set_attribute(struct cw_dot *d, struct cw_dot_attributes *a, const char *key,
                                    const char *value)
{
    static const char *const keys[CW_DOT_KEYS] = {
#define X(id, name) [id] = name,
        CW_DOT_KEY_LIST(X)
#undef X
    };

    for (int k = 0; k < CW_DOT_KEYS; k++)
        if (strcmp(key, keys[k]) == 0) {
            free(a->value[k]);
            a->value[k] = strdup(value);
            a->at[k] = d->lex.at;
            return a->value[k] ? CW_OK : no_memory(d);
        }
    return CW_OK;
}

/* "= value" behind `key`, the current token being "=". */
static enum cw_status read_value(struct cw_dot *d, const char *key, struct cw_dot_attributes *a)
{
    enum cw_status status;

    cw_dot_next(&d->lex);
    if (d->lex.token != CW_DOT_ID)
        return cw_dot_expected(&d->lex, "a value");
    status = set_attribute(d, a, key, d->lex.word);
    cw_dot_next(&d->lex);
    return status;
}

/* [key=value, ...] any number of times. */
static enum cw_status read_attributes(struct cw_dot *d, struct cw_dot_attributes *a)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK && eat(d, '[')) {
        while (status == CW_OK && d->lex.token == CW_DOT_ID) {
            char *key = strdup(d->lex.word);
            cw_dot_next(&d->lex);
            if (!key)
                status = no_memory(d);
            else if (cw_dot_is(&d->lex, '='))
                status = read_value(d, key, a);
            free(key);
            if (!eat(d, ','))
                eat(d, ';');
        }
        if (status == CW_OK && !eat(d, ']'))
            status = cw_dot_expected(&d->lex, "an attribute or ]");
    }
    return status;
}

/* ---- nodes and edges */

static enum cw_status push(struct cw_dot *d, struct nodes *n, uint32_t node)
{
    if (n->count == n->room) {
        uint32_t *more = realloc(n->v, (2 * n->room + 16) * sizeof *more);
        if (!more)
            return no_memory(d);
        n->v = more;
        n->room = 2 * n->room + 16;
    }
    n->v[n->count++] = node;
    return CW_OK;
}

/* The node called as the current token says, made with the scope's defaults when it is new; eats its name and
 * port. */
static enum cw_status read_node(struct cw_dot *d, const struct scope *scope, struct nodes *into)
{
    uint32_t before = d->names.count, node = cw_name_table_add(&d->names, d->lex.word, d->lex.length);

    if (node == CW_NAME_NONE)
        return no_memory(d);
    if (node == before) {
        if (node == d->node_room) {
            struct cw_dot_attributes *more = realloc(d->node, (2 * (size_t)node + 64) * sizeof *more);
            if (!more)
                return no_memory(d);
            d->node = more;
            d->node_room = 2 * node + 64;
        }
        d->node[node] = (struct cw_dot_attributes){{0}, {0}};
        d->nodes = node + 1;
        copy_attributes(&d->node[node], &scope->node);
    }
    cw_dot_next(&d->lex);
    while (eat(d, ':')) { /* where an edge touches the node */
        if (d->lex.token != CW_DOT_ID)
            return cw_dot_expected(&d->lex, "a port");
        cw_dot_next(&d->lex);
    }
    return push(d, into, node);
}

static enum cw_status add_edges(struct cw_dot *d, const struct nodes *from, const struct nodes *to,
                                size_t *first)
{
    if (from->count * to->count > EDGES_MAX - d->edges)
        return cw_error_set(d->lex.err, CW_ERR_LIMIT, "%s: more than %d edges", d->lex.name, EDGES_MAX);
    for (size_t a = 0; a < from->count; a++)
        for (size_t b = 0; b < to->count; b++) {
            if (d->edges == d->edge_room) {
                size_t room = 2 * d->edge_room + 64;
                struct cw_dot_edge *more = realloc(d->edge, room * sizeof *more);
                if (!more)
                    return no_memory(d);
                d->edge = more;
                d->edge_room = room;
            }
            if (*first == SIZE_MAX)
                *first = d->edges;
            d->edge[d->edges++] = (struct cw_dot_edge){from->v[a], to->v[b], 0, d->lex.at};
        }
    return CW_OK;
}

static enum cw_status read_body(struct cw_dot *d, struct scope *scope, struct nodes *all, int depth);

/* A node, or a group of them: { ... } or subgraph name { ... }. */
static enum cw_status read_end(struct cw_dot *d, struct scope *scope, struct nodes *into, int depth)
{
    struct scope inner = {0};
    bool group = cw_dot_is(&d->lex, '{') || cw_dot_is_word(&d->lex, "subgraph");
    enum cw_status status;

    if (!group && d->lex.token != CW_DOT_ID)
        return cw_dot_expected(&d->lex, "a node");
    if (!group)
        return read_node(d, scope, into);
    if (depth == DEPTH_MAX)
        return cw_text_wrong(d->lex.name, d->lex.text, d->lex.at, d->lex.err,
                             "groups are nested deeper than %d", DEPTH_MAX);
    if (cw_dot_is_word(&d->lex, "subgraph") && cw_dot_next(&d->lex) == CW_DOT_ID)
        cw_dot_next(&d->lex);
    if (!eat(d, '{'))
        return cw_dot_expected(&d->lex, "{");
    copy_attributes(&inner.node, &scope->node);
    copy_attributes(&inner.edge, &scope->edge);
    status = read_body(d, &inner, into, depth + 1);
    finish_attributes(&inner.node);
    finish_attributes(&inner.edge);
    if (status == CW_OK && !eat(d, '}'))
        status = cw_dot_expected(&d->lex, "a statement or }");
    return status;
}

/* a -> b -> {c d} [attributes], or a [attributes]. Every node goes to `all`. */
static enum cw_status read_chain(struct cw_dot *d, struct scope *scope, struct nodes *all, int depth)
{
    struct nodes from = {0}, to = {0}, swap;
    struct cw_dot_attributes own = {{0}, {0}};
    size_t first = SIZE_MAX;
    bool chain = false;
    enum cw_status status = read_end(d, scope, &from, depth);

    for (size_t k = 0; k < from.count && status == CW_OK; k++)
        status = push(d, all, from.v[k]);
    while (status == CW_OK && d->lex.token == CW_DOT_ARROW) {
        chain = true;
        to.count = 0;
        cw_dot_next(&d->lex);
        status = read_end(d, scope, &to, depth);
        for (size_t k = 0; k < to.count && status == CW_OK; k++)
            status = push(d, all, to.v[k]);
        if (status == CW_OK)
            status = add_edges(d, &from, &to, &first);
        swap = from, from = to, to = swap;
    }
    if (status == CW_OK && d->lex.token == CW_DOT_LINE)
        status = cw_dot_expected(&d->lex, "-> (a task graph is directed)");
    if (status == CW_OK && chain) {
        copy_attributes(&own, &scope->edge);
        status = read_attributes(d, &own);
        for (size_t e = first; e < d->edges && status == CW_OK; e++)
            status = cw_graph_dot_edge_data(d, &own, &d->edge[e].data);
    } else if (status == CW_OK && from.count == 1) {
        status = read_attributes(d, &d->node[from.v[0]]);
    }
    finish_attributes(&own);
    free(from.v);
    free(to.v);
    return status;
}

/* node [...], edge [...], graph [...]: defaults. */
static enum cw_status read_defaults(struct cw_dot *d, struct scope *scope)
{
    struct cw_dot_attributes *a = cw_dot_is_word(&d->lex, "node")   ? &scope->node
                                  : cw_dot_is_word(&d->lex, "edge") ? &scope->edge
                                                                    : &d->graph;

    cw_dot_next(&d->lex);
    return cw_dot_is(&d->lex, '[') ? read_attributes(d, a) : cw_dot_expected(&d->lex, "[");
}

/* key = value of a graph, where the current token may be the key. */
static bool is_assignment(const struct cw_dot *d)
{
    struct cw_dot_lex ahead = d->lex;
    struct cw_error ignored = {0};
    bool yes;

    if (d->lex.token != CW_DOT_ID)
        return false;
    ahead.err = &ignored;
    ahead.word = NULL;
    ahead.room = 0;
    yes = cw_dot_next(&ahead) == CW_DOT_SIGN && ahead.sign == '=';
    cw_dot_lex_finish(&ahead);
    return yes;
}

static enum cw_status read_body(struct cw_dot *d, struct scope *scope, struct nodes *all, int depth)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK && !cw_dot_is(&d->lex, '}') && d->lex.token != CW_DOT_END &&
           d->lex.token != CW_DOT_ERROR) {
        if (eat(d, ';'))
            continue;
        if (cw_dot_is_word(&d->lex, "node") || cw_dot_is_word(&d->lex, "edge") ||
            cw_dot_is_word(&d->lex, "graph")) {
            status = read_defaults(d, scope);
        } else if (is_assignment(d)) {
            char *key = strdup(d->lex.word);
            struct cw_dot_attributes of_group = {{0}, {0}};
            cw_dot_next(&d->lex);
            status = key ? read_value(d, key, depth ? &of_group : &d->graph) : no_memory(d);
            finish_attributes(&of_group);
            free(key);
        } else {
            status = read_chain(d, scope, all, depth);
        }
    }
    return status == CW_OK ? d->lex.err->status : status;
}

static enum cw_status read_file(struct cw_dot *d)
{
    struct scope scope = {0};
    struct nodes all = {0};
    enum cw_status status;

    cw_dot_next(&d->lex);
    if (cw_dot_is_word(&d->lex, "strict"))
        cw_dot_next(&d->lex);
    if (!cw_dot_is_word(&d->lex, "digraph"))
        return cw_dot_expected(&d->lex, "digraph (a task graph is directed)");
    if (cw_dot_next(&d->lex) == CW_DOT_ID)
        cw_dot_next(&d->lex);
    if (!eat(d, '{'))
        return cw_dot_expected(&d->lex, "{");
    status = read_body(d, &scope, &all, 0);
    if (status == CW_OK && !cw_dot_is(&d->lex, '}'))
        status = cw_dot_expected(&d->lex, "a statement or }");
    if (status == CW_OK && cw_dot_next(&d->lex) != CW_DOT_END)
        status = cw_dot_expected(&d->lex, "nothing behind the graph");
    finish_attributes(&scope.node);
    finish_attributes(&scope.edge);
    free(all.v);
    return status;
}

static enum cw_status read_dot(const char *path, uint32_t processors, struct cw_graph **graph,
                               struct cw_platform **platform, struct cw_error *err)
{
    struct cw_file_text file;
    struct cw_dot d = {.lex = {.name = path, .err = err}};
    enum cw_status status = cw_file_text_open(&file, path, err);

    *graph = NULL;
    *platform = NULL;
    if (status != CW_OK)
        return status;
    d.lex.text = d.lex.p = file.text;
    d.lex.end = file.text + file.length;
    status = read_file(&d);
    if (status == CW_OK)
        status = cw_graph_dot_build(&d, processors, graph, platform);
    for (uint32_t k = 0; k < d.nodes; k++)
        finish_attributes(&d.node[k]);
    finish_attributes(&d.graph);
    free(d.node);
    free(d.edge);
    cw_name_table_finish(&d.names);
    cw_dot_lex_finish(&d.lex);
    cw_file_text_close(&file);
    return status;
}

static bool probe(const char *head, size_t head_bytes, const char *tail, size_t tail_bytes)
{
    struct cw_error ignored = {0};
    struct cw_dot_lex l = {.name = "", .text = head, .p = head, .end = head + head_bytes, .err = &ignored};
    bool found;

    (void)tail;
    (void)tail_bytes;
    cw_dot_next(&l);
    if (cw_dot_is_word(&l, "strict"))
        cw_dot_next(&l);
    found = cw_dot_is_word(&l, "digraph") || cw_dot_is_word(&l, "graph");
    cw_dot_lex_finish(&l);
    return found;
}

const struct cw_graph_format cw_graph_format_dot = {
    .name = "dot",
    .suffix = ".dot",
    .description = "graphviz: times and data as attributes of nodes and edges",
    .probe = probe,
    .read = read_dot,
    .write = cw_graph_dot_write,
};
