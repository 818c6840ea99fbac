/* plan_copy.h - a policy's placements in a plan, taken out to be compared with those of another policy.
 *
 * Thread-safety: none. */
#ifndef CW_PLAN_COPY_H
#define CW_PLAN_COPY_H

#include "plan.h"

struct cw_plan_copy {
    double length; /* makespan of the plan, INFINITY: nothing is kept */
    uint32_t count;
    uint32_t *order;           /* the tasks in the order in which they were placed */
    struct cw_placement *task; /* per entry of order */
    struct cw_part *part;      /* their parts, one after the other */
    uint32_t part_capacity;
};

/* Room for all tasks of the plan; nothing is kept. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_plan_copy_init(struct cw_plan_copy *c, const struct cw_plan *plan, struct cw_error *err);
void cw_plan_copy_finish(struct cw_plan_copy *c); /* safe on a zeroed struct */

/* Takes back all placements after the first `base` tasks; keeps a copy when the plan is shorter than the kept
 * one. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_copy_take(struct cw_plan_copy *c, struct cw_plan *plan, uint32_t base,
                                 struct cw_error *err);

/* Places the kept tasks. Errors: those of cw_plan_place. */
enum cw_status cw_plan_copy_put(const struct cw_plan_copy *c, struct cw_plan *plan, struct cw_error *err);

/* Fills order[0 .. count - 1] and device[task] from the kept copy, whole tasks only, as cw_disjunctive_load
 * takes it: by start, in the order of placement on ties. A shared task counts as on its first device. Errors:
 * CW_ERR_NOMEM. */
enum cw_status cw_plan_copy_sequence(const struct cw_plan_copy *c, uint32_t *order, uint32_t *device,
                                     struct cw_error *err);

#endif
