/* cl_variables.h - whether a program may keep something between its kernels (OpenCL C 3.0, section 6.7.1). */
#ifndef CW_CL_VARIABLES_H
#define CW_CL_VARIABLES_H

#include "cl_source.h"

/* True when the source, built with `options` (NULL allowed), may declare variables in the global address
 * space: outside of functions, or static ones in them. CW_CL_LANGUAGE_3 alone has them; an included header
 * may then hold anything. `by_default`: the language of a build without -cl-std. */
bool cw_cl_has_variables(const struct cw_cl_source *s, const char *options, int by_default);

/* Whether kernels of a program may hand addresses on in memory, by its text. */

/* False: every pointer of the program comes from an argument or a variable of the same work-item, and no
 * address becomes a number or lies in memory that others see. True as well where the text leaves it open: a
 * cast between a pointer and what is not plainly another one; pointers to pointers, in structures, behind
 * typedef; C++, __auto_type and the like. Conversions without a cast, which clang up to 14 takes with a
 * warning, are not looked for. Time: linear in the text, and in its casts up to a limit (some 50 ms), from
 * where on the answer is true. Any text is accepted. Thread-safe. */
bool cw_cl_may_hold_addresses(const struct cw_cl_source *s);

#endif
