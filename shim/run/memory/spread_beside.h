/* spread_beside.h - bytes that a part of a launch has written in its memory, and another part in the memory
 * where they count until the launch is over (tiles/tile_margin.c). Then they are valid in both, unless
 * something else has come there meanwhile. Lock held in all functions. */
#ifndef CW_RUN_SPREAD_BESIDE_H
#define CW_RUN_SPREAD_BESIDE_H

#include "../core/types.h"

struct cw_run_beside;

/* The part, which has run, wrote such bytes: all its accesses that say so go into the launch's list. Where
 * memory is out they are left out. */
void cw_run_spread_beside_add(struct cw_run_beside **list, const struct cw_run_task *part);

/* The launch is over, or goes: frees the list. `counts`: it ended well. */
void cw_run_spread_beside_end(struct cw_run_beside *list, bool counts);

#endif
