/* queue.h - queues. */
#ifndef CW_RUN_API_QUEUE_H
#define CW_RUN_API_QUEUE_H

#include "../core/types.h"

/* A queue has been made, any way. Lock not held. */
void cw_run_queue_made(cl_context context, cl_device_id device, cl_command_queue queue);
/* The program has waited for `q`, which is pinned and let go: so many native commands are over. Lock held. */
void cw_run_queue_waited(struct cw_run_queue *q, uint64_t given);

#endif
