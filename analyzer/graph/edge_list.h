/* edge_list.h - the edges into one command while it is being looked at: collected, merged, then appended to
 * the trace in the order (from, kind, hazard, memory). */
#ifndef CW_EDGE_LIST_H
#define CW_EDGE_LIST_H

#include "../record/trace.h"

/* For qsort: by (to, from, kind, hazard, memory), the order of cw_trace.edges. */
int cw_edge_compare(const void *a, const void *b);

struct cw_edge_list {
    CW_ARRAY(struct cw_edge) pending;
    bool failed; /* memory ran out; cw_edge_list_flush reports it */
};

/* Notes an edge from -> to. Ignored when from is CW_NONE or to itself. */
void cw_edge_list_add(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_edge_kind kind);
void cw_edge_list_add_data(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_hazard hazard,
                           uint32_t memory, uint64_t bytes);

/* Appends the noted edges to t->edges, equal ones merged with their bytes added, and empties the list.
 * CW_ERR_NOMEM, CW_ERR_LIMIT. */
enum cw_status cw_edge_list_flush(struct cw_edge_list *l, struct cw_trace *t, struct cw_error *err);
void cw_edge_list_finish(struct cw_edge_list *l);

#endif
