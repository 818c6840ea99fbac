/* hooks_queue.c - command queues. Under device_times profiling is switched on in the queues that the program
 * makes, and every answer about it is as if it were not: also when recording has stopped, so queues are
 * followed on. */
#include <errno.h>
#include <stdlib.h>

#include "../../analyzer/record/trace.h"
#include "capture.h"
#include "hooks.h"
#include "../door/log.h"

void cw_hooks_host_synchronised(cl_command_queue queue, uint64_t seq)
{
    /* never empty: it also marks the old creation call */
    if (CW_UNLIKELY(cw_recorder.capture_data)) {
        cw_capture_finished();
        cw_capture_queue_idle(queue, seq);
    }
    cw_device_times_finished();
}

/* `hidden`: this library has asked for profiling; `properties`: those that the program gave, kept for queries
 * (state owns a copy). False: memory is out, and the profiling would show; the queue is released. */
static bool queue_made(cl_command_queue queue, bool hidden, const cl_queue_properties *properties,
                       size_t count)
{
    struct cw_object *o = cw_defined_new(queue, CW_LOG_O_QUEUE);

    cw_mode_trace_register_exit();

    if (!o && hidden)
        cw_traced.clReleaseCommandQueue(queue);
    if (!o || !hidden)
        return o || !hidden;
    atomic_fetch_or(&o->flags, CW_OBJECT_HIDDEN_PROFILING);
    o->state = malloc((count + 1) * sizeof *properties);
    if (o->state && count)
        memcpy(o->state, properties, count * sizeof *properties);
    o->seq = count;
    return true;
}

cl_command_queue cw_hook_clCreateCommandQueue(cl_context context, cl_device_id device,
                                              cl_command_queue_properties properties, cl_int *errcode_ret)
{
    bool hidden = cw_recorder.device_times.every && !(properties & CL_QUEUE_PROFILING_ENABLE) &&
                  cw_formula_is_recording();
    cl_command_queue queue = NULL;

    if (hidden)
        queue = cw_traced.clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE,
                                               errcode_ret);
    if (queue && queue_made(queue, true, NULL, 0))
        return queue;
    queue = cw_traced.clCreateCommandQueue(context, device, properties, errcode_ret);
    if (queue && cw_formula_is_recording())
        queue_made(queue, false, NULL, 0);
    return queue;
}

/* Copies a property list with profiling added; *count = entries of the original with its final 0, 0 for NULL.
 * Returns NULL when it is to be left alone (profiling is on already, an on-device queue, no memory). */
static cl_queue_properties *with_profiling(const cl_queue_properties *properties, size_t *count)
{
    size_t n = 0, at = SIZE_MAX;
    cl_queue_properties *copy;

    for (n = 0; properties && properties[n] && n < 128; n += 2)
        if (properties[n] == CL_QUEUE_PROPERTIES)
            at = n + 1;
    *count = properties ? n + 1 : 0;
    if (at != SIZE_MAX && properties[at] & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE))
        return NULL;
    copy = calloc(n + 3, sizeof *copy);
    if (!copy) {
        cw_log_warning("device times are incomplete: out of memory");
        return NULL;
    }
    if (n)
        memcpy(copy, properties, n * sizeof *copy);
    if (at != SIZE_MAX) {
        copy[at] |= CL_QUEUE_PROFILING_ENABLE;
    } else {
        copy[n] = CL_QUEUE_PROPERTIES;
        copy[n + 1] = CL_QUEUE_PROFILING_ENABLE;
    }
    return copy;
}

cl_command_queue cw_hook_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                            const cl_queue_properties *properties,
                                                            cl_int *errcode_ret)
{
    cl_queue_properties *ours = NULL;
    cl_command_queue queue = NULL;
    size_t count = 0;
    int saved = errno;

    if (cw_recorder.device_times.every && cw_formula_is_recording())
        ours = with_profiling(properties, &count);
    errno = saved;
    if (ours)
        queue = cw_traced.clCreateCommandQueueWithProperties(context, device, ours, errcode_ret);
    if (!queue || !queue_made(queue, true, properties, count)) {
        queue = cw_traced.clCreateCommandQueueWithProperties(context, device, properties, errcode_ret);
        if (queue && cw_formula_is_recording())
            queue_made(queue, false, NULL, 0);
    }
    free(ours);
    return queue;
}

/* Answers CL_QUEUE_PROPERTIES_ARRAY with the program's own list. */
static cl_int answer_array(const struct cw_object *o, size_t size, void *value, size_t *size_ret)
{
    size_t bytes = (size_t)o->seq * sizeof(cl_queue_properties);

    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value && bytes)
        memcpy(value, o->state, bytes);
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

