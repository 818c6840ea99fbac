/* effects.h - effects of kernels that no argument shows. */
#ifndef CW_RUN_EFFECTS_H
#define CW_RUN_EFFECTS_H

#include "../core/types.h"

/* Launches of the kernel have, or may have, effects that no argument shows, or results that depend on where
 * their buffers lie: by the kernel's model where there is one, else by the program's text. `k` is parsed.
 * Lock held. */
bool cw_run_effects_may_be_hidden(const struct cw_run_kernel *k);

/* They touch, or may touch, bytes of buffers that are no argument. Lock held. */
bool cw_run_effects_reach_elsewhere(const struct cw_run_kernel *k);

/* Launches of the kernel wait, or may wait, in a loop for memory that others write meanwhile: the host,
 * commands of other queues, other work-items. By the kernel's model; without one by the program's text. As
 * above. */
bool cw_run_effects_may_poll(const struct cw_run_kernel *k);

/* The kinds of parameters that the source leaves open, as far as the kernel's model knows them. The kernel is
 * parsed. Lock held. */
void cw_run_effects_settle_kinds(struct cw_run_kernel *k);

#endif
