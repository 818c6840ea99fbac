/* decide.h - a window that closes: what its commands cost, where they run, in which order.
 *
 * The commands of a window become a cw_run_window (planner/plan.h): their costs come from the history
 * (planner/estimate.h), their dependences from the edges that tasks/dependence.c made; the plan gives each a
 * lane and a rank. What is not planned stays on its home lane in program order. The history is loaded by a
 * thread of its own at the first command, and saved at exit. */
#ifndef CW_RUN_DECIDE_H
#define CW_RUN_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/types.h"

struct cw_options;

/* Reads policy, seed and history settings. Called by start(): no OpenCL call. False: a setting is impossible,
 * which has been said; the mode must not start. */
bool cw_run_perf_model_start(const struct cw_options *options, uint64_t seed);

/* Begins to load the history, once. Lock held. */
void cw_run_perf_model_prepare(void);

/* Sets lane, place and rank of the `count` commands from `first` on (by window_next), which nobody else knows
 * of yet. Lock held; given up while a plan is made. False: it is as if they had been left alone.
 * rest: NULL, or set to the first of those that nothing was decided of, as launches before them are about to
 * show what such launches take elsewhere; the list then ends before it. NULL there: everything is decided. */
bool cw_run_decide(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest);

/* A launch has run: with t->measured, this is learnt from. Lock held. */
void cw_run_perf_model_measured(struct cw_run_task *t, cl_int status);

/* Kernels of `p` have taken `ns` at home. Lock held. */
void cw_run_perf_model_spent(struct cw_run_program *p, double ns);

/* At exit, threads stopped: saves the history. In a forked child nothing is saved. */
void cw_run_perf_model_finish(void);

/* One line for the summary; returns its length. */
int cw_run_decide_describe(char *text, unsigned size);

#endif
