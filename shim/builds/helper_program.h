/* helper_program.h - a helper program: a helper device's own build of a program. */
#ifndef CW_HELPER_PROGRAM_H
#define CW_HELPER_PROGRAM_H

#include "../run/core/types.h"
#include "isolated_compiler.h"

/* The helper program of `p` on a helper's `place`; worker held, lock not held. The first only loads from the
 * helper cache, the second builds. */
bool cw_helper_program_load(struct cw_run_program *p, struct cw_run_context_device *place);
cl_program cw_helper_program_of(struct cw_run_program *p,
                                struct cw_run_context_device *place); /* NULL: cannot be built */
/* Asks for its binary, which a later load finds (builds/later_builds.h). False: there is going to be none.
 * Likewise. */
bool cw_helper_program_ask(const struct cw_run_recipe *program, const struct cw_run_context_device *place);
/* cw_isolated_compiler_knows() for a launch of such a copy's kernel. Lane held. */
bool cw_helper_program_knows(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                             const struct cw_run_ndrange *r);

/* cw_isolated_compiler_ahead() for a launch of such a copy's kernel (builds/isolated_compiler.h). Lane held.
 */
cl_int cw_helper_program_ahead(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                               const struct cw_run_ndrange *r);

#endif
