/* pace.h - launches that take longer than their processor time: devices that share processors then show how
 * fast devices with processors of their own would be. For tests; see cw_device_list_pace.
 *
 * A launch on a paced device takes cw_cl_device.pace times the processor time of all its threads, from
 * cw_pace_begin to cw_pace_end. One such launch computes at a time in the process, so that this time is its
 * own; waiting for that is part of the time that it takes. So with N devices a pace of 2 N leaves room. A
 * launch that has taken longer already is not held.
 *
 * Thread-safe. The two calls are made by one thread, with no lock held that another launch may need. */
#ifndef CW_PACE_H
#define CW_PACE_H

#include "device.h"

struct cw_pace {
    uint64_t begin_ns, wall_ns, processor_ns;
};

/* `s` is paced. */
void cw_pace_begin(const struct cw_cl_device *s, struct cw_pace *p);

/* Returns when the launch is over. */
void cw_pace_end(const struct cw_cl_device *s, const struct cw_pace *p);

void cw_pace_after_fork(void);

#endif
