#include "estimate.h"
#include "profit.h"

#include <math.h>
#include <stdio.h>

#define LITTLE_KNOWN 0.2   /* error over mean */
#define UNKNOWN_NS   20000 /* a small kernel */
#define UNBELIEVABLE 8.0   /* times home: one sample alone, or other sizes, are not believed */
#define LOOK_EVERY   256   /* rows, then a slower device is tried again ... */
#define LONG_NS                                                                                              \
    1e6 /* hand-offs, in which devices with fewer processors may be quicker, are nothing beside it */
#define LOOK_RATIO 3.0 /* ... where it is not much slower */

bool cw_run_estimate_init(struct cw_run_estimator *e, struct cw_history *history, const char *const *name,
                          const double *slowness, uint32_t devices)
{
    char text[64];

    *e = (struct cw_run_estimator){.history = history, .devices = devices, .unknown_ns = UNKNOWN_NS};
    if (devices == 0 || devices > CW_RUN_DEVICES_MAX)
        return false;
    for (uint32_t p = 0; p < devices; p++) {
        e->slowness[p] = slowness ? slowness[p] : 1;
        e->device[p] = cw_history_device(history, name[p]);
        snprintf(text, sizeof text, "%s chained", name[p]);
        e->chained[p] = cw_history_device(history, text);
        if (!(e->slowness[p] > 0) || isinf(e->slowness[p]) || e->device[p] == CW_HISTORY_NO_DEVICE)
            return false;
    }
    return true;
}

void cw_run_estimate_begin(struct cw_run_estimator *e)
{
    e->budget_ns = cw_history_trial_budget_ns(e->history);
}

static double travel_ns(const struct cw_run_launch_key *launch, uint32_t p, bool carried)
{
    const struct cw_run_travel *t = launch->travel;

    return t ? t->fetch_ns[p] + (carried ? t->carried_ns[p] : 0) : 0;
}

/* A launch could not gain there if it took no time: its bytes take as long as home takes. */
static bool is_hopeless(const struct cw_run_launch_key *launch, const double *cost, uint32_t p, bool carried)
{
    return launch->travel && travel_ns(launch, p, carried) >= cost[launch->home];
}

/* Home's own measurements say what `p` takes. */
static bool is_like_home(const struct cw_run_estimator *e, uint32_t p, uint32_t home)
{
    return e->device[p] == e->device[home];
}

/* The allowed device, not home nor like it, whose estimate is worth the least, little at that; CW_SCHED_NONE:
 * all are known. */
static uint32_t least_known(const struct cw_run_estimator *e, const struct cw_history_estimate *estimate,
                            const double *cost, const struct cw_run_launch_key *launch)
{
    uint32_t home = launch->home;
    uint32_t least = CW_SCHED_NONE;
    double most = LITTLE_KNOWN;

    for (uint32_t p = 0; p < e->devices; p++)
        if (!is_like_home(e, p, home) && !isinf(cost[p]) &&
            estimate[p].error_ns > most * estimate[p].mean_ns && !is_hopeless(launch, cost, p, false)) {
            least = p;
            most = estimate[p].error_ns / estimate[p].mean_ns;
        }
    return least;
}

/* How many times slower than device 0 each device is thought to be for this launch: the processors that its
 * work-groups cannot use do not count. */
static void slowness_for(const struct cw_run_estimator *e, const struct cw_run_launch_key *launch,
                         double slowness[CW_RUN_DEVICES_MAX])
{
    double first = fmin(e->units[0], launch->groups);

    for (uint32_t p = 0; p < e->devices; p++) {
        slowness[p] = e->slowness[p];
        if (launch->groups > 0 && e->units[0] && e->units[p])
            slowness[p] *= first / e->units[0] * e->units[p] / fmin(e->units[p], launch->groups);
    }
}

/* The expected cost of a trial. A single sample may be a compiler's time, or that of a processor lost to
 * others, and would prevent a second one. */
static double trial_ns(const struct cw_history_estimate *estimate, const double *slowness, uint32_t trial,
                       uint32_t home)
{
    double believable = UNBELIEVABLE * estimate[home].mean_ns * fmax(1, slowness[trial] / slowness[home]);

    if (estimate[trial].source == CW_HISTORY_EXACT && estimate[trial].count >= 2)
        return estimate[trial].mean_ns;
    return fmin(estimate[trial].mean_ns, believable);
}

/* Now and then a device that is not better than home, as far as is known: that may have been measured while
 * others were busy. */
