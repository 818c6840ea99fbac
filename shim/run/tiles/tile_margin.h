/* tile_margin.h - margins: work-items beyond its block that a part of a launch in several memories runs,
 * too.
 *
 * A stencil's part needs bytes that its neighbours' parts have written in the launch before: each launch
 * copies them, which takes as long for one row as for some. With margins the part copies more of them,
 * once, and computes in the next launches by itself what it would have to copy:
 *
 *     launch           copies            runs
 *     1                reach * 4 units   its block and 3 * reach units on each side
 *     2                nothing           its block and 2 * reach
 *     3                nothing           its block and 1 * reach
 *     4                nothing           its block
 *     5                reach * 4 units   ...
 *
 * What a part writes in its margins, other parts write in their blocks, in their memories: the same bytes,
 * if the launch reads none that it writes, as its work-items write each byte once. When all of it has ended
 * well these bytes are valid in the part's memory, too (tiles/tile_apart.c), so the next launch finds what
 * it needs there. Nothing else of the protocol changes: whatever comes between two launches, and other
 * kernels, and the host, is seen in where bytes are valid.
 *
 * A launch that has to copy anyhow begins margins, for so many launches as its kernel's record says; the
 * others have margins as far as they need no copies for them. The record is doubled each time the margins
 * were used up, up to where more work-groups would cost more than copies, which is measured; where they
 * saved fewer it falls back to those for a while, longer each time; not where the launch is cut elsewhere
 * than the one before, which is none of the program's doing. The series goes from launch to launch with
 * the buffers (cw_run_region.series): several kernels may be in it, and several series in a queue.
 *
 * A unit is a row of work-items, of a kernel that cannot tell how its work-groups are: margins are launches
 * of their own then. Else it is a work-group.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_TILE_MARGIN_H
#define CW_RUN_TILE_MARGIN_H

#include <stddef.h>
#include <stdint.h>

struct cw_options;
struct cw_run_tiles;

/* Settings; called by start(). */
void cw_run_tile_margin_start(const struct cw_options *options);

/* Fills the margins of the blocks of `x`, all bound, none of which has begun; x->series goes on. */
void cw_run_tile_margin_find(struct cw_run_tiles *x);

/* Under chaos: draws them, where they may be; below(n) is a number below n. */
void cw_run_tile_margin_draw(struct cw_run_tiles *x, size_t (*below)(size_t n));

#endif
