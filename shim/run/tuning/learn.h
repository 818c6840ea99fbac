/* learn.h - builds beside the program, for this run: for helpers, of rewritten kernels. A build that may not
 * begin here is the builder's (builds/later_builds.h).
 *
 * A build takes the vendor's compiler 0.3 to 1.5 s of processor time. It begins when the rule of
 * history/history_runs.h allows that (cw_run_activation_allows); the user may ask for builds at once
 * (CLWEAVE_LEARN=all, or devices, a policy, groups), or for none (CLWEAVE_LEARN=off).
 *
 * Lock held. */
#ifndef CW_RUN_LEARN_H
#define CW_RUN_LEARN_H

#include <stdbool.h>

enum cw_run_learn {
    CW_RUN_LEARN_KEPT, /* an earlier run, or the builder, has kept it: some milliseconds */
    CW_RUN_LEARN_BUILD
};

enum cw_run_learn_mode { CW_RUN_LEARN_OFF, CW_RUN_LEARN_AUTO, CW_RUN_LEARN_ALL };

/* Called once, before all other calls; lock not held. */
void cw_run_learn_init(enum cw_run_learn_mode mode);

/* Whether so many builds, of which one is of no use without the others, may begin now. */
bool cw_run_learn_may(unsigned builds);

/* One is begun, if it may be: cw_run_learn_ended is to be called with the processor time that it took. */
bool cw_run_learn_begins(enum cw_run_learn what);
void cw_run_learn_ended(double ns);

/* Processor time of the builds of this run, in ns: of those that have ended, and as expected of those that
 * have not. */
double cw_run_learn_spent(void);

#endif
