/* estimate.h - from the history of launches to the costs of a window, with trials of launches that are not
 * known yet.
 *
 * A device on which a launch has hardly been measured would never be chosen: its error eats every gain
 * (profit test, planner/plan.h). So launches of which little is known (an error above a fifth of the mean)
 * are planned by their means, with errors of 0, as long as the history's budget for trials lasts: 5 ms, then
 * 5 % of all time measured. Trials are measured, and the next window knows better. A single sample is not
 * believed to be more than 8 times home, and one row in 256 tries a device that is up to 3 times slower:
 * either may have been disturbed.
 *
 * Thread-safety: an estimator belongs to one thread; several may share a history. */
#ifndef CW_RUN_ESTIMATE_H
#define CW_RUN_ESTIMATE_H

#include "../../../analyzer/history/history.h"
#include "plan.h"

#define CW_RUN_DEVICES_MAX 64
#define CW_RUN_TRIALS      2 /* in a window that stays at home */

struct cw_run_estimator {
    struct cw_history *history;
    uint32_t devices;
    /* per device: its name in the history (cw_history_device), the same for alike devices; those like home
     * take as long as home, chained or not, and are not tried */
    uint32_t device[CW_RUN_DEVICES_MAX];
    uint32_t chained[CW_RUN_DEVICES_MAX]; /* per device: the same for launches behind others, which need no
                                           waiting for */
    /* per device: how many times slower than device 0 it is thought to be, > 0 */
    double slowness[CW_RUN_DEVICES_MAX];
    uint32_t units[CW_RUN_DEVICES_MAX]; /* per device: compute units; 0: work-groups do not limit its speed */
    double unknown_ns;                  /* cost of a launch that nothing is known of */
    double budget_ns;                   /* internal: for trials in this window */
    uint32_t rows; /* internal: so far; set it to anything, so that short processes differ */
};

/* How long a launch's bytes travel for it to run on each device, ns. */
struct cw_run_travel {
    double fetch_ns[CW_RUN_DEVICES_MAX]; /* to the device, and back what is read later */
    double carried_ns
        [CW_RUN_DEVICES_MAX]; /* to the device from home: what commands of the same window write first */
};

/* A launch or any command whose times the history keeps. */
struct cw_run_launch_key {
    struct cw_key kernel; /* as in history.h; commands without a kernel have numbers of their own */
    uint64_t shape;
    double size;
    double groups; /* work-groups: a device with more units than that is no quicker for them; 0: not known */
    double least_ns; /* no device like home takes less; 0: not known */
    uint32_t home;
    uint64_t allowed; /* bit p: may run on device p; home is always allowed */
    bool chained;     /* at home it would follow another command at once */
    bool alone; /* nothing else runs meanwhile: where it is long, a device with fewer processors than home
                         cannot be quicker */
    /* bit p: a trial on device p is granted at any cost, as the earlier one could show nothing */
    uint64_t owed;
    /* which a trial costs besides; NULL: nothing travels. Where the fetch alone takes no less than home,
     * no trial is made, and with what is carried a device that is known is not looked at again */
    const struct cw_run_travel *travel;
};

/* An estimator for `devices` <= CW_RUN_DEVICES_MAX devices called name[k]; slowness NULL: all 1. The caller
 * may set e->units then, which are 0. False when `devices` is out of range, a slowness is not positive, or
 * the history takes no more names. */
bool cw_run_estimate_init(struct cw_run_estimator *e, struct cw_history *history, const char *const *name,
                          const double *slowness, uint32_t devices);

/* Before the rows of a window: asks the history for the budget of trials. */
void cw_run_estimate_begin(struct cw_run_estimator *e);

/* Fills one row of cw_run_window.cost_ns and error_ns (`devices` each). Returns the device of which the
 * least is known, when the budget allows a trial there, else CW_SCHED_NONE. O(devices). */
uint32_t cw_run_estimate_row(struct cw_run_estimator *e, const struct cw_run_launch_key *launch,
                             double *cost_ns, double *error_ns);

/* After cw_run_plan_make, when the plan is followed. A plan charges the trials that are part of it. Where
 * nothing was planned, since a few trials are no gain by themselves, the first CW_RUN_TRIALS tasks with a
 * trial (`trial`: per task, as returned above) are moved there all the same: else their costs stay unknown.
 * What they fetch, as `planner` sees it, is charged, too.
 * Returns how many were. */
uint32_t cw_run_estimate_adopt(struct cw_run_estimator *e, const struct cw_run_window *window,
                               const uint32_t *trial, const struct cw_run_planner *planner,
                               struct cw_run_plan *plan);

#endif
