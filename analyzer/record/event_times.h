/* event_times.h - times of the vendor's profiling that cannot be.
 *
 * Some vendors answer with success and times that no clock has shown (rusticl of Mesa 22.3: 0, 1, 2 and 3).
 * Thread-safety: the functions touch their arguments only. */
#ifndef CW_EVENT_TIMES_H
#define CW_EVENT_TIMES_H

#include "trace.h"

/* False: at[0..3], QUEUED to END of one command (0: not known), are out of order, or END lies so near the
 * beginning of the device's clock that none can have run. */
bool cw_event_times_are_possible(const uint64_t at[4]);

/* Takes the times of such commands out of `t`, a trace that the recorder made, and those of all commands of a
 * device whose clock stands still beside the host's. Adds their number to process.impossible_times. Times
 * that run mode gives are left alone. O(commands * devices). */
void cw_event_times_drop(struct cw_trace *t);

#endif