cl_int cw_hook_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name, size_t size,
                                     void *value, size_t *size_ret)
{
    struct cw_object *o = cw_recorder.device_times.every ? cw_object_find(queue, CW_LOG_O_QUEUE) : NULL;
    cl_int status;

    if (param_name == CL_QUEUE_REFERENCE_COUNT)
        cw_device_times_settle(); /* vendors' events hold references */
    if (CW_LIKELY(!o || !(o->flags & CW_OBJECT_HIDDEN_PROFILING)))
        return cw_traced.clGetCommandQueueInfo(queue, param_name, size, value, size_ret);
    if (param_name == CL_QUEUE_PROPERTIES_ARRAY && o->state &&
        cw_traced.clGetCommandQueueInfo(queue, param_name, 0, NULL, NULL) == CL_SUCCESS)
        return answer_array(o, size, value, size_ret);
    status = cw_traced.clGetCommandQueueInfo(queue, param_name, size, value, size_ret);
    if (status == CL_SUCCESS && param_name == CL_QUEUE_PROPERTIES && value)
        *(cl_command_queue_properties *)value &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    return status;
}

/* OpenCL 1.0: the program switches profiling itself, so from then on it is its own. */
cl_int cw_hook_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                         cl_bool enable, cl_command_queue_properties *old_properties)
{
    cl_int status = cw_traced.clSetCommandQueueProperty(queue, properties, enable, old_properties);
    struct cw_object *o =
        status == CL_SUCCESS && cw_formula_is_recording() ? cw_object_find(queue, CW_LOG_O_QUEUE) : NULL;

    if (!o)
        return status;
    if (old_properties && o->flags & CW_OBJECT_HIDDEN_PROFILING)
        *old_properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    if (properties & CL_QUEUE_PROFILING_ENABLE) {
        atomic_fetch_and(&o->flags, (uint8_t) ~(CW_OBJECT_HIDDEN_PROFILING | CW_OBJECT_PROFILED));
        atomic_fetch_or(&o->flags, enable ? CW_OBJECT_PROFILED : 0);
    }
    return status;
}

cl_int cw_hook_clRetainCommandQueue(cl_command_queue queue)
{
    cl_int status = cw_traced.clRetainCommandQueue(queue);

    if (status == CL_SUCCESS && (cw_formula_is_recording() || cw_recorder.device_times.every))
        cw_object_retain(queue, CW_LOG_O_QUEUE);
    return status;
}

cl_int cw_hook_clReleaseCommandQueue(cl_command_queue queue)
{
    bool recording = cw_formula_is_recording();
    struct cw_object *o =
        recording || cw_recorder.device_times.every ? cw_object_find(queue, CW_LOG_O_QUEUE) : NULL;

    if (o) {
        if (CW_UNLIKELY(cw_recorder.capture_data && recording) && atomic_load(&o->refs) == 1)
            cw_capture_queue_released(queue);
        if (atomic_load(&o->refs) == 1)
            cw_device_times_harvest(); /* pending events would keep it */
        cw_defined_release(queue, CW_LOG_O_QUEUE, CW_CALLER);
    } else if (recording) {
        cw_defined_release(queue, CW_LOG_O_QUEUE, CW_CALLER); /* which notes that it was released before */
    }
    return cw_traced.clReleaseCommandQueue(queue);
}

cl_int cw_hook_clFlush(cl_command_queue queue)
{
    struct cw_rec r;
    cl_int status;

    if (!cw_enqueue_host_begin(&r, queue, 0, NULL, CW_CALLER))
        return cw_traced.clFlush(queue);
    status = cw_traced.clFlush(queue);
    cw_enqueue_host_end(&r, CW_HOST_FLUSH, 0, 0, status);
    return status;
}

cl_int cw_hook_clFinish(cl_command_queue queue)
{
    struct cw_rec r;
    cl_int status;

    if (!cw_enqueue_host_begin(&r, queue, 0, NULL, CW_CALLER)) {
        status = cw_traced.clFinish(queue);
        cw_device_times_finished(); /* recording may have stopped with own events pending */
        return status;
    }
    cw_device_times_waits();
    status = cw_traced.clFinish(queue);
    cw_enqueue_host_end(&r, CW_HOST_FINISH, 0, 0, status);
    cw_hooks_host_synchronised(queue, UINT64_MAX);
    return status;
}
