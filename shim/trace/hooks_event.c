/* hooks_event.c - events: waits, queries, settings and releases by the program. */
#include <errno.h>
#include <stdlib.h>

#include "../../analyzer/record/trace.h"
#include "../door/handoff.h"
#include "capture.h"
#include "hooks.h"

/* The last command of a list of events, or the command of one, is over. */
static void hooks_events_finished(cl_uint n, const cl_event *events)
{
    struct cw_object *o;
    cl_uint i;

    cw_hooks_host_synchronised(NULL, 0);
    if (CW_LIKELY(!cw_recorder.capture_data))
        return;
    for (i = 0; i < n; i++) {
        o = cw_object_find(events[i], CW_LOG_O_EVENT);
        if (o && !(o->flags & CW_OBJECT_USER_EVENT))
            cw_capture_queue_idle((cl_command_queue)o->owner, o->seq);
    }
}

cl_int cw_hook_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    struct cw_rec r;
    cl_int status;
    bool failed;

    if (!cw_enqueue_host_begin(&r, NULL, num_events, event_list, CW_CALLER))
        return cw_traced.clWaitForEvents(num_events, event_list);
    cw_device_times_waits();
    status = cw_traced.clWaitForEvents(num_events, event_list);
    /* a terminated command is an error to the caller, but the wait is over all the same */
    failed = status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    cw_enqueue_host_end(&r, CW_HOST_WAIT, 0, failed ? status : 0, failed ? CL_SUCCESS : status);
    if (failed || status == CL_SUCCESS)
        hooks_events_finished(num_events, event_list);
    return status;
}

/* True for a recorded command of this log whose completion was not recorded before. */
static bool first_seen(struct cw_object *o)
{
    return o->generation == cw_log_generation &&
           !(o->flags & (CW_OBJECT_SEEN_COMPLETE | CW_OBJECT_USER_EVENT | CW_OBJECT_UNKNOWN_EVENT)) &&
           !(atomic_fetch_or(&o->flags, CW_OBJECT_SEEN_COMPLETE) & CW_OBJECT_SEEN_COMPLETE);
}

cl_int cw_hook_clGetEventInfo(cl_event event, cl_event_info param_name, size_t size, void *value,
                              size_t *size_ret)
{
    cl_int status = cw_traced.clGetEventInfo(event, param_name, size, value, size_ret), seen;
    struct cw_object *o;

    if (CW_LIKELY(param_name != CL_EVENT_COMMAND_EXECUTION_STATUS || status != CL_SUCCESS || !value) ||
        !cw_formula_is_recording())
        return status;
    memcpy(&seen, value, sizeof seen);
    if (seen > CL_COMPLETE)
        return status;
    o = cw_object_find(event, CW_LOG_O_EVENT);
    if (o)
        cw_calls_stale_event_used(o);
    if (o && first_seen(o)) {
        cw_enqueue_event_seen(o->seq, seen, CW_CALLER);
        cw_hooks_host_synchronised((cl_command_queue)o->owner, o->seq);
    }
    return status;
}

cl_int cw_hook_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t size, void *value,
                                       size_t *size_ret)
{
    struct cw_object *o = cw_object_find(event, CW_LOG_O_EVENT);
    cl_command_queue queue = NULL;

    if (o)
        cw_calls_stale_event_used(o);
    o = NULL;

    /* by the queue: events of commands that came after recording stopped are not known */
    if (cw_recorder.device_times.every &&
        cw_traced.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) == CL_SUCCESS)
        o = cw_object_find(queue, CW_LOG_O_QUEUE);
    if (o && o->flags & CW_OBJECT_HIDDEN_PROFILING)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return cw_traced.clGetEventProfilingInfo(event, param_name, size, value, size_ret);
}

cl_int cw_hook_clRetainEvent(cl_event event)
{
    cl_int status = cw_traced.clRetainEvent(event);

    if (status == CL_SUCCESS && cw_formula_is_recording())
        cw_object_retain(event, CW_LOG_O_EVENT);
    return status;
}

