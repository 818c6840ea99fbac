/* hooks_kernel.c - kernels, their arguments, their launches. Retain and release are in hooks_object.c. */
#include "capture.h"
#include "hooks.h"

cl_kernel cw_hook_clCreateKernel(cl_program program, const char *kernel_name, cl_int *err)
{
    cl_kernel kernel = cw_traced.clCreateKernel(program, kernel_name, err);

    if (kernel && cw_formula_is_recording())
        cw_defined_new(kernel, CW_LOG_O_KERNEL);
    return kernel;
}

cl_int cw_hook_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                        cl_uint *num_kernels_ret)
{
    cl_uint have = 0, i;
    cl_int status = cw_traced.clCreateKernelsInProgram(program, num_kernels, kernels,
                                                       kernels && !num_kernels_ret ? &have : num_kernels_ret);

    if (status == CL_SUCCESS && kernels && cw_formula_is_recording()) {
        have = num_kernels_ret ? *num_kernels_ret : have;
        for (i = 0; i < num_kernels && i < have; i++)
            cw_defined_new(kernels[i], CW_LOG_O_KERNEL);
    }
    return status;
}

cl_kernel cw_hook_clCloneKernel(cl_kernel source, cl_int *err)
{
    cl_kernel kernel = cw_traced.clCloneKernel(source, err);
    struct cw_object *from, *to;

    if (!kernel || !cw_formula_is_recording())
        return kernel;
    to = cw_defined_new(kernel, CW_LOG_O_KERNEL);
    from = cw_known(source, CW_LOG_O_KERNEL);
    if (to && from && to->state && from->state)
        cw_kernel_copy_args(to->state, from->state);
    return kernel;
}

/* The shadow of a kernel's arguments; NULL when there is none. */
static struct cw_kernel *shadow(cl_kernel kernel)
{
    struct cw_object *o = cw_known(kernel, CW_LOG_O_KERNEL);

    return o ? o->state : NULL;
}

static void count_call(void)
{
    struct cw_thread *t = cw_log_thread();

    if (CW_LIKELY(t != NULL))
        t->calls++;
}

cl_int cw_hook_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_int status = cw_traced.clSetKernelArg(kernel, index, size, value);
    struct cw_kernel *k;

    if (CW_UNLIKELY(status != CL_SUCCESS || !cw_formula_is_recording()))
        return status;
    count_call();
    k = shadow(kernel);
    if (CW_LIKELY(k != NULL))
        cw_kernel_set_arg(k, index, size, value);
    return status;
}

cl_int cw_hook_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    cl_int status = cw_traced.clSetKernelArgSVMPointer(kernel, index, value);
    struct cw_kernel *k;

    if (status != CL_SUCCESS || !cw_formula_is_recording())
        return status;
    count_call();
    k = shadow(kernel);
    if (k)
        cw_kernel_set_svm(k, index, value);
    return status;
}

cl_int cw_hook_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t size,
                                   const void *value)
{
    cl_int status = cw_traced.clSetKernelExecInfo(kernel, param_name, size, value);
    struct cw_kernel *k;

    if (status != CL_SUCCESS || !cw_formula_is_recording())
        return status;
    k = shadow(kernel);
    if (k)
        cw_kernel_set_indirect(k);
    return status;
}

/* A launch of `kernel` is about to be given to the vendor. */
static void encode(struct cw_enqueue *e, cl_kernel kernel, const struct cw_range *range)
{
    struct cw_object *o = cw_used(kernel, CW_LOG_O_KERNEL, e->r.seq);

    if (CW_UNLIKELY(cw_recorder.capture_data))
        cw_kernel_each_memory(o, cw_capture_used, e->queue_handle);
    e->first = !cw_kernel_encode(&e->r, o, range, e->t);
}

cl_int cw_hook_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                      const size_t *offset, const size_t *global, const size_t *local,
                                      cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    const struct cw_range range = {work_dim, global, local, offset, false};
    struct cw_enqueue e;
    cl_int status;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local, waits,
                                                wait_list, event);
    encode(&e, kernel, &range);
    status = cw_traced.clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local, waits,
                                              wait_list, e.event);
    cw_enqueue_returned(&e, status);
    cw_enqueue_commit(&e, CW_LOG_KERNEL_COMMAND);
    return status;
}

cl_int cw_hook_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                             const cl_event *wait_list, cl_event *event)
{
    static const size_t one = 1;
    const struct cw_range range = {1, &one, &one, NULL, true};
    struct cw_enqueue e;
    cl_int status;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueTask(queue, kernel, waits, wait_list, event);
    encode(&e, kernel, &range);
    status = cw_traced.clEnqueueTask(queue, kernel, waits, wait_list, e.event);
    cw_enqueue_returned(&e, status);
    cw_enqueue_commit(&e, CW_LOG_KERNEL_COMMAND);
    return status;
}
