/* batch.h - commands that run together. Commands that follow each other on an asynchronous device are handed
 * to it together, since an in-order queue keeps their order without a pause; where kernels run inside the
 * enqueueing call, very short ones run in a row. */
#ifndef CW_RUN_BATCH_H
#define CW_RUN_BATCH_H

#include "../core/types.h"

/* Puts up to CW_RUN_BATCH launches into `batch`, the first is `t`: of these, those behind it wait
 * for nothing else, and are of t's queue and not after `last`. Returns their number. Lock held. */

#define CW_RUN_BATCH 256
uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH]);
/* Runs them; statuses and times are set. Those behind one that fails on a helper have CW_RUN_NOT_RUN. Lock
 * not held. */
#define CW_RUN_NOT_RUN 1
void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n);

#endif
