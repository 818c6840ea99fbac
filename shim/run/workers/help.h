/* help.h - calls of the program that run its commands while they wait. Lock held. */
#ifndef CW_RUN_HELP_H
#define CW_RUN_HELP_H

#include "../core/thresholds.h"
#include "../core/worker_ops.h"

/* Helps with the commands of `q` (NULL: only waits) up to number `last` until over() is true.
 * Gives up the lock meanwhile. */
void cw_run_help(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what);

/* `until`: a struct cw_run_until. */
bool cw_run_help_is_over(const void *until);     /* of all commands up to that number */
bool cw_run_help_one_is_over(const void *until); /* out of order: of that one command */

/* Runs the ready short tasks of `q`, which is pinned, up to number `last`, for `ns` in all: for
 * calls that must not block, of programs that want it to happen. Gives up the lock meanwhile. */
void cw_run_help_briefly(struct cw_run_queue *q, uint64_t last, double ns);

#endif
