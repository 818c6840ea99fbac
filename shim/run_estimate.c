#include "run_estimate.h"
#include "run_profit.h"

#include <math.h>

#define LITTLE_KNOWN 0.2   /* error over mean */
#define UNKNOWN_NS   20000 /* a small kernel */

bool cw_run_estimator_init(struct cw_run_estimator *e, struct cw_history *history, const char *const *name,
                           const double *slowness, uint32_t slots)
{
    *e = (struct cw_run_estimator){.history = history, .slots = slots, .unknown_ns = UNKNOWN_NS};
    if (slots == 0 || slots > CW_RUN_SLOTS_MAX)
        return false;
    for (uint32_t p = 0; p < slots; p++) {
        e->slowness[p] = slowness ? slowness[p] : 1;
        e->device[p] = cw_history_device(history, name[p]);
        if (!(e->slowness[p] > 0) || isinf(e->slowness[p]) || e->device[p] == CW_HISTORY_NO_DEVICE)
            return false;
    }
    return true;
}

void cw_run_estimate_begin(struct cw_run_estimator *e)
{
    e->budget_ns = cw_history_trial_budget_ns(e->history);
}

/* True when an allowed slot's estimate is worth little. *most is the largest mean of those. */
static bool little_known(const struct cw_run_estimator *e, const struct cw_history_estimate *estimate,
                         const double *cost, double *most)
{
    bool little = false;

    *most = 0;
    for (uint32_t p = 0; p < e->slots; p++)
        if (!isinf(cost[p]) && estimate[p].error_ns > LITTLE_KNOWN * estimate[p].mean_ns) {
            little = true;
            *most = fmax(*most, estimate[p].mean_ns);
        }
    return little;
}

void cw_run_estimate_row(struct cw_run_estimator *e, const struct cw_run_launch_key *launch, double *cost_ns,
                         double *error_ns)
{
    struct cw_history_estimate estimate[CW_RUN_SLOTS_MAX];
    double trial;

    cw_history_predict(e->history, launch->kernel, launch->shape, launch->size, e->device, e->slowness,
                       e->slots, estimate);
    for (uint32_t p = 0; p < e->slots; p++) {
        bool allowed = p == launch->home || (launch->allowed >> p & 1);
        if (estimate[p].source == CW_HISTORY_NONE)
            estimate[p].mean_ns = estimate[p].error_ns = e->unknown_ns * e->slowness[p];
        cost_ns[p] = allowed ? estimate[p].mean_ns : INFINITY;
        error_ns[p] = allowed ? estimate[p].error_ns : 0;
    }
    /* what was never measured at home is not tried elsewhere: nobody could say whether that was better */
    if (estimate[launch->home].source > CW_HISTORY_REGRESSION ||
        !little_known(e, estimate, cost_ns, &trial) || trial > e->budget_ns)
        return;
    e->budget_ns -= trial;
    for (uint32_t p = 0; p < e->slots; p++)
        error_ns[p] = 0;
}

void cw_run_estimate_adopt(struct cw_run_estimator *e, const struct cw_run_window *w,
                           const struct cw_run_plan *plan)
{
    double tried = 0;

    if (!plan->planned || !w->error_ns)
        return;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        size_t at = (size_t)i * e->slots + plan->slot[i];
        if (plan->slot[i] != cw_run_home(w, i) &&
            w->error_ns[at] == 0) /* measured costs always have an error */
            tried += w->cost_ns[at];
    }
    if (tried > 0)
        cw_history_tried(e->history, tried);
}
