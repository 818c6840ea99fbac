/* local_size.h - the local size that the program's own device chooses when the program leaves it to
 * it. A kernel may see it, so a launch that runs elsewhere, or in tiles, gets the same.
 *
 * A device is asked by launching a probe kernel over the same range; PoCL's choice depends on the device
 * and the range alone unless a kernel demands a size (test/vendor/null_local_size.c, test/runmode/nulls.c). A
 * thread of run mode asks, and launches stay at home until the answer is there. */
#ifndef CW_RUN_LOCAL_SIZE_H
#define CW_RUN_LOCAL_SIZE_H

#include "../core/types.h"

/* The local size that home of `q` chooses for an ndrange: fills local[0..dims). False: not known, or not yet;
 * the second question about a range has it asked. Lock held. */
bool cw_run_local_size_of(const struct cw_run_queue *q, cl_uint dims, const size_t *global, size_t *local);

/* Lock not held; nothing new may come. */
void cw_run_local_size_stop(void);

#endif
