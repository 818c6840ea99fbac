/* farm_region.h - a regional master: asks its own master for a block x the workers below it, serves its
 * children, and passes their results on in batches. It serves on while they work: the work of its own
 * processor is that of a worker. */
#ifndef CW_FARM_REGION_H
#define CW_FARM_REGION_H

#include "farm_run.h"
#include "farm_tree.h"

/* This process is the regional master `node`, whose address `listening` is. link: to its master; -1: it is a
 * successor, and has none. Returns, as an exit status, when END comes or the farm ends; no process below is
 * left. */
int cw_farm_region_serve(const struct cw_farm_run *run, struct cw_farm_tree *t, uint32_t node, int listening,
                         int link);

#endif
