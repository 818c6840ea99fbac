/* hooks_transfer.c - reads and writes between host memory and memory objects. */
#include "capture.h"
#include "hooks.h"

/* The recorder's work around a read or write, beside the vendor's call. */
struct host_transfer {
    struct cw_transfer t;
    struct cw_layout host;
    bool blocking, read, later; /* later: capture needs the event */
    struct cw_capture_from from;
    struct cw_capture_pending *held; /* NULL: no user event holds it back */
};

static bool begin(struct cw_enqueue *e, struct host_transfer *h, cl_command_queue queue, cl_uint waits,
                  const cl_event *wait_list, cl_event *event, struct cw_caller caller)
{
    if (!cw_enqueue_begin(e, queue, waits, wait_list, event, caller))
        return false;
    if (h->blocking) {
        e->r.flags |= CW_LOG_E_BLOCKING;
        cw_device_times_waits();
    }
    if (CW_UNLIKELY(cw_recorder.capture_data)) {
        cw_capture_meet(&h->from, queue, h->read, &h->host);
        h->later = !h->blocking && (h->read || h->from.late);
        if (h->later && !e->event)
            e->event = &e->own;
        if (!h->blocking && !h->later && cw_capture_gated(queue))
            h->held = cw_capture_hold(e, &h->from, &h->host);
    }
    return true;
}

static cl_int end(struct cw_enqueue *e, struct host_transfer *h, cl_int status)
{
    uint64_t seq = e->r.seq;
    bool ours = !e->wanted, later = h->later && status == CL_SUCCESS;
    cl_event event = later ? *e->event : NULL;

    cw_enqueue_returned(e, status);
    if (CW_UNLIKELY(h->held))
        cw_capture_held(h->held, e, status);
    else if (CW_UNLIKELY(cw_recorder.capture_data) && !h->read && !later && status == CL_SUCCESS)
        cw_capture_bytes(&h->host, &h->t.data_offset, &h->t.data_bytes);
    if (CW_UNLIKELY(later) && ours)
        e->own = NULL; /* the pending transfer takes the reference */
    cw_enqueue_transfer(e, &h->t);
    if (CW_UNLIKELY(later))
        cw_capture_later(event, ours, e->queue && e->queue->flags & CW_OBJECT_PROFILED, !h->read, seq,
                         &h->from, &h->host);
    else if (CW_UNLIKELY(cw_recorder.capture_data) && h->read && !h->from.lost && status == CL_SUCCESS)
        cw_capture_data(seq, &h->host);
    if (h->blocking && status == CL_SUCCESS)
        cw_hooks_host_synchronised(e->queue_handle, seq);
    return status;
}

cl_int cw_hook_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                   size_t size, void *ptr, cl_uint waits, const cl_event *wait_list,
                                   cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_READ_BUFFER,
                                    .src = buffer,
                                    .src_offset = offset,
                                    .bytes = size,
                                    .host = ptr},
                              .host = {ptr, size, 1, 1, 0, 0},
                              .blocking = blocking,
                              .read = true};
    struct cw_enqueue e;

    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list,
                                             event);
    return end(
        &e, &h,
        cw_traced.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list, e.event));
}

cl_int cw_hook_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                    size_t size, const void *ptr, cl_uint waits, const cl_event *wait_list,
                                    cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_WRITE_BUFFER,
                                    .dst = buffer,
                                    .dst_offset = offset,
                                    .bytes = size,
                                    .host = ptr},
                              .host = {ptr, size, 1, 1, 0, 0},
                              .blocking = blocking};
    struct cw_enqueue e;

    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list,
                                              event);
    return end(&e, &h,
               cw_traced.clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, ptr, waits, wait_list,
                                              e.event));
}

/* Host memory of a rectangle: OpenCL 3.0, section 5.2.2, with its defaults for pitches of 0. */
static struct cw_layout rect_layout(const void *ptr, const size_t *origin, const size_t *region,
                                    size_t row_pitch, size_t slice_pitch)
{
    size_t row = row_pitch ? row_pitch : region[0], slice = slice_pitch ? slice_pitch : region[1] * row;

    return (struct cw_layout){(const char *)ptr + origin[2] * slice + origin[1] * row + origin[0],
                              region[0],
                              region[1],
                              region[2],
                              row,
                              slice};
}

