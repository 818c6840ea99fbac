/* queue.c - the program's queues: made, flushed, finished, released. */
#include "../tuning/tuning.h"
#include "../core/clock.h"
#include "hooks.h"
#include "../../trace/recorder.h"
#include "native.h"
#include "queue.h"
#include "../core/context_device.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/native_use.h"
#include "../staging/staging.h"
#include "../streams/stream_queue.h"
#include "../streams/stream_version.h"
#include "../tasks/callback.h"
#include "../tasks/dependence.h"
#include "../tasks/reference_counts.h"
#include "../windows/window.h"
#include "../workers/worker.h"

#include <stdlib.h>

static uint32_t home_of(const struct cw_run_context *c, cl_device_id device)
{
    uint32_t i = 0;

    while (i < c->devices->homes && c->devices->device[i].device != device)
        i++;
    return i;
}

/* The recorded log describes devices by asking the vendor, which must not happen under the lock. */
static void record_workers(void)
{
    uint64_t id;

    for (uint32_t i = 0; i < CW_RUN_WORKERS; i++) {
        cl_device_id device;

        cw_run_global_lock_take();
        device = i < cw_run.num_workers && !cw_run.workers[i].recorded ? cw_run.workers[i].device : NULL;
        cw_run_global_lock_give();
        if (!device)
            continue;
        id = cw_known_id(device, CW_LOG_O_DEVICE);
        cw_run_global_lock_take();
        cw_run.workers[i].recorded = id;
        cw_run_global_lock_give();
    }
}

/* Lock held. */
static void open_gpus(const struct cw_run_context *c)
{
    for (size_t i = c->devices->homes; cw_run.begun && i < c->devices->n; i++)
        if (cw_run_context_device_is_gpu(&c->places[i]) && cw_run_gpu_begin_may(&c->places[i]))
            cw_run_wanted_context(c->places[i].worker);
}

void cw_run_queue_made(cl_context context, cl_device_id device, cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    struct cw_run_context *c;
    struct cw_run_queue *q;
    cl_int err;
    uint32_t traits;

    if (!queue || !cw_run.ready)
        return;
    cw_stream_queue_made(context, device, queue);
    cw_stream_version_queue_made(context, queue);
    err = cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    traits = cw_device_traits(device);
    if (traits & CW_VENDOR_PINNED && err == CL_SUCCESS)
        cw_run_staging_queue_made(context, device, queue, properties, false);
    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    q = c ? cw_run_object_create(queue, CW_RUN_QUEUE) : NULL;
    if (q) {
        q->context = c;
        cw_run_record_pin(&c->r);
        q->home = c->devices ? home_of(c, device) : 0;
        q->managed = c->devices && q->home < c->devices->homes && err == CL_SUCCESS &&
                     !(properties & CL_QUEUE_ON_DEVICE);
        q->home_worker = q->managed ? c->places[q->home].worker->number : 0;
        q->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        q->profiled = properties & CL_QUEUE_PROFILING_ENABLE;
        q->synchronous = traits & CW_VENDOR_IN_CALL;
        if (q->managed)
            open_gpus(c);
    }
    if (q && q->managed) {
        cw_run_bypass_queue_made(q);
        cw_run_activation_queue_made(); /* now, rather than when the first command is waited for */
        cw_run_window_start_if_begun();
    }
    cw_run_global_lock_give();
    if (CW_UNLIKELY(cw_run.recording) && cw_formula_is_recording())
        record_workers();
}

cl_command_queue cw_run_hook_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *err)
{
    cl_command_queue queue = cw_native.clCreateCommandQueue(context, device, properties, err);

    cw_run_queue_made(context, device, queue);
    return queue;
}

cl_command_queue cw_run_hook_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *properties,
                                                                cl_int *err)
{
    cl_command_queue queue = cw_native.clCreateCommandQueueWithProperties(context, device, properties, err);

    cw_run_queue_made(context, device, queue);
    return queue;
}

cl_int cw_run_hook_clRetainCommandQueue(cl_command_queue queue)
{
    bool back = cw_run_record_take_back(queue, CW_RUN_QUEUE);
    cl_int err = back ? CL_SUCCESS : cw_native.clRetainCommandQueue(queue);

    if (err == CL_SUCCESS && !back)
        cw_run_record_retained(queue, CW_RUN_QUEUE);
    if (err == CL_SUCCESS)
        cw_run_staging_queue_retained(queue);
    return err;
}

cl_int cw_run_hook_clReleaseCommandQueue(cl_command_queue queue)
{
    struct cw_run_queue *q;

    cw_run_staging_queue_released(queue);
    if (!cw_run_record_had_queue())
        return cw_native.clReleaseCommandQueue(queue);
    cw_run_global_lock_take();
    cw_run_window_close(); /* an implicit flush */
    q = cw_run_record_find(queue, CW_RUN_QUEUE);
    if (q)
        cw_run_bypass_count(q);
    if (q && cw_run.far_workers && !cw_run.forked && !cw_run.off && !cw_run.ending &&
        cw_run_native_use_is_unmarked(q))
        cw_run_dependence_mark(q); /* no other one may come */
    cw_run_global_lock_give();
    return cw_run_object_release(queue, CW_RUN_QUEUE) ? cw_native.clReleaseCommandQueue(queue) : CL_SUCCESS;
}

