/* farm_worker.h - a worker: asks its master for tasks, runs them one after the other, reports the results. */
#ifndef CW_FARM_WORKER_H
#define CW_FARM_WORKER_H

#include "farm_takeover.h"

struct cw_farm_worker {
    struct cw_farm_up up; /* the link to the master */
    int stream[2];        /* for the output of jobs; shared with the master */
    uint32_t block;
    const struct cw_farm_plan *plan;
    const struct cw_farm_jobs *jobs;
    struct cw_farm_now *now; /* shared with the master */
};

/* Serves until END comes, the farm ends, or cw_farm_task_stop is set. Where the link breaks, the worker
 * joins its master's successor. One worker per process. Results go out when a block is done, and at the
 * latest .1 s behind the first of them. Returns an exit status. */
int cw_farm_worker_serve(struct cw_farm_worker *w);

#endif
