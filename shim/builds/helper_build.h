/* helper_build.h - programs of our own on a device, built from source or from the binary that an earlier run
 * has kept. */
#ifndef CW_HELPER_BUILD_H
#define CW_HELPER_BUILD_H

#include "isolated_compiler.h"

/* Built of the binary of `recipe` that an earlier run has kept, or of its source, for a place of `c`; NULL:
 * there is nothing, or it does not build. The place has its queue; between cw_pending_builds_begin() and
 * _ends(). The caller's, to drop. */
cl_program cw_helper_build_load(struct cw_run_context *c, const struct cw_run_context_device *place,
                                const struct cw_run_recipe *recipe);
cl_program cw_helper_build_build(struct cw_run_context *c, const struct cw_run_context_device *place,
                                 const struct cw_run_recipe *recipe);

/* cw_run_global_lock_release_later() for one of them. NULL is ignored. Lock held. */
void cw_helper_build_drop(struct cw_run_context *c, const struct cw_run_context_device *place,
                          cl_program program);

/* Asks for that binary, for later loads (builds/later_builds.h). False: there is going to be none. Any
 * thread. */
bool cw_helper_build_ask(const struct cw_run_context_device *place, const struct cw_run_recipe *recipe);

#endif
