/* cl_language.h - the version of OpenCL C that a build has: its -cl-std, or the vendor's default. Run mode,
 * graph and replay ask here.
 *
 * A language is 120 or 300: its rules are those of OpenCL C 1.2 or older, or a build may use what came with
 * 2.0: variables of program scope, generic pointers. Pure; any thread. */
#ifndef CW_CL_LANGUAGE_H
#define CW_CL_LANGUAGE_H

enum { CW_CL_LANGUAGE_1 = 120, CW_CL_LANGUAGE_3 = 300 };

/* 6.0 where CL_PLATFORM_VERSION is "OpenCL 3.0 PoCL 6.0 ...". 0: another vendor; HUGE_VAL: PoCL, and it does
 * not say which. */
double cw_cl_language_pocl_version(const char *platform, const char *version);

/* The language of a build without -cl-std. `platform`: CL_PLATFORM_NAME; `version`: CL_PLATFORM_VERSION;
 * `device`: CL_DEVICE_VERSION; each NULL where it is not known.
 *
 * OpenCL 3.0, section 5.8.6.5, lets a build without -cl-std be of the latest 1.x. PoCL takes its device's
 * version: 3.0, where the options of 3.0 are missing in PoCL 3 and there since PoCL 4
 * (test/vendor/default_language.c). */
int cw_cl_language_default(const char *platform, const char *version, const char *device);

/* The language of a build with `options` (NULL allowed): the latest that they name, else `by_default`. */
int cw_cl_language(const char *options, int by_default);

/* `options` with the standard that `by_default` stands for, so that another compiler builds the same. The
 * caller's to free; NULL: memory is out. */
char *cw_cl_language_options(const char *options, int by_default);

#endif
