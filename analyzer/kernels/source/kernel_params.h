/* kernel_params.h - how a kernel may access memory through its pointer and image parameters, from its source.
 *
 * The answer may be too careful but must never be too bold: a reordering rests on it. `constant` and image
 * qualifiers cannot be cast away and are believed as they stand. A pointer to const could be cast, assigned
 * or passed to something that writes, so const counts only when every use of the parameter, in the kernel's
 * body and in every macro, in every branch of every conditional, is one that cannot hand the pointer on:
 *     p[...] and *p and *(p ...)      not under an address operator
 *     vloadN(..., p ...), prefetch(p ...), async_work_group_copy(..., p ...) and its strided sister, as a
 * source with a scalar or vector type behind the pointer (a member that is an array would decay to a
 * pointer). Where branches of conditionals stand in the body, all up to the next kernel counts as body,
 * because braces need not match. Redefined keywords, kernels made or named by macros, conditionals inside the
 * parameter list: text that hides the compiled code means read-write. Includes, token pasting, macros that
 * take the address of their argument, the address of a macro's text, and C++ do so for pointers. */
#ifndef CW_KERNEL_PARAMS_H
#define CW_KERNEL_PARAMS_H

#include "cl_source.h"

/* Fills modes[0..count-1] (enum cw_access_mode) for the parameters of kernel `name`; CW_ACCESS_READ_WRITE
 * wherever in doubt, also when there is no such kernel or it has another number of parameters. Several
 * definitions (branches) are taken together. trust_const believes declared consts without the proof. */
void cw_kernel_params(const struct cw_cl_source *s, const char *name, uint32_t count, bool trust_const,
                      bool no_const, uint8_t *modes);

/* A parameter takes a number or a vector of numbers, or else an object: a pointer, image, sampler or pipe. */
enum cw_param_kind { CW_PARAM_UNKNOWN, CW_PARAM_NUMBER, CW_PARAM_OBJECT };

/* Fills kinds[0..count-1] (enum cw_param_kind); CW_PARAM_UNKNOWN wherever in doubt: types that the program
 * defines, numbers by a macro, which may be defined in text that is not compiled, and whatever makes every
 * mode of cw_kernel_params() read-write. */
void cw_kernel_params_kinds(const struct cw_cl_source *s, const char *name, uint32_t count, uint8_t *kinds);

#endif
