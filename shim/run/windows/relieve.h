/* relieve.h - commands that wait behind launches which are late (workers/late.h) go home. Lock held. */
#ifndef CW_RUN_RELIEVE_H
#define CW_RUN_RELIEVE_H

#include "../core/types.h"

/* For a thread that is about to wait, and the timer: sends launches home that wait behind late ones, and
 * those that never end. Returns when it should look again, on the clock of cw_run_global_lock_now_ns; 0:
 * there is no need. *any: some were sent. */
uint64_t cw_run_relieve_look(bool *any);

#endif
