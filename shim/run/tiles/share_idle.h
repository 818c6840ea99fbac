/* share_idle.h - the workers that have nothing to do while a launch of a planned window runs: by the plan,
 * and by the parts of launches that were given to them since.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_SHARE_IDLE_H
#define CW_RUN_SHARE_IDLE_H

#include "share.h"

struct cw_run_share_idle;

/* Of window `s`, which outlives it; O(tasks log tasks). The caller closes it. NULL: memory is out. */
struct cw_run_share_idle *cw_run_share_idle_open(const struct cw_run_shared *s);
void cw_run_share_idle_close(struct cw_run_share_idle *idle); /* NULL allowed */

/* `worker` has nothing else to do while task `i` runs. O(log tasks). */
bool cw_run_share_idle_is(const struct cw_run_share_idle *idle, uint32_t i, uint32_t worker);

/* `worker` gets a part of task `i`. The latest 16 parts of a worker are remembered. */
void cw_run_share_idle_take(struct cw_run_share_idle *idle, uint32_t i, uint32_t worker);

#endif
