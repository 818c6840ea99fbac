/* tile_merge.h - arguments of a launch in several memories that more than one tile writes.
 *
 * The verdict of the model (kernels/footprint/cut_verdict.h) names them: integer atomics of one kind, stores
 * of one value, and writes that mesh. Before the first block their bytes become valid in the host's memory
 * alone, where they are kept as they were. Each block works on memory of its own in their place, which begins
 * with these bytes. What it has made of them goes into the host's memory when it has ended:
 *
 *   ADD  + (v - was)     XOR  ^ (v ^ was)     AND, OR, MIN, MAX  that operation with v
 *   DIFF  every byte of v that is not as it was
 *
 * So a block that fails has changed nothing, and may run elsewhere. */
#ifndef CW_RUN_TILE_MERGE_H
#define CW_RUN_TILE_MERGE_H

#include "tile.h"

#define CW_RUN_MERGE_BYTES ((size_t)64 << 20) /* of all such arguments of a launch, at most */

/* The launch's tiles may work in several memories if they are merged so. Lock held. */
bool cw_run_tile_merge_may(const struct cw_run_launch *l, const struct cw_cut_verdict *v);

/* Bytes of the buffers that are merged then. Lock held. */
size_t cw_run_tile_merge_bytes(const struct cw_run_launch *l, const struct cw_cut_verdict *v);

/* Makes x->merges, if the launch needs it. False: it cannot, or memory is out. Lock held. */
bool cw_run_tile_merge_make(struct cw_run_tiles *x);
void cw_run_tile_merge_free(struct cw_run_tiles *x);

/* Argument `arg` is merged. */
bool cw_run_tile_merge_is(const struct cw_run_tiles *x, uint32_t arg);

/* The block that `part` has taken has memory of its own for these arguments. False: there is none. Worker
 * held; lock held, given up meanwhile. */
bool cw_run_tile_merge_begin(struct cw_run_task *part);

/* Sets these arguments of the kernel of `part`, whose others are set as `set` says. Worker held, lock not
 * held. */
cl_int cw_run_tile_merge_set(const struct cw_run_task *part, cl_kernel kernel, struct cw_run_set *set);

/* The block of `part` has run: its results join the others. Worker held; lock held, given up meanwhile. */
cl_int cw_run_tile_merge_collect(struct cw_run_task *part);

#endif
