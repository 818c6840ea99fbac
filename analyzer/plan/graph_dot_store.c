/* graph_dot_store.c - nodes, edges and subgraphs as graphviz keeps them; see graph_dot.h.
 *
 * A subgraph is known by its name and its parent. Its members are also its parent's. A default holds for the
 * nodes and edges that are made in the subgraph later, and in its subgraphs, unless they give another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../io/array.h"
#include "graph_dot.h"

static enum cw_status no_memory(struct cw_dot *d)
{
    return cw_error_set(d->lex.err, CW_ERR_NOMEM, "%s: out of memory", d->lex.name);
}

void cw_graph_dot_give(struct cw_dot_attributes *to, const struct cw_dot_attributes *from)
{
    for (int k = 0; k < CW_DOT_KEYS; k++)
        if (from->set >> k & 1)
            to->at[k] = from->at[k];
    to->set |= from->set;
}

const char *cw_graph_dot_value(struct cw_dot *d, const char *at)
{
    d->value.p = at;
    return cw_dot_next(&d->value) == CW_DOT_ID ? d->value.word : NULL;
}

/* ---- subgraphs */

static enum cw_status add_subgraph(struct cw_dot *d, uint32_t parent, uint32_t *subgraph)
{
    if (!cw_array_reserve(&d->subgraph, &d->subgraph_capacity, d->subgraphs, 1, sizeof *d->subgraph))
        return no_memory(d);
    *subgraph = (uint32_t)d->subgraphs++;
    d->subgraph[*subgraph].parent = parent;
    return CW_OK;
}

