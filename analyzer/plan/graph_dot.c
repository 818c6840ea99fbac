/* graph_dot.c - reading task graphs in graphviz's language; see graph_format.h.
 *
 * A node is a task, an edge a dependence. A node's time is the first of its attributes cost, weight, size
 * that it has (own or by default, "node [cost=1]"); a cost may be a list, one number per device, "-" where
 * the task cannot run. An edge carries the first of data, size, weight, else nothing. Attributes of the
 * graph: classes (of devices), memories, bandwidth, latency. groups and splittable are as in clweave-graph.
 * The rest is decoration.
 *
 * The language is read here and not by graphviz's libcgraph (2.42), which
 *   - does not tell the places of values and edges, which messages name;
 *   - gives a chain of 2,600 nodes no edges, and refuses strings of 16 KiB;
 *   - ends the process when memory is out;
 *   - takes minutes for a million edges. */
#include <stdlib.h>
#include <string.h>

#include "../io/array.h"
#include "../io/text.h"
#include "graph_dot.h"

enum { DEPTH_MAX = 64, PAIRS_MAX = 50000000 }; /* subgraphs multiply: a small file may say many edges */

/* An end of an edge: a subgraph, or nodes[first] and the `count` - 1 that follow. */
struct end {
    uint32_t subgraph; /* 0: none */
    size_t first, count;
    const char *at;
};

/* a, b -> subgraph s {c d} -> e */
struct chain {
    uint32_t *node;
    size_t nodes, node_capacity;
    struct end *end;
    size_t ends, end_capacity;
};

static enum cw_status no_memory(struct cw_dot *d)
{
    return cw_error_set(d->lex.err, CW_ERR_NOMEM, "%s: out of memory", d->lex.name);
}

static bool eat(struct cw_dot *d, char sign)
{
    if (!cw_dot_is(&d->lex, sign))
        return false;
    cw_dot_next(&d->lex);
    return true;
}

/* ---- attributes */

static void set_attribute(struct cw_dot *d, struct cw_dot_attributes *a, const char *key)
{
    static const char *const keys[CW_DOT_KEYS] = {
#define X(id, name) [id] = name,
        CW_DOT_KEY_LIST(X)
#undef X
    };

    for (int k = 0; k < CW_DOT_KEYS; k++)
        if (strcmp(key, keys[k]) == 0) {
            a->at[k] = d->lex.length ? d->lex.at : NULL;
            a->set |= 1u << k;
        }
}

/* "= value" behind `key`, the current token being "=". */
static enum cw_status read_value(struct cw_dot *d, const char *key, struct cw_dot_attributes *a)
{
    cw_dot_next(&d->lex);
    if (d->lex.token != CW_DOT_ID)
        return cw_dot_expected(&d->lex, "a value");
    set_attribute(d, a, key);
    cw_dot_next(&d->lex);
    return CW_OK;
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

static bool is_keyword(const struct cw_dot *d)
{
    static const char *const words[] = {"node", "edge", "graph", "digraph", "subgraph", "strict"};

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (cw_dot_is_word(&d->lex, words[k]))
            return true;
    return false;
}

/* A node and its port. */
static enum cw_status read_node(struct cw_dot *d, uint32_t inside, struct chain *c)
{
    uint32_t node;
    enum cw_status status;

    if (d->lex.token != CW_DOT_ID || is_keyword(d))
        return cw_dot_expected(&d->lex, "a node");
    status = cw_graph_dot_node(d, inside, d->lex.word, d->lex.length, &node);
    if (status != CW_OK)
        return status;
    cw_dot_next(&d->lex);
    while (eat(d, ':')) { /* where an edge touches the node */
        if (d->lex.token != CW_DOT_ID)
            return cw_dot_expected(&d->lex, "a port");
        cw_dot_next(&d->lex);
    }
    if (!cw_array_reserve(&c->node, &c->node_capacity, c->nodes, 1, sizeof *c->node))
        return no_memory(d);
    c->node[c->nodes++] = node;
    return CW_OK;
}

static enum cw_status read_body(struct cw_dot *d, uint32_t inside, int depth);

/* subgraph name {...}, or {...}, in `inside`. */
static enum cw_status read_subgraph(struct cw_dot *d, uint32_t inside, uint32_t *subgraph, int depth)
{
    bool named = cw_dot_is_word(&d->lex, "subgraph") && cw_dot_next(&d->lex) == CW_DOT_ID;
    enum cw_status status =
        depth == DEPTH_MAX
            ? cw_text_wrong(d->lex.name, d->lex.text, d->lex.at, d->lex.err,
                            "subgraphs are nested deeper than %d", DEPTH_MAX)
            : cw_graph_dot_subgraph(d, inside, named ? d->lex.word : NULL, d->lex.length, subgraph);

    if (status != CW_OK)
        return status;
    if (named)
        cw_dot_next(&d->lex);
    if (!eat(d, '{'))
        return cw_dot_expected(&d->lex, "{");
    status = read_body(d, *subgraph, depth + 1);
    if (status == CW_OK && !eat(d, '}'))
        status = cw_dot_expected(&d->lex, "a statement or }");
    return status;
}

static enum cw_status read_end(struct cw_dot *d, uint32_t inside, struct chain *c, int depth)
{
    struct end end = {.first = c->nodes, .at = d->lex.at};
    enum cw_status status;

