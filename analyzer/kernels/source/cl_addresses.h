/* cl_addresses.h - whether kernels of a program may hand addresses on in memory, by its text. */
#ifndef CW_CL_ADDRESSES_H
#define CW_CL_ADDRESSES_H

#include "cl_source.h"

/* False: every pointer of the program comes from an argument or a variable of the same work-item, and no
 * address becomes a number or lies in memory that others see. True as well where the text leaves it open: a
 * cast between a pointer and what is not plainly another one; pointers to pointers, in structures, behind
 * typedef; C++, __auto_type and the like. Conversions without a cast, which clang up to 14 takes with a
 * warning, are not looked for. Time: linear in the text, and in its casts up to a limit (some 50 ms), from
 * where on the answer is true. Any text is accepted. Thread-safe. */
bool cw_cl_may_hold_addresses(const struct cw_cl_source *s);

#endif
