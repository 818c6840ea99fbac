/* event_list.h - lists of the vendor's events, each with a reference of run mode's, in the records of queues
 * and contexts. The program's reference counts (tasks/reference_counts.h) leave them out. Lock held. */
#ifndef CW_RUN_EVENT_LIST_H
#define CW_RUN_EVENT_LIST_H

#include "../core/types.h"

/* Takes over a reference. False: memory is out, and the caller has it. */
bool cw_run_event_list_add(struct cw_run_event_list *l, cl_event event);
/* Lets go of those of the first `most` that are `done`. */
void cw_run_event_list_prune(struct cw_run_event_list *l, size_t most, bool (*done)(cl_event));
void cw_run_event_list_free(struct cw_run_event_list *l);

/* Takes over a reference to an event that run mode made in the program's queue or context. It goes sooner or
 * later once only run mode refers to it. */
void cw_run_event_list_own(struct cw_run_event_list *l, cl_event event);
/* Their number when the vendor was asked. */
uint32_t cw_run_event_list_count(struct cw_run_event_list *l);

#endif
