/* profit.h - inside a planner; the time of a window under an order and devices, and a lower bound for
 * all plans. Used by planner/plan.c. */
#ifndef CW_RUN_PROFIT_H
#define CW_RUN_PROFIT_H

#include <float.h>

#include "plan.h"

struct cw_run_planner {
    struct cw_platform *platform;
    struct cw_policy_config config;
    struct cw_run_rules rules;
    double *handoff_ns, *set_up_ns; /* per device */
    struct cw_plan_space *space;    /* rules.spaces; NULL: all devices are on one memory */
    uint32_t *space_of;             /* per device */
    bool shares;                    /* the policy may share a command */
    bool asked;                     /* no profit test */
    bool earliest; /* the policy gives a command on its own to the device where it finishes first */
};

/* True for a time that is finite and not negative. */
static inline bool cw_run_is_time(double t)
{
    return t >= 0 && t <= DBL_MAX;
}

/* A window with its planner's data on the devices. */
struct cw_run_costs {
    const struct cw_run_window *window;
    const double *handoff_ns, *set_up_ns; /* per device */
    bool shares;                          /* commands may have parts */
    uint32_t devices;
    double wake_ns;
    bool home_separate;
    const struct cw_plan_space *space; /* by number; NULL: all devices are on one memory */
    const uint32_t *space_of;          /* per device */
};

/* Which costs: their means, or those that speak against a plan (home at its best, elsewhere at its worst). */
enum cw_run_doubt { CW_RUN_MEANS, CW_RUN_DOUBTED };

/* Where task `i` runs when nothing is done. */
static inline uint32_t cw_run_home(const struct cw_run_window *w, uint32_t i)
{
    return w->home ? w->home[i] : 0;
}

/* True when a plan may not have task `i` at home: home_separate, and it may run elsewhere. */
bool cw_run_profit_must_leave(const struct cw_run_costs *c, uint32_t i);

/* The cost of task `i` on device `p`, hand-off included; INFINITY: not allowed. */
double cw_run_profit_cost(const struct cw_run_costs *c, uint32_t i, uint32_t p, enum cw_run_doubt doubt);

/* True when task `i` may have parts. */
static inline bool cw_run_divisible(const struct cw_run_costs *c, uint32_t i)
{
    return c->shares && c->window->groups && c->window->groups[i] > 1;
}

/* Runs the tasks in the order and on the devices of `plan` (NULL: in program order, at home), each as soon as
 * its devices and predecessors allow, and returns when the last one finishes. start, finish: one per task,
 * written; avail: scratch, one per device. */
double cw_run_profit_simulate(const struct cw_run_costs *c, const struct cw_run_plan *plan,
                              enum cw_run_doubt doubt, double *start, double *finish, double *avail);

/* False when no plan at all can finish by `deadline` under doubted costs: the longest path does not fit, or
 * the work does not fit into the devices. finish: scratch, one per task. O(tasks x devices + edges). */
bool cw_run_profit_could_finish(const struct cw_run_costs *c, double deadline, double *finish);

#endif
