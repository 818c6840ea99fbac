/* legal.h - where a command may run without any difference that the program could see. Lock held. */
#ifndef CW_RUN_LEGAL_H
#define CW_RUN_LEGAL_H

#include "../core/types.h"

/* True when `t` may run at `p` (its own home included) without any difference that the program could see. */
bool cw_run_legal_may_move(const struct cw_run_task *t, const struct cw_run_context_device *p);
/* True when some other device may run launches of `k` from `q`, or tiles of them. */
bool cw_run_legal_may_leave(const struct cw_run_queue *q, struct cw_run_kernel *k, bool has_local);
extern bool cw_run_relaxed; /* --numerics=relaxed; constant after start() */

#endif
