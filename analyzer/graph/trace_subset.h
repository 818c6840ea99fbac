/* trace_subset.h - a trace without some of its commands. */
#ifndef CW_TRACE_SUBSET_H
#define CW_TRACE_SUBSET_H

#include "../record/trace.h"

/* Takes the commands out of `t` for which keep[command] is 0, and what belongs to them: edges at them, their
 * places in wait lists, their parts, plans and moves, calls outside [from_ns, to_ns) of the host's clock.
 * Commands get new ids in their old order; `origin` of each says its number. Objects stay. CW_ERR_NOMEM. */
enum cw_status cw_trace_subset(struct cw_trace *t, const uint8_t *keep, uint64_t from_ns, uint64_t to_ns,
                               struct cw_error *err);

#endif
