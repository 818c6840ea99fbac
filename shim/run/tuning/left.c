/* left.c - see tuning/tuning.h. */
#include "tuning.h"

#include "../core/context_device.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../planner/costs.h"

bool cw_run_left_is(const struct cw_run_queue *q, struct cw_run_kernel *k, double items)
{
    /* that natives are over may be known late, in a program that waits for events alone */
    double more = q->native_given != q->native_known ? k->left.rest.wait : 0;

    if (items > k->left.items || cw_run.all || cw_run.chaos || q->first ||
        cw_run_global_lock_now_ns() >= k->left.rest.until + (uint64_t)more)
        return false;
    if (!(k->left.lacks_ns > 0))
        return true;
    cw_run_gpu_begin_saves(k->left.lacks_ns * items / k->left.items, false);
    if (cw_run_gpu_begin_is_due()) /* the planner looks at the kernel again, with them */
        k->left.rest.wait = k->left.items = k->left.lacks_ns = 0;
    return !cw_run_gpu_begin_is_due();
}

/* again: a launch of the kernel in the same window has been looked at. */
static void planned(const struct cw_run_task *t, bool again)
{
    struct cw_run_kernel *k = t->launch.kernel;
    double ns = k->known->mean_ns[t->queue->home_worker];
    double items = cw_run_costs_items(&t->launch);
    bool away = t->launch.tiles || cw_run_is_away(t), waits = k->left.waiting;

    if (k->left.lacks_ns > 0) /* to look pays */
        cw_run_bypass_window(t->queue, true);
    if (away) {
        k->left.rest.poor = 0;
        k->left.waiting = false;
        if (items <= k->left.items)
            k->left.rest.wait = k->left.items = 0;
    } else if (!again) {
        k->left.waiting = false;
        k->left.rest.poor += waits;
        if (ns == 0 || (waits && k->left.rest.poor <= CW_RUN_LOOK_EACH)) /* it is measured now */
            return;
        cw_run_trial_rest(&k->left.rest, CW_RUN_REST_LAUNCHES, cw_run_global_lock_now_ns(), ns);
        k->left.items = items;
    }
}

void cw_run_left_planned(const struct cw_run_task *first)
{
    static uint64_t window;

    window++;
    for (const struct cw_run_task *t = first; t; t = t->links.window)
        if (t->work == CW_RUN_LAUNCH &&
            cw_run_context_device_is_gpu(&t->queue->context->places[t->queue->home])) {
            planned(t, t->launch.kernel->left.window == window);
            t->launch.kernel->left.window = window;
        }
}
