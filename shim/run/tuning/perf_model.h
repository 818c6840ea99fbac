/* perf_model.h - the planner and the history over the workers that there are. The history is loaded by a
 * thread of its own at the first command, and saved at exit. The lock of run mode protects all of it. */
#ifndef CW_RUN_PERF_MODEL_H
#define CW_RUN_PERF_MODEL_H

#include "../core/types.h"
#include "../planner/estimate.h"
#include "../memory/link_fit.h"

/* Planner and costs for as many workers as there are now. Never freed: another thread may be planning with
 * it.
 */
struct cw_run_perf_model {
    struct cw_run_planner *planner;
    struct cw_run_estimator estimator;
    uint32_t workers;
    struct cw_plan_link link[CW_RUN_WORKERS][2]; /* of workers with a memory of their own: to it, and home */
    struct cw_run_perf_model *before;            /* that it has taken the place of; NULL: none */
};

/* The model for the workers that there are now; NULL: there is nothing to plan with. The first call begins to
 * load the history, on a thread of its own. (tuning/perf_model.c) */
struct cw_run_perf_model *cw_run_perf_model_now(void);

/* Reads policy, seed and history settings. Called by start(): no OpenCL call. False: a setting is impossible,
 * which has been said; the mode must not start. */
struct cw_options;
bool cw_run_perf_model_start(const struct cw_options *options, uint64_t seed);

/* Begins to load the history, once. Lock held. */
void cw_run_perf_model_prepare(void);

/* A launch has run: with t->measured, this is learnt from. Lock held. */
void cw_run_perf_model_measured(struct cw_run_task *t, cl_int status);

/* The launch is managed: its time at home is told to cw_run_activation_ran_managed(), now or when it is
 * known. Lock held. */
void cw_run_perf_model_count_home(const struct cw_run_launch *l);

/* The time of such a launch at home in earlier runs; 0: not known. Names the launch. Lock held. */
double cw_run_perf_model_earlier_ns(struct cw_run_task *t);

/* At exit, threads stopped: saves the history. In a forked child nothing is saved. */
void cw_run_perf_model_finish(void);

/* The name of the policy that was chosen. */
const char *cw_run_perf_model_policy(void);

#endif
