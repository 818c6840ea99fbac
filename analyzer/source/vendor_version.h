/* vendor_version.h - the version of PoCL, and what depends on it; run mode, graph and replay ask here.
 *
 * `platform` is CL_PLATFORM_NAME and `version` CL_PLATFORM_VERSION; NULL where they are not known. Pure;
 * any thread. */
#ifndef CW_VENDOR_VERSION_H
#define CW_VENDOR_VERSION_H

#include <stdbool.h>

/* 6.0 of "OpenCL 3.0 PoCL 6.0 ...". 0: another vendor; HUGE_VAL: PoCL, and it does not say which. */
double cw_vendor_version_of_pocl(const char *platform, const char *version);

/* A launch in a command buffer has the arguments that its kernel has when the command buffer is enqueued,
 * not those of its recording, which cl_khr_command_buffer demands. (PoCL before 5.0:
 * test/vendor/late_arguments.c) */
bool cw_vendor_version_arguments_late(const char *platform, const char *version);

#endif
