/* watch.h - threads that are about to be needed stay awake for some microseconds.
 *
 * Waking a thread whose processor sleeps takes 40 to 200 us on a virtual machine, as much as a short launch
 * gains by being cut. Half of a launch of .5 ms on each of two PoCL basic devices, by two threads of one
 * process and without clweave, is 1.5 times as fast as all of it on one where the second thread slept before,
 * and 2.0 times where it watched (2 ms: 1.55 and 1.9). So a worker's thread that has run tiles watches for
 * the next ones before it sleeps, about as long as being woken would take (ski rental: at most twice the
 * best choice's cost), and ever less often where none has come. A thread of the program that waits for
 * a cut launch does so when the others are expected to be ready: where the bare call runs kernels itself,
 * all the time.
 *
 * No thread watches where another worker would need the processor, or while a compiler runs, and never
 * after these some hundred microseconds: an idle program costs nothing.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_WATCH_H
#define CW_RUN_WATCH_H

#include "../core/types.h"

/* There is a processor for one that watches. */
bool cw_run_watch_space(void);

/* `l` has run tiles: more may come soon. */
void cw_run_watch_begins(struct cw_run_worker *l);
/* For a worker with nothing to do: watches for something in its heap. False: it should sleep. Lock given up
 * meanwhile. */
bool cw_run_watch_worker(struct cw_run_worker *l);

/* A block of some cut launch has run. */
void cw_run_watch_block_over(void);
/* For a thread that has nothing to do but wait for `t`, which may be NULL: watches for the end of a block
 * where one is expected. False: it should sleep. Lock given up meanwhile. */
bool cw_run_watch_parts(const struct cw_run_task *t);

#endif
