/* mirror.h - memory objects of helpers' contexts over the bytes of the program's. */
#ifndef CW_RUN_MIRROR_H
#define CW_RUN_MIRROR_H

#include "../core/types.h"

/* The memory object for commands on the device of `p`: at home the program's own; elsewhere one over the same
 * bytes, or, on a device with a memory of its own, one with bytes of its own (memory/spread.h); made by the
 * first call, `m` owns it. NULL: the vendor refuses it. The caller has the device's
 * worker; lock not held. */
cl_mem cw_run_mirror_of(struct cw_run_memory *m, const struct cw_run_context_device *p);

#endif