enum cw_status cw_graph_dot_subgraph(struct cw_dot *d, uint32_t parent, const char *name, size_t length,
                                     uint32_t *subgraph)
{
    uint32_t before = d->subgraph_names.count, number;
    char *full = NULL;
    int bytes;

    if (!name)
        return add_subgraph(d, parent, subgraph);
    bytes = asprintf(&full, "%x %.*s", parent, (int)length, name);
    if (bytes < 0)
        return no_memory(d);
    number = cw_name_table_add(&d->subgraph_names, full, (size_t)bytes);
    free(full);
    if (number == CW_NAME_NONE || !cw_array_reserve(&d->named_subgraph, &d->named_subgraph_capacity, before,
                                                    1, sizeof *d->named_subgraph))
        return no_memory(d);
    if (number == before)
        return add_subgraph(d, parent, subgraph) ? d->lex.err->status
                                                 : (d->named_subgraph[number] = *subgraph, CW_OK);
    *subgraph = d->named_subgraph[number];
    return CW_OK;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

const uint32_t *cw_graph_dot_members(struct cw_dot *d, uint32_t subgraph, size_t *count)
{
    struct cw_dot_subgraph *s = &d->subgraph[subgraph];
    size_t differ = 0;

    if (!s->sorted && s->members) {
        qsort(s->member, s->members, sizeof *s->member, ascending);
        for (size_t k = 0; k < s->members; k++)
            if (differ == 0 || s->member[differ - 1] != s->member[k])
                s->member[differ++] = s->member[k];
        s->members = differ;
        s->sorted = true;
    }
    *count = s->members;
    return s->member;
}

/* ---- nodes */

/* The default of key `k` for nodes, or for edges, that are made in `subgraph`. */
static const char *default_of(const struct cw_dot *d, uint32_t subgraph, bool edge, int k)
{
    for (;; subgraph = d->subgraph[subgraph].parent) {
        const struct cw_dot_subgraph *s = &d->subgraph[subgraph];
        const struct cw_dot_attributes *a = edge ? s->edge : s->node;
        if (a && a->set >> k & 1)
            return a->at[k];
        if (subgraph == 0)
            return NULL;
    }
}

static enum cw_status add_member(struct cw_dot *d, uint32_t subgraph, uint32_t node)
{
    struct cw_dot_subgraph *s = &d->subgraph[subgraph];

    if (s->members && s->member[s->members - 1] == node)
        return CW_OK;
    if (!cw_array_reserve(&s->member, &s->capacity, s->members, 1, sizeof *s->member))
        return no_memory(d);
    s->member[s->members++] = node;
    s->sorted = false;
    return CW_OK;
}

enum cw_status cw_graph_dot_node(struct cw_dot *d, uint32_t subgraph, const char *name, size_t length,
                                 uint32_t *node)
{
    uint32_t before = d->names.count;
    enum cw_status status = CW_OK;

    if (!cw_array_reserve(&d->node, &d->node_capacity, before, 1, sizeof *d->node) ||
        (*node = cw_name_table_add(&d->names, name, length)) == CW_NAME_NONE)
        return no_memory(d);
    for (int k = 0; *node == before && k < CW_DOT_KEYS; k++)
        d->node[*node].at[k] = default_of(d, subgraph, false, k);
    for (; subgraph != 0 && status == CW_OK; subgraph = d->subgraph[subgraph].parent)
        status = add_member(d, subgraph, *node);
    return status;
}

/* ---- edges */

/* The edge that an edge from -> to of key `key` (NULL: none) may be, SIZE_MAX: none. *number, unless it stays
 * CW_NAME_NONE, is its name, by which it is found again. */
static enum cw_status find_edge(struct cw_dot *d, uint32_t from, uint32_t to, const char *key, size_t *edge,
                                uint32_t *number)
{
    uint32_t before = d->edge_names.count;
    char *name = NULL;
    int bytes;

    *edge = SIZE_MAX;
    *number = CW_NAME_NONE;
    if (!d->strict && !key)
        return CW_OK;
    bytes = asprintf(&name, "%x %x %s", from, to, d->strict ? "" : key);
    if (bytes < 0)
        return no_memory(d);
    *number = cw_name_table_add(&d->edge_names, name, (size_t)bytes);
    free(name);
    if (*number == CW_NAME_NONE ||
        !cw_array_reserve(&d->named_edge, &d->named_capacity, before, 1, sizeof *d->named_edge))
        return no_memory(d);
    if (*number != before)
        *edge = d->named_edge[*number];
    return CW_OK;
}

/* Whether the edge has the key `key`. */
static bool has_key(struct cw_dot *d, const struct cw_dot_edge *e, const char *key)
{
    const char *own = e->value[CW_DOT_KEY] ? cw_graph_dot_value(d, e->value[CW_DOT_KEY]) : NULL;

    return own && strcmp(own, key) == 0;
}

static enum cw_status make_edge(struct cw_dot *d, uint32_t subgraph, const struct cw_dot_edge *e)
{
    struct cw_dot_edge *made;

    if (!cw_array_reserve(&d->edge, &d->edge_capacity, d->edges, 1, sizeof *d->edge))
        return no_memory(d);
    made = &d->edge[d->edges++];
    *made = *e;
    for (int k = 0; k < CW_DOT_KEY; k++)
        made->value[k] = default_of(d, subgraph, true, k);
    return CW_OK;
}

enum cw_status cw_graph_dot_edge(struct cw_dot *d, uint32_t subgraph, uint32_t from, uint32_t to,
                                 const char *at, const struct cw_dot_attributes *own)
{
    const char *key_at = own->at[CW_DOT_KEY], *text = key_at ? cw_graph_dot_value(d, key_at) : NULL;
    char *key = text ? strdup(text) : NULL;
    size_t e = SIZE_MAX;
    uint32_t number = CW_NAME_NONE;
    enum cw_status status = key_at && !key ? no_memory(d) : find_edge(d, from, to, key, &e, &number);

    if (status == CW_OK && e == SIZE_MAX) {
        e = d->edges;
        status =
            make_edge(d, subgraph,
                      &(struct cw_dot_edge){.from = from, .to = to, .at = at, .value[CW_DOT_KEY] = key_at});
        if (status == CW_OK && number != CW_NAME_NONE)
            d->named_edge[number] = (uint32_t)e;
    } else if (status == CW_OK && d->strict && key && !has_key(d, &d->edge[e], key)) {
        e = SIZE_MAX; /* graphviz makes no second edge, and does not take its attributes for the first */
    }
    for (int k = 0; status == CW_OK && e != SIZE_MAX && k < CW_DOT_KEY; k++)
        if (own->set >> k & 1)
            d->edge[e].value[k] = own->at[k];
    free(key);
    return status;
}

void cw_graph_dot_finish(struct cw_dot *d)
{
    for (size_t k = 0; k < d->subgraphs; k++) {
        free(d->subgraph[k].node);
        free(d->subgraph[k].edge);
        free(d->subgraph[k].member);
    }
    free(d->subgraph);
    free(d->node);
    free(d->edge);
    free(d->named_edge);
    free(d->named_subgraph);
    cw_name_table_finish(&d->names);
    cw_name_table_finish(&d->edge_names);
    cw_name_table_finish(&d->subgraph_names);
    cw_dot_lex_finish(&d->lex);
    cw_dot_lex_finish(&d->value);
}
