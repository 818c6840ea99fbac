/* roofs_measure.h - how fast a device is: memory, multiply-adds, its link to the host, launches. */
#ifndef CW_ROOFS_MEASURE_H
#define CW_ROOFS_MEASURE_H

#include <CL/cl.h>

#include "../history/device_roofs.h"

/* Measures `device` for about `seconds` at most; the vendor's compiler is not bounded. A quantity that does
 * not come about, for want of memory, time or double precision, has n 0. *late: the time was up, so there are
 * few values, or none. False: nothing works. */
bool cw_roofs_measure(cl_device_id device, double seconds, struct cw_device_roofs *r, bool *late);

#endif
