/* spread_ahead.h - copies of memory/spread.h that no command waits for yet: bytes that a command will need
 * are copied to its memory while it waits for others, or for its device. A thread for each device with a
 * memory of its own makes them, one at a time; a worker that comes to the command meanwhile waits for the
 * one under way.
 *
 * They are no part of the protocol: bytes become valid in one memory more, if no command writes them
 * meanwhile (cw_run_spread_may_copy_ahead), whatever becomes of the command that they are for. Lock held
 * in all functions. */
#ifndef CW_RUN_SPREAD_AHEAD_H
#define CW_RUN_SPREAD_AHEAD_H

#include "../core/types.h"

/* The command's worker is known. Its bytes that no command before it is to write are asked for. */
void cw_run_spread_ahead_of(struct cw_run_task *t);

/* `t` is over, and its successors not yet let go: what they need of its bytes is asked for. */
void cw_run_spread_ahead_behind(const struct cw_run_task *t);

/* A command has let go of its claims: more copies may be possible. */
void cw_run_spread_ahead_look(void);

/* Copies for `t` that have not begun are not made: it is over. */
void cw_run_spread_ahead_forget(struct cw_run_task *t);

/* Ends the threads. Called without the lock. */
void cw_run_spread_ahead_stop(void);

#endif
