/* reasons.h - the time of native commands and of launches that stay whole, by reason, for --summary.
 *
 * Launches that stay whole are measured where run mode measures launches. Native commands are the vendor's:
 * the time between the first command under way and the wait for all is shared evenly by the launches of that
 * span, or by its commands where there is no launch. All functions: lock held, unless said. */
#ifndef CW_RUN_REASONS_H
#define CW_RUN_REASONS_H

#include "../core/types.h"

/* Counts a command that is native. */
void cw_run_reasons_native(enum cw_run_reason why, bool launch);
/* Counts a command of a process in which nothing is managed. No lock needed. */
void cw_run_reasons_unlocked(enum cw_run_reason why);
/* Native commands so far. */
uint64_t cw_run_reasons_count(enum cw_run_reason why);
/* Counts launch `t`, which stays whole. `why`: static words. */
void cw_run_reasons_whole(struct cw_run_task *t, const char *why);
/* Launch `t` stays whole by choice: for the recorded log alone. */
void cw_run_reasons_of(const struct cw_run_task *t, const char *why);
/* Counts a launch that may not run on a device with another code generator. `why`: static words, NULL: not
 * known. */
void cw_run_reasons_code(const char *why);
/* Launch `t` was measured. */
void cw_run_reasons_measured(const struct cw_run_task *t);
/* A span is over: so many ns, in which the program has enqueued `commands`. */
void cw_run_reasons_waited(double ns, uint64_t commands);

/* Lines for the summary, the largest time first: of native commands those that cannot be managed, then those
 * that run mode leaves by choice; of launches those that stay whole, then those that stay with their vendor.
 * Return their length. */
int cw_run_reasons_describe_native(char *text, unsigned size);
int cw_run_reasons_describe_whole(char *text, unsigned size);

#endif
