/* cl_variables.h - whether a program may keep something between its kernels (OpenCL C 3.0, section 6.7.1). */
#ifndef CW_CL_VARIABLES_H
#define CW_CL_VARIABLES_H

#include "cl_source.h"

/* True when the source, built with `options` (NULL allowed), may declare variables in the global address
 * space: outside of functions, or static ones in them. CW_CL_LANGUAGE_3 alone has them; an included header
 * may then hold anything. `by_default`: the language of a build without -cl-std. */
bool cw_cl_has_variables(const struct cw_cl_source *s, const char *options, int by_default);

#endif
