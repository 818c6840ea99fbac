/* pass.c - commands that are never managed: native kernels, sharing, extensions. */
#include "../planner/legal.h"
#include "hooks.h"
#include "enqueue.h"
#include "kernel.h"
#include "native.h"
#include "opaque.h"
#include "queue.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../streams/stream_enqueue.h"
#include "../streams/stream_memory.h"

/* `use`: of memory, a struct cw_run_use */
#define ENQUEUE(name, blocks, use, params, args)                                                             \
    cl_int cw_run_hook_##name(cl_command_queue queue, CW_UNPAREN params, cl_uint n, const cl_event *list,    \
                              cl_event *event)                                                               \
    {                                                                                                        \
        struct cw_run_native x;                                                                              \
        cw_run_native_begin(&x, queue, n, list, event, blocks, false, CW_RUN_R_KIND, use);                   \
        return cw_run_native_end(&x, cw_native.name(queue, CW_UNPAREN args, x.n, x.list, x.event));          \
    }
#define ENQUEUE_(...) ENQUEUE(__VA_ARGS__)

#define OBJECTS                                                                                              \
    CW_RUN_USE(count, objects, UINT64_MAX), (cl_uint count, const cl_mem *objects), (count, objects)
ENQUEUE_(clEnqueueAcquireGLObjects, false, OBJECTS)
ENQUEUE_(clEnqueueReleaseGLObjects, false, OBJECTS)
ENQUEUE_(clEnqueueAcquireEGLObjectsKHR, false, OBJECTS)
ENQUEUE_(clEnqueueReleaseEGLObjectsKHR, false, OBJECTS)

/* The function may wait for the program, and so for commands behind it: cw_run_legal() heeds that.
 */
cl_int cw_run_hook_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *),
                                         void *args, size_t bytes, cl_uint count, const cl_mem *memory,
                                         const void **places, cl_uint n, const cl_event *list,
                                         cl_event *event)
{
    struct cw_run_native x;

    cw_run_global_lock_take();
    cw_run.held = true;
    cw_run_global_lock_give();
    cw_run_native_begin(&x, queue, n, list, event, false, false, CW_RUN_R_KIND,
                        CW_RUN_USE(memory ? count : 0, memory, UINT64_MAX));
    return cw_run_native_end(&x, cw_native.clEnqueueNativeKernel(queue, function, args, bytes, count, memory,
                                                                 places, x.n, x.list, x.event));
}

/* ---- extensions: `next` is the vendor's own function */

#define CW_EXT_COMMAND(name, type, blocks, params, args)                                                     \
    static cl_int ext_##name(__typeof__(&name) next, cl_command_queue queue, CW_UNPAREN params, cl_uint n,   \
                             const cl_event *list, cl_event *event)                                          \
    {                                                                                                        \
        struct cw_run_native x;                                                                              \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        if (cw_stream_closing_begin(&c, &t, queue, n, list, event))                                          \
            return cw_stream_end(&c, next(c.queue, CW_UNPAREN args, c.n, c.list, c.event));                  \
        cw_run_native_begin(&x, queue, n, list, event, blocks, false, CW_RUN_R_KIND, CW_RUN_USE_ALL);        \
        return cw_run_native_end(&x, next(queue, CW_UNPAREN args, x.n, x.list, x.event));                    \
    }
#include "../../door/ext_commands.inc"

static cl_mem ext_clCreateBufferWithPropertiesINTEL(__typeof__(&clCreateBufferWithPropertiesINTEL) next,
                                                    cl_context context,
                                                    const cl_mem_properties_intel *properties,
                                                    cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    return cw_run_opaque(cw_stream_memory_odd(context, next(context, properties, flags, bytes, host, err)),
                         CW_RUN_R_MEMORY);
}

static cl_mem ext_clImportMemoryARM(__typeof__(&clImportMemoryARM) next, cl_context context,
                                    cl_mem_flags flags, const cl_import_properties_arm *properties,
                                    void *memory, size_t bytes, cl_int *err)
{
    return cw_run_opaque(cw_stream_memory_odd(context, next(context, flags, properties, memory, bytes, err)),
                         CW_RUN_R_ARGUMENT);
}

static cl_command_queue
ext_clCreateCommandQueueWithPropertiesKHR(__typeof__(&clCreateCommandQueueWithPropertiesKHR) next,
                                          cl_context context, cl_device_id device,
                                          const cl_queue_properties_khr *properties, cl_int *err)
{
    cl_command_queue queue = next(context, device, properties, err);

    cw_run_queue_made(context, device, queue);
    return queue;
}

#define SET_POINTER(name)                                                                                    \
    static cl_int ext_##name(__typeof__(&name) next, cl_kernel kernel, cl_uint index, const void *value)     \
    {                                                                                                        \
        cl_int err = next(kernel, index, value);                                                             \
        cw_stream_kernel_points(kernel);                                                                     \
        if (err == CL_SUCCESS)                                                                               \
            cw_run_kernel_points(kernel, index, value);                                                      \
        return err;                                                                                          \
    }
SET_POINTER(clSetKernelArgMemPointerINTEL)
SET_POINTER(clSetKernelArgSVMPointerARM)

#define HOOK(name) .name = ext_##name
const struct cw_ext_hooks cw_run_ext_hooks = {
#define CW_EXT_COMMAND(name, type, blocks, params, args) HOOK(name),
#include "../../door/ext_commands.inc"
    HOOK(clCreateBufferWithPropertiesINTEL),     HOOK(clImportMemoryARM),
    HOOK(clCreateCommandQueueWithPropertiesKHR), HOOK(clSetKernelArgMemPointerINTEL),
    HOOK(clSetKernelArgSVMPointerARM),
};
