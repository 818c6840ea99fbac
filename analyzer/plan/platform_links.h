/* platform_links.h - the links of a JSON file's devices, as graph files and platform files give them:
 *
 *   bandwidth   units of data per unit of time: a number, a matrix with a row for each sending device, or
 *               null = infinite; absent = the default
 *   latency     a number, one per sending device, or such a matrix; absent = 0 */
#ifndef CW_PLATFORM_LINKS_H
#define CW_PLATFORM_LINKS_H

#include <jansson.h>

#include "../../sched/platform.h"

/* Makes the platform of `devices` devices with the links of `root`. bandwidth: the default. Errors:
 * CW_ERR_FORMAT and those of cw_platform_create; *platform is the caller's, NULL on failure. */
enum cw_status cw_platform_links_create(const json_t *root, const struct cw_device_spec *spec,
                                        uint32_t devices, double bandwidth, struct cw_platform **platform,
                                        struct cw_error *err);

#endif
