/* tile_train.h - trains: cut launches that follow each other in a queue, of which no part copies anything,
 * as their margins say (tiles/tile_margin.h). Each part hands its blocks of all of them to its device at
 * once and waits for the last: between them no thread wakes another one, and GPUs do not wait for each
 * other.
 *
 * first part asks for its block ── launches behind are found ── all parts hand over, wait ── the last one
 * notes
 *   the launches' ends, in their order
 *
 * A train is found by playing what each launch does to where bytes are valid, before any of them has begun.
 * Until its end nothing else of its bytes moves: the launches claim them, and their dependences are those
 * of commands that run. To all other code each launch stays a command; the program sees them end together.
 *
 * When some part fails its device has lost blocks whose data others have overwritten since: all launches of
 * the train fail with its status. cw_run.lock guards all of it. */
#ifndef CW_RUN_TILE_TRAIN_H
#define CW_RUN_TILE_TRAIN_H

#include "tile.h"

/* `x`, whose blocks are bound and lack no bytes, and launches behind it may become a train: x->train. */
void cw_run_tile_train_form(struct cw_run_tiles *x);

/* Runs the blocks of `part`, and of the same part of the train's other launches; after the last part the
 * launches end, and the train is gone. Lock given up meanwhile. */
void cw_run_tile_train_run(struct cw_run_task *part);

#endif
