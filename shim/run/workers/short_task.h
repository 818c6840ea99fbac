/* short_task.h - commands that take less than waking a worker would. Lock held. */
#ifndef CW_RUN_SHORT_TASK_H
#define CW_RUN_SHORT_TASK_H

#include "../core/types.h"

bool cw_run_short_task_is(const struct cw_run_task *t,
                          double *ns); /* it is ready, and takes about *ns, never much more */
void cw_run_short_task_measured(const struct cw_run_task *t); /* took_ns is set */

#endif