    if (cw_dot_is(&d->lex, '{') || cw_dot_is_word(&d->lex, "subgraph"))
        status = read_subgraph(d, inside, &end.subgraph, depth);
    else
        do
            status = read_node(d, inside, c);
        while (status == CW_OK && eat(d, ','));
    end.count = c->nodes - end.first;
    if (status == CW_OK && !cw_array_reserve(&c->end, &c->end_capacity, c->ends, 1, sizeof *c->end))
        return no_memory(d);
    if (status == CW_OK)
        c->end[c->ends++] = end;
    return status;
}

static const uint32_t *nodes_of(struct cw_dot *d, const struct chain *c, const struct end *end, size_t *count)
{
    if (end->subgraph)
        return cw_graph_dot_members(d, end->subgraph, count);
    *count = end->count;
    return &c->node[end->first];
}

/* The edges of a chain that is read to its end: then its subgraphs have all their members. */
static enum cw_status connect(struct cw_dot *d, uint32_t inside, const struct chain *c,
                              const struct cw_dot_attributes *own)
{
    enum cw_status status = CW_OK;

    for (size_t k = 1; k < c->ends; k++) {
        size_t tails, heads;
        const uint32_t *tail = nodes_of(d, c, &c->end[k - 1], &tails);
        const uint32_t *head = nodes_of(d, c, &c->end[k], &heads);
        d->pairs += (uint64_t)tails * heads;
        if (d->pairs > PAIRS_MAX)
            return cw_error_set(d->lex.err, CW_ERR_LIMIT, "%s: more than %d edges", d->lex.name, PAIRS_MAX);
        for (size_t a = 0; a < tails; a++)
            for (size_t b = 0; b < heads && status == CW_OK; b++)
                status = cw_graph_dot_edge(d, inside, tail[a], head[b], c->end[k].at, own);
    }
    return status;
}

/* a -> b -> {c d} [attributes], or a, b [attributes]. Those of a subgraph alone are decoration. */
static enum cw_status read_chain(struct cw_dot *d, uint32_t inside, int depth)
{
    struct chain c = {0};
    struct cw_dot_attributes own = {0};
    enum cw_status status = read_end(d, inside, &c, depth);

    while (status == CW_OK && d->lex.token == CW_DOT_ARROW) {
        cw_dot_next(&d->lex);
        status = read_end(d, inside, &c, depth);
    }
    if (status == CW_OK && d->lex.token == CW_DOT_LINE)
        status = cw_dot_expected(&d->lex, "-> (a task graph is directed)");
    if (status == CW_OK)
        status = read_attributes(d, &own);
    if (status == CW_OK)
        status = connect(d, inside, &c, &own);
    for (size_t k = 0; status == CW_OK && c.ends == 1 && k < c.nodes; k++)
        cw_graph_dot_give(&d->node[c.node[k]], &own);
    free(c.node);
    free(c.end);
    return status;
}

/* node [...], edge [...], graph [...]: defaults. */
static enum cw_status read_defaults(struct cw_dot *d, uint32_t inside)
{
    struct cw_dot_attributes of_subgraph = {0}, *to = inside ? &of_subgraph : &d->graph, **defaults = NULL;

    if (cw_dot_is_word(&d->lex, "node"))
        defaults = &d->subgraph[inside].node;
    else if (cw_dot_is_word(&d->lex, "edge"))
        defaults = &d->subgraph[inside].edge;
    if (defaults && !*defaults && !(*defaults = calloc(1, sizeof **defaults)))
        return no_memory(d);
    cw_dot_next(&d->lex);
    return cw_dot_is(&d->lex, '[') ? read_attributes(d, defaults ? *defaults : to)
                                   : cw_dot_expected(&d->lex, "[");
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
    ahead.capacity = 0;
    yes = cw_dot_next(&ahead) == CW_DOT_SIGN && ahead.sign == '=';
    cw_dot_lex_finish(&ahead);
    return yes;
}

static enum cw_status read_body(struct cw_dot *d, uint32_t inside, int depth)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK && !cw_dot_is(&d->lex, '}') && d->lex.token != CW_DOT_END &&
           d->lex.token != CW_DOT_ERROR) {
        if (eat(d, ';'))
            continue;
        if (cw_dot_is_word(&d->lex, "node") || cw_dot_is_word(&d->lex, "edge") ||
            cw_dot_is_word(&d->lex, "graph")) {
            status = read_defaults(d, inside);
        } else if (is_assignment(d)) {
            char *key = strdup(d->lex.word);
            struct cw_dot_attributes of_subgraph = {0};
            cw_dot_next(&d->lex);
            status = key ? read_value(d, key, inside ? &of_subgraph : &d->graph) : no_memory(d);
            free(key);
        } else {
            status = read_chain(d, inside, depth);
        }
    }
    return status == CW_OK ? d->lex.err->status : status;
}

static enum cw_status read_file(struct cw_dot *d)
{
    uint32_t whole;
    enum cw_status status;

    cw_dot_next(&d->lex);
    d->strict = cw_dot_is_word(&d->lex, "strict");
    if (d->strict)
        cw_dot_next(&d->lex);
    if (!cw_dot_is_word(&d->lex, "digraph"))
        return cw_dot_expected(&d->lex, "digraph (a task graph is directed)");
    if (cw_dot_next(&d->lex) == CW_DOT_ID) {
        d->title = d->lex.at;
        cw_dot_next(&d->lex);
    }
    if (!eat(d, '{'))
        return cw_dot_expected(&d->lex, "{");
    status = cw_graph_dot_subgraph(d, 0, NULL, 0, &whole);
    if (status == CW_OK)
        status = read_body(d, whole, 0);
    if (status == CW_OK && !cw_dot_is(&d->lex, '}'))
        status = cw_dot_expected(&d->lex, "a statement or }");
    if (status == CW_OK && cw_dot_next(&d->lex) != CW_DOT_END)
        status = cw_dot_expected(&d->lex, "nothing behind the graph");
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
    d.value = d.lex;
    status = read_file(&d);
    if (status == CW_OK)
        status = cw_graph_dot_build(&d, processors, graph, platform);
    cw_graph_dot_finish(&d);
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
