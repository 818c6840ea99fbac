/* farm_global.h - the global master of a farm on one machine: results to the checkpoint. Its children are
 * workers, or, in a tree of more levels, regional masters. */
#ifndef CW_FARM_GLOBAL_H
#define CW_FARM_GLOBAL_H

#include "farm_run.h"

/* Runs all tasks without a result. Returns when each has one and run->finish is done (its errors are
 * returned), or after a signal that ends it (SIGINT, SIGTERM, SIGHUP, SIGQUIT): *stopped_by, else 0. All
 * results that came are in the checkpoint, on the disk. CW_ERR_IO (the checkpoint cannot be written; no
 * processes), CW_ERR_NOMEM, CW_ERR_LIMIT (workers die, and no task gets on): the checkpoint holds all
 * results before. No process of the farm is left in any case. */
enum cw_status cw_farm_global_run(const struct cw_farm_run *run, struct cw_farm_figures *f, int *stopped_by,
                                  struct cw_error *err);

#endif
