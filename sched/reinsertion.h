/* reinsertion.h - local search that moves critical tasks: tabu search over the disjunctive graph.
 *
 * After Mastrolilli and Gambardella (Journal of Scheduling 3, 2000): each step looks at every place that is
 * open to some of the critical tasks and makes the best move, be it better or worse than the current
 * schedule; a task may not come back to the device that it left for a while, unless that gives the shortest
 * schedule so far. After many steps without progress the search goes on from the best schedule with a few
 * tasks moved at random.
 *
 * Thread-safety: none. */
#ifndef CW_REINSERTION_H
#define CW_REINSERTION_H

#include "disjunctive.h"

struct cw_reinsertion {
    struct cw_disjunctive d;
    uint32_t *order, *device; /* the best schedule: arguments of cw_disjunctive_load */
    double length;            /* its makespan */
    double least;             /* no schedule is shorter: the search stops there */
    uint64_t random;
    /* internal */
    uint64_t *banned_until; /* tasks x devices: a step */
    uint32_t *critical;     /* positions in d.order */
    uint64_t step;
};

/* Makes room. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_reinsertion_init(struct cw_reinsertion *r, const struct cw_plan *plan, uint64_t seed,
                                   struct cw_error *err);
void cw_reinsertion_finish(struct cw_reinsertion *r); /* safe on a zeroed struct */

/* Searches from a schedule (as in cw_disjunctive_load) until `work` looks at an edge, a task or a device are
 * spent or r->least is reached. The best of this and of earlier calls is kept. The first call must have count
 * >= 1. Deterministic in the calls made. */
void cw_reinsertion_search(struct cw_reinsertion *r, const uint32_t *order, uint32_t count,
                           const uint32_t *device, uint64_t work);

/* Places the best schedule in the plan, which must be as it was at cw_reinsertion_init. Errors: those of
 * cw_plan_place. */
enum cw_status cw_reinsertion_place(struct cw_reinsertion *r, struct cw_plan *plan, struct cw_error *err);

#endif
