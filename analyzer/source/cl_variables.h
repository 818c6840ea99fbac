/* cl_variables.h - whether a program may keep something between its kernels (OpenCL C 3.0, section 6.7.1). */
#ifndef CW_CL_VARIABLES_H
#define CW_CL_VARIABLES_H

#include "cl_source.h"

/* True when the source, built with `options` (NULL allowed), may declare variables in the global address
 * space: outside of functions, or static ones in them. Only OpenCL C 2.0 and later has them, and only when
 * the options ask for it; an included header may then hold anything. */
bool cw_cl_has_variables(const struct cw_cl_source *s, const char *options);

#endif
