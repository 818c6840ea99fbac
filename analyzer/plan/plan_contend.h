/* plan_contend.h - a plan where the devices slow each other at the one memory.
 *
 * Policies plan as if every task had the memory to itself. Here a finished plan is run, order and places as
 * they are, on the memory model by which the emulated board runs its DSPs (ddr.h): a part starts when its
 * device is free and its predecessors have ended, and takes the share of the memory that the others leave. So
 * replay predicts what run mode measures there. Pure. */
#ifndef CW_PLAN_CONTEND_H
#define CW_PLAN_CONTEND_H

#include "../../sched/graph.h"
#include "../../sched/schedule.h"
#include "platform_file.h"

/* Moves the times of `s`, a complete schedule of `g` on `p`, none of which becomes shorter. cost[task *
 * devices + device] has the tasks' computing and memory times; only devices of class "dsp" and parts whose
 * use of the memory is known (memory_ns > 0) slow each other. Nothing changes where the devices have several
 * memories. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_contend(struct cw_schedule *s, const struct cw_graph *g, const struct cw_platform *p,
                               const struct cw_work_cost *cost, struct cw_error *err);

#endif
