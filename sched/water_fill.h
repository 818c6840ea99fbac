/* water_fill.h - sharing one task between devices that become free at different times.
 *
 * Each device d takes part from its start on, at speed 1 / cost: all end together at the level F that solves
 *     sum over d of max(0, F - start[d]) / cost[d] = 1,
 * as water finds its level in a vessel with steps. Whole work-groups: each device gets as many as it finishes
 * by then, the rest go, one after the other, to the device that would finish one more first; no other
 * allocation of whole groups ends earlier.
 *
 * Thread-safety: pure functions. */
#ifndef CW_WATER_FILL_H
#define CW_WATER_FILL_H

#include "schedule.h"

/* Fills share, groups and finish of part[0 .. count - 1] (count >= 1) from their `device` and `start`, which
 * must ascend; costs are those of cost[device], > 0 and finite. groups 0: divisible without limit. Parts that
 * get nothing are taken out, the order of the others stays. first_group is left to the caller. Returns how
 * many are left, >= 1. */
uint32_t cw_water_fill(struct cw_part *part, uint32_t count, const double *cost, uint64_t groups);

#endif
