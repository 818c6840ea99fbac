/* tile_apart.h - blocks of a cut launch in several memories: before a block runs, the bytes that it needs
 * become valid in the memory of its part; afterwards those that it may have written are valid there alone
 * (memory/coherence.h). The launch itself copies nothing. Lock held. */
#ifndef CW_RUN_TILE_APART_H
#define CW_RUN_TILE_APART_H

#include "tile.h"

/* Sets x->apart where the parts of `x`, which all are there, work in several memories. False: they may
 * not, or memory is out. */
bool cw_run_tile_apart_make(struct cw_run_tiles *x);

/* Bytes of block `b`, which is bound to a part and has not been taken, or of its margins, are not where the
 * part works: they would be copied. Leaves out margins that may not be. */
bool cw_run_tile_apart_lacks(struct cw_run_tiles *x, struct cw_run_block *b);

/* Makes the bytes of the block that `part` has taken valid in its memory. Lock given up meanwhile. False:
 * the block must not run there; *lost: at home neither, with that error. */
bool cw_run_tile_apart_fetch(struct cw_run_task *part, cl_int *lost);

/* The block has ended with `status`. False: it has failed, and may run again elsewhere. */
bool cw_run_tile_apart_over(struct cw_run_task *part, cl_int status);

/* The launch has ended with `status`: what margins have written counts, and its buffers go on with its
 * series. */
void cw_run_tile_apart_end(struct cw_run_tiles *x, cl_int status);

/* A line for the summary: launches whose parts work in several memories, and how many of them copied. Returns
 * its length. */
int cw_run_tile_apart_describe(char *text, unsigned size);

/* The launch is not cut any more: it runs at home. */
void cw_run_tile_apart_give_up(struct cw_run_tiles *x);

#endif
