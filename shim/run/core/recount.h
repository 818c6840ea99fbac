/* recount.h - reference counts that the program asks for, while run mode's own objects, which they include,
 * come and go.
 *
 * The vendor's count and run mode's share of it cannot be read in one step. Each change takes two: the
 * vendor's call and the note of it. So changes are bracketed, and a reader repeats until none has come in
 * between. */
#ifndef CW_RUN_RECOUNT_H
#define CW_RUN_RECOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Around a change: the vendor's call that makes or releases one of run mode's objects, and the note of it.
 * May be nested. Any thread, with the lock or without. */
void cw_run_recount_begins(void);
void cw_run_recount_ends(void);

/* for (cw_run_recount_read(&r); cw_run_recount_again(&r);) { ask the vendor; subtract run mode's share }
 * The body runs, with the lock held, until no other thread has changed anything meanwhile, but for no longer
 * than a tenth of a second and a hundred turns: changes may be slow and follow on each other. Lock not held
 * before and after. */
struct cw_run_recount {
    uint64_t changes, until_ns, turns;
    bool read;
};
void cw_run_recount_read(struct cw_run_recount *r);
bool cw_run_recount_again(struct cw_run_recount *r);

/* Waits as a reader does until no other thread is in a change, and noted releases are handed over. */
void cw_run_recount_settle(void);

/* In the child of a fork: changes of other threads do not end there. */
void cw_run_recount_after_fork(void);

#endif
