/* timing.c - when commands start and end, as their events report it: by the vendor's clock, or, on the
 * emulated board and under its virtual clock, by the model (device.h). */
#include "../models/reach.h"
#include "../planner/costs.h"
#include "../core/work_ops.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../../device/pace.h"
#include "execute.h"
#include "timing.h"

static cl_int execute(struct cw_run_task *t)
{
    return t->ops->execute ? t->ops->execute(t) : CL_COMPLETE;
}

/* The time that it is held counts as its own. */
static cl_int execute_paced(struct cw_run_task *t, const struct cw_cl_device *device)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    struct cw_pace pace;
    cl_int status;

    cw_pace_begin(device, &pace);
    status = execute(t);
    cw_pace_end(device, &pace);
    if (t->measure.took_ns)
        t->measure.took_ns = cw_run_global_lock_now_ns() - begin;
    return status;
}

/* When the command may start by the virtual clock. */
static uint64_t virtual_ready_ns(const struct cw_run_task *t, uint64_t ready)
{
    uint64_t worker = cw_run.workers[t->at.worker].virtual_end_ns; /* a worker does one command at a time */
    cl_command_queue queue = (cl_command_queue)(uintptr_t)t->queue->r.handle;
    uint64_t native = cw_device_native_end_ns(t->tainted ? NULL : queue);

    ready = ready < worker ? worker : ready;
    return ready < native ? native : ready;
}

cl_int cw_run_timing_execute(struct cw_run_task *t)
{
    const struct cw_cl_device *device = t->queue->context->places[t->at.place].device;
    struct cw_work_ops ops;
    struct cw_run_worker *worker = &cw_run.workers[t->at.worker];
    struct cw_work work;
    struct cw_hold h;
    uint64_t offset, ready;
    cl_int status;

    if (!device->dsp && !cw_device_clock_is_virtual()) {
        status =
            CW_UNLIKELY(device->pace > 0) && t->work == CW_RUN_LAUNCH ? execute_paced(t, device) : execute(t);
        if (t->time.wanted)
            t->time.at[3] = cw_run_global_lock_now_ns();
        return status;
    }
    work = cw_run_costs_work_of(t);
    if (device->dsp && cw_device_by_operations()) {
        cw_run_global_lock_take();
        work.ops = cw_run_reach_task_ops(t, true, &ops) ? &ops : NULL;
        cw_run_global_lock_give();
    }
    offset = (uint64_t)cw_device_profiling_offset_ns();
    ready = t->time.ready_ns ? t->time.ready_ns - offset : 0;
    if (cw_device_clock_is_virtual())
        ready = virtual_ready_ns(t, ready);
    if (cw_device_begin(device, &work, ready, &h)) {
        status = execute(t);
        cw_device_end(device, &h);
        if (CW_UNLIKELY(h.failed)) { /* stopped by tiles/tile_late.c, which does that only to blocks that may
                                        run again */
            status = CL_OUT_OF_RESOURCES;
            t->begun = false;
        }
    } else {
        status = CL_OUT_OF_RESOURCES; /* the device has died: the command has not run */
    }
    worker->virtual_end_ns = h.end_ns;
    t->time.at[1] = h.submit_ns + offset;
    t->time.at[2] = h.start_ns + offset;
    t->time.at[3] = h.end_ns + offset;
    if (t->time.at[0] > t->time.at[1]) /* the two clocks differ by nanoseconds */
        t->time.at[0] = t->time.at[1];
    return status;
}
