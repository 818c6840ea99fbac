/* legal.c - whether a launch may run elsewhere than at home, bit for bit the same. */
#include "../models/cutter.h"
#include "../core/state.h"
#include "legal.h"

bool cw_run_relaxed;

bool cw_run_legal_may_leave(const struct cw_run_queue *q, struct cw_run_kernel *k, bool has_local)
{
    const struct cw_run_context *c = q->context;

    for (size_t i = 0; i < c->slots->homes && k->program->models;
         i++) /* tiles of it, to other devices of the program's */
        if (i != q->home && cw_device_has(c->places[i].slot, CW_VENDOR_ZERO_COPY_HOST_PTR) &&
            !c->places[i].slot->dsp)
            return true;
    for (size_t i = c->slots->homes; i < c->slots->n; i++) {
        const struct cw_run_context_device *p = &c->places[i];
        if (cw_device_has(p->slot, CW_VENDOR_ZERO_COPY_HOST_PTR) && (p->slot->same_code || cw_run_relaxed) &&
            !k->broken[p->lane->number] && k->program->copy[p->lane->number] != CW_RUN_COPY_FAILED &&
            (has_local || cw_run_cutter_any_local(k)))
            return true;
    }
    return false;
}

/* A function of the program's occupies a thread of PoCL's for as long as it likes; a sub-device has no other
 * one for what is given to it then. */
static bool may_be_held(const struct cw_cl_device *slot)
{
    return cw_run.native_kernels && slot->kind == CW_SLOT_SUBDEVICE;
}

bool cw_run_legal_may_move(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    const struct cw_run_kernel *k = t->launch.kernel;

    if (t->work != CW_RUN_LAUNCH || p->slot->home)
        return t->queue->context->places[t->queue->home].slot == p->slot;
    if (t->launch.has_offset) /* tiles of it only */
        return false;
    if (may_be_held(p->slot) || !cw_device_has(p->slot, CW_VENDOR_ZERO_COPY_HOST_PTR) ||
        (!p->slot->same_code && !cw_run_relaxed) || k->broken[p->lane->number])
        return false;
    return t->launch.has_local || t->launch.any_local; /* another device may choose another size */
}
