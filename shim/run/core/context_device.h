/* context_device.h - where commands of one context can run. */
#ifndef CW_RUN_CONTEXT_DEVICE_H
#define CW_RUN_CONTEXT_DEVICE_H

#include "types.h"

/* The private queue of `p` of context `c`; the thread that holds the lane makes it. Helpers' contexts serve
 * all contexts of the program. NULL: the vendor made none. Lane held, lock not held. */
cl_command_queue cw_run_context_device_queue(struct cw_run_context *c, struct cw_run_context_device *p);

/* Makes p->copies, of a device with a memory of its own, unless it is there. False: the vendor made none.
 * As above; of a home: before the program has the context. */
bool cw_run_context_device_copies(struct cw_run_context *c, struct cw_run_context_device *p);

#endif
