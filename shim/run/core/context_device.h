/* context_device.h - where commands of one context can run. */
#ifndef CW_RUN_CONTEXT_DEVICE_H
#define CW_RUN_CONTEXT_DEVICE_H

#include "types.h"

/* The private queue of `p` of context `c`; the thread that holds the worker makes it. Helpers' contexts serve
 * all contexts of the program. NULL: the vendor made none. Worker held, lock not held. */
cl_command_queue cw_run_context_device_queue(struct cw_run_context *c, struct cw_run_context_device *p);

/* Makes the context of a helper, and its queue, unless they are there. Worker held, lock not held. */
void cw_run_context_device_open(struct cw_run_worker *l);
/* Why a GPU that was offered (device.h) was left alone, in a few words; NULL: none was. Lock held. */
const char *cw_run_context_device_refused(void);

/* A device with a memory of its own that others of its kind may help. */
static inline bool cw_run_context_device_is_gpu(const struct cw_run_context_device *p)
{
    return p->device->memory && cw_device_has(p->device, CW_VENDOR_OWN_MEMORY);
}

/* The device has failed, and its time to give bytes back is up (memory/quarantine.h). Lock not needed. */
bool cw_run_context_device_is_lost(const struct cw_run_worker *l);

/* A launch or a copy has failed there, or is about to be told to have: copies may never end. Lock not needed.
 */
bool cw_run_context_device_has_failed(const struct cw_run_worker *l);

/* Around the vendor's calls that run a command on the device, where other threads may be in such a call.
 * PoCL 3.1's `basic` hangs when one of its commands waits for another (test/vendor/user_event_hangs.c), as
 * two of different threads would. False: a call there never ends (memory/quarantine.h), so there is no
 * turn, and none to give. Lock not held. */
bool cw_run_context_device_turn_take(const struct cw_run_context_device *p);
void cw_run_context_device_turn_give(const struct cw_run_context_device *p);

/* Makes p->copies, of a device with a memory of its own, unless it is there. False: the vendor made none.
 * As above; of a home: before the program has the context. */
bool cw_run_context_device_copies(struct cw_run_context *c, struct cw_run_context_device *p);

#endif
