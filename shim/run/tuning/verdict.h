/* verdict.h - one line at the end of a run that says whether run mode helped. */
#ifndef CW_RUN_VERDICT_H
#define CW_RUN_VERDICT_H

#include <stdbool.h>

/* Writes "clweave: ...\n" into `text` as snprintf does, and returns its length; 0: the program has enqueued
 * nothing. A ratio compares the times in which commands of the program were under way. It is *measured* when
 * earlier runs with the same arguments ran bare, and *expected* when the time bare stems from the launches'
 * times at home, or from what cut launches save on several GPUs. `grouped`: launches have run in groups. Lock
 * held, after cw_run_activation_finish(). */
int cw_run_verdict_describe(char *text, unsigned size, bool grouped);

#endif
