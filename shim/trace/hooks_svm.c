/* hooks_svm.c - commands on shared virtual memory. Addresses outside every clSVMAlloc (system SVM) count as
 * unknown. */
#include "capture.h"
#include "hooks.h"

#define SVM_TAIL cl_uint waits, const cl_event *wait_list, cl_event *event

cl_int cw_hook_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                                void(CL_CALLBACK *free_func)(cl_command_queue, cl_uint, void *[], void *),
                                void *user_data, SVM_TAIL)
{
    struct cw_enqueue e;
    cl_int status;
    cl_uint i;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMFree(queue, count, pointers, free_func, user_data, waits, wait_list,
                                          event);
    e.r.flags |= CW_LOG_E_UNKNOWN_ACCESS;
    for (i = 0; !free_func && pointers && i < count; i++)
        cw_svm_remove(pointers[i]);
    status =
        cw_traced.clEnqueueSVMFree(queue, count, pointers, free_func, user_data, waits, wait_list, e.event);
    cw_enqueue_returned(&e, status);
    cw_rec_u(&e.r, CL_COMMAND_SVM_FREE);
    cw_enqueue_commit(&e, CW_LOG_COMMAND);
    return status;
}

static cl_int finish(struct cw_enqueue *e, const struct cw_transfer *t, bool blocking, bool unknown,
                     cl_int status)
{
    uint64_t seq = e->r.seq;

    e->r.flags |= (blocking ? CW_LOG_E_BLOCKING : 0) | (unknown ? CW_LOG_E_UNKNOWN_ACCESS : 0);
    cw_enqueue_returned(e, status);
    cw_enqueue_transfer(e, t);
    if (blocking && status == CL_SUCCESS)
        cw_hooks_host_synchronised(e->queue_handle, seq);
    return status;
}

cl_int cw_hook_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *dst, const void *src,
                                  size_t size, SVM_TAIL)
{
    struct cw_transfer t = {.type = CL_COMMAND_SVM_MEMCPY, .bytes = size};
    struct cw_layout host = {src, size, 1, 1, 0, 0};
    struct cw_enqueue e;
    cl_int status;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMMemcpy(queue, blocking, dst, src, size, waits, wait_list, event);
    t.src_id = cw_svm_id(src, &t.src_offset);
    t.dst_id = cw_svm_id(dst, &t.dst_offset);
    t.host = t.src_id ? (t.dst_id ? NULL : dst) : src;
    status = cw_traced.clEnqueueSVMMemcpy(queue, blocking, dst, src, size, waits, wait_list, e.event);
    if (CW_UNLIKELY(cw_recorder.capture_data) && !t.src_id && t.dst_id && status == CL_SUCCESS)
        cw_capture_bytes(&host, &t.data_offset, &t.data_bytes);
    return finish(&e, &t, blocking, !t.src_id && !t.dst_id, status);
}

cl_int cw_hook_clEnqueueSVMMemFill(cl_command_queue queue, void *address, const void *pattern,
                                   size_t pattern_size, size_t size, SVM_TAIL)
{
    struct cw_transfer t = {.type = CL_COMMAND_SVM_MEMFILL,
                            .bytes = size,
                            .pattern = pattern,
                            .pattern_bytes = pattern_size <= 128 ? pattern_size : 0};
    struct cw_enqueue e;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMMemFill(queue, address, pattern, pattern_size, size, waits, wait_list,
                                             event);
    t.dst_id = cw_svm_id(address, &t.dst_offset);
    return finish(&e, &t, false, !t.dst_id,
                  cw_traced.clEnqueueSVMMemFill(queue, address, pattern, pattern_size, size, waits, wait_list,
                                                e.event));
}

cl_int cw_hook_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *address,
                               size_t size, SVM_TAIL)
{
    struct cw_transfer t = {.type = CL_COMMAND_SVM_MAP, .bytes = size, .map_flags = flags, .host = address};
    struct cw_map m = {.address = address, .flags = flags, .bytes = size};
    struct cw_enqueue e;
    cl_int status;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMMap(queue, blocking, flags, address, size, waits, wait_list, event);
    t.src_id = cw_svm_id(address, &t.src_offset);
    m.seq = e.r.seq;
    m.offset = t.src_offset;
    status = cw_traced.clEnqueueSVMMap(queue, blocking, flags, address, size, waits, wait_list, e.event);
    if (status == CL_SUCCESS)
        cw_maps_add(NULL, &m);
    return finish(&e, &t, blocking, !t.src_id, status);
}

cl_int cw_hook_clEnqueueSVMUnmap(cl_command_queue queue, void *address, SVM_TAIL)
{
    struct cw_transfer t = {.type = CL_COMMAND_SVM_UNMAP, .host = address};
    struct cw_enqueue e;
    struct cw_map m;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMUnmap(queue, address, waits, wait_list, event);
    t.dst_id = cw_svm_id(address, &t.dst_offset);
    if (cw_maps_take(NULL, address, &m)) {
        struct cw_layout host = {address, m.bytes, 1, 1, 0, 0};

        t.map_seq = m.seq + 1;
        t.map_flags = m.flags;
        t.bytes = m.bytes;
        if (CW_UNLIKELY(cw_recorder.capture_data) &&
            m.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
            cw_capture_bytes(&host, &t.data_offset, &t.data_bytes);
    }
    return finish(&e, &t, false, !t.dst_id,
                  cw_traced.clEnqueueSVMUnmap(queue, address, waits, wait_list, e.event));
}

cl_int cw_hook_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **pointers,
                                      const size_t *sizes, cl_mem_migration_flags flags, SVM_TAIL)
{
    struct cw_enqueue e;
    cl_int status;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueSVMMigrateMem(queue, count, pointers, sizes, flags, waits, wait_list,
                                                event);
    e.r.flags |= flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? CW_LOG_E_UNKNOWN_ACCESS : 0;
    status =
        cw_traced.clEnqueueSVMMigrateMem(queue, count, pointers, sizes, flags, waits, wait_list, e.event);
    cw_enqueue_returned(&e, status);
    cw_rec_u(&e.r, CL_COMMAND_SVM_MIGRATE_MEM);
    cw_enqueue_commit(&e, CW_LOG_COMMAND);
    return status;
}
