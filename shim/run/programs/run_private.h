/* run_private.h - programs of our own on a device, built from source or from the binary that an earlier run has kept. */
#ifndef CW_RUN_PRIVATE_H
#define CW_RUN_PRIVATE_H

#include "../lanes/run_apart.h"

/* Built of the binary of `recipe` that an earlier run has kept, or of its source, for a place of `c`; NULL:
 * there is nothing, or it does not build. The place has its queue; between cw_run_build_begins() and _ends().
 * The caller's, to drop. */
cl_program cw_run_private_load(struct cw_run_context *c, const struct cw_run_place *place,
                               const struct cw_run_recipe *recipe);
cl_program cw_run_private_build(struct cw_run_context *c, const struct cw_run_place *place,
                                const struct cw_run_recipe *recipe);

/* cw_run_drop() for one of them. NULL is ignored. Lock held. */
void cw_run_private_drop(struct cw_run_context *c, const struct cw_run_place *place, cl_program program);

/* Keeps the binary of one that was built of `recipe`; PoCL compiles all kernels for that. Likewise. */
void cw_run_private_keep(const struct cw_run_place *place, const struct cw_run_recipe *recipe,
                         cl_program program);

#endif
