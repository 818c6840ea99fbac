/* exclusion.h - launches that must not overlap. Lock held unless said. */
#ifndef CW_RUN_EXCLUSION_H
#define CW_RUN_EXCLUSION_H

#include "../core/types.h"

struct cw_run_side;

struct cw_run_exclusion *cw_run_exclusion_of(const struct cw_run_kernel *k);
bool cw_run_exclusion_may(const struct cw_run_task *t); /* it may run now */
void cw_run_exclusion_begin(const struct cw_run_task *t);
void cw_run_exclusion_end(const struct cw_run_task *t);
/* The same for launches of `k` that are no commands (workers/repeat.h, api/launch.c); false: it may not run
 * now. */
struct cw_run_side *cw_run_exclusion_side(const struct cw_run_kernel *k,
                                          bool home); /* NULL: nothing is in its way ever */
bool cw_run_exclusion_enter(struct cw_run_side *side, const struct cw_run_ndrange *r);
void cw_run_exclusion_leave(struct cw_run_side *side);

/* A native launch has ended. NULL is fine. */
void cw_run_exclusion_native_end(struct cw_run_exclusion *f);

#endif
