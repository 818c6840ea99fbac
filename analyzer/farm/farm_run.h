/* farm_run.h - what a farm is to do, and its figures. */
#ifndef CW_FARM_RUN_H
#define CW_FARM_RUN_H

#include "farm_checkpoint.h"
#include "farm_outside.h"
#include "farm_task.h"

struct cw_farm_tree;

struct cw_farm_figures {
    uint32_t tasks, done, failed;
    uint32_t session_done; /* of `done`: by this farm, not by one before */
    uint32_t deaths;       /* of workers; those of regional masters are not counted */
    double seconds;        /* since this farm began */
};

struct cw_farm_run {
    const struct cw_farm_plan *plan;
    struct cw_farm_checkpoint *checkpoint;
    const struct cw_farm_jobs *jobs;       /* NULL allowed */
    const struct cw_farm_outside *outside; /* workers of other machines, with one level; NULL: none */
    uint32_t workers;                      /* processes; 1 or more, 0 or more beside `outside` */
    uint32_t levels;                       /* of masters: 1 to CW_DISPATCH_LEVELS_MAX; 0 counts as 1 */
    uint32_t block;    /* tasks that a worker asks for; 0: by the tasks and workers, 64 at most */
    double patience_s; /* a process that is stopped (SIGSTOP) for so long counts as dead */
    /* Called about ten times a second; NULL allowed. */
    void (*tick)(void *context, const struct cw_farm_figures *f);
    /* Tells the user; NULL allowed. */
    void (*note)(const char *text);
    /* In a tree of two levels or more, when the process of the global master has died: called in its
     * successor, a process of its own, which opens the checkpoint, sets run->checkpoint, tree and listening
     * of its copy, and calls cw_farm_global_run(). Returns an exit status. */
    int (*go_on)(const struct cw_farm_run *run, struct cw_farm_tree *tree, int listening);
    /* When all results are on the disk: makes of them what the farm is for. A successor does it again when
     * the process dies meanwhile. Signals that end the farm wait. NULL allowed. */
    enum cw_status (*finish)(const struct cw_farm_run *run, struct cw_error *err);
    void *context;
    struct cw_farm_tree *tree; /* of the dead global master; NULL: there was none */
    int listening;             /* its address; where `tree` is set */
};

#endif
