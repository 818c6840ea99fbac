/* legal.c - see legal.h. */
#include "legal.h"
#include "../../device/gpu_lease.h"
#include "../models/cutter.h"
#include "../models/exact.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../memory/spread.h"

bool cw_run_relaxed;

/* Run mode knows which memory it works on. */
static bool in_memory(const struct cw_cl_device *device)
{
    return device->memory || cw_device_has(device, CW_VENDOR_ZERO_COPY_HOST_PTR);
}

/* Code that makes of kernel `k` the bits that it makes at home. */
static bool has_code(const struct cw_run_kernel *k, const struct cw_cl_device *home,
                     const struct cw_cl_device *device)
{
    return (device->same_code && home->same_code) || cw_run_relaxed || !cw_run_exact_why_not(k, home, device);
}

bool cw_run_legal_may_leave(const struct cw_run_queue *q, struct cw_run_kernel *k, bool has_local)
{
    const struct cw_run_context *c = q->context;

    for (size_t i = 0; i < c->devices->homes && k->program->models;
         i++) /* tiles of it, to other devices of the program's */
        if (i != q->home && in_memory(c->places[i].device) && !c->places[i].device->dsp)
            return true;
    for (size_t i = c->devices->homes; i < c->devices->n; i++) {
        const struct cw_run_context_device *p = &c->places[i];
        if (in_memory(p->device) && has_code(k, c->places[q->home].device, p->device) &&
            !k->known->broken[p->worker->number] && !p->worker->quarantine.error &&
            k->program->copy[p->worker->number] != CW_RUN_COPY_FAILED &&
            (has_local || cw_run_cutter_any_local(k)))
            return true;
    }
    return false;
}

/* A native command occupies a thread of PoCL's for as long as the program likes; a sub-device has no other
 * one for its commands then. So may a device of the program's be one. */
static bool may_be_held(const struct cw_cl_device *device)
{
    return cw_run.held && (device->kind == CW_DEVICE_KIND_SUBDEVICE ||
                           (device->home && !cw_device_has(device, CW_VENDOR_IN_CALL)));
}

/* Tiles go to other devices of the program's, too. */
static enum cw_run_illegal at_other_home(const struct cw_run_kernel *k, const struct cw_cl_device *home,
                                         const struct cw_cl_device *other, enum cw_run_legal_scope scope)
{
    if (scope == CW_RUN_LEGAL_WHOLE || !home->dsp != !other->dsp)
        return CW_RUN_ILLEGAL_DEVICE;
    if (may_be_held(other))
        return CW_RUN_ILLEGAL_HELD;
    return has_code(k, home, other) ? CW_RUN_LEGAL : CW_RUN_ILLEGAL_CODE;
}

/* A launch there takes longer than it should (workers/late.c). */
static bool is_late(const struct cw_run_worker *l)
{
    return CW_UNLIKELY(l->late_at_ns) && cw_run_global_lock_now_ns() >= l->late_at_ns;
}

/* Another context of the program has the GPU, or a program of another process. */
static bool is_used(const struct cw_run_context_device *p)
{
    return p->worker->home || (*p->device->lease && cw_gpu_lease_is_lost(p->device->lease));
}

static enum cw_run_illegal at_helper(const struct cw_run_launch *l, const struct cw_cl_device *home,
                                     const struct cw_run_context_device *p)
{
    if (p->device->kind == CW_DEVICE_KIND_GPU && is_used(p))
        return CW_RUN_ILLEGAL_DEVICE;
    if (l->has_offset) /* tiles of it at devices of the program's only */
        return CW_RUN_ILLEGAL_OFFSET;
    if (may_be_held(p->device) || is_late(p->worker))
        return CW_RUN_ILLEGAL_HELD;
    if (!in_memory(p->device) || (p->device->memory != home->memory && !cw_run_spread_may(l)))
        return CW_RUN_ILLEGAL_MEMORY;
    if (!has_code(l->kernel, home, p->device))
        return CW_RUN_ILLEGAL_CODE;
    if (l->kernel->known->broken[p->worker->number] || p->worker->quarantine.error)
        return CW_RUN_ILLEGAL_BROKEN;
    /* another device may choose another size */
    return l->has_local || l->any_local ? CW_RUN_LEGAL : CW_RUN_ILLEGAL_LOCAL_SIZE;
}

enum cw_run_illegal cw_run_legal(const struct cw_run_task *t, const struct cw_run_context_device *p,
                                 enum cw_run_legal_scope scope)
{
    const struct cw_cl_device *home = t->queue->context->places[t->queue->home].device;

    if (scope == CW_RUN_LEGAL_TILE && (!in_memory(p->device) || p->device->memory))
        return CW_RUN_ILLEGAL_MEMORY;
    if (scope != CW_RUN_LEGAL_WHOLE && (t->launch.kernel->tile_broken >> p->worker->number & 1))
        return CW_RUN_ILLEGAL_BROKEN;
    if (p->device == home)
        return CW_RUN_LEGAL;
    if (t->work == CW_RUN_LAUNCH && t->launch.unsure)
        return CW_RUN_ILLEGAL_UNSURE;
    if (p->device->home && p->device->memory)
        return CW_RUN_ILLEGAL_MEMORY;
    if (p->device->home)
        return at_other_home(t->launch.kernel, home, p->device, scope);
    if (t->work == CW_RUN_LAUNCH)
        return at_helper(&t->launch, home, p);
    if (t->work == CW_RUN_FILL && t->fill.to.memory->image) /* PoCL 3.1 aborts on its sub-devices */
        return CW_RUN_ILLEGAL_DEVICE;
    if (p->device->dsp) /* transfers are done by the host, whose worker does not matter */
        return CW_RUN_ILLEGAL_DEVICE;
    return in_memory(p->device) && !p->device->memory && !home->memory ? CW_RUN_LEGAL : CW_RUN_ILLEGAL_MEMORY;
}
