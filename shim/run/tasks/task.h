/* task.h - managed commands: made, linked to each other, done, retired. Lock held. */
#ifndef CW_RUN_TASK_H
#define CW_RUN_TASK_H

#include "../core/types.h"

/* A command with room for `accesses` ranges, `args` kernel arguments and `blob` bytes behind them. NULL: out
 * of memory. */
struct cw_run_task *cw_run_task_create(uint32_t accesses, uint32_t args, size_t blob);
void cw_run_task_destroy(struct cw_run_task *t); /* only one that was never linked, or has retired */

/* The `i`-th memory object that the command has pinned, but for arguments of a launch. NULL: there are no
 * more. */
struct cw_run_memory *cw_run_task_memory(const struct cw_run_task *t, uint32_t i);

/* The command has run, or has nothing to do. Commands that waited for it alone become ready (core/ready.h):
 * the callers above workers/ call cw_run_worker_done. */
void cw_run_task_done(struct cw_run_task *t, cl_int status);
/* Retires the commands that are done; others may be done by that, and become ready. False: there was none, or
 * another thread is at it. Gives up the lock meanwhile. */
bool cw_run_task_retire(void);

#endif
