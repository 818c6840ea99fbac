/* hold.h - the commands of a program that enqueues far more than it waits for stay in run mode's window,
 * so that helpers that begin, or builds that end, in the midst of it still find something to do.
 *
 * A program may enqueue seconds of work within a millisecond, and wait once. Given to the vendor that work
 * is out of reach. So while helpers have not begun, the first launch since the program has waited is
 * watched by an event: when CW_RUN_HOLD_AFTER launches are behind it and it is not over, later commands
 * are managed (cw_run.holds), at home and in their order. And as long as something is being made that may
 * change plans, the window gives its workers CW_RUN_HOLD_NS of work at a time. The program cannot tell:
 * enqueues are asynchronous. A queue whose held commands were over at once needs more of them for a
 * while.
 *
 * Lock held in all of them. */
#ifndef CW_RUN_HOLD_H
#define CW_RUN_HOLD_H

#include "../core/types.h"

/* A native launch on `q` is about to be enqueued: true when it shall have an event, for
 * cw_run_hold_launched(). */
bool cw_run_hold_watches(struct cw_run_queue *q);

/* It was enqueued. `event`: a reference, which is taken over; NULL: none was asked for. */
void cw_run_hold_launched(struct cw_run_queue *q, cl_event event);

/* The program has waited for all commands of `q` so far, or some. */
void cw_run_hold_synchronised(struct cw_run_queue *q);

/* True while the window gives out its commands bit by bit. */
bool cw_run_hold_is_on(void);

/* The `count` commands of a window, from `first` on, are known to be left to do. May begin helpers. */
void cw_run_hold_tell(struct cw_run_task *first, uint32_t count);

/* The commands from `first` on, linked by links.window, are about to be planned. Waits for GPUs that are
 * being made ready to help, if the launches are long; else returns false. Gives up the lock. */
bool cw_run_hold_for_gpus(struct cw_run_task *first);

/* Of a window of *count commands from `first` on that is about to be decided: cuts off, and returns, the
 * commands that stay in it; NULL: none. */
struct cw_run_task *cw_run_hold_rest(struct cw_run_task *first, uint32_t *count);

#endif
