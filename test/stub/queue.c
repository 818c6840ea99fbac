/* queue.c - contexts and queues of the null driver. */
#include "nullcl.h"

#include <dlfcn.h>

/* ---- contexts */

static cl_context create_context(const cl_context_properties *p, cl_uint n, const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                 void *user, cl_int *errcode_ret)
{
    (void)notify, (void)user;
    if (!n || !devices || n > MAX_DEVICES)
        return nullcl_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n; i++)
        if (!nullcl_is(devices[i], K_DEVICE))
            return nullcl_fail(errcode_ret, CL_INVALID_DEVICE);
    cl_context c = nullcl_new(K_CONTEXT, sizeof *c);
    if (!c)
        return nullcl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    c->num_devices = n;
    memcpy(c->devices, devices, n * sizeof *devices);
    if (p) {
        while (p[c->num_properties])
            c->num_properties += 2;
        c->num_properties++;
        c->properties = malloc(c->num_properties * sizeof *p);
        memcpy(c->properties, p, c->num_properties * sizeof *p);
    }
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return c;
}

static cl_context create_from_type(const cl_context_properties *p, cl_device_type type,
                                   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                   void *user, cl_int *errcode_ret)
{
    cl_device_id devices[MAX_DEVICES];
    cl_platform_id platform = &nullcl_platforms[0];
    for (const cl_context_properties *q = p; q && *q; q += 2)
        if (q[0] == CL_CONTEXT_PLATFORM)
            platform = (cl_platform_id)q[1];
    cl_int e = nullcl.clGetDeviceIDs(platform, type, MAX_DEVICES, devices, NULL);
    return e ? nullcl_fail(errcode_ret, e)
             : create_context(p, nullcl_num_devices, devices, notify, user, errcode_ret);
}

static cl_int context_info(cl_context c, cl_context_info name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    if (!nullcl_is(c, K_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        REPLY(cl_uint, c->o.refs);
    case CL_CONTEXT_NUM_DEVICES:
        REPLY(cl_uint, c->num_devices);
    case CL_CONTEXT_DEVICES:
        return nullcl_reply(c->devices, c->num_devices * sizeof *c->devices, param_value_size, param_value,
                            param_value_size_ret);
    case CL_CONTEXT_PROPERTIES:
        return nullcl_reply(c->properties, c->num_properties * sizeof *c->properties, param_value_size,
                            param_value, param_value_size_ret);
    }
    return CL_INVALID_VALUE;
}

static cl_int retain_context(cl_context c)
{
    return nullcl_retain(c, K_CONTEXT, CL_INVALID_CONTEXT);
}

static cl_int release_context(cl_context c)
{
    bool last;
    cl_int e = nullcl_release(c, K_CONTEXT, CL_INVALID_CONTEXT, &last);
    if (last) {
        free(c->properties);
        nullcl_delete(c);
    }
    return e;
}

/* ---- queues */

static cl_command_queue create_queue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                     cl_int *errcode_ret)
{
    if (!nullcl_is(c, K_CONTEXT))
        return nullcl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!nullcl_is(d, K_DEVICE))
        return nullcl_fail(errcode_ret, CL_INVALID_DEVICE);
    cl_command_queue q = nullcl_new(K_QUEUE, sizeof *q);
    if (!q)
        return nullcl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    q->context = c;
    q->device = d;
    q->properties = p;
    retain_context(c);
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return q;
}

static cl_command_queue create_queue_with(cl_context c, cl_device_id d, const cl_queue_properties *p,
                                          cl_int *errcode_ret)
{
    cl_command_queue_properties bits = 0;
    for (; p && *p; p += 2)
        if (*p == CL_QUEUE_PROPERTIES)
            bits = p[1];
    return create_queue(c, d, bits, errcode_ret);
}

static cl_int queue_info(cl_command_queue q, cl_command_queue_info name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    if (!nullcl_is(q, K_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT:
        REPLY(cl_context, q->context);
    case CL_QUEUE_DEVICE:
        REPLY(cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        REPLY(cl_uint, q->o.refs);
    case CL_QUEUE_PROPERTIES:
        REPLY(cl_command_queue_properties, q->properties);
    }
    return CL_INVALID_VALUE;
}

static cl_int retain_queue(cl_command_queue q)
{
    return nullcl_retain(q, K_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

static cl_int release_queue(cl_command_queue q)
{
    bool last;
    cl_int e = nullcl_release(q, K_QUEUE, CL_INVALID_COMMAND_QUEUE, &last);
    if (last) {
        release_context(q->context);
        nullcl_delete(q);
    }
    return e;
}

static cl_int finish(cl_command_queue q)
{
    if (!nullcl_is(q, K_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    nullcl_spin(atomic_load(&q->over_ns));
    return CL_SUCCESS;
}

static cl_int flush(cl_command_queue q)
{
    if (nullcl_internal && nullcl_is(q, K_QUEUE)) {
        cl_int (*f)(cl_command_queue);
        static const char *const calls[] = {"clRetainCommandQueue", "clReleaseCommandQueue"};
        for (int i = 0; i < 2; i++)
            if ((*(void **)&f = dlsym(RTLD_DEFAULT, calls[i])))
                f(q);
    }
    return nullcl_is(q, K_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

void nullcl_fill_queue(void)
{
    nullcl.clCreateContext = create_context;
    nullcl.clCreateContextFromType = create_from_type;
    nullcl.clGetContextInfo = context_info;
    nullcl.clRetainContext = retain_context;
    nullcl.clReleaseContext = release_context;
    nullcl.clCreateCommandQueue = create_queue;
    nullcl.clCreateCommandQueueWithProperties = create_queue_with;
    nullcl.clGetCommandQueueInfo = queue_info;
    nullcl.clRetainCommandQueue = retain_queue;
    nullcl.clReleaseCommandQueue = release_queue;
    nullcl.clFlush = flush;
    nullcl.clFinish = finish;
}
