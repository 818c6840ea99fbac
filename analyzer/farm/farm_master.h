/* farm_master.h - the global master of a farm on one machine: workers as child processes, results to the
 * checkpoint. The rules of who holds which task are dispatch_master.h's, messages go over farm_link.h. */
#ifndef CW_FARM_MASTER_H
#define CW_FARM_MASTER_H

#include "farm_checkpoint.h"
#include "farm_task.h"

struct cw_farm_figures {
    uint32_t tasks, done, failed;
    uint32_t session_done; /* of `done`: by this farm, not by one before */
    uint32_t deaths;       /* of workers */
    double seconds;        /* since this farm began */
};

struct cw_farm_run {
    const struct cw_farm_plan *plan;
    struct cw_farm_checkpoint *checkpoint;
    const struct cw_farm_jobs *jobs; /* NULL allowed */
    uint32_t workers;                /* processes, 1 or more */
    uint32_t block;    /* tasks that a worker asks for; 0: by the tasks and workers, 64 at most */
    double patience_s; /* a worker that is stopped (SIGSTOP) for so long counts as dead */
    /* Called about ten times a second; NULL allowed. */
    void (*tick)(void *context, const struct cw_farm_figures *f);
    void *context;
};

/* Runs all tasks without a result. Returns when each has one, or after a signal that ends it (SIGINT,
 * SIGTERM, SIGHUP): *stopped_by, else 0. All results that came are in the checkpoint, on the disk. CW_ERR_IO
 * (the checkpoint cannot be written; no processes), CW_ERR_NOMEM, CW_ERR_LIMIT (workers die, and no task gets
 * on): the checkpoint holds all results before. No worker is left in any case. */
enum cw_status cw_farm_master_run(const struct cw_farm_run *run, struct cw_farm_figures *f, int *stopped_by,
                                  struct cw_error *err);

#endif
