/* graph_build.c - the sweep over a recorded stream; see graph_build.h. */
#include "graph_build.h"
#include "graph_parts.h"
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

bool cw_graph_edge_binds(const struct cw_edge *e)
{
    return e->kind != CW_EDGE_QUEUE;
}

const char *cw_graph_edge_kind_name(unsigned kind)
{
    static const char *const names[] = {
        [CW_EDGE_QUEUE] = "queue", [CW_EDGE_EVENT] = "event", [CW_EDGE_BARRIER] = "barrier",
        [CW_EDGE_HOST] = "host",   [CW_EDGE_DATA] = "data",   [CW_EDGE_PATH] = "path"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : "?";
}

const char *cw_graph_hazard_name(unsigned hazard)
{
    static const char *const names[] = {
        [CW_HAZARD_NONE] = "", [CW_HAZARD_RAW] = "RAW", [CW_HAZARD_WAR] = "WAR", [CW_HAZARD_WAW] = "WAW"};
    return hazard < sizeof names / sizeof names[0] ? names[hazard] : "?";
}

static enum cw_status sweep(struct cw_trace *t, const uint32_t *order, struct cw_control_flow *control,
                            struct cw_data_flow *data, struct cw_error *err)
{
    struct cw_edge_list edges = {0};
    enum cw_status status = CW_OK;

    for (size_t i = 0; !status && i < t->commands.count; i++) {
        uint32_t id = order ? order[i] : (uint32_t)i;
        cw_control_flow_enter(control, id, &edges);
        if (!cw_data_flow_command(data, id, &edges) || !cw_control_flow_leave(control, id, &edges))
            edges.failed = true;
        status = cw_edge_list_flush(&edges, t, err);
    }
    cw_edge_list_finish(&edges);
    if (order)
        qsort(t->edges.v, t->edges.count, sizeof *t->edges.v, cw_edge_compare);
    return status;
}

static enum cw_status fill_accesses(struct cw_trace *t, const struct cw_graph_options *options,
                                    struct cw_error *err)
{
    struct cw_access_table table = {0};
    enum cw_status status = cw_access_table_init(&table, t, options, err);

    t->accesses.count = 0;
    for (size_t i = 0; !status && i < t->commands.count; i++)
        status = cw_access_fill(t, &table, (uint32_t)i, err);
    cw_access_table_finish(&table);
    return status;
}

enum cw_status cw_graph_sweep(struct cw_trace *t, const uint32_t *order, bool declared, uint32_t versions,
                              struct cw_error *err)
{
    struct cw_control_flow *control = cw_control_flow_create(t);
    struct cw_data_flow *data = cw_data_flow_create(t, declared, versions);
    enum cw_status status = control && data ? sweep(t, order, control, data, err)
                                            : cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");

    cw_control_flow_destroy(control);
    cw_data_flow_destroy(data);
    return status;
}

static bool declares_more_than_it_proves(const struct cw_trace *t)
{
    for (size_t i = 0; i < t->accesses.count; i++)
        if (t->accesses.v[i].declared != t->accesses.v[i].mode)
            return true;
    return false;
}

/* Walks both sorted lists side by side: edges that only `proven` has become unproven. Returns how many only
 * `declared` has; `merged`, where it is given, gets all. */
static size_t merge(struct cw_edge *proven, size_t proven_count, const struct cw_edge *declared,
                    size_t declared_count, struct cw_edge *merged)
{
    size_t d = 0, p = 0, only_declared = 0;

    while (d < declared_count || p < proven_count) {
        int side = d == declared_count ? -1
                   : p == proven_count ? 1
                                       : cw_edge_compare(&proven[p], &declared[d]);
        if (side <= 0)
            proven[p].unproven = side < 0;
        if (merged)
            *merged++ = side <= 0 ? proven[p] : declared[d];
        only_declared += side > 0;
        p += side <= 0;
        d += side >= 0;
    }
    return only_declared;
}

/* Merges t->edges with those of a sweep that believes declarations; edges that only t->edges has are
 * unproven. Most of the time it has all of them, and no third list is needed. */
static enum cw_status add_declared(struct cw_trace *t, const uint32_t *order, struct cw_error *err)
{
    CW_ARRAY(struct cw_edge) proven;
    CW_ARRAY(struct cw_edge) declared;
    enum cw_status status;
    size_t more = 0;

    memcpy(&proven, &t->edges, sizeof proven);
    memset(&t->edges, 0, sizeof t->edges);
    status = cw_graph_sweep(t, order, true, 1, err);
    memcpy(&declared, &t->edges, sizeof declared);
    memset(&t->edges, 0, sizeof t->edges);
    if (!status)
        more = merge(proven.v, proven.count, declared.v, declared.count, NULL);
    if (!status && proven.count + more >= CW_NONE)
        status = cw_error_set(err, CW_ERR_LIMIT, "graph: more than 2^32 edges; trace a shorter run");
    if (!status && more && !cw_trace_push_spilled(&t->edges, proven.count + more))
        status = cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    if (!status && more)
        merge(proven.v, proven.count, declared.v, declared.count, t->edges.v);
    cw_spill_free(declared.v);
    if (status || more)
        cw_spill_free(proven.v);
    else
        memcpy(&t->edges, &proven, sizeof proven);
    return status;
}

enum cw_status cw_graph_build(struct cw_trace *t, const struct cw_graph_options *options,
                              struct cw_error *err)
{
    static const struct cw_graph_options none;
    uint32_t *order = NULL;
    enum cw_status status = fill_accesses(t, options ? options : &none, err);

    t->edges.count = 0;
    if (!status)
        status = cw_sweep_order(t, &order, err);
    if (!status)
        status = cw_graph_sweep(t, order, false, 1, err);
    if (!status && declares_more_than_it_proves(t))
        status = add_declared(t, order, err);
    free(order);
    if (status) {
        t->edges.count = t->accesses.count = 0;
        for (size_t i = 0; i < t->commands.count; i++)
            t->commands.v[i].accesses = (struct cw_slice){0, 0};
    }
    return status;
}
