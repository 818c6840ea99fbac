/* event.h - events of managed commands, and user events. */
#ifndef CW_RUN_API_EVENT_H
#define CW_RUN_API_EVENT_H

#include "../core/types.h"

/* Waits for the managed commands among the events; lock not held. */
void cw_run_event_wait_list(cl_uint n, const cl_event *list);

#endif
