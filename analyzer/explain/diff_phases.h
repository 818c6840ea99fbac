/* diff_phases.h - phases of the runs that a struct cw_trace_diff compares: those of reports, sums over calls.
 */
#ifndef CW_DIFF_PHASES_H
#define CW_DIFF_PHASES_H

#include "trace_diff.h"

/* Fills d->phase and d->commands from d->trace. CW_ERR_NOMEM. O(commands log commands). */
enum cw_status cw_diff_phases_fill(struct cw_trace_diff *d, struct cw_error *err);

#endif
