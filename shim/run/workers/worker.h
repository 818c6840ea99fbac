/* worker.h - workers: one drives each lane. Lock held. */
#ifndef CW_RUN_WORKER_H
#define CW_RUN_WORKER_H

#include "../core/worker_ops.h"

bool cw_run_worker_reserve(
    uint32_t tasks); /* room for so many ready ones on every lane; false: out of memory */
void cw_run_worker_ready(struct cw_run_task *t);
void cw_run_worker_push(struct cw_run_task *t);    /* itself, of any kind, into its lane's heap */
void cw_run_worker_unready(struct cw_run_task *t); /* it leaves its lane's heap again */
void cw_run_worker_starts(struct cw_run_task *t);  /* the command is going to run now */
struct cw_run_worker *cw_run_worker_of(const struct cw_cl_device *slot);

/* The ready command may run now, beside all that runs. Lock held. */
/* Runs the one command, or block of a part, at `l`; l->quarantine.hung says that it has been left behind:
 * then it is another thread's. Worker held; lock held, given up meanwhile. */
cl_int cw_run_worker_execute(struct cw_run_worker *l, struct cw_run_task *t);

/* The launch that `l` runs (l->runs) never ends: the device is in quarantine, its thread is left behind
 * with all that it may use, and the launch runs at home if other memories have the bytes that it needs;
 * else it fails with CL_OUT_OF_RESOURCES. Lock held. */
void cw_run_worker_leave_behind(struct cw_run_worker *l);

bool cw_run_worker_can_run(const struct cw_run_task *t);
/* Takes the i-th out of the heap; and runs it, and the commands that follow it at once, up to number `last`.
 * Gives up the lock meanwhile. */
struct cw_run_task *cw_run_worker_take(struct cw_run_worker *l, uint32_t i);
void cw_run_worker_run(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
/* The same for a command as it is, without the table of its kind. */
void cw_run_worker_run_command(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);

bool cw_run_worker_run_orphan(
    void); /* runs a command of a lane that can have no worker; false: there is none */
void cw_run_worker_kick_all(void);

/* Stops and joins; the lock is not held, and nothing new may come. When commands were abandoned lanes are
 * left behind: their workers never return, which cw_run_thread_park sees to. */
void cw_run_worker_stop_all(void);

#endif
