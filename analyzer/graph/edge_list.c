/* edge_list.c - see graph_parts.h. */
#include "graph_parts.h"

#include <stdlib.h>
#include <string.h>

void cw_edge_list_add_data(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_hazard hazard,
                           uint32_t memory, uint64_t bytes)
{
    struct cw_edge *e;

    if (from == to || from == CW_NONE)
        return;
    e = cw_trace_push(&l->pending, 1);
    if (!e) {
        l->failed = true;
        return;
    }
    *e = (struct cw_edge){.from = from,
                          .to = to,
                          .kind = CW_EDGE_DATA,
                          .hazard = (uint8_t)hazard,
                          .memory = memory,
                          .bytes = bytes};
}

void cw_edge_list_add(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_edge_kind kind)
{
    size_t before = l->pending.count;

    cw_edge_list_add_data(l, from, to, CW_HAZARD_NONE, CW_NONE, 0);
    if (l->pending.count > before)
        l->pending.v[before].kind = (uint8_t)kind;
}

int cw_edge_compare(const void *a, const void *b)
{
    const struct cw_edge *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->hazard != y->hazard)
        return x->hazard < y->hazard ? -1 : 1;
    return x->memory < y->memory ? -1 : x->memory > y->memory;
}

/* Most commands have a handful of edges, nearly in order: insertion beats qsort there. */
static void sort(struct cw_edge *v, size_t n)
{
    if (n > 32) {
        qsort(v, n, sizeof *v, cw_edge_compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct cw_edge e = v[i];
        size_t j = i;
        for (; j > 0 && cw_edge_compare(&e, &v[j - 1]) < 0; j--)
            v[j] = v[j - 1];
        v[j] = e;
    }
}

enum cw_status cw_edge_list_flush(struct cw_edge_list *l, struct cw_trace *t, struct cw_error *err)
{
    struct cw_edge *v = l->pending.v, *out;
    size_t n = l->pending.count, unique = 0;

    if (l->failed)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    if (n == 0)
        return CW_OK;
    sort(v, n);
    for (size_t i = 1; i < n; i++) {
        if (cw_edge_compare(&v[i], &v[unique]) == 0)
            v[unique].bytes += v[i].bytes;
        else
            v[++unique] = v[i];
    }
    unique++;
    if (t->edges.count + unique >= CW_NONE)
        return cw_error_set(err, CW_ERR_LIMIT, "graph: more than 2^32 edges; trace a shorter run");
    out = cw_trace_push_spilled(&t->edges, unique);
    if (!out)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    memcpy(out, v, unique * sizeof *out);
    l->pending.count = 0;
    return CW_OK;
}

void cw_edge_list_finish(struct cw_edge_list *l)
{
    free(l->pending.v);
    memset(l, 0, sizeof *l);
}