cl_int cw_hook_clReleaseEvent(cl_event event)
{
    struct cw_object *o = cw_formula_is_recording() ? cw_object_find(event, CW_LOG_O_EVENT) : NULL;
    struct cw_thread *t;
    bool profiled, first;
    uint64_t seq;

    if (CW_UNLIKELY(!o && cw_formula_is_recording()))
        cw_calls_stale_note(event, CW_LOG_O_EVENT, 0, CW_ID_clReleaseEvent);
    if (!o || !cw_object_release(o))
        return cw_traced.clReleaseEvent(event);
    cw_calls_stale_event_released(o);
    profiled = o->flags & CW_OBJECT_PROFILED && o->generation == cw_log_generation;
    seq = o->seq;
    first = o->id;
    t = cw_log_thread();
    cw_object_remove_released(o, t ? cw_callsite_leaf(t, CW_CALLER) : 0);
    if (CW_UNLIKELY(cw_recorder.capture_data) && cw_capture_adopt(event))
        return CL_SUCCESS;
    if (!profiled || (cw_recorder.reads_itself && cw_device_times_write(event, seq, first)))
        return cw_traced.clReleaseEvent(event);
    cw_device_times_adopt(event, seq, first); /* the reference is ours now */
    return CL_SUCCESS;
}

cl_event cw_hook_clCreateUserEvent(cl_context context, cl_int *err)
{
    cl_event event = cw_traced.clCreateUserEvent(context, err);
    struct cw_object *o = event && cw_formula_is_recording() ? cw_object_insert(event, CW_LOG_O_EVENT) : NULL;

    if (!o)
        return event;
    o->flags = CW_OBJECT_USER_EVENT;
    cw_calls_stale_user_event();
    o->seq = cw_log_sequence();
    return event;
}

cl_int cw_hook_clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    struct cw_object *o = cw_formula_is_recording() ? cw_object_find(event, CW_LOG_O_EVENT) : NULL;
    uint64_t user = o && o->generation == cw_log_generation ? o->seq + 1 : 0;
    struct cw_rec r;
    cl_int status;

    if (!cw_enqueue_host_begin(&r, NULL, 0, NULL, CW_CALLER))
        return cw_traced.clSetUserEventStatus(event, execution_status);
    if (o)
        cw_calls_stale_event_used(o);
    if (CW_UNLIKELY(cw_recorder.capture_data))
        cw_capture_before_set();
    status = cw_traced.clSetUserEventStatus(event, execution_status);
    cw_enqueue_host_end(&r, CW_HOST_USER_EVENT, user, execution_status, status);
    if (CW_UNLIKELY(cw_recorder.capture_data) && o && status == CL_SUCCESS)
        cw_capture_gate_set(o);
    return status;
}

/* A callback that tells us first: the host has seen the completion from then on. */
struct callback {
    void(CL_CALLBACK *notify)(cl_event, cl_int, void *);
    void *user_data;
    uint64_t seq;
    uint32_t generation;
};

static void CL_CALLBACK completed(cl_event event, cl_int status, void *user_data)
{
    struct callback c = *(struct callback *)user_data;
    struct cw_object *o;

    free(user_data);
    if (status <= CL_COMPLETE && cw_formula_is_recording() && c.generation == cw_log_generation) {
        o = cw_object_find(event, CW_LOG_O_EVENT); /* unless the program has released it */
        if (!o || o->seq != c.seq || first_seen(o))
            cw_enqueue_event_seen(c.seq, status, (struct cw_caller){(void *)(uintptr_t)c.notify, NULL});
        if (CW_UNLIKELY(cw_recorder.capture_data))
            cw_capture_finished();
    }
    cw_capture_in_callback(1);
    c.notify(event, status, c.user_data);
    cw_capture_in_callback(-1);
}

cl_int cw_hook_clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                                  void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user_data)
{
    struct cw_object *o = cw_formula_is_recording() && notify ? cw_object_find(event, CW_LOG_O_EVENT) : NULL;
    bool command = o && command_exec_callback_type == CL_COMPLETE && o->generation == cw_log_generation &&
                   !(o->flags & CW_OBJECT_USER_EVENT);
    int saved = errno;
    struct callback *c = command ? malloc(sizeof *c) : NULL;
    cl_int status;

    errno = saved;
    if (o)
        cw_calls_stale_event_used(o);
    if (command && !c)
        cw_log_stop("out of memory");
    if (!c)
        return cw_handoff_set(cw_traced.clSetEventCallback, event, command_exec_callback_type, notify,
                              user_data);
    *c = (struct callback){notify, user_data, o->seq, o->generation};
    status = cw_handoff_set(cw_traced.clSetEventCallback, event, command_exec_callback_type, completed, c);
    if (status != CL_SUCCESS)
        free(c);
    return status;
}

