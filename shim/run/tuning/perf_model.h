/* perf_model.h - inside run_decide: the planner and the history over the lanes that there are, and what a
 * command costs on each. Used by tuning/decide.c, tuning/perf_model.c, planner/costs.c. The lock of run mode
 * protects all of it. */
#ifndef CW_RUN_PERF_MODEL_H
#define CW_RUN_PERF_MODEL_H

#include "../core/types.h"
#include "../planner/estimate.h"

/* Planner and costs for as many lanes as there are now. Never freed: another thread may be planning with it.
 */
struct cw_run_brain {
    struct cw_run_planner *planner;
    struct cw_run_estimator estimator;
    uint32_t lanes;
};

/* The brain for the lanes that there are now; NULL: there is nothing to plan with. The first call begins to
 * load the history, on a thread of its own. (tuning/perf_model.c) */
struct cw_run_brain *cw_run_perf_model_now(void);

/* The name of the policy that was chosen. */
const char *cw_run_perf_model_policy(void);

/* Bit l: the command may run on lane l. Asks the workers of lanes for programs that are not there.
 * (planner/costs.c) */
uint64_t cw_run_costs_devices_allowed(const struct cw_run_task *t);

/* By its source and its options, which are set; none: not known. */
struct cw_key cw_run_program_key(struct cw_run_program *p);

/* Sets the launch's shape and its kernel's key, by which the history knows it. */
void cw_run_costs_name_launch(struct cw_run_task *t);

/* What its vendor compiles anew for: the kernel and its local size; without one, the size that the vendor
 * picks it by. After cw_run_costs_name_launch. */
struct cw_run_warm_what cw_run_costs_kind(const struct cw_run_launch *l);

/* The cost of `t` on each lane and what it may be wrong by; `lanes` as allowed; chained: at home it would
 * follow another launch at once. Returns the lane where it should be tried, CW_SCHED_NONE: none. alone:
 * nothing else is unfinished. */
uint32_t cw_run_costs_fill(struct cw_run_brain *b, const struct cw_run_task *t, uint64_t lanes, bool chained,
                           bool alone, double *cost, double *error);

/* What all runs so far, this one included, have spent on kernels of `p` at home. */
double cw_run_perf_model_spent_ever(struct cw_run_program *p);

/* Work-items of a launch. */
double cw_run_costs_items(const struct cw_run_launch *l);

#endif
