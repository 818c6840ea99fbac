/* program_reach.h - the models of a program, for callers that only evaluate launches (footprint/reach.h). */
#ifndef CW_PROGRAM_REACH_H
#define CW_PROGRAM_REACH_H

#include "../footprint/reach.h"
#include "program_models.h"

struct cw_program_reach;

/* As cw_program_models_get; NULL: none, err says why. */
struct cw_program_reach *cw_program_reach_create(struct cw_models_source *s, const char *source,
                                                 const char *options, const struct cw_models_vendor *vendor,
                                                 struct cw_error *err);
void cw_program_reach_destroy(struct cw_program_reach *p); /* after its reachers; NULL is fine */

/* As cw_reacher_create, for the kernel of this name; NULL also when there is none. */
struct cw_reacher *cw_program_reach_kernel(const struct cw_program_reach *p, const char *kernel,
                                           uint32_t pieces);

/* The model itself, which lives as long as `p`; NULL: there is none. */
const struct cw_model *cw_program_reach_model(const struct cw_program_reach *p, const char *kernel);

/* The kernel's model says whether it may touch memory that is no argument's, and hand on where its buffers
 * lie. False: there is no model. */
bool cw_program_reach_says(const struct cw_program_reach *p, const char *kernel, bool *elsewhere,
                           bool *addresses);

#endif
