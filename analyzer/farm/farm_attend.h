/* farm_attend.h - part of `clweave farm worker`: watches work_queue_worker. */
#ifndef CW_FARM_ATTEND_H
#define CW_FARM_ATTEND_H

#include <signal.h>
#include <sys/types.h>

/* Waits for the end of the process `worker`. A signal of `set`, which is blocked and has SIGCHLD, ends it,
 * and so does a reason in the file `note` (farm_machines.h). `said`: its standard error, non-blocking, of
 * which the user reads the parts that matter. Returns an exit status: a worker that could serve no farm
 * fails. */
int cw_farm_attend(pid_t worker, int said, const char *note, const sigset_t *set);

#endif
