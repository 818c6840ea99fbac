/* repeat_place.h - chatty programs: one launch a window, again and again. Where the launch before went, which
 * was like it, the next one goes without a plan; every now and then it is planned anew. Lock of run mode
 * held. */
#ifndef CW_RUN_REPEAT_PLACE_H
#define CW_RUN_REPEAT_PLACE_H

#include "perf_model.h"
#include "gain.h"
#include "../planner/plan.h"

/* True when `t`, alone in its window and not to be shared, has been sent where the launch before it went,
 * which was like it; the policy would do the same. Its kernel's memo then says with which verdict, and *g
 * holds the known gain.
 */
bool cw_run_repeat_place_of(struct cw_run_task *t, const struct cw_run_perf_model *b,
                            struct cw_run_gain_window *g);

/* True when `t`, whose like has long gone elsewhere, is to show its time at home now. */
bool cw_run_repeat_place_looks_home(struct cw_run_task *t);

/* Keeps where `t`, alone in its window and no trial, has been sent by `plan`. */
void cw_run_repeat_place_keep(const struct cw_run_task *t, const struct cw_run_plan *plan,
                              const struct cw_run_gain_window *g);

#endif
