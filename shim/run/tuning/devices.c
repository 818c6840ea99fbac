/* devices.c - see tuning/tuning.h. */
#include "tuning.h"
#include "../models/exact.h"

#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../planner/legal.h"

/* True when another worker builds `p` and keeps a binary that `l` can load. */
static bool others_build(const struct cw_run_program *p, const struct cw_run_worker *l)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (p->copy[i] == CW_RUN_COPY_WANTED && i != l->number && cw_run.workers[i].kind == l->kind)
            return true;
    return false;
}

/* `p` has been sought on worker `l` in vain: its next state there. Where another worker has built it
 * meanwhile it is sought again. */
static enum cw_run_copy_state after_miss(struct cw_run_program *p, const struct cw_run_worker *l)
{
    if (others_build(p, l))
        return CW_RUN_COPY_MISSED;
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (p->copy[i] == CW_RUN_COPY_READY && cw_run.workers[i].kind == l->kind &&
            !(p->sought_again >> l->number & 1)) {
            p->sought_again |= UINT64_C(1) << l->number;
            return CW_RUN_COPY_SOUGHT;
        }
    if (cw_run_learn_begins(CW_RUN_LEARN_BUILD))
        return CW_RUN_COPY_WANTED;
    if (!cw_run_trial_seeks(&p->seek, cw_run_global_lock_now_ns()))
        return CW_RUN_COPY_MISSED;
    cw_run_account.learns++;
    return CW_RUN_COPY_ASKED;
}

/* Asks the worker of `l` for the program of `k` there: an earlier run's binary at once, or a build if that is
 * worth it. True when it is there. */
static bool is_built(struct cw_run_kernel *k, struct cw_run_worker *l)
{
    struct cw_run_program *p = k->program;
    uint8_t *copy = &p->copy[l->number];
    enum cw_run_copy_state next = *copy;

    if ((cw_run.eager || cw_run.chaos) && (*copy == CW_RUN_COPY_NONE || *copy == CW_RUN_COPY_MISSED)) {
        cw_run_costs_name_kernel(k);
        return true; /* the thread of the first launch there builds it */
    }
    if (l->num_wanted == CW_RUN_WANTED)
        return *copy == CW_RUN_COPY_READY;
    if (*copy == CW_RUN_COPY_MISSED)
        next = after_miss(p, l);
    else if (*copy == CW_RUN_COPY_NONE)
        next = CW_RUN_COPY_SOUGHT;
    if (!p->foreseen && *copy == CW_RUN_COPY_NONE)
        cw_run_learn_later(p);
    if (next != *copy) {
        *copy = next;
        cw_run_costs_name_kernel(k);
        l->wanted[l->num_wanted++] = p;
        cw_run.wanted++;
        cw_run_record_pin(&p->r);
    }
    return *copy == CW_RUN_COPY_READY;
}

static bool waits_for_code(const struct cw_run_kernel *k)
{
    return CW_UNLIKELY(k->known->code.until) && cw_run_global_lock_now_ns() < k->known->code.until;
}

static bool may_run(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    enum cw_run_illegal illegal;

    if (p->worker->number == t->queue->home_worker)
        return true;
    if (p->worker->building || p->worker->num_wanted || !cw_run_gpu_begin_may(p))
        return false;
    illegal = cw_run_legal(t, p, CW_RUN_LEGAL_WHOLE);
    if (CW_UNLIKELY(illegal == CW_RUN_ILLEGAL_CODE))
        cw_run_reasons_code(cw_run_exact_why_not(
            t->launch.kernel, t->queue->context->places[t->queue->home].device, p->device));
    return illegal == CW_RUN_LEGAL && (t->work != CW_RUN_LAUNCH || (!waits_for_code(t->launch.kernel) &&
                                                                    is_built(t->launch.kernel, p->worker)));
}

uint64_t cw_run_devices_allowed(const struct cw_run_task *t)
{
    const struct cw_run_context *c = t->queue->context;
    uint64_t workers = 0;

    for (size_t k = 0; k < c->devices->n; k++)
        if (may_run(t, &c->places[k]))
            workers |= UINT64_C(1) << c->places[k].worker->number;
    return workers;
}
