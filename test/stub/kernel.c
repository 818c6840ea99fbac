/* kernel.c - kernels of the null driver: their parameters are known, running them does nothing. */
#include "nullcl.h"

#include <ctype.h>
#include <stdio.h>

#define WAIT cl_uint num_waits, const cl_event *waits, cl_event *event

const char *nullcl_next_kernel(const char *s, char *name, size_t size)
{
    while ((s = strstr(s, "kernel"))) {
        s += strlen("kernel");
        const char *open = strchr(s, '('), *end = open;
        if (!open || !isspace((unsigned char)*s))
            continue;
        while (end > s && isspace((unsigned char)end[-1]))
            end--;
        const char *begin = end;
        while (begin > s && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
            begin--;
        if (begin == end || memchr(s, ';', (size_t)(end - s)) || memchr(s, '}', (size_t)(end - s)))
            continue;
        snprintf(name, size, "%.*s", (int)(end - begin), begin);
        return open + 1;
    }
    return NULL;
}

static void read_parameters(cl_kernel k, const char *s)
{
    int depth = 0;
    size_t n = 0;
    bool any = false;
    for (; *s && !(depth == 0 && *s == ')') && k->num_args < MAX_ARGS; s++) {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth == 0 && *s == ',') {
            k->num_args++;
            n = 0;
            continue;
        }
        any |= !isspace((unsigned char)*s);
        if (n + 1 < sizeof k->args[0] && (n || !isspace((unsigned char)*s)))
            k->args[k->num_args][n++] = *s;
    }
    if (any && strncmp(k->args[0], "void)", 4) != 0)
        k->num_args++;
}

static cl_kernel new_kernel(cl_program p, const char *name, const char *parameters)
{
    cl_kernel k = nullcl_new(K_KERNEL, sizeof *k);
    if (!k)
        return NULL;
    k->program = p;
    snprintf(k->name, sizeof k->name, "%s", name);
    read_parameters(k, parameters);
    nullcl.clRetainProgram(p);
    return k;
}

static cl_kernel create_kernel(cl_program p, const char *wanted, cl_int *errcode_ret)
{
    char name[128];
    if (!nullcl_is(p, K_PROGRAM))
        return nullcl_fail(errcode_ret, CL_INVALID_PROGRAM);
    for (const char *s = p->source; (s = nullcl_next_kernel(s, name, sizeof name));)
        if (!strcmp(name, wanted)) {
            nullcl_fail(errcode_ret, CL_SUCCESS);
            return new_kernel(p, name, s);
        }
    return nullcl_fail(errcode_ret, CL_INVALID_KERNEL_NAME);
}

