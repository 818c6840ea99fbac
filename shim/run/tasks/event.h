/* event.h - the state of managed commands as their events show it. Lock held. */
#ifndef CW_RUN_EVENT_H
#define CW_RUN_EVENT_H

#include "../core/types.h"

/* The state that the program sees: in an in-order queue nothing runs before all earlier commands have
 * finished. */
cl_int cw_run_event_status(const struct cw_run_event *e);

/* The command may be seen to run from now on: callbacks for that are due. */
void cw_run_event_progress(struct cw_run_task *t);

#endif
