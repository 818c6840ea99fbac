/* own_event.h - run mode's own events in the program's queues and contexts, which retain those: the program's
 * reference counts (tasks/reference_counts.h) leave them out. Lock held. */
#ifndef CW_RUN_OWN_EVENT_H
#define CW_RUN_OWN_EVENT_H

#include "../core/types.h"

/* Takes over a reference to an event of run mode: in the program's queue `q`, or else a user event in its
 * context `c`. Events that the vendor itself needs no more are let go of sooner or later. */
void cw_run_own_event_add(cl_event event, const struct cw_run_context *c, const struct cw_run_queue *q);
/* Lets go of the events of a context, or of a queue, which is freed. */
void cw_run_own_event_forget(const void *context_or_queue);
/* Their number when the vendor was asked. Those that only run mode refers to go. */
uint32_t cw_run_own_event_count(const void *context_or_queue);

#endif
