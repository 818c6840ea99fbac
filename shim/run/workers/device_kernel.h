/* device_kernel.h - the private kernel that a worker launches on its device in place of the program's. */
#ifndef CW_RUN_DEVICE_KERNEL_H
#define CW_RUN_DEVICE_KERNEL_H

#include "../core/types.h"

/* Makes room for the values of the arguments of the private kernel of `worker`. False: memory is out. */
bool cw_run_device_kernel_set(struct cw_run_kernel *k, const struct cw_run_worker *worker);

/* The private kernel for `place`, made by the first call; `k` owns it. NULL: it cannot be had there. The
 * caller has the device's worker; lock not held. */
cl_kernel cw_run_device_kernel_of(struct cw_run_kernel *k, struct cw_run_context_device *place);

#endif
