/* short_task.c - commands that take less than waking a worker would.
 *
 * A flush, or a query of a program that polls, must not block, but may do work that takes no longer than a
 * wake-up. That is known of small transfers, and of a launch that is the same as an earlier one in all that
 * its work depends on but data, when that took some microseconds where the kernel runs inside the enqueueing
 * call, and when no data could make it much work: every loop has a bound, and the bounds are small. */
#include "../core/state.h"
#include "../memory/spread.h"
#include "worker.h"

bool cw_run_short_task_is(const struct cw_run_task *t, double *ns)
{
    const struct cw_cl_device *device = t->queue->context->places[t->at.place].device;
    const struct cw_run_worker *l = &cw_run.workers[t->at.worker];
    const struct cw_run_kernel *k = t->launch.kernel;

    if (cw_device_is_modelled(device) || t->outcome.failed || l->building || cw_device_clock_is_virtual() ||
        (cw_run.spreads && !cw_run_spread_is_here(t)))
        return false;
    *ns = CW_RUN_SHORT_BYTES_NS;
    if (t->work == CW_RUN_FILL)
        return t->fill.bytes <= CW_RUN_SHORT_BYTES;
    if (t->work == CW_RUN_COPY)
        return t->copy.region[1] == 1 && t->copy.region[2] == 1 && t->copy.region[0] <= CW_RUN_SHORT_BYTES;
    if (t->work != CW_RUN_LAUNCH || !t->launch.repeat.alike || !cw_device_has(device, CW_VENDOR_IN_CALL))
        return false;
    for (size_t i = 0; i < sizeof k->short_task / sizeof *k->short_task; i++)
        if (k->short_task[i].id == t->launch.repeat.alike && k->short_task[i].worker == t->at.worker) {
            *ns = k->short_task[i].ns;
            return true;
        }
    return false;
}

void cw_run_short_task_measured(const struct cw_run_task *t)
{
    struct cw_run_kernel *k = t->launch.kernel;
    struct cw_run_short_task *b = k->short_task, *end = b + sizeof k->short_task / sizeof *k->short_task;

    if (!t->launch.repeat.alike || !t->launch.measure.took_ns)
        return;
    while (b < end && !(b->id == t->launch.repeat.alike && b->worker == t->at.worker))
        b++;
    if (b == end) {
        b = &k->short_task[k->next_short_task++ % (sizeof k->short_task / sizeof *k->short_task)];
        *b = (struct cw_run_short_task){
            .id = t->launch.repeat.alike, .worker = t->at.worker, .ns = (double)t->launch.measure.took_ns};
    }
    /* the least of late: others disturb, and the first launch may be compiled */
    b->ns = cw_run_trial_least(b->ns, (double)t->launch.measure.took_ns);
}