cl_int cw_run_hook_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t capacity,
                                         void *to, size_t *bytes)
{
    cl_int err = cw_native.clGetCommandQueueInfo(queue, name, capacity, to, bytes);
    struct cw_run_queue *q;
    struct cw_run_recount r;
    cl_uint count;

    if (err != CL_SUCCESS || name != CL_QUEUE_REFERENCE_COUNT || !to)
        return err;
    cw_run_reference_counts_settle();
    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_next.clGetCommandQueueInfo(queue, name, sizeof count, &count, NULL);
        q = cw_run_record_find(queue, CW_RUN_QUEUE);
        count += q ? cw_run_reference_counts_of_queue(q) : 0;
    }
    memcpy(to, &count, sizeof count);
    return err;
}

cl_int cw_run_hook_clFlush(cl_command_queue queue)
{
    struct cw_run_queue *q = cw_run_native_queue(queue);

    if (!cw_run_record_had_queue() || (q && cw_run_passing_is(&q->passing)))
        return cw_native.clFlush(queue);
    cw_run_global_lock_take();
    cw_run_window_step();
    q = cw_run.ready_count ? cw_run_record_find(queue, CW_RUN_QUEUE) : NULL;
    if (q) {
        cw_run_record_pin(&q->r);
        cw_run_help_briefly(q, UINT64_MAX, CW_RUN_SHORT_TASK_NS);
        cw_run_object_unpin(&q->r);
    }
    cw_run_global_lock_give();
    return cw_native.clFlush(queue);
}

void cw_run_queue_waited(struct cw_run_queue *q, uint64_t given)
{
    uint64_t now = 0;

    if (q->native_known < given)
        q->native_known = given;
    cw_run_help_callbacks(q); /* those on native commands, too */
    cw_run_hold_synchronised(q);
    cw_run_bypass_synchronised(q);
    cw_run_activation_waited(&now);
    cw_run_window_start_if_begun();
    cw_run_object_unpin(&q->r);
}

/* The vendor has no command of `q` that is not over. Once the program has functions that may enqueue unseen
 * (`off`), only the vendor knows. The commands that a join waits for are known, but not over, and there may
 * be no managed command behind them. */
static bool vendor_has_none(const struct cw_run_queue *q, uint64_t given)
{
    return q->managed && !cw_run.off && !cw_run.forked && q->native_known >= given && !q->join;
}

/* Waits for the managed commands of `queue` so far. Returns its record, busy, or NULL. *given: its native
 * commands. `nothing` (may be NULL) is set, and the record no longer busy, when the vendor has none to wait
 * for. */
static struct cw_run_queue *drain(cl_command_queue queue, uint64_t *given, bool *nothing)
{
    struct cw_run_queue *q;
    struct cw_run_until until;

    if (!cw_run_record_had_queue())
        return NULL;
    cw_run_global_lock_take();
    cw_run_window_step();
    q = cw_run_record_find(queue, CW_RUN_QUEUE);
    if (q) {
        cw_run_record_pin(&q->r);
        *given = q->native_given;
        until = (struct cw_run_until){q, cw_run.sequence};
        if (q->first && q->native_given != q->native_known) {
            cw_run_global_lock_give();
            cw_next.clFlush(queue); /* managed ones may wait for native ones */
            cw_run_global_lock_take();
        }
        cw_run_help(q, until.sequence, cw_run_help_is_over, &until);
        cw_run_help_callbacks(q);
        cw_run_clock_reached(q->last_end_ns);
    }
    if (q && nothing && vendor_has_none(q, *given)) {
        *nothing = true;
        cw_run_queue_waited(q, 0);
    }
    cw_run_global_lock_give();
    return q;
}

/* The same for a queue that passes. */
static cl_int finish_passing(cl_command_queue queue, struct cw_run_queue *q)
{
    uint64_t given = q->native_given, passed = atomic_load(&q->passing.calls);
    cl_int err = cw_native.clFinish(queue);

    if (err == CL_SUCCESS)
        cw_run_native_waited(q, passed, false, given);
    return err;
}

cl_int cw_run_hook_clFinish(cl_command_queue queue)
{
    uint64_t given = 0;
    bool nothing = false;
    struct cw_run_queue *q = cw_run_native_queue(queue);
    cl_int err;

    if (q && cw_run_passing_is(&q->passing))
        return finish_passing(queue, q);
    q = drain(queue, &given, &nothing);

    if (nothing)
        return CL_SUCCESS;
    err = cw_native.clFinish(queue);
    if (!q)
        return err;
    cw_run_global_lock_take();
    /* only now: another thread must not take native commands for finished before they are */
    cw_run_queue_waited(q, err == CL_SUCCESS ? given : 0);
    cw_run_global_lock_give();
    return err;
}

cl_int cw_run_hook_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                             cl_bool enable, cl_command_queue_properties *old)
{
    uint64_t given;
    struct cw_run_queue *q = drain(queue, &given, NULL);
    cl_int err = cw_native.clSetCommandQueueProperty(queue, properties, enable, old);

    if (!q)
        return err;
    cw_run_global_lock_take();
    if (err == CL_SUCCESS)
        q->managed = false;
    cw_run_object_unpin(&q->r);
    cw_run_global_lock_give();
    return err;
}
