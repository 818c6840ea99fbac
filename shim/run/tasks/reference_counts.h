/* reference_counts.h - reference counts that the program asks for: run mode's own references do not show.
 *
 * The vendor counts commands: one that is under way has a reference to its kernel, its memory objects and, by
 * its event, to its queue. The vendor knows nothing of managed commands, so run mode counts for them; and it
 * takes off events of its own that are in the program's queues and contexts. PoCL also keeps the event of the
 * last native command on each memory object, with its queue; of managed commands nothing is kept.
 *
 * Lock held, unless a function says otherwise. Counts are differences to the vendor's answer, modulo 2^32. A
 * caller that reads one reads again while run mode's own objects come and go (core/recount.h). */
#ifndef CW_RUN_REFERENCE_COUNTS_H
#define CW_RUN_REFERENCE_COUNTS_H

#include "../core/types.h"

/* Lets go of events of native commands that are over. Call before the vendor is asked for the count of a
 * queue or an event. Lock not held. */
void cw_run_reference_counts_settle(void);

uint32_t cw_run_reference_counts_of_context(struct cw_run_context *c);
uint32_t cw_run_reference_counts_of_queue(struct cw_run_queue *q);
uint32_t cw_run_reference_counts_of_memory(const struct cw_run_memory *m);
uint32_t cw_run_reference_counts_of_kernel(const struct cw_run_kernel *k);
uint32_t cw_run_reference_counts_of_event(cl_event event);              /* one that is not managed */
uint32_t cw_run_reference_counts_managed(const struct cw_run_event *e); /* the whole count */

#endif
