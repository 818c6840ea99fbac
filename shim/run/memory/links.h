/* links.h - the time of transfers between the host's memory and that of each worker. Lock held. */
#ifndef CW_RUN_LINKS_H
#define CW_RUN_LINKS_H

#include "../core/types.h"
#include "link_fit.h"

/* A transfer of `bytes` bytes between the memory of `l` and the host's (`home`: to this one) took `ns`,
 * waiting for others left out. */
void cw_run_links_copied(const struct cw_run_worker *l, bool home, uint64_t bytes, uint64_t ns);

/* The way to the memory of `l`, which is not the host's, or home from there. */
struct cw_plan_link cw_run_links_known(const struct cw_run_worker *l, bool home);

extern uint32_t cw_run_links_copies; /* transfers measured so far */

#endif
