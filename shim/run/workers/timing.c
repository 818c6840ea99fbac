/* timing.c - when commands start and end, as their events report it: by the vendor's clock, or, on the
 * emulated board and under its virtual clock, by the model (device.h). */
#include "../models/reach.h"
#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "worker.h"

static const struct cw_cl_device *device_of(const struct cw_run_task *t)
{
    return t->queue->context->places[t->at.place].device;
}

/* When the command may start by the virtual clock. */
static uint64_t virtual_ready_ns(const struct cw_run_task *t, uint64_t ready)
{
    uint64_t worker = cw_run.workers[t->at.worker].virtual_end_ns; /* a worker does one command at a time */
    cl_command_queue queue = (cl_command_queue)(uintptr_t)t->queue->r.handle;
    uint64_t native = cw_device_native_end_ns(t->behind_native ? NULL : queue);

    ready = ready < worker ? worker : ready;
    return ready < native ? native : ready;
}

/* On a device whose times are modelled. */
static bool modelled_begins(struct cw_run_task *t, const struct cw_cl_device *device,
                            struct cw_run_timing *timing)
{
    struct cw_work work = cw_run_costs_work_of(t);
    uint64_t ready;

    if (device->dsp && cw_device_by_operations()) {
        cw_run_global_lock_take();
        work.ops = cw_run_reach_task_ops(t, true, &timing->ops) ? &timing->ops : NULL;
        cw_run_global_lock_give();
    }
    ready = t->time.ready_ns ? t->time.ready_ns - (uint64_t)cw_device_profiling_offset_ns() : 0;
    if (cw_device_clock_is_virtual())
        ready = virtual_ready_ns(t, ready);
    return timing->runs = cw_device_begin(device, &work, ready, &timing->hold);
}

bool cw_run_timing_begins(struct cw_run_task *t, struct cw_run_timing *timing)
{
    const struct cw_cl_device *device = device_of(t);

    timing->modelled = device->dsp || cw_device_clock_is_virtual();
    timing->paced = !timing->modelled && CW_UNLIKELY(device->pace > 0) && t->work == CW_RUN_LAUNCH;
    if (CW_UNLIKELY(timing->modelled))
        return modelled_begins(t, device, timing);
    if (timing->paced) {
        timing->begin_ns = cw_run_global_lock_now_ns();
        cw_pace_begin(device, &timing->pace);
    }
    return true;
}

static cl_int modelled_ends(struct cw_run_task *t, struct cw_run_timing *timing, cl_int status)
{
    const struct cw_hold *h = &timing->hold;
    uint64_t offset = (uint64_t)cw_device_profiling_offset_ns();

    if (timing->runs)
        cw_device_end(device_of(t), &timing->hold);
    if (timing->runs && CW_UNLIKELY(h->failed)) { /* stopped by tiles/tile_late.c, which does that only to
                                                     blocks that may run again */
        status = CL_OUT_OF_RESOURCES;
        if (t->work == CW_RUN_LAUNCH)
            t->launch.begun = false;
    }
    cw_run.workers[t->at.worker].virtual_end_ns = h->end_ns;
    t->time.at[1] = h->submit_ns + offset;
    t->time.at[2] = h->start_ns + offset;
    t->time.at[3] = h->end_ns + offset;
    if (t->time.at[0] > t->time.at[1]) /* the two clocks differ by nanoseconds */
        t->time.at[0] = t->time.at[1];
    return status;
}

cl_int cw_run_timing_ends(struct cw_run_task *t, struct cw_run_timing *timing, cl_int status)
{
    if (CW_UNLIKELY(timing->modelled))
        return modelled_ends(t, timing, status);
    if (timing->paced) {
        cw_pace_end(device_of(t), &timing->pace);
        if (t->launch.measure.took_ns) /* the time that it is held counts as its own */
            t->launch.measure.took_ns = cw_run_global_lock_now_ns() - timing->begin_ns;
    }
    if (t->time.wanted)
        t->time.at[3] = cw_run_global_lock_now_ns();
    return status;
}
