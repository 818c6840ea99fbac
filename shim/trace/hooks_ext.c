/* hooks_ext.c - extension functions that enqueue commands, make memory, queues or programs, or set arguments.
 */
#include "../../analyzer/record/trace.h"
#include "capture.h"
#include "hooks.h"

static cl_int finish(struct cw_enqueue *e, uint32_t type, bool blocking, cl_int status)
{
    uint64_t seq = e->r.seq;

    if (CW_UNLIKELY(cw_recorder.capture_data))
        cw_capture_used(e->queue_handle, NULL);
    e->r.flags |= CW_LOG_E_UNKNOWN_ACCESS | (blocking ? CW_LOG_E_BLOCKING : 0);
    cw_enqueue_returned(e, status);
    cw_rec_u(&e->r, type);
    cw_enqueue_commit(e, CW_LOG_COMMAND);
    if (blocking && status == CL_SUCCESS)
        cw_hooks_host_synchronised(e->queue_handle, seq);
    return status;
}

/* Enqueues of which the recorder knows no more than that they touch memory. */
#define CW_EXT_COMMAND(name, command_type, blocks, params, args)                                             \
    static cl_int hook_##name(__typeof__(&name) next, cl_command_queue queue, CW_UNPAREN params,             \
                              cl_uint waits, const cl_event *wait_list, cl_event *event)                     \
    {                                                                                                        \
        struct cw_enqueue e;                                                                                 \
        if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))                                \
            return next(queue, CW_UNPAREN args, waits, wait_list, event);                                    \
        return finish(&e, command_type, blocks, next(queue, CW_UNPAREN args, waits, wait_list, e.event));    \
    }
#include "../door/ext_commands.inc"

/* Command buffers are recorded as one command on their first queue, which may touch everything of its
 * context. */
static cl_command_buffer_khr hook_clCreateCommandBufferKHR(__typeof__(&clCreateCommandBufferKHR) next,
                                                           cl_uint n, const cl_command_queue *queues,
                                                           const cl_command_buffer_properties_khr *properties,
                                                           cl_int *err)
{
    cl_command_buffer_khr buffer = next(n, queues, properties, err);
    struct cw_object *o = buffer && n && queues && cw_formula_is_recording()
                              ? cw_object_insert(buffer, CW_LOG_O_COMMAND_BUFFER)
                              : NULL;

    if (o)
        o->owner = queues[0];
    return buffer;
}

/* The queue given here replaces the one given at the creation, which the command buffer keeps alive. */
static cl_command_queue queue_of(cl_uint n, const cl_command_queue *queues, cl_command_buffer_khr buffer)
{
    struct cw_object *o = n && queues ? NULL : cw_object_find(buffer, CW_LOG_O_COMMAND_BUFFER);

    if (n && queues)
        return cw_object_find(queues[0], CW_LOG_O_QUEUE) ? queues[0] : NULL;
    return o ? (cl_command_queue)o->owner : NULL;
}

static cl_int hook_clEnqueueCommandBufferKHR(__typeof__(&clEnqueueCommandBufferKHR) next, cl_uint n,
                                             cl_command_queue *queues, cl_command_buffer_khr buffer,
                                             cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    struct cw_enqueue e;

    if (!cw_formula_is_recording() ||
        !cw_enqueue_begin(&e, queue_of(n, queues, buffer), waits, wait_list, event, CW_CALLER))
        return next(n, queues, buffer, waits, wait_list, event);
    return finish(&e, CL_COMMAND_COMMAND_BUFFER_KHR, false,
                  next(n, queues, buffer, waits, wait_list, e.event));
}

static cl_mem memory_made(cl_mem memory)
{
    if (memory && cw_formula_is_recording())
        cw_defined_new(memory, CW_LOG_O_MEMORY);
    return memory;
}

static cl_mem hook_clCreateBufferWithPropertiesINTEL(__typeof__(&clCreateBufferWithPropertiesINTEL) next,
                                                     cl_context context,
                                                     const cl_mem_properties_intel *properties,
                                                     cl_mem_flags flags, size_t size, void *host_ptr,
                                                     cl_int *err)
{
    return memory_made(next(context, properties, flags, size, host_ptr, err));
}

static cl_mem hook_clImportMemoryARM(__typeof__(&clImportMemoryARM) next, cl_context context,
                                     cl_mem_flags flags, const cl_import_properties_arm *properties,
                                     void *memory, size_t size, cl_int *err)
{
    return memory_made(next(context, flags, properties, memory, size, err));
}

static cl_command_queue
hook_clCreateCommandQueueWithPropertiesKHR(__typeof__(&clCreateCommandQueueWithPropertiesKHR) next,
                                           cl_context context, cl_device_id device,
                                           const cl_queue_properties_khr *properties, cl_int *err)
{
    cl_command_queue queue = next(context, device, properties, err);

    if (queue && cw_formula_is_recording())
        cw_defined_new(queue, CW_LOG_O_QUEUE);
    return queue;
}

static cl_program hook_clCreateProgramWithILKHR(__typeof__(&clCreateProgramWithILKHR) next,
                                                cl_context context, const void *il, size_t length,
                                                cl_int *err)
{
    cl_program program = next(context, il, length, err);

    if (!program || !cw_formula_is_recording())
        return program;
    cw_define_program(program, CW_PROGRAM_IL, cw_define_hash(CW_FNV_START, il, length), NULL, 0);
    if (cw_recorder.capture_data)
        cw_define_bytes(program, il, length);
    return program;
}

/* Arguments by address: the trace shows them as SVM. */
#define SET_POINTER(name)                                                                                    \
    static cl_int hook_##name(__typeof__(&name) next, cl_kernel kernel, cl_uint index, const void *value)    \
    {                                                                                                        \
        cl_int status = next(kernel, index, value);                                                          \
        struct cw_object *o =                                                                                \
            status == CL_SUCCESS && cw_formula_is_recording() ? cw_known(kernel, CW_LOG_O_KERNEL) : NULL;    \
        if (o && o->state)                                                                                   \
            cw_kernel_set_svm(o->state, index, value);                                                       \
        return status;                                                                                       \
    }
SET_POINTER(clSetKernelArgMemPointerINTEL)
SET_POINTER(clSetKernelArgSVMPointerARM)

#define HOOK(name) .name = hook_##name
const struct cw_ext_hooks cw_trace_ext_hooks = {
#define CW_EXT_COMMAND(name, type, blocks, params, args) HOOK(name),
#include "../door/ext_commands.inc"
    HOOK(clCreateCommandBufferKHR),
    HOOK(clEnqueueCommandBufferKHR),
    HOOK(clCreateBufferWithPropertiesINTEL),
    HOOK(clImportMemoryARM),
    HOOK(clCreateCommandQueueWithPropertiesKHR),
    HOOK(clCreateProgramWithILKHR),
    HOOK(clSetKernelArgMemPointerINTEL),
    HOOK(clSetKernelArgSVMPointerARM),
};
