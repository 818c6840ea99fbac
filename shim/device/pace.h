/* pace.h - launches that take longer than their processor time: devices that share processors then show how
 * fast devices with processors of their own would be. For tests; see cw_device_list_pace.
 *
 * A launch on a paced device takes cw_cl_device.pace times its computing time, and once the time for handing
 * it to the device. Computing time: from START to END of its events, times the device's compute units; at
 * most the processor time from cw_pace_begin to cw_pace_end, which stands alone where there are no events.
 * One such launch computes at a time in the process, so that this time is its own; waiting for that is part
 * of the time that it takes. So with N devices a pace of 2 N leaves room. A launch that has taken longer
 * already is not held.
 *
 * Thread-safe. All calls for a launch are made by one thread, with no lock held that another launch may
 * need. */
#ifndef CW_PACE_H
#define CW_PACE_H

#include "device.h"

struct cw_pace {
    uint64_t begin_ns, wall_ns, processor_ns;
};

/* `s` is paced. */
void cw_pace_begin(const struct cw_cl_device *s, struct cw_pace *p);

/* Whether this thread has begun a launch and not ended it. */
bool cw_pace_computes(void);

/* Then: the event, on a queue whose events tell times, of one more command of the launch. cw_pace_end, or
 * this call, releases it. */
void cw_pace_add(cl_event event);

/* The launch's commands have ended. Returns when the launch is over. */
void cw_pace_end(const struct cw_cl_device *s, const struct cw_pace *p);

void cw_pace_after_fork(void);

#endif