static uint32_t look_again(struct cw_run_estimator *e, const struct cw_history_estimate *estimate,
                           const double *cost, const struct cw_run_launch_key *launch)
{
    uint32_t best = CW_SCHED_NONE, home = launch->home;

    if (++e->rows % LOOK_EVERY)
        return CW_SCHED_NONE;
    for (uint32_t p = 0; p < e->devices; p++)
        if (!is_like_home(e, p, home) && cost[p] < LOOK_RATIO * cost[home] &&
            estimate[p].source == CW_HISTORY_EXACT && !is_hopeless(launch, cost, p, true) &&
            (best == CW_SCHED_NONE || cost[p] < cost[best]))
            best = p;
    return best;
}

/* The launch's time at home behind others, where that was measured. */
static void predict_chained(const struct cw_run_estimator *e, const struct cw_run_launch_key *launch,
                            struct cw_history_estimate *home)
{
    struct cw_history_estimate chained;

    cw_history_predict(e->history, launch->kernel, launch->shape, launch->size, &e->chained[launch->home],
                       NULL, 1, &chained);
    if (chained.source == CW_HISTORY_EXACT ||
        (chained.source == CW_HISTORY_REGRESSION && home->source != CW_HISTORY_EXACT))
        *home = chained;
}

uint32_t cw_run_estimate_row(struct cw_run_estimator *e, const struct cw_run_launch_key *launch,
                             double *cost_ns, double *error_ns)
{
    struct cw_history_estimate estimate[CW_RUN_DEVICES_MAX];
    double slowness[CW_RUN_DEVICES_MAX], price;
    uint32_t trial;

    slowness_for(e, launch, slowness);
    cw_history_predict(e->history, launch->kernel, launch->shape, launch->size, e->device, slowness,
                       e->devices, estimate);
    if (launch->chained)
        predict_chained(e, launch, &estimate[launch->home]);
    for (uint32_t p = 0; p < e->devices; p++) {
        bool allowed = p == launch->home || (launch->allowed >> p & 1);
        if (is_like_home(e, p, launch->home))
            estimate[p] = estimate[launch->home];
        if (estimate[p].source == CW_HISTORY_NONE)
            estimate[p].mean_ns = estimate[p].error_ns = fmax(e->unknown_ns, launch->least_ns) * slowness[p];
        cost_ns[p] = allowed ? estimate[p].mean_ns : INFINITY;
        error_ns[p] = allowed ? estimate[p].error_ns : 0;
    }
    /* a launch never measured at home is not tried elsewhere: the trial could not be compared */
    if (estimate[launch->home].source > CW_HISTORY_REGRESSION)
        return CW_SCHED_NONE;
    trial = least_known(e, estimate, cost_ns, launch);
    if (trial == CW_SCHED_NONE)
        trial = look_again(e, estimate, cost_ns, launch);
    if (trial != CW_SCHED_NONE && launch->alone && estimate[launch->home].mean_ns >= LONG_NS &&
        slowness[trial] > slowness[launch->home])
        return CW_SCHED_NONE;
    if (trial == CW_SCHED_NONE)
        return CW_SCHED_NONE;
    price = trial_ns(estimate, slowness, trial, launch->home) + travel_ns(launch, trial, true);
    if (!(launch->owed >> trial & 1) && price > e->budget_ns)
        return CW_SCHED_NONE;
    cost_ns[trial] = trial_ns(estimate, slowness, trial, launch->home);
    e->budget_ns -= price;
    for (uint32_t p = 0; p < e->devices; p++)
        error_ns[p] = 0;
    return trial;
}

static double fetch_ns(const struct cw_run_planner *planner, const struct cw_run_window *w, uint32_t i,
                       uint32_t device)
{
    uint32_t first = w->piece_start ? w->piece_start[i] : 0;

    return w->piece_start
               ? cw_run_planner_fetch_ns(planner, w->piece + first, w->piece_start[i + 1] - first, device)
               : 0;
}

uint32_t cw_run_estimate_adopt(struct cw_run_estimator *e, const struct cw_run_window *w,
                               const uint32_t *trial, const struct cw_run_planner *planner,
                               struct cw_run_plan *plan)
{
    uint32_t moved = 0;
    double tried = 0;

    for (uint32_t i = 0; i < plan->tasks; i++) {
        if (trial[i] == CW_SCHED_NONE)
            continue;
        if (!plan->planned && moved < CW_RUN_TRIALS) {
            plan->device[i] = trial[i];
            plan->moved++;
            moved++;
        }
        if (plan->device[i] != cw_run_home(w, i))
            tried += w->cost_ns[(size_t)i * e->devices + plan->device[i]] +
                     fetch_ns(planner, w, i, plan->device[i]);
    }
    if (tried > 0)
        cw_history_tried(e->history, tried);
    return moved;
}
