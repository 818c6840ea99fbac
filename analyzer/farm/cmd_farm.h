/* cmd_farm.h - the farm as a means of other commands: their tasks on the processors of this machine, kept
 * in a checkpoint, with the progress and the messages of `clweave farm`. */
#ifndef CW_CMD_FARM_H
#define CW_CMD_FARM_H

#include "farm_checkpoint.h"

struct cw_farm_use {
    const char *checkpoint; /* NULL: beside the plan's table, none for "-" */
    bool resume;            /* go on with the checkpoint when it is there */
    int64_t workers;        /* 0: as many as processors */
    /* Called when each task has a result, failed ones included. Returns an exit status. */
    int (*finish)(void *context, const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c);
    void *context;
};

/* Runs the tasks of a plan that was checked. A table's own checkpoint is removed when `finish` returns 0.
 * Returns an exit status, after a message where it is not 0. */
int cw_cmd_farm_use(const struct cw_farm_plan *p, const struct cw_farm_use *use);

/* Whether --workers can be that many. */
bool cw_cmd_farm_workers(int64_t workers);

#endif
