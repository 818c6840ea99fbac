/* queue.h - queues. */
#ifndef CW_RUN_API_QUEUE_H
#define CW_RUN_API_QUEUE_H

#include "../core/types.h"

/* A queue has been made, any way. Lock not held. */
void cw_run_queue_made(cl_context context, cl_device_id device, cl_command_queue queue);

#endif
