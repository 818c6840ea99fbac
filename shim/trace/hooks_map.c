/* hooks_map.c - mapping memory objects, and which unmap ends which map. */
#include "capture.h"
#include "hooks.h"

/* The mapped bytes, as capture sees them. */
static struct cw_layout map_layout(cl_mem memory, const struct cw_map *m)
{
    if (!m->image)
        return (struct cw_layout){m->address, m->bytes, 1, 1, 0, 0};
    return (struct cw_layout){m->address,   m->region[0] * cw_capture_element(memory),
                              m->region[1], m->region[2],
                              m->row_pitch, m->slice_pitch};
}

/* After the vendor mapped `m` by the command of `e` (its address is set). */
static void mapped(struct cw_enqueue *e, cl_mem memory, struct cw_map *m, uint32_t type, bool blocking,
                   cl_int status)
{
    struct cw_transfer t = {.type = type,
                            .src = memory,
                            .src_offset = m->offset,
                            .bytes = m->bytes,
                            .map_flags = m->flags,
                            .host = m->address};
    struct cw_layout host;

    if (m->image) {
        t.src_origin = m->origin;
        t.region = m->region;
        t.dst_row_pitch = m->row_pitch;
        t.dst_slice_pitch = m->slice_pitch;
    }
    m->seq = e->r.seq;
    if (blocking)
        e->r.flags |= CW_LOG_E_BLOCKING;
    cw_enqueue_returned(e, status);
    cw_enqueue_transfer(e, &t); /* from here on the memory object is known */
    if (status == CL_SUCCESS && m->address)
        cw_maps_add(cw_object_find(memory, CW_LOG_O_MEMORY), m);
    if (!blocking || status != CL_SUCCESS)
        return;
    if (CW_UNLIKELY(cw_recorder.capture_data) && m->flags & CL_MAP_READ) {
        host = map_layout(memory, m);
        cw_capture_data(m->seq, &host);
    }
    cw_hooks_host_synchronised(e->queue_handle, m->seq);
}

void *cw_hook_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                 size_t offset, size_t size, cl_uint waits, const cl_event *wait_list,
                                 cl_event *event, cl_int *err)
{
    struct cw_map m = {.flags = flags, .offset = offset, .bytes = size};
    struct cw_enqueue e;
    cl_int status = CL_SUCCESS;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait_list,
                                            event, err);
    if (blocking)
        cw_device_times_waits();
    m.address = cw_traced.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait_list,
                                             e.event, &status);
    if (err)
        *err = status;
    mapped(&e, buffer, &m, CL_COMMAND_MAP_BUFFER, blocking, status);
    return (void *)m.address;
}

void *cw_hook_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                const size_t *origin, const size_t *region, size_t *row_pitch,
                                size_t *slice_pitch, cl_uint waits, const cl_event *wait_list,
                                cl_event *event, cl_int *err)
{
    struct cw_map m = {.flags = flags, .image = true};
    struct cw_enqueue e;
    cl_int status = CL_SUCCESS;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueMapImage(queue, image, blocking, flags, origin, region, row_pitch,
                                           slice_pitch, waits, wait_list, event, err);
    if (blocking)
        cw_device_times_waits();
    m.address = cw_traced.clEnqueueMapImage(queue, image, blocking, flags, origin, region, row_pitch,
                                            slice_pitch, waits, wait_list, e.event, &status);
    if (err)
        *err = status;
    if (origin && region) {
        memcpy(m.origin, origin, sizeof m.origin);
        memcpy(m.region, region, sizeof m.region);
    }
    if (m.address) {
        m.row_pitch = row_pitch ? *row_pitch : 0;
        m.slice_pitch = slice_pitch ? *slice_pitch : 0;
    }
    mapped(&e, image, &m, CL_COMMAND_MAP_IMAGE, blocking, status);
    return (void *)m.address;
}

/* Before the unmap of `m`, under capture_data: stores the bytes that it sends. Bytes that an unfinished read
 * brings there are not stored: they are the device's before the host could see them. */
static struct cw_capture_pending *capture_unmap(struct cw_enqueue *e, const struct cw_layout *host,
                                                struct cw_transfer *t)
{
    struct cw_capture_from from;

    cw_capture_meet(&from, e->queue_handle, false, host);
    if (from.late)
        return NULL;
    if (cw_capture_gated(e->queue_handle))
        return cw_capture_hold(e, &from, host);
    cw_capture_bytes(host, &t->data_offset, &t->data_bytes);
    return NULL;
}

cl_int cw_hook_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *address, cl_uint waits,
                                       const cl_event *wait_list, cl_event *event)
{
    struct cw_transfer t = {.type = CL_COMMAND_UNMAP_MEM_OBJECT, .dst = memory, .host = address};
    const uint64_t written = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    struct cw_capture_pending *held = NULL;
    struct cw_layout host;
    struct cw_object *o;
    struct cw_enqueue e;
    struct cw_map m;
    cl_int status;
    bool known;

    if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))
        return cw_traced.clEnqueueUnmapMemObject(queue, memory, address, waits, wait_list, event);
    o = cw_object_find(memory, CW_LOG_O_MEMORY);
    known = cw_maps_take(o, address, &m);
    if (known) {
        t.map_seq = m.seq + 1;
        t.map_flags = m.flags;
        t.dst_offset = m.offset;
        t.bytes = m.bytes;
        t.dst_origin = m.image ? m.origin : NULL;
        t.region = m.image ? m.region : NULL;
        host = map_layout(memory, &m);
        if (CW_UNLIKELY(cw_recorder.capture_data) && m.flags & written)
            held = capture_unmap(&e, &host, &t);
    }
    status = cw_traced.clEnqueueUnmapMemObject(queue, memory, address, waits, wait_list, e.event);
    if (status != CL_SUCCESS && known)
        cw_maps_add(o, &m);
    cw_enqueue_returned(&e, status);
    cw_capture_held(held, &e, status);
    cw_enqueue_transfer(&e, &t);
    return status;
}
