/* sampler.h - samplers. */
#ifndef CW_RUN_API_SAMPLER_H
#define CW_RUN_API_SAMPLER_H

#include "../core/types.h"

/* False: `value`, `size` bytes that the program gives an argument, names no sampler. Lock not needed. */
bool cw_run_sampler_may_be(size_t size, const void *value);
/* The shadow of an argument that has just been set: if its value names a sampler it gets that sampler's kind.
 * Lock held. */
void cw_run_sampler_set(struct cw_run_arg *a);

#endif
