/* races.h - commands that touch the same bytes with no order between them.
 *
 * A data edge keeps the recorded order of two commands that meet in memory. The program has asked for that
 * order only where a path of queue, event, barrier or host edges leads from the one to the other; elsewhere
 * either may run first, or both at once. */
#ifndef CW_RACES_H
#define CW_RACES_H

#include "../record/trace.h"

struct cw_races {
    /* per edge of the trace: true for a data edge of such a pair; NULL: there is none. Owned */
    bool *edge;
    uint64_t count; /* of these edges */
    uint32_t first; /* the first of these that is certain, else the first one; CW_NONE: there is none */
    bool certain;   /* the commands of `first` are known to move these bytes: they are transfers or fills */
};

/* Fills `r`; finish it in any case. Edges that rest on doubt (unproven), and those without a memory object,
 * are taken as ordered. So is what a long search does not settle. CW_ERR_NOMEM. O(commands + edges).
 * Thread-safety: reads `t` only. */
enum cw_status cw_races_find(struct cw_races *r, const struct cw_trace *t, struct cw_error *err);
void cw_races_finish(struct cw_races *r); /* safe on a zeroed struct */

#endif
