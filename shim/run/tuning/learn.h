/* learn.h - the time that a program's runs may spend for later ones: builds for helpers, of rewritten
 * kernels, and of binaries that answer its own builds; and analyses of kernels that a program is too short
 * for, which its end waits for.
 *
 * The first compilation in a process takes PoCL 3.1 half a second and more, and a
 * process can not end while its vendor compiles. For a program that runs for a tenth of a second that is a
 * lot, and it may never run again. So builds are bought as skis are (history_runs.h):
 * once all runs of the program together, with any arguments, have lived CW_RUNS_LEARN times as long as
 * everything learnt has taken and the build to come will take, not counting that time itself. The user
 * may ask for it at once (CLWEAVE_LEARN=all, or devices, a policy, groups); CLWEAVE_LEARN=off builds
 * nothing.
 *
 * Lock held. */
#ifndef CW_RUN_LEARN_H
#define CW_RUN_LEARN_H

#include <stdbool.h>

enum cw_run_learn {
    CW_RUN_LEARN_KEPT, /* an earlier run has kept it: some milliseconds */
    CW_RUN_LEARN_BUILD
};

enum cw_run_learn_mode { CW_RUN_LEARN_OFF, CW_RUN_LEARN_RENT, CW_RUN_LEARN_ALL };

/* Called once, before all other calls; lock not held. lived_ns, learnt_ns: of all earlier runs. */
void cw_run_learn_init(enum cw_run_learn_mode mode, double lived_ns, double learnt_ns);

/* Whether so many builds, of which one is of no use without the others, may begin now; cw_run_learn_asks: if
 * not, this run owes them, unless learning is off. */
bool cw_run_learn_may(unsigned builds);
bool cw_run_learn_asks(unsigned builds);

/* One is begun, if it may be: cw_run_learn_ended is to be called with the processor time that it took. */
bool cw_run_learn_begins(enum cw_run_learn what);
void cw_run_learn_ended(double ns);

/* Something that later runs find needs about `ns` more, and the process ends: true when it may end later for
 * it. cw_run_learn_stayed counts that wait. False: this run owes it, unless learning is off. */
bool cw_run_learn_stays(double ns);
void cw_run_learn_stayed(double ns);

/* The time that this run has lived, spent (of that at its end), and not been allowed to spend. */
struct cw_run_learnt {
    double lived_ns, learnt_ns, stayed_ns, owed_ns;
};
struct cw_run_learnt cw_run_learn_is_done(void);

#endif
