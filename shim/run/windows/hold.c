/* hold.c - see windows/window.h. */
#include "window.h"

#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/worker.h"
#include "../core/ready.h"
#include "../models/program_models.h"
#include "../planner/costs.h"
#include "../tuning/tuning.h"

#define LOOKED_AT 8192 /* commands of a window */

static double held_ns; /* the longest window since commands are held */

static void forget_first(struct cw_run_hold *h)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, h->first);
    h->first = NULL;
    h->launches = 0;
}

bool cw_run_hold_watches(struct cw_run_queue *q)
{
    struct cw_run_hold *h = &q->hold;

    if (CW_LIKELY(cw_run.begun || cw_run.holds || cw_run.off) || !q->managed || q->synchronous ||
        !cw_run_activation_may_begin())
        return false;
    if (h->first && h->launches >= (h->rest.until ? CW_RUN_LOOK_EACH : CW_RUN_HOLD_AFTER)) {
        if (cw_query_status(h->first) <= CL_COMPLETE) {
            forget_first(h);
        } else {
            forget_first(h);
            held_ns = 0;
            cw_run.holds = true; /* from the next command on */
            return false;
        }
    }
    return !h->first;
}

void cw_run_hold_launched(struct cw_run_queue *q, cl_event event)
{
    if (event && q->hold.first) /* another thread's launch came first */
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event);
    else if (event)
        q->hold.first = event;
    q->hold.launches += q->hold.first != NULL;
}

void cw_run_hold_synchronised(struct cw_run_queue *q)
{
    struct cw_run_hold *h = &q->hold;

    if (h->first)
        forget_first(h);
    cw_run_trial_passes(&h->rest);
    if (CW_LIKELY(!cw_run.holds || q->first))
        return;
    cw_run.holds = false;
    if (held_ns >= CW_RUN_HOLD_NS)
        h->rest = (struct cw_run_trial){0};
    else
        cw_run_trial_rest(&h->rest, CW_RUN_REST_SPANS, 0, 1);
}

bool cw_run_hold_is_on(void)
{
    return !cw_run.chaos && !cw_run.all && !cw_run.window_mixed && !cw_device_clock_is_virtual() &&
           ((!cw_run.begun && cw_run.holds) || cw_run.preparing || cw_run.wanted ||
            cw_run_program_models_are_made());
}

/* Of a command at home; 0: not known. */
static double home_ns(struct cw_run_task *t)
{
    double ns;

    if (t->work != CW_RUN_LAUNCH)
        return cw_run_costs_transfer_ns(t);
    ns = cw_run_costs_home_ns(&t->launch);
    if (!(ns > 0))
        ns = cw_run_perf_model_earlier_ns(t);
    return ns;
}

void cw_run_hold_tell(struct cw_run_task *first, uint32_t count)
{
    double ns = 0;
    uint32_t n = 0;

    if (!cw_run_hold_is_on())
        return;
    for (struct cw_run_task *t = first; t && n < LOOKED_AT; t = t->links.window, n++)
        ns += home_ns(t);
    ns *= (double)count / n; /* the others are like these */
    held_ns = ns > held_ns ? ns : held_ns;
    cw_run_activation_waiting(ns);
}

struct cw_run_task *cw_run_hold_rest(struct cw_run_task *first, uint32_t *count)
{
    struct cw_run_task *last = NULL, *rest;
    double given = 0;
    uint32_t n = 0;

    for (struct cw_run_task *t = first; t && !last; t = t->links.window) {
        double each = home_ns(t);

        n++;
        given += each > 0 ? each : CW_RUN_HOLD_NS / 2; /* two launches that were never measured are enough */
        if (given >= CW_RUN_HOLD_NS) {
            last = t;
            *count = n;
        }
    }
    rest = last ? last->links.window : NULL;
    if (rest)
        last->links.window = NULL;
    return rest;
}

static bool are_made_ready(void)
{
    return (cw_run.readying || cw_run.wanted || cw_run.preparing) && !cw_run.ending && !cw_run.off;
}

bool cw_run_hold_for_gpus(struct cw_run_task *first)
{
    double ns = 0;
    uint64_t until, now;

    if (CW_LIKELY(!cw_run.far_workers || !are_made_ready() || cw_run.all || cw_run.chaos))
        return false;
    for (struct cw_run_task *t = first; t; t = t->links.window)
        ns += cw_run_costs_least_ns(t) > 0 ? home_ns(t) : 0; /* of a GPU, and known */
    if (ns < CW_RUN_HOLD_GPUS * CW_RUN_GPU_BEGIN_NS)
        return false;
    now = cw_run_global_lock_now_ns();
    until = now + (uint64_t)(CW_RUN_HOLD_GPUS * ns);
    for (; are_made_ready() && now < until; now = cw_run_global_lock_now_ns()) {
        cw_run_worker_take_ready();
        cw_run_window_tell_of_models(); /* the timer, which does that else, may be this thread */
        cw_run_loop_staff();
        cw_run_global_lock_kick(); /* commands of the window before, and what is awaited */
        cw_run.waiters++;
        cw_run_global_lock_wait(until - now);
        cw_run.waiters--;
    }
    return true;
}
