/* worker_ops.h - the functions of workers/ that the layers below it call. Lock held in all members; no member
 * is NULL. cw_run_worker_ops points to the table that api/objects.c sets at the start of run mode. */
#ifndef CW_RUN_WORKER_OPS_H
#define CW_RUN_WORKER_OPS_H

#include "state.h"

/* For help: everything of `queue` up to number `sequence` has retired. */
struct cw_run_until {
    const struct cw_run_queue *queue;
    uint64_t sequence;
};

struct cw_run_worker_ops {
    /* cw_run_worker_reserve, cw_run_worker_ready, cw_run_worker_kick_all (workers/worker.h). */
    bool (*reserve)(uint32_t tasks);
    void (*ready)(struct cw_run_task *t);
    void (*kick_all)(void);
    /* cw_run_help (workers/help.h): gives up the lock meanwhile. */
    void (*help)(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what);
};
extern const struct cw_run_worker_ops *cw_run_worker_ops;

/* Wakes the workers of lanes that have something to do. */
static inline void cw_run_worker_kick(void)
{
    if (cw_run.ready_count || cw_run.wanted || cw_run.timer_wanted)
        cw_run_worker_ops->kick_all();
}

#endif
