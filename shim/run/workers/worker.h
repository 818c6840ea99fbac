/* worker.h - workers: each drives one device. Lock held. */
#ifndef CW_RUN_WORKER_H
#define CW_RUN_WORKER_H

#include "../core/ready.h"

/* All that `t` waited for is over: puts it, or its parts, into heaps (core/ready.h). */
void cw_run_worker_ready(struct cw_run_task *t);
/* The same for all that have become ready (cw_run_ready_next of core/ready.h). */
void cw_run_worker_take_ready(void);
/* cw_run_task_done and cw_run_task_retire (tasks/task.h), and then cw_run_worker_take_ready. */
void cw_run_worker_done(struct cw_run_task *t, cl_int status);
void cw_run_worker_retire(void);
void cw_run_worker_starts(struct cw_run_task *t); /* the command is going to run now */
struct cw_run_worker *cw_run_worker_of(const struct cw_cl_device *device);

/* The ready command may run now, beside all that runs. Lock held. */
/* Runs the one command, or block of a part, at `l`; l->quarantine.hung says that it has been left behind:
 * then it is another thread's. Worker held; lock held, given up meanwhile. */
cl_int cw_run_worker_execute(struct cw_run_worker *l, struct cw_run_task *t);

/* The launch that `l` runs (l->runs) never ends: the device is in quarantine, its thread is left behind
 * with all that it may use, and the launch runs at home if other memories have the bytes that it needs;
 * else it fails with CL_OUT_OF_RESOURCES. Lock held. */
void cw_run_worker_leave_behind(struct cw_run_worker *l);

bool cw_run_worker_can_run(const struct cw_run_task *t);
/* Takes the command of lowest rank that may run now out of the heap; NULL, and the worker is blocked, when
 * none may. */
struct cw_run_task *cw_run_worker_take_first(struct cw_run_worker *l);
/* Runs the command, and those that follow it at once, up to number `last`. Gives up the lock meanwhile. */
void cw_run_worker_run(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
/* The same for a command as it is, without the table of its kind. */
void cw_run_worker_run_command(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);

#endif
