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

/* The ready command may run now, beside all that runs. */
bool cw_run_worker_can_run(const struct cw_run_task *t);
/* Takes the command of lowest rank that may run now out of the heap; NULL, and the worker is blocked, when
 * none may. */
struct cw_run_task *cw_run_worker_take_first(struct cw_run_worker *l);

/* ---- what runs a command that has left its heap (windows/loop.c); each gives up the lock meanwhile */

/* Where devices have memories of their own: bytes that the command may touch are copied to where it runs.
 * False: it is ready elsewhere now, or its parts are. */
bool cw_run_worker_fetch(struct cw_run_worker *l, struct cw_run_task *t);
/* Runs the command as it is, and those that follow it at once, up to number `last`. */
void cw_run_worker_run_command(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
/* Runs such a read (memory/spread.h): the worker stays free for others, and windows close meanwhile. */
void cw_run_worker_run_read(struct cw_run_task *t);
/* What devices that have failed still have is saved (memory/quarantine.h). */
void cw_run_worker_save_all(void);

/* Around the work of one command, or of one block of a part, at `l`: gives the lock, and takes it. Where the
 * launch is watched the thread is to use *copy of it, which is returned, as the command goes elsewhere when
 * the launch never ends. l->quarantine.hung says in the end that it has: then it is another thread's. */
struct cw_run_task *cw_run_worker_begins(struct cw_run_worker *l, struct cw_run_task *t,
                                         struct cw_run_task *copy);
void cw_run_worker_ended(struct cw_run_worker *l, struct cw_run_task *t, const struct cw_run_task *run);

/* The launch that `l` runs (l->runs) never ends: the device is in quarantine, its thread is left behind
 * with all that it may use, and the launch runs at home if other memories have the bytes that it needs;
 * else it fails with CL_OUT_OF_RESOURCES. Returns the part of a cut launch that it was, for which the caller
 * does that (cw_run_tile_crew_hangs); else NULL. */
struct cw_run_task *cw_run_worker_leave_behind(struct cw_run_worker *l);

#endif