static cl_int create_kernels(cl_program p, cl_uint n, cl_kernel *to, cl_uint *num)
{
    char name[128];
    cl_uint i = 0;
    if (!nullcl_is(p, K_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (to && n < p->num_kernels)
        return CL_INVALID_VALUE;
    for (const char *s = p->source; to && (s = nullcl_next_kernel(s, name, sizeof name));)
        to[i++] = new_kernel(p, name, s);
    if (num)
        *num = p->num_kernels;
    return CL_SUCCESS;
}

static cl_kernel clone_kernel(cl_kernel k, cl_int *errcode_ret)
{
    if (!nullcl_is(k, K_KERNEL))
        return nullcl_fail(errcode_ret, CL_INVALID_KERNEL);
    return create_kernel(k->program, k->name, errcode_ret);
}

static cl_int set_arg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    (void)size, (void)value;
    if (!nullcl_is(k, K_KERNEL))
        return CL_INVALID_KERNEL;
    return index < k->num_args ? CL_SUCCESS : CL_INVALID_ARG_INDEX;
}

static cl_int set_arg_svm(cl_kernel k, cl_uint index, const void *value)
{
    return set_arg(k, index, sizeof value, value);
}

static cl_int set_exec_info(cl_kernel k, cl_kernel_exec_info name, size_t size, const void *value)
{
    (void)name, (void)size, (void)value;
    return nullcl_is(k, K_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

static cl_int kernel_info(cl_kernel k, cl_kernel_info name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    if (!nullcl_is(k, K_KERNEL))
        return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        REPLY_TEXT(k->name);
    case CL_KERNEL_NUM_ARGS:
        REPLY(cl_uint, k->num_args);
    case CL_KERNEL_REFERENCE_COUNT:
        REPLY(cl_uint, k->o.refs);
    case CL_KERNEL_CONTEXT:
        REPLY(cl_context, k->program->context);
    case CL_KERNEL_PROGRAM:
        REPLY(cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        REPLY_TEXT("");
    }
    return CL_INVALID_VALUE;
}

static cl_int group_info(cl_kernel k, cl_device_id d, cl_kernel_work_group_info name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    static const size_t none[3];
    (void)d;
    if (!nullcl_is(k, K_KERNEL))
        return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        REPLY(size_t, 1024);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return nullcl_reply(none, sizeof none, param_value_size, param_value, param_value_size_ret);
    case CL_KERNEL_LOCAL_MEM_SIZE:
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        REPLY(cl_ulong, 0);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        REPLY(size_t, 1);
    }
    return CL_INVALID_VALUE;
}

static cl_int arg_info(cl_kernel k, cl_uint index, cl_kernel_arg_info name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret)
{
    if (!nullcl_is(k, K_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= k->num_args)
        return CL_INVALID_ARG_INDEX;
    const char *text = k->args[index], *last = text + strlen(text);
    while (last > text && (isalnum((unsigned char)last[-1]) || last[-1] == '_'))
        last--;
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        REPLY(cl_kernel_arg_address_qualifier, strstr(text, "global")     ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                               : strstr(text, "constant") ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                               : strstr(text, "local")    ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                                                          : CL_KERNEL_ARG_ADDRESS_PRIVATE);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        REPLY(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        REPLY(cl_kernel_arg_type_qualifier,
              strstr(text, "const ") ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE);
    case CL_KERNEL_ARG_NAME:
        REPLY_TEXT(last);
    case CL_KERNEL_ARG_TYPE_NAME:
        REPLY_TEXT(strchr(text, '*') ? "float*" : "float");
    }
    return CL_INVALID_VALUE;
}

static cl_int retain_kernel(cl_kernel k)
{
    return nullcl_retain(k, K_KERNEL, CL_INVALID_KERNEL);
}

static cl_int release_kernel(cl_kernel k)
{
    bool last;
    cl_int e = nullcl_release(k, K_KERNEL, CL_INVALID_KERNEL, &last);
    if (last) {
        nullcl.clReleaseProgram(k->program);
        nullcl_delete(k);
    }
    return e;
}

/* ---- commands */

static cl_ulong kernel_ns = 1000;
static bool uneven;

/* By the kernel's name and the number of launches so far: the same in each run of a program of one thread. */
static cl_ulong duration_of(cl_kernel k)
{
    static _Atomic uint32_t launches;
    uint32_t x = atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);

    for (const char *c = k->name; *c; c++)
        x = (x ^ (uint8_t)*c) * 0x01000193u;
    return uneven ? kernel_ns * (1 + (x ^ x >> 15) % 8) : kernel_ns;
}

static cl_int enqueue_kernel(cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *offset,
                             const size_t *global, const size_t *local, WAIT)
{
    (void)offset, (void)local, (void)num_waits, (void)waits;
    if (!nullcl_is(q, K_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!nullcl_is(k, K_KERNEL))
        return CL_INVALID_KERNEL;
    if (dim < 1 || dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    return global ? nullcl_complete(q, CL_COMMAND_NDRANGE_KERNEL, duration_of(k), event)
                  : CL_INVALID_GLOBAL_WORK_SIZE;
}

static cl_int enqueue_task(cl_command_queue q, cl_kernel k, WAIT)
{
    static const size_t one = 1;
    return enqueue_kernel(q, k, 1, NULL, &one, &one, num_waits, waits, event);
}

static cl_int enqueue_native(cl_command_queue q, void(CL_CALLBACK *f)(void *), void *args, size_t size,
                             cl_uint n, const cl_mem *list, const void **places, WAIT)
{
    (void)size, (void)n, (void)list, (void)places, (void)num_waits, (void)waits;
    if (!nullcl_is(q, K_QUEUE) || !f)
        return CL_INVALID_VALUE;
    f(args);
    return nullcl_complete(q, CL_COMMAND_NATIVE_KERNEL, kernel_ns, event);
}

static cl_int marker(cl_command_queue q, WAIT)
{
    (void)num_waits, (void)waits;
    return nullcl_is(q, K_QUEUE) ? nullcl_complete(q, CL_COMMAND_MARKER, 0, event) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int barrier(cl_command_queue q, WAIT)
{
    (void)num_waits, (void)waits;
    return nullcl_is(q, K_QUEUE) ? nullcl_complete(q, CL_COMMAND_BARRIER, 0, event)
                                 : CL_INVALID_COMMAND_QUEUE;
}

static cl_int old_marker(cl_command_queue q, cl_event *event)
{
    return marker(q, 0, NULL, event);
}

static cl_int old_barrier(cl_command_queue q)
{
    return barrier(q, 0, NULL, NULL);
}

static cl_int old_wait(cl_command_queue q, cl_uint n, const cl_event *events)
{
    return barrier(q, n, events, NULL);
}

void nullcl_fill_kernel(void)
{
    const char *ns = getenv("NULLCL_KERNEL_NS");
    kernel_ns = ns ? strtoull(ns, NULL, 10) : kernel_ns;
    uneven = getenv("NULLCL_UNEVEN");
    nullcl.clCreateKernel = create_kernel;
    nullcl.clCreateKernelsInProgram = create_kernels;
    nullcl.clCloneKernel = clone_kernel;
    nullcl.clSetKernelArg = set_arg;
    nullcl.clSetKernelArgSVMPointer = set_arg_svm;
    nullcl.clSetKernelExecInfo = set_exec_info;
    nullcl.clGetKernelInfo = kernel_info;
    nullcl.clGetKernelWorkGroupInfo = group_info;
    nullcl.clGetKernelArgInfo = arg_info;
    nullcl.clRetainKernel = retain_kernel;
    nullcl.clReleaseKernel = release_kernel;
    nullcl.clEnqueueNDRangeKernel = enqueue_kernel;
    nullcl.clEnqueueTask = enqueue_task;
    nullcl.clEnqueueNativeKernel = enqueue_native;
    nullcl.clEnqueueMarkerWithWaitList = marker;
    nullcl.clEnqueueBarrierWithWaitList = barrier;
    nullcl.clEnqueueMarker = old_marker;
    nullcl.clEnqueueBarrier = old_barrier;
    nullcl.clEnqueueWaitForEvents = old_wait;
}
