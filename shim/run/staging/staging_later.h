/* staging_later.h - transfers that do not block, and the thread that does them.
 *
 * Such a transfer is two commands of the program's queue, of a few bytes each. The first, the head, is
 * ready when the transfer would be. Then the thread transfers all bytes, through a queue of run mode's
 * own, and opens the gate of the second, the tail, whose event the program gets. Later commands of the
 * queue come after that. */
#ifndef CW_RUN_STAGING_LATER_H
#define CW_RUN_STAGING_LATER_H

#include "staging_crew.h"

/* Enqueues the transfer; the caller has entered the pool, which is left when the transfer is over if this
 * returns true. False: nothing has been enqueued that changes anything; the transfer is the vendor's. */
bool cw_run_staging_later_enqueue(struct cw_run_staging_queue *q, const struct cw_run_staging_job *job,
                                  cl_uint n, const cl_event *list, cl_event *event);

/* The thread is to make the pool. */
void cw_run_staging_later_wants_pool(struct cw_run_staging_context *c, cl_device_id device, size_t chunk,
                                     unsigned seats);

void cw_run_staging_later_stop(void);
void cw_run_staging_later_after_fork(void);

#endif
