/* plan_bound.h - the lower bounds that reports name: those of ../sched/bounds.h and the linear program's.
 *
 * Thread-safety: none. */
#ifndef CW_PLAN_BOUND_H
#define CW_PLAN_BOUND_H

#include "../../sched/bounds.h"
#include "lp_bound.h"

/* Which of the bounds is the largest; the simplest on ties. */
enum cw_bound_kind { CW_BOUND_PATH, CW_BOUND_OCT, CW_BOUND_AREA, CW_BOUND_ENERGY, CW_BOUND_LP };

/* "critical path", "oct", "area", "energy", "lp". */
const char *cw_plan_bound_kind_name(enum cw_bound_kind kind);

/* The bounds known of one graph: a linear program is solved once for all policies that share alike. Zeroed
 * and with entries_max set it is ready. */
struct cw_plan_bounds {
    uint32_t entries_max; /* larger programs are skipped; 0: all are */
    struct cw_lp_bound lp[CW_SHARE_ALL + 1];
    bool known[CW_SHARE_ALL + 1];
};

/* The lower bound of one plan. */
struct cw_plan_bound {
    double best; /* no schedule whose tasks are shared that way is shorter */
    enum cw_bound_kind kind;
    struct cw_lp_bound lp;
};

/* Finds the best bound from `simple`, which are those of `g` on `p` under `sharing`, and the linear program.
 * bounds NULL: without the latter. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_bound_find(struct cw_plan_bound *bound, struct cw_plan_bounds *bounds,
                                  const struct cw_bounds *simple, const struct cw_graph *g,
                                  const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err);

/* entries_max for --lp on, off, auto or NULL (auto). */
uint32_t cw_plan_bounds_entries(const char *choice);

#endif
