/* recount.h - reference counts that the program asks for, while objects of ours come and go that they
 * include.
 *
 * What the vendor counts and what we know to be ours of it cannot be read in one step, and each changes in
 * two: the vendor's call and our note of it. So both sides say when they change, and who reads reads again
 * until nothing has in between. */
#ifndef CW_RUN_RECOUNT_H
#define CW_RUN_RECOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Around a change: the vendor's call that makes or releases an object of ours, and the note of it. May be
 * nested. Any thread, with the lock or without. */
void cw_run_recount_begins(void);
void cw_run_recount_ends(void);

/* for (cw_run_recount_read(&r); cw_run_recount_again(&r);) { ask the vendor; take off what is ours }
 * The body runs, with the lock held, until no other thread has changed anything meanwhile, but for no longer
 * than a tenth of a second: changes may be slow and follow on each other. Lock not held before and after. */
struct cw_run_recount {
    uint64_t changes, until_ns;
    bool read;
};
void cw_run_recount_read(struct cw_run_recount *r);
bool cw_run_recount_again(struct cw_run_recount *r);

/* In the child of a fork: changes of other threads do not end there. */
void cw_run_recount_after_fork(void);

#endif
