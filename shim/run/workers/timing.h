/* timing.h - times of commands. */
#ifndef CW_RUN_TIMING_H
#define CW_RUN_TIMING_H

#include "../core/types.h"

/* Runs a command by the table of its kind; lock not held. Returns its status, sets times[3] and, where the
 * device's times are modelled, waits for the modelled end and sets times[1] to times[3]. */
cl_int cw_run_timing_execute(struct cw_run_task *t);

#endif
