/* tile_apart.h - blocks of a cut launch in several memories: before a block runs, the bytes that it needs
 * become valid in the memory of its part; afterwards those that it may have written are valid there alone
 * (memory/coherence.h). The launch itself copies nothing. Lock held. */
#ifndef CW_RUN_TILE_APART_H
#define CW_RUN_TILE_APART_H

#include "tile.h"

/* Sets x->apart where the parts of `x`, which all are there, work in several memories. False: memory is
 * out. */
bool cw_run_tile_apart_make(struct cw_run_tiles *x);

/* Makes the bytes of the block that `part` has taken valid in its memory. Lock given up meanwhile. False:
 * the block must not run there; *lost: at home neither, with that error. */
bool cw_run_tile_apart_fetch(struct cw_run_task *part, cl_int *lost);

/* The block has ended with `status`. False: it has failed, and may run again elsewhere. */
bool cw_run_tile_apart_over(struct cw_run_task *part, cl_int status);

/* The launch is not cut any more: it runs at home. */
void cw_run_tile_apart_give_up(struct cw_run_tiles *x);

#endif
