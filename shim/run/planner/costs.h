/* costs.h - the cost of a command on each device, by the history and by the models of emulated devices. It
 * asks nothing of the program's run. The lock of run mode protects all of it. */
#ifndef CW_RUN_COSTS_H
#define CW_RUN_COSTS_H

#include "../core/types.h"
#include "estimate.h"

/* By its source and its options, which are set; none: not known. */
struct cw_key cw_run_costs_program_key(struct cw_run_program *p);

/* Sets the kernel's key, by which the history knows it, and its program's. */
void cw_run_costs_name_kernel(struct cw_run_kernel *k);

/* Sets the launch's shape, too. */
void cw_run_costs_name_launch(struct cw_run_task *t);

/* The same for launches of about that size, as those of an elimination, each of which is smaller than the one
 * before: global sizes of one power of two are alike. */
uint64_t cw_run_costs_shape_about(const struct cw_run_launch *l);

/* The cost of `t` on each worker and its error; `workers` as allowed; chained: at home it would
 * follow another launch at once. Returns the worker where it should be tried, CW_SCHED_NONE: none. alone:
 * nothing else is unfinished. travel: how long its bytes do, which a trial costs, too; NULL:
 * none. */
uint32_t cw_run_costs_fill(struct cw_run_estimator *e, const struct cw_run_task *t, uint64_t workers,
                           bool chained, bool alone, const struct cw_run_travel *travel, double *cost,
                           double *error);

/* ns of a launch at home, by the largest one of its kernel that this run has measured there; 0: not known. */
double cw_run_costs_home_ns(const struct cw_run_launch *l);

/* The same; where that is not known, of any launch of its kernel there, the first included. */
double cw_run_costs_measured_ns(const struct cw_run_task *t);

/* ns that a launch on a GPU, of which the history knows nothing, takes about: as an earlier one of its
 * kernel, or else at least, by the operations that the model counts; 0: not known. */
double cw_run_costs_least_ns(const struct cw_run_task *t);

/* ns that a transfer or a fill is thought to take. */
double cw_run_costs_transfer_ns(const struct cw_run_task *t);

/* The work from which a device model computes the command's cost. */
struct cw_work cw_run_costs_work_of(const struct cw_run_task *t);

/* Work-items of a launch. */
double cw_run_costs_items(const struct cw_run_launch *l);

#endif