/* Markers, barriers, and commands of which no more is recorded than that they were there. */

static cl_int finish(struct cw_enqueue *e, uint32_t type, cl_int status)
{
    if (CW_UNLIKELY(cw_recorder.capture_data) && type != CL_COMMAND_MARKER && type != CL_COMMAND_BARRIER)
        cw_capture_used(e->queue_handle, NULL);
    cw_enqueue_returned(e, status);
    cw_rec_u(&e->r, type);
    cw_enqueue_commit(e, CW_LOG_COMMAND);
    return status;
}

/* OpenCL 1.0 and 1.1: marker and barrier without wait lists, and a barrier that waits for events. */
cl_int cw_hook_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    struct cw_enqueue e;

    if (!cw_enqueue_begin(&e, queue, 0, NULL, event, CW_CALLER))
        return cw_traced.clEnqueueMarker(queue, event);
    return finish(&e, CL_COMMAND_MARKER, cw_traced.clEnqueueMarker(queue, event ? e.event : NULL));
}

cl_int cw_hook_clEnqueueBarrier(cl_command_queue queue)
{
    struct cw_enqueue e;

    if (!cw_enqueue_begin(&e, queue, 0, NULL, NULL, CW_CALLER))
        return cw_traced.clEnqueueBarrier(queue);
    return finish(&e, CL_COMMAND_BARRIER, cw_traced.clEnqueueBarrier(queue));
}

cl_int cw_hook_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events, const cl_event *event_list)
{
    struct cw_enqueue e;

    if (!cw_enqueue_begin(&e, queue, num_events, event_list, NULL, CW_CALLER))
        return cw_traced.clEnqueueWaitForEvents(queue, num_events, event_list);
    return finish(&e, CL_COMMAND_BARRIER, cw_traced.clEnqueueWaitForEvents(queue, num_events, event_list));
}

/* Commands with the usual tail of wait list and event. */
#define COMMAND(name, command_type, extra_flags, params, args)                                               \
    cl_int cw_hook_##name(cl_command_queue queue, CW_UNPAREN params cl_uint waits,                           \
                          const cl_event *wait_list, cl_event *event)                                        \
    {                                                                                                        \
        struct cw_enqueue e;                                                                                 \
        if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))                                \
            return cw_traced.name(queue, CW_UNPAREN args waits, wait_list, event);                           \
        e.r.flags |= extra_flags;                                                                            \
        return finish(&e, command_type, cw_traced.name(queue, CW_UNPAREN args waits, wait_list, e.event));   \
    }

COMMAND(clEnqueueMarkerWithWaitList, CL_COMMAND_MARKER, 0, (), ())
COMMAND(clEnqueueBarrierWithWaitList, CL_COMMAND_BARRIER, 0, (), ())
/* a migration that drops the contents may not pass commands that read or write them */
COMMAND(clEnqueueMigrateMemObjects, CL_COMMAND_MIGRATE_MEM_OBJECTS,
        flags &CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? CW_LOG_E_UNKNOWN_ACCESS : 0,
        (cl_uint count, const cl_mem *objects, cl_mem_migration_flags flags, ), (count, objects, flags, ))
COMMAND(clEnqueueNativeKernel, CL_COMMAND_NATIVE_KERNEL, CW_LOG_E_UNKNOWN_ACCESS,
        (void(CL_CALLBACK * function)(void *), void *arguments, size_t bytes, cl_uint count,
         const cl_mem *objects, const void **locations, ),
        (function, arguments, bytes, count, objects, locations, ))
#define OBJECTS                     (cl_uint count, const cl_mem *objects, ), (count, objects, )
#define INTEROP(name, command_type) COMMAND_(name, command_type, CW_LOG_E_UNKNOWN_ACCESS, OBJECTS)
#define COMMAND_(...)               COMMAND(__VA_ARGS__)
INTEROP(clEnqueueAcquireGLObjects, CL_COMMAND_ACQUIRE_GL_OBJECTS)
INTEROP(clEnqueueReleaseGLObjects, CL_COMMAND_RELEASE_GL_OBJECTS)
INTEROP(clEnqueueAcquireEGLObjectsKHR, CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR)
INTEROP(clEnqueueReleaseEGLObjectsKHR, CL_COMMAND_RELEASE_EGL_OBJECTS_KHR)
