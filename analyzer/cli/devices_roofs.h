/* devices_roofs.h - measured roofs in the list of devices (devices_list.h): kept ones, and new ones. */
#ifndef CW_DEVICES_ROOFS_H
#define CW_DEVICES_ROOFS_H

#include <jansson.h>
#include <stdbool.h>

/* Adds to each device of the list the roofs that are kept for it, as "roofs". */
void cw_devices_roofs_add(json_t *list);

/* Lists the devices as cw_devices_list() does, and measures each for about `seconds` at most: in a child, for
 * a vendor that hangs or dies. Keeps the figures. Complains of each device without; *all: there is none. The
 * caller must not have used OpenCL. NULL: as cw_devices_list(), or vendors do not even list devices. */
json_t *cw_devices_roofs_measure(double seconds, bool *all);

/* Prints the "roofs" of a device as lines of a table; nothing without. */
void cw_devices_roofs_print(const json_t *device);

#endif
