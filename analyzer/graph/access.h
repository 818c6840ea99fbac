/* access.h - which bytes of which memory objects a command touches, from its parameters. See graph_build.h.
 */
#ifndef CW_ACCESS_H
#define CW_ACCESS_H

#include "graph_build.h"
#include "svm_ranges.h"
#include "trace_reach.h"

/* A rectangle of more rows than this is taken as one range. */
enum { CW_ACCESS_MAX_ROWS = 64 };

/* Parameter modes of all kernels of a trace, parsed once. */
struct cw_access_table {
    uint32_t *first;   /* per kernel: index into modes of its parameter 0 */
    uint8_t *modes;    /* enum cw_access_mode: proven */
    uint8_t *declared; /* the same when every const is believed */
    struct cw_svm_ranges svm;
    struct cw_trace_reach *reach; /* NULL: launches touch buffers whole */
    bool trust;                   /* declared accesses count as proven: drawing only */
    bool *hidden;                 /* per program: its kernels may share variables that are no arguments */
    bool *addresses;              /* per program: its kernels may keep addresses in memory, by its text */
};

/* Parses the kernels' sources. `table` is the caller's; finish it even after a failure (CW_ERR_NOMEM). */
enum cw_status cw_access_table_init(struct cw_access_table *table, const struct cw_trace *t,
                                    const struct cw_graph_options *options, struct cw_error *err);
void cw_access_table_finish(struct cw_access_table *table);

/* Appends the accesses of command `id` to t->accesses and sets its slice. Ranges are clipped to the object
 * and never empty. Returns CW_ERR_NOMEM when memory is out. */
enum cw_status cw_access_fill(struct cw_trace *t, const struct cw_access_table *table, uint32_t id,
                              struct cw_error *err);

#endif
