/* parts.h - launches that a policy shares (planner/plan.h): may they have parts, and cutting them as planned.
 *
 * Other policies give each launch to one worker, and idle workers may join it while it runs (tiles/share.h).
 * The plan of a policy that shares by itself, as HDGEFT, is kept: each part is one block, bound to its
 * worker. cw_run.lock held. */
#ifndef CW_RUN_PARTS_H
#define CW_RUN_PARTS_H

#include "../planner/plan.h"
#include "tile.h"

/* The work-groups that `t` may be cut into for any of the workers where it may run (bit by worker number);
 * 1: it stays whole. */
uint64_t cw_run_parts_groups(struct cw_run_task *t, uint64_t workers);

/* Cuts `t` into the parts of task `i` of `plan`. False: memory is out, or it may be cut so no longer; it
 * stays whole. */
bool cw_run_parts_cut(struct cw_run_task *t, const struct cw_run_plan *plan, uint32_t i);

#endif
