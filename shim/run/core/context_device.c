/* context_device.c - see core/context_device.h. */
#include "context_device.h"

#include <time.h>

#include "../../../analyzer/io/gpu_state.h"
#include "global_lock.h"
#include "recount.h"

static bool takes_turns(const struct cw_run_context_device *p)
{
    return p->device->memory && cw_device_has(p->device, CW_VENDOR_IN_CALL);
}

bool cw_run_context_device_is_lost(const struct cw_run_worker *l)
{
    uint64_t until = l->quarantine.until_ns;

    return until && cw_run_global_lock_now_ns() >= until;
}

bool cw_run_context_device_has_failed(const struct cw_run_worker *l)
{
    return !l->home && (l->quarantine.error || l->quarantine.fails);
}

bool cw_run_context_device_turn_take(const struct cw_run_context_device *p)
{
    struct cw_run_turn *turn = &p->worker->turn;
    struct timespec until;
    bool lost = false;

    if (!takes_turns(p))
        return true;
    pthread_mutex_lock(&turn->lock);
    while (turn->taken && !(lost = p->worker->quarantine.hung || cw_run_context_device_is_lost(p->worker))) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        pthread_cond_clockwait(&turn->given, &turn->lock, CLOCK_MONOTONIC, &until);
    }
    turn->taken = true;
    pthread_mutex_unlock(&turn->lock);
    return !lost;
}

void cw_run_context_device_turn_give(const struct cw_run_context_device *p)
{
    struct cw_run_turn *turn = &p->worker->turn;

    if (!takes_turns(p))
        return;
    pthread_mutex_lock(&turn->lock);
    turn->taken = false;
    pthread_cond_signal(&turn->given);
    pthread_mutex_unlock(&turn->lock);
}

bool cw_run_context_device_copies(struct cw_run_context *c, struct cw_run_context_device *p)
{
    cl_int err;

    if (p->copies)
        return true;
    cw_run_recount_begins();
    p->copies = cw_next.clCreateCommandQueue(p->context, p->device->device, 0, &err);
    if (p->copies && p->device->home)
        c->own_objects++;
    cw_run_recount_ends();
    return p->copies;
}

/* tiles/tile_crew.c, device/pace.h */
static cl_command_queue_properties timed(const struct cw_run_worker *l)
{
    return l->in_call && !(l->pace > 0) ? 0 : CL_QUEUE_PROFILING_ENABLE;
}

static char refused[80];

const char *cw_run_context_device_refused(void)
{
    return *refused ? refused : NULL;
}

/* A GPU that the user did not ask for helps only if it is idle. */
static bool may_open(struct cw_run_worker *l)
{
    char why[sizeof refused];

    if (l->home || l->kind != CW_DEVICE_KIND_GPU || l->context || !cw_context_devices_gpus_are_offered() ||
        cw_gpu_state_is_idle(cw_next.clGetDeviceInfo, l->device, why, sizeof why))
        return true;
    cw_run_global_lock_take();
    if (!l->quarantine.error)
        memcpy(refused, why, sizeof refused);
    l->quarantine.error = CL_DEVICE_NOT_AVAILABLE;
    cw_run_global_lock_give();
    return false;
}

void cw_run_context_device_open(struct cw_run_worker *l)
{
    cl_int err;

    if (!may_open(l))
        return;
    if (!l->context)
        __atomic_store_n(&l->context, cw_next.clCreateContext(NULL, 1, &l->device, NULL, NULL, &err),
                         __ATOMIC_RELEASE); /* gpu_begin.c looks without the worker */
    if (l->context && !l->queue)
        l->queue = cw_next.clCreateCommandQueue(l->context, l->device, timed(l), &err);
}

cl_command_queue cw_run_context_device_queue(struct cw_run_context *c, struct cw_run_context_device *p)
{
    cl_int err;

    if (!p->context) {
        cw_run_context_device_open(p->worker);
        p->context = p->worker->context;
        p->queue = p->worker->queue;
    }
    if (!p->queue && p->device->home) {
        cw_run_recount_begins();
        p->queue = cw_next.clCreateCommandQueue(p->context, p->device->device, timed(p->worker), &err);
        if (p->queue)
            c->own_objects++;
        cw_run_recount_ends();
    }
    return p->queue;
}
