/* decide.h - a window that closes: the costs of its commands, their devices and their order.
 *
 * The commands of a window become a cw_run_window (planner/plan.h): their costs come from the history
 * (planner/estimate.h), their dependences from the edges that tasks/dependence.c made; the plan gives each a
 * worker and a rank. Unplanned commands stay on their home device in program order. */
#ifndef CW_RUN_DECIDE_H
#define CW_RUN_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

struct cw_run_task;

/* Sets worker, place and rank of the `count` commands from `first`
 * on (by window_next), which no other thread knows of yet. Lock held; given up while a plan is made. False:
 * it is as if they had been left alone. rest: NULL, or set to the first of those that nothing was decided of,
 * as launches before them are about to show such launches' time elsewhere; the list then ends before it.
 * NULL there: everything is decided. */
bool cw_run_decide(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest);

/* One line for the summary; returns its length. */
int cw_run_decide_describe(char *text, unsigned size);

#endif
