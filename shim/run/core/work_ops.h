/* work_ops.h - the functions of a task, by kind: launch, transfer, fill, tile part, group part ...
 *
 * A task points to the table of its kind. The file that makes tasks of a kind owns its table:
 * workers/execute.c, tiles/tile.c, groups/group.c. The comment of a slot says the meaning of NULL. */
#ifndef CW_RUN_WORK_OPS_H
#define CW_RUN_WORK_OPS_H

#include "types.h"

struct cw_run_work_ops {
    /* The task may run now, beside everything that runs. Lock held. NULL: it always may. */
    bool (*can_run)(const struct cw_run_task *t);
    /* `l` runs the task, which it has taken out of its heap, and may run its followers at once up to
     * command number `last`. Lock held, given up meanwhile. NULL: it runs as a command
     * (cw_run_worker_run_command). */
    void (*run)(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
    /* Does the work and returns its status; sets took_ns where t->measured. The caller has the task's worker;
     * lock not held. NULL: there is nothing to do. */
    cl_int (*execute)(struct cw_run_task *t);
    /* Of a launch: hands it to its device, in *queue, which is to be finished then. Sets t->begun. As above.
     * NULL: only execute() does the work. */
    cl_int (*submit)(struct cw_run_task *t, cl_command_queue *queue);
    /* The worker does not come to the ready task, which has left its heap: others do its work. Lock held.
     * NULL: it may run at home. */
    void (*leave)(struct cw_run_task *t);
    /* The task runs, and its thread is lost in it: others do its work. Lock held. NULL: it fails, and may run
     * at home. */
    void (*hangs)(struct cw_run_task *t);
    /* The task needs no device: a thread that waits for it runs it also while its worker runs another one. */
    bool beside;
};

/* Of commands that only keep an order: every slot is NULL. */
extern const struct cw_run_work_ops cw_run_work_nothing;

static inline bool cw_run_work_can_run(const struct cw_run_task *t)
{
    return !t->ops->can_run || t->ops->can_run(t);
}

#endif
