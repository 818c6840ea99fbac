/* run_reach.h - which bytes of its buffers a launch reaches, by the model of its kernel. */
#ifndef CW_RUN_REACH_H
#define CW_RUN_REACH_H

#include "../../analyzer/footprint/reach.h"
#include "run.h"

/* At most so many ranges per argument and direction; more become the one around them. Each range costs a comparison with
 * every later access to its allocation. */
#define CW_RUN_REACH_PIECES 4

/* Everything that a launch of `k` with its present arguments may read or write; NULL: any byte of any of its buffers. The
 * arguments' `memory` is set; the launch has no offset. Valid until the next call for `k`. Lock held. Microseconds, and a
 * tenth of one for a launch like one of the latest. */
const struct cw_reach *cw_run_reach(struct cw_run_kernel *k, cl_uint dims, const size_t *global, const size_t *local);

void cw_run_reach_free(struct cw_run_kernel *k); /* lock held */

#endif
