/* devices_list.h - the OpenCL devices of this machine, as JSON. */
#ifndef CW_DEVICES_LIST_H
#define CW_DEVICES_LIST_H

#include <CL/cl.h>
#include <jansson.h>

/* Asks every vendor, in the order of the platforms, and counts these (NULL: not asked for). A vendor may
 * hang or end the process. The caller's; NULL: out of memory. */
json_t *cw_devices_list(unsigned *platforms_found);

/* Device `place` of that list; NULL: there is none. */
cl_device_id cw_devices_list_find(size_t place);

/* How `clweave run` treats a device of that list, in words. */
const char *cw_devices_list_under_run(const json_t *device);

#endif
