/* simulate.h - a schedule in a world that is not as planned: costs vary, links are shared, devices die.
 *
 * The decisions of a plan stand: each task on its devices, devices in the order of planned starts. Dynamic
 * policies decide while it happens: they see which tasks are ready and which devices idle or dead by now, and
 * count on planned costs. Times are made anew:
 *   noise        a part takes its planned length x U(1 - noise, 1 + noise)
 *   contention   from one memory to another there is one link; it carries one transfer after the other, in
 *                the order in which the tasks that need them were planned to start (start-up times overlap,
 *                bytes do not). Without: as many at once as there are, the model of the plan
 *   failures     each device dies for good after an exponential time of mean `mtbf`. The task that it runs
 *                then is lost; this task and its remaining ones run whole on the device that can finish them
 *                first, from that moment on; for a dynamic policy it is ready again. The results of its
 *                finished tasks stay readable.
 * Deterministic in (schedule, options): every draw has a place of its own in the sequence, so that noise does
 * not change the times of failures. O((tasks + edges) x parts + tasks log tasks). Thread-safety: none is
 * needed. */
#ifndef CW_SIMULATE_H
#define CW_SIMULATE_H

#include "api.h"
#include "policy.h"

CW_API_BEGIN

struct cw_simulate_options {
    double noise; /* 0 .. below 1 */
    bool contention;
    double mtbf; /* in the graph's unit; 0: nothing dies */
    uint64_t seed;
};

struct cw_simulate_result {
    double planned;    /* the makespan of the plan */
    double makespan;   /* the simulated makespan */
    double waited;     /* transfers for their link, all together */
    uint32_t failures; /* devices that died before the end */
    uint32_t moved;    /* tasks that ran elsewhere than planned */
    double lost;       /* device time of tasks begun in vain */
};

/* Simulates `s`, a schedule of `g` on `p`. `finish` (tasks entries, NULL allowed): when each task is done.
 * Errors: CW_ERR_INVALID (an option out of its range, a task that is not placed), CW_ERR_INFEASIBLE (no
 * device that lives can run a task), CW_ERR_NOMEM. */
enum cw_status cw_simulate(const struct cw_schedule *s, const struct cw_graph *g, const struct cw_platform *p,
                           const struct cw_simulate_options *o, struct cw_simulate_result *r, double *finish,
                           struct cw_error *err);

/* The same for a policy. `plan` is the result of cw_policy_run with `config`. The simulation follows its
 * decisions; a dynamic policy decides anew, with config's seed. Errors: as above. */
enum cw_status cw_simulate_policy(const struct cw_policy_config *config, const struct cw_schedule *plan,
                                  const struct cw_graph *g, const struct cw_platform *p,
                                  const struct cw_simulate_options *o, struct cw_simulate_result *r,
                                  struct cw_error *err);

CW_API_END

#endif
