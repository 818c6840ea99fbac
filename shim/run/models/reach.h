/* reach.h - which bytes of its buffers a launch reaches, by the model of its kernel. */
#ifndef CW_RUN_REACH_H
#define CW_RUN_REACH_H

#include "../../../analyzer/kernels/footprint/op_kinds.h"
#include "../../../analyzer/kernels/footprint/reach.h"
#include "../core/types.h"

/* At most so many ranges per argument and direction; more become the one around them. Each range costs a
 * comparison with every later access to its allocation. */
#define CW_RUN_REACH_PIECES 4

/* Everything that a launch of `k` with its present arguments may read or write; NULL: any byte of any of its
 * buffers. The arguments' `memory` is set; `offset` may be NULL. Valid until the next call for `k`. Lock
 * held. Microseconds, and a tenth of one for a launch like one of the latest. */
const struct cw_reach *cw_run_reach(struct cw_run_kernel *k, cl_uint dims, const size_t *offset,
                                    const size_t *global, const size_t *local);

/* The operations of a launch of `k` with these arguments, for devices whose time depends on them; false: not
 * known. As above. `wait`: until it is known whether there is a model, for which the lock is given up. */
bool cw_run_reach_ops(struct cw_run_kernel *k, const struct cw_run_arg *args, cl_uint dims,
                      const size_t *global, const size_t *local, bool wait, struct cw_work_ops *ops);

/* The same for a whole task; false also for anything but a launch, and where no device's time depends on
 * operations. Lock held. */
bool cw_run_reach_task_ops(const struct cw_run_task *t, bool wait, struct cw_work_ops *ops);

/* For native launches, lock not held (cw_device_count_operations). */
bool cw_run_reach_native_ops(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local,
                             struct cw_work_ops *ops);

void cw_run_reach_free(struct cw_run_known *known); /* lock held */

#endif
