/* repeat_place.c - see tuning/tuning.h. */
#include "tuning.h"
#include "../planner/profit.h"
#include "../planner/costs.h"
#include "../core/state.h"
#include "../planner/legal.h"

bool cw_run_repeat_place_looks_home(struct cw_run_task *t)
{
    struct cw_run_repeat_place *m = t->work == CW_RUN_LAUNCH ? &t->launch.kernel->repeat_place : NULL;

    if (!m || m->left || m->verdict != CW_RUN_GAIN || !m->planned || m->home_ns > CW_RUN_LOOK_NS / 10 ||
        m->home != t->queue->home_worker)
        return false;
    if (!cw_run_trial_is_turn(++m->planned, CW_RUN_TRIAL_SPANS))
        return false;
    cw_run_costs_name_launch(t);
    return m->shape == t->launch.measure.shape;
}

bool cw_run_repeat_place_of(struct cw_run_task *t, const struct cw_run_perf_model *b,
                            struct cw_run_gain_window *g)
{
    const struct cw_run_context_device *p;
    struct cw_run_repeat_place *m;

    if (t->work != CW_RUN_LAUNCH || !b->planner->earliest)
        return false;
    m = &t->launch.kernel->repeat_place;
    cw_run_costs_name_launch(t);
    if (!m->left || m->shape != t->launch.measure.shape || m->home != t->queue->home_worker ||
        m->copies != cw_run.copies)
        return false;
    p = &t->queue->context->places[m->place];
    if (p->worker->number != m->worker || p->worker->building ||
        cw_run_legal(t, p, CW_RUN_LEGAL_WHOLE) != CW_RUN_LEGAL)
        return false;
    m->left--;
    t->at.worker = m->worker;
    t->at.place = m->place;
    *g = (struct cw_run_gain_window){.first = t,
                                     .home_ns = m->alone_ns,
                                     .error_ns = m->error_ns,
                                     .known = m->known,
                                     .acted = cw_run_is_away(t)};
    return true;
}

void cw_run_repeat_place_keep(const struct cw_run_task *t, const struct cw_run_plan *plan,
                              const struct cw_run_gain_window *g)
{
    const struct cw_run_worker *l = &cw_run.workers[t->at.worker];

    if (t->work != CW_RUN_LAUNCH || l->kind == CW_DEVICE_KIND_DSP ||
        cw_run.workers[t->queue->home_worker].kind == CW_DEVICE_KIND_DSP || cw_device_clock_is_virtual())
        return;
    t->launch.kernel->repeat_place = (struct cw_run_repeat_place){
        .shape = t->launch.measure.shape,
        .home = t->queue->home_worker,
        .worker = t->at.worker,
        .place = t->at.place,
        .left = CW_RUN_LOOK_EACH,
        .copies = cw_run.copies,
        .planned = t->launch.kernel->repeat_place.planned ? t->launch.kernel->repeat_place.planned : 1,
        .verdict = plan->verdict,
        .home_ns = plan->home_ns,
        .plan_ns = plan->plan_ns,
        .alone_ns = g->home_ns,
        .error_ns = g->error_ns,
        .known = g->known};
}
