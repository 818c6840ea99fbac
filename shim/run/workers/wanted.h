/* wanted.h - programs that are wanted on a helper, for launches to come. */
#ifndef CW_RUN_WANTED_H
#define CW_RUN_WANTED_H

#include "../core/types.h"

/* Seeks or builds the last of `l->wanted`, of which there is one. Lock held; given up meanwhile. */
void cw_run_wanted_prepare(struct cw_run_worker *l);

#endif