cl_int cw_hook_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                       const size_t *buffer_origin, const size_t *host_origin,
                                       const size_t *region, size_t buffer_row_pitch,
                                       size_t buffer_slice_pitch, size_t host_row_pitch,
                                       size_t host_slice_pitch, void *ptr, cl_uint waits,
                                       const cl_event *wait_list, cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_READ_BUFFER_RECT,
                                    .src = buffer,
                                    .src_origin = buffer_origin,
                                    .dst_origin = host_origin,
                                    .region = region,
                                    .host = ptr,
                                    .src_row_pitch = buffer_row_pitch,
                                    .src_slice_pitch = buffer_slice_pitch,
                                    .dst_row_pitch = host_row_pitch,
                                    .dst_slice_pitch = host_slice_pitch},
                              .blocking = blocking,
                              .read = true};
    struct cw_enqueue e;

    if (host_origin && region)
        h.host = rect_layout(ptr, host_origin, region, host_row_pitch, host_slice_pitch);
    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueReadBufferRect(queue, buffer, blocking, buffer_origin, host_origin, region,
                                                 buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                                 host_slice_pitch, ptr, waits, wait_list, event);
    return end(&e, &h,
               cw_traced.clEnqueueReadBufferRect(queue, buffer, blocking, buffer_origin, host_origin, region,
                                                 buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                                 host_slice_pitch, ptr, waits, wait_list, e.event));
}

cl_int cw_hook_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        const size_t *buffer_origin, const size_t *host_origin,
                                        const size_t *region, size_t buffer_row_pitch,
                                        size_t buffer_slice_pitch, size_t host_row_pitch,
                                        size_t host_slice_pitch, const void *ptr, cl_uint waits,
                                        const cl_event *wait_list, cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_WRITE_BUFFER_RECT,
                                    .dst = buffer,
                                    .dst_origin = buffer_origin,
                                    .src_origin = host_origin,
                                    .region = region,
                                    .host = ptr,
                                    .dst_row_pitch = buffer_row_pitch,
                                    .dst_slice_pitch = buffer_slice_pitch,
                                    .src_row_pitch = host_row_pitch,
                                    .src_slice_pitch = host_slice_pitch},
                              .blocking = blocking};
    struct cw_enqueue e;

    if (host_origin && region)
        h.host = rect_layout(ptr, host_origin, region, host_row_pitch, host_slice_pitch);
    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueWriteBufferRect(queue, buffer, blocking, buffer_origin, host_origin, region,
                                                  buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                                  host_slice_pitch, ptr, waits, wait_list, event);
    return end(&e, &h,
               cw_traced.clEnqueueWriteBufferRect(queue, buffer, blocking, buffer_origin, host_origin, region,
                                                  buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                                  host_slice_pitch, ptr, waits, wait_list, e.event));
}

static struct cw_layout image_layout(cl_mem image, const void *ptr, const size_t *region, size_t row_pitch,
                                     size_t slice_pitch)
{
    if (!cw_recorder.capture_data || !region)
        return (struct cw_layout){0};
    return (struct cw_layout){
        ptr, region[0] * cw_capture_element(image), region[1], region[2], row_pitch, slice_pitch};
}

cl_int cw_hook_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                  const size_t *origin, const size_t *region, size_t row_pitch,
                                  size_t slice_pitch, void *ptr, cl_uint waits, const cl_event *wait_list,
                                  cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_READ_IMAGE,
                                    .src = image,
                                    .src_origin = origin,
                                    .region = region,
                                    .host = ptr,
                                    .dst_row_pitch = row_pitch,
                                    .dst_slice_pitch = slice_pitch},
                              .host = image_layout(image, ptr, region, row_pitch, slice_pitch),
                              .blocking = blocking,
                              .read = true};
    struct cw_enqueue e;

    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueReadImage(queue, image, blocking, origin, region, row_pitch, slice_pitch,
                                            ptr, waits, wait_list, event);
    return end(&e, &h,
               cw_traced.clEnqueueReadImage(queue, image, blocking, origin, region, row_pitch, slice_pitch,
                                            ptr, waits, wait_list, e.event));
}

