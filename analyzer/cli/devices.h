/* devices.h - the OpenCL devices of this machine, and their measured roofs. */
#ifndef CW_DEVICES_H
#define CW_DEVICES_H

#include <CL/cl.h>
#include <jansson.h>
#include <stdbool.h>

#include "../history/device_roofs.h"

/* The OpenCL devices of this machine, as JSON. */

/* Asks every vendor, in the order of the platforms, and counts these (NULL: not asked for). A vendor may
 * hang or end the process. The caller's; NULL: out of memory. */
json_t *cw_devices_list(unsigned *platforms_found);

/* Device `place` of that list; NULL: there is none. */
cl_device_id cw_devices_list_find(size_t place);

/* How `clweave run` treats a device of that list, in words. */
const char *cw_devices_list_under_run(const json_t *device);

/* Measured roofs in the list of devices: kept ones, and new ones. */

/* How fast a device is: memory, multiply-adds, its link to the host, launches. */

/* Measures `device` for about `seconds` at most; the vendor's compiler is not bounded. A quantity that does
 * not come about, for want of memory, time or double precision, has n 0. *late: the time was up, so there are
 * few values, or none. False: nothing works. */
bool cw_roofs_measure(cl_device_id device, double seconds, struct cw_device_roofs *r, bool *late);

#endif
