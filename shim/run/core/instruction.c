/* instruction.c - see core/instruction.h. */
#include "instruction.h"

#include "../../device/pace.h"
#include "context_device.h"
#include "fault.h"
#include "global_lock.h"

/* By a planted fault, with *err in place of the vendor's answer. */
static bool is_left_out(const struct cw_run_instruction *i, cl_int *err)
{
    static const enum cw_run_fault omits[] = {
        [CW_RUN_I_GIVE] = CW_RUN_FAULT_UNFETCHED, [CW_RUN_I_FETCH] = CW_RUN_FAULT_UNFETCHED,
        [CW_RUN_I_SAVE] = CW_RUN_FAULT_UNFETCHED, [CW_RUN_I_MERGE] = CW_RUN_FAULT_UNMERGED,
        [CW_RUN_I_RUN] = CW_RUN_FAULT_DROP,       [CW_RUN_I_TILE] = CW_RUN_FAULT_HALF};

    *err = CL_SUCCESS;
    if (CW_LIKELY(!cw_run_fault_planted))
        return false;
    if (i->kind <= CW_RUN_I_MERGE)
        *err = cw_run_fault_copy(i->place->worker, i->kind != CW_RUN_I_GIVE);
    return *err != CL_SUCCESS || cw_run_fault_omits(omits[i->kind]);
}

static cl_int launch(const struct cw_run_instruction *i, cl_event *event)
{
    const struct cw_run_ndrange *r = i->range;
    bool paced = CW_UNLIKELY(i->place->device->pace > 0) && !i->first && cw_pace_computes();
    cl_event own, *to = event || !paced ? event : &own;
    cl_int err = cw_next.clEnqueueNDRangeKernel(i->place->queue, i->kernel, r->dims, r->offset, r->global,
                                                r->local, 0, NULL, to);

    if (CW_LIKELY(!paced) || err != CL_SUCCESS)
        return err;
    if (event)
        cw_next.clRetainEvent(*event);
    cw_pace_add(*to);
    return err;
}

static cl_int transfer(const struct cw_run_instruction *i, cl_bool blocking, cl_event *event)
{
    cl_command_queue queue = i->place->copies ? i->place->copies : i->place->queue;

    if (i->kind != CW_RUN_I_GIVE)
        return cw_next.clEnqueueReadBuffer(queue, i->memory, blocking, i->low, i->bytes, i->host, 0, NULL,
                                           event);
    return cw_next.clEnqueueWriteBuffer(queue, i->memory, blocking, i->low, i->bytes, i->host, 0, NULL,
                                        event);
}

cl_int cw_run_instruction_begin(const struct cw_run_instruction *i, cl_event *event)
{
    cl_int err;

    if (is_left_out(i, &err))
        return err;
    return i->kind > CW_RUN_I_MERGE ? launch(i, event) : transfer(i, CL_FALSE, event);
}

cl_int cw_run_instruction_wait(cl_event *event)
{
    cl_int err = *event ? cw_next.clWaitForEvents(1, event) : CL_SUCCESS;

    if (*event)
        cw_next.clReleaseEvent(*event);
    *event = NULL;
    return err;
}

/* In the device's turn. A vendor may return from a write that blocks when it has copied the bytes, and
 * commands of other queues do not wait for it. */
static cl_int transfer_in_turn(const struct cw_run_instruction *i, uint64_t *begun_ns)
{
    cl_event event = NULL;
    cl_int err, ended;

    if (i->kind == CW_RUN_I_SAVE)
        cw_run_fault_mute(i->place->worker);
    else if (cw_run_context_device_has_failed(
                 i->place->worker)) /* with the launch that had the turn before */
        return CL_DEVICE_NOT_AVAILABLE;
    if (begun_ns)
        *begun_ns = cw_run_global_lock_now_ns();
    if (is_left_out(i, &err))
        return err;
    err = transfer(i, CL_TRUE, i->kind == CW_RUN_I_GIVE ? &event : NULL);
    ended = cw_run_instruction_wait(&event);
    return err == CL_SUCCESS ? ended : err;
}

cl_int cw_run_instruction_transfer(const struct cw_run_instruction *i, uint32_t n, uint64_t *begun_ns)
{
    cl_int err = CL_SUCCESS;

    for (; n && err == CL_SUCCESS; i++, n--) {
        if (!cw_run_context_device_turn_take(i->place))
            return CL_DEVICE_NOT_AVAILABLE;
        err = transfer_in_turn(i, begun_ns);
        cw_run_context_device_turn_give(i->place);
    }
    return err;
}
