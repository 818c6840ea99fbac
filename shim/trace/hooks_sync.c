/* hooks_sync.c - markers, barriers, and commands of which no more is recorded than that they were there. */
#include "capture.h"
#include "hooks.h"

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
