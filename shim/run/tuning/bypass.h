/* bypass.h - queues whose commands are native for a while. Lock held. */
#ifndef CW_RUN_BYPASS_H
#define CW_RUN_BYPASS_H

#include "../core/types.h"

int cw_run_bypass_wanted(const struct cw_run_queue *q,
                         bool blocking); /* why this command shall be native; -1: it shall not */
void cw_run_bypass_window(struct cw_run_queue *q,
                          bool gained); /* a window with launches of `q` has been planned */
/* The program has waited for its commands. */
void cw_run_bypass_synchronised(struct cw_run_queue *q);

#endif
