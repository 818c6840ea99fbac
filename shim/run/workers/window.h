/* window.h - the window of commands that are not released yet. Lock held. Closing plans the window, for which
 * it may give up the lock: records found before must be found again, or be pinned. */
#ifndef CW_RUN_WINDOW_H
#define CW_RUN_WINDOW_H

#include "../core/types.h"

void cw_run_window_close(void);
void cw_run_window_step(
    void); /* the same for callers that wait, or need not hurry: part of it may stay open for a moment */
bool cw_run_window_is_due(void); /* it is old enough, and nothing runs */

void cw_run_window_start(void); /* cw_run.threads says whether it could */

/* At the end: stops and joins its thread; the lock is not held, and nothing new may come. */
void cw_run_window_stop(void);

#endif
