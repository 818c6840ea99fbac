/* sampler.h - the kinds of samplers: a launch takes run mode's own sampler of the kind in the context of
 * its device, so that the program may release its own meanwhile. */
#ifndef CW_RUN_CORE_SAMPLER_H
#define CW_RUN_CORE_SAMPLER_H

#include "types.h"

#define CW_RUN_SAMPLER_ODD CW_RUN_SAMPLER_KINDS /* of a kind that run mode does not know */

/* The kind of the program's sampler, as the vendor describes it. Lock not held. */
uint32_t cw_run_sampler_kind(cl_sampler sampler);

/* Lets go of run mode's samplers for `p`, whose context is freed. Lock held. */
void cw_run_sampler_release(struct cw_run_context_device *p);

/* Run mode's sampler of the kind `what` in the context of `p`, a device of `c`, which owns it. NULL: the
 * vendor made none. The caller has the device's worker; lock not held. */
cl_sampler cw_run_sampler_of(struct cw_run_context *c, struct cw_run_context_device *p, uint64_t what);

#endif