cl_int cw_hook_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                   const size_t *origin, const size_t *region, size_t row_pitch,
                                   size_t slice_pitch, const void *ptr, cl_uint waits,
                                   const cl_event *wait_list, cl_event *event)
{
    struct host_transfer h = {.t = {.type = CL_COMMAND_WRITE_IMAGE,
                                    .dst = image,
                                    .dst_origin = origin,
                                    .region = region,
                                    .host = ptr,
                                    .src_row_pitch = row_pitch,
                                    .src_slice_pitch = slice_pitch},
                              .host = image_layout(image, ptr, region, row_pitch, slice_pitch),
                              .blocking = blocking};
    struct cw_enqueue e;

    if (!begin(&e, &h, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueWriteImage(queue, image, blocking, origin, region, row_pitch, slice_pitch,
                                             ptr, waits, wait_list, event);
    return end(&e, &h,
               cw_traced.clEnqueueWriteImage(queue, image, blocking, origin, region, row_pitch, slice_pitch,
                                             ptr, waits, wait_list, e.event));
}

/* Commands between memory objects, and fills. */

/* One hook: `transfer` is the initialiser of struct cw_transfer; `args` are those before the wait list. */
#define COPY(name, params, args, ...)                                                                        \
    cl_int cw_hook_##name(cl_command_queue queue, CW_UNPAREN params, cl_uint waits,                          \
                          const cl_event *wait_list, cl_event *event)                                        \
    {                                                                                                        \
        const struct cw_transfer t = {__VA_ARGS__};                                                          \
        struct cw_enqueue e;                                                                                 \
        cl_int status;                                                                                       \
        if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))                                \
            return cw_traced.name(queue, CW_UNPAREN args, waits, wait_list, event);                          \
        status = cw_traced.name(queue, CW_UNPAREN args, waits, wait_list, e.event);                          \
        cw_enqueue_returned(&e, status);                                                                     \
        cw_enqueue_transfer(&e, &t);                                                                         \
        return status;                                                                                       \
    }

COPY(clEnqueueCopyBuffer, (cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size),
     (src, dst, src_offset, dst_offset, size), .type = CL_COMMAND_COPY_BUFFER, .src = src, .dst = dst,
     .src_offset = src_offset, .dst_offset = dst_offset, .bytes = size)
COPY(clEnqueueCopyBufferRect,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *dst_origin, const size_t *region,
      size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch),
     (src, dst, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch, dst_row_pitch,
      dst_slice_pitch),
     .type = CL_COMMAND_COPY_BUFFER_RECT, .src = src, .dst = dst, .src_origin = src_origin,
     .dst_origin = dst_origin, .region = region, .src_row_pitch = src_row_pitch,
     .src_slice_pitch = src_slice_pitch, .dst_row_pitch = dst_row_pitch, .dst_slice_pitch = dst_slice_pitch)
COPY(clEnqueueCopyImage,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *dst_origin, const size_t *region),
     (src, dst, src_origin, dst_origin, region), .type = CL_COMMAND_COPY_IMAGE, .src = src, .dst = dst,
     .src_origin = src_origin, .dst_origin = dst_origin, .region = region)
COPY(clEnqueueCopyImageToBuffer,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *region, size_t dst_offset),
     (src, dst, src_origin, region, dst_offset), .type = CL_COMMAND_COPY_IMAGE_TO_BUFFER, .src = src,
     .dst = dst, .src_origin = src_origin, .region = region, .dst_offset = dst_offset)
COPY(clEnqueueCopyBufferToImage,
     (cl_mem src, cl_mem dst, size_t src_offset, const size_t *dst_origin, const size_t *region),
     (src, dst, src_offset, dst_origin, region), .type = CL_COMMAND_COPY_BUFFER_TO_IMAGE, .src = src,
     .dst = dst, .src_offset = src_offset, .dst_origin = dst_origin, .region = region)
COPY(clEnqueueFillBuffer, (cl_mem dst, const void *pattern, size_t pattern_size, size_t offset, size_t size),
     (dst, pattern, pattern_size, offset, size), .type = CL_COMMAND_FILL_BUFFER, .dst = dst,
     .dst_offset = offset, .bytes = size, .pattern = pattern,
     .pattern_bytes = pattern_size <= 128 ? pattern_size : 0)
static size_t color_bytes(cl_mem image)
{
    cl_image_format f;

    if (cw_traced.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof f, &f, NULL) != CL_SUCCESS)
        return 0;
    return f.image_channel_order == CL_DEPTH ? 4 : 16;
}

/* the colour is four 32-bit numbers of any kind (depth images: one) */
COPY(clEnqueueFillImage, (cl_mem dst, const void *color, const size_t *origin, const size_t *region),
     (dst, color, origin, region), .type = CL_COMMAND_FILL_IMAGE, .dst = dst, .dst_origin = origin,
     .region = region, .pattern = color, .pattern_bytes = color_bytes(dst))

/* Commands on shared virtual memory. Addresses outside every clSVMAlloc (system SVM) count as
 * unknown. */

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
        cw_svm_remove(pointers[i], &CW_CALLER);
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
    if (blocking)
        cw_device_times_waits();
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
    if (blocking)
        cw_device_times_waits();
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
