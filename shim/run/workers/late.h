/* late.h - launches that take long at devices with a memory of their own: commands that wait behind them
 * go home, and no new ones go there before they are over. One that takes so long that it seems never to
 * end is left behind with its worker's thread, and runs at home: what it writes later, if it ever does, it
 * writes to a memory of which no byte is valid any more. Lock held. */
#ifndef CW_RUN_LATE_H
#define CW_RUN_LATE_H

#include "../core/types.h"

/* `t`, or a block of it, begins to run at `l`; nothing runs there. alone: no other command runs with it. */
void cw_run_late_begins(struct cw_run_worker *l, const struct cw_run_task *t, bool alone);
void cw_run_late_ends(struct cw_run_worker *l);

/* A launch runs that may be late, or commands may still come to a device where one never ends: the timer
 * looks. */
bool cw_run_late_watches(void);

#endif
