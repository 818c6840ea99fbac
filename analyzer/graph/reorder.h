/* reorder.h - orders in which the commands of a trace may run.
 *
 * Only binding edges (event, barrier, host, data) constrain an order; `queue` edges are implied by an
 * in-order queue and do not. Host pseudo-commands take part as nodes. An edge may be left out, and its
 * ends be forced into the opposite order, to show that it matters. */
#ifndef CW_REORDER_H
#define CW_REORDER_H

#include "../record/trace.h"

struct cw_reorder {
    const struct cw_trace *trace;
    uint32_t count;                    /* commands */
    uint32_t *first;                   /* count+1: successors of c are successor[first[c] .. first[c+1]) */
    uint32_t *successor;               /* one entry per binding edge */
    uint32_t *indegree;                /* count */
    bool forward;                      /* every edge runs from a lower id to a higher one */
    uint32_t dropped_from, dropped_to; /* CW_NONE: no edge is left out */
};

/* Reads the binding edges of `t`, which must outlive `r`. O(commands + edges). Returns CW_OK; CW_ERR_FORMAT
 * when an edge does not join two commands of the trace; CW_ERR_NOMEM. cw_reorder_finish after success and
 * failure. */
enum cw_status cw_reorder_init(struct cw_reorder *r, const struct cw_trace *t, struct cw_error *err);
void cw_reorder_finish(struct cw_reorder *r);

/* Leaves out every binding edge from `from` to `to`; all orders made after this run `to` before `from`.
 * CW_NONE, CW_NONE takes that back. Returns CW_OK; CW_ERR_NOTFOUND when there is no such edge; CW_ERR_INVALID
 * when another path keeps the two in order, so that leaving the edge out changes nothing; CW_ERR_NOMEM. */
enum cw_status cw_reorder_drop(struct cw_reorder *r, uint32_t from, uint32_t to, struct cw_error *err);

/* A random topological order: repeatedly one of the ready commands, each equally likely. The same seed gives
 * the same order. `order` receives `count` command ids. Returns CW_OK, CW_ERR_CYCLE, CW_ERR_NOMEM. */
enum cw_status cw_reorder_random(const struct cw_reorder *r, uint64_t seed, uint32_t *order,
                                 struct cw_error *err);

/* Completes `plan` (`plan_count` distinct command ids in the order to run them) to an order of all commands:
 * those that the plan leaves out run as early as they may. Returns CW_OK; CW_ERR_INVALID when the plan names
 * a command twice or one that is not there, or runs a command before one that it depends on (err names both);
 * CW_ERR_CYCLE, CW_ERR_NOMEM. O(commands + edges). */
enum cw_status cw_reorder_plan(const struct cw_reorder *r, const uint32_t *plan, size_t plan_count,
                               uint32_t *order, struct cw_error *err);

#endif
