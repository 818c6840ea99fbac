/* svm.c - shared virtual memory of the null driver: host memory. */
#include "nullcl.h"

#define WAIT       cl_uint num_waits, const cl_event *waits, cl_event *event
#define NO_WAITING ((void)num_waits, (void)waits)

static void *svm_alloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    (void)flags;
    void *p = NULL;
    if (!nullcl_is(c, K_CONTEXT) || !size || posix_memalign(&p, alignment > 64 ? alignment : 64, size))
        return NULL;
    return memset(p, 0, size);
}

static void svm_free(cl_context c, void *p)
{
    (void)c;
    free(p);
}

static cl_int complete(cl_command_queue q, cl_command_type type, size_t bytes, cl_event *event)
{
    return nullcl_is(q, K_QUEUE) ? nullcl_complete(q, type, bytes / 8, event) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int enqueue_free(cl_command_queue q, cl_uint n, void *p[],
                           void(CL_CALLBACK *f)(cl_command_queue, cl_uint, void *[], void *), void *user_data,
                           WAIT)
{
    NO_WAITING;
    if (f)
        f(q, n, p, user_data);
    for (cl_uint i = 0; !f && i < n; i++)
        free(p[i]);
    return complete(q, CL_COMMAND_SVM_FREE, 0, event);
}

static cl_int enqueue_memcpy(cl_command_queue q, cl_bool blocking, void *d, const void *s, size_t n, WAIT)
{
    (void)blocking, NO_WAITING;
    if (!d || !s)
        return CL_INVALID_VALUE;
    memmove(d, s, n);
    return complete(q, CL_COMMAND_SVM_MEMCPY, n, event);
}

static cl_int enqueue_fill(cl_command_queue q, void *p, const void *pattern, size_t n, size_t size, WAIT)
{
    NO_WAITING;
    if (!p || !pattern || !n || size % n)
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < size; i += n)
        memcpy((char *)p + i, pattern, n);
    return complete(q, CL_COMMAND_SVM_MEMFILL, size, event);
}

static cl_int enqueue_map(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *p, size_t n, WAIT)
{
    (void)blocking, (void)flags, (void)p, (void)n, NO_WAITING;
    return complete(q, CL_COMMAND_SVM_MAP, 0, event);
}

static cl_int enqueue_unmap(cl_command_queue q, void *p, WAIT)
{
    (void)p, NO_WAITING;
    return complete(q, CL_COMMAND_SVM_UNMAP, 0, event);
}

static cl_int enqueue_migrate(cl_command_queue q, cl_uint n, const void **p, const size_t *sizes,
                              cl_mem_migration_flags flags, WAIT)
{
    (void)n, (void)p, (void)sizes, (void)flags, NO_WAITING;
    return complete(q, CL_COMMAND_SVM_MIGRATE_MEM, 0, event);
}

void nullcl_fill_svm(void)
{
    nullcl.clSVMAlloc = svm_alloc;
    nullcl.clSVMFree = svm_free;
    nullcl.clEnqueueSVMFree = enqueue_free;
    nullcl.clEnqueueSVMMemcpy = enqueue_memcpy;
    nullcl.clEnqueueSVMMemFill = enqueue_fill;
    nullcl.clEnqueueSVMMap = enqueue_map;
    nullcl.clEnqueueSVMUnmap = enqueue_unmap;
    nullcl.clEnqueueSVMMigrateMem = enqueue_migrate;
}
