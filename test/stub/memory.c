/* memory.c - buffers of the null driver. */
#include "nullcl.h"

static void free_memory(cl_mem m)
{
    while (m->destructors) {
        struct destructor *d = m->destructors;
        m->destructors = d->next;
        d->f(m, d->user_data);
        free(d);
    }
    if (m->parent)
        nullcl.clReleaseMemObject(m->parent);
    if (m->owns_bytes)
        free(m->bytes);
    nullcl.clReleaseContext(m->context);
    nullcl_delete(m);
}

cl_mem nullcl_buffer(cl_context c, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    bool use = flags & CL_MEM_USE_HOST_PTR, copy = flags & CL_MEM_COPY_HOST_PTR;
    if (!nullcl_is(c, K_CONTEXT))
        return nullcl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!size)
        return nullcl_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if ((use || copy) != (host_ptr != NULL))
        return nullcl_fail(errcode_ret, CL_INVALID_HOST_PTR);
    cl_mem m = nullcl_new(K_MEM, sizeof *m);
    char *bytes = use ? host_ptr : calloc(1, size);
    if (!m || !bytes) {
        nullcl_delete(m);
        return nullcl_fail(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    m->context = c;
    m->size = size;
    m->flags = flags ? flags : CL_MEM_READ_WRITE;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->bytes = bytes;
    m->owns_bytes = !use;
    m->host_ptr = use ? host_ptr : NULL;
    if (copy)
        memcpy(bytes, host_ptr, size);
    nullcl.clRetainContext(c);
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return m;
}

cl_mem nullcl_sub(cl_mem parent, cl_mem_flags flags, size_t offset, size_t size, cl_int *errcode_ret)
{
    if (!nullcl_is(parent, K_MEM))
        return nullcl_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
    if (!size || offset > parent->size || size > parent->size - offset)
        return nullcl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_mem m = nullcl_new(K_MEM, sizeof *m);
    if (!m)
        return nullcl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    m->context = parent->context;
    m->parent = parent;
    m->offset = offset;
    m->size = size;
    m->flags = flags ? flags : parent->flags;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->bytes = parent->bytes + offset;
    m->host_ptr = parent->host_ptr ? (char *)parent->host_ptr + offset : NULL;
    nullcl.clRetainMemObject(parent);
    nullcl.clRetainContext(m->context);
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return m;
}

static cl_mem create_with(cl_context c, const cl_mem_properties *p, cl_mem_flags flags, size_t size,
                          void *host_ptr, cl_int *errcode_ret)
{
    (void)p;
    return nullcl_buffer(c, flags, size, host_ptr, errcode_ret);
}

static cl_mem create_sub(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                         cl_int *errcode_ret)
{
    const cl_buffer_region *r = info;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !r)
        return nullcl_fail(errcode_ret, CL_INVALID_VALUE);
    return nullcl_sub(parent, flags, r->origin, r->size, errcode_ret);
}

static cl_mem create_pipe(cl_context c, cl_mem_flags flags, cl_uint packet, cl_uint max,
                          const cl_pipe_properties *p, cl_int *errcode_ret)
{
    (void)p;
    cl_mem m = nullcl_buffer(c, flags, (size_t)packet * max, NULL, errcode_ret);
    if (m)
        m->type = CL_MEM_OBJECT_PIPE;
    return m;
}

static cl_int memory_info(cl_mem m, cl_mem_info name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    if (!nullcl_is(m, K_MEM))
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE:
        REPLY(cl_mem_object_type, m->type);
    case CL_MEM_FLAGS:
        REPLY(cl_mem_flags, m->flags);
    case CL_MEM_SIZE:
        REPLY(size_t, m->size);
    case CL_MEM_HOST_PTR:
        REPLY(void *, m->host_ptr);
    case CL_MEM_MAP_COUNT:
        REPLY(cl_uint, m->maps);
    case CL_MEM_REFERENCE_COUNT:
        REPLY(cl_uint, m->o.refs);
    case CL_MEM_CONTEXT:
        REPLY(cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        REPLY(cl_mem, m->parent);
    case CL_MEM_OFFSET:
        REPLY(size_t, m->offset);
    case CL_MEM_USES_SVM_POINTER:
        REPLY(cl_bool, CL_FALSE);
    }
    return CL_INVALID_VALUE;
}

static cl_int retain(cl_mem m)
{
    return nullcl_retain(m, K_MEM, CL_INVALID_MEM_OBJECT);
}

static cl_int release(cl_mem m)
{
    bool last;
    cl_int e = nullcl_release(m, K_MEM, CL_INVALID_MEM_OBJECT, &last);
    if (last)
        free_memory(m);
    return e;
}

static cl_int set_destructor(cl_mem m, void(CL_CALLBACK *f)(cl_mem, void *), void *user_data)
{
    struct destructor *d = nullcl_is(m, K_MEM) ? malloc(sizeof *d) : NULL;
    if (!d)
        return CL_INVALID_MEM_OBJECT;
    *d = (struct destructor){f, user_data, m->destructors};
    m->destructors = d;
    return CL_SUCCESS;
}

void nullcl_fill_memory(void)
{
    nullcl.clCreateBuffer = nullcl_buffer;
    nullcl.clCreateBufferWithProperties = create_with;
    nullcl.clCreateSubBuffer = create_sub;
    nullcl.clCreatePipe = create_pipe;
    nullcl.clGetMemObjectInfo = memory_info;
    nullcl.clRetainMemObject = retain;
    nullcl.clReleaseMemObject = release;
    nullcl.clSetMemObjectDestructorCallback = set_destructor;
}
