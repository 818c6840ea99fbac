/* queue.h - queues. */
#ifndef CW_RUN_API_QUEUE_H
#define CW_RUN_API_QUEUE_H

#include "../core/types.h"

void cw_run_queue_free(void *record); /* of a struct cw_run_object_ops */

/* A queue has been made, any way. Lock not held. */
void cw_run_queue_made(cl_context context, cl_device_id device, cl_command_queue queue);

#endif
