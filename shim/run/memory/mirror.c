/* mirror.c - see memory/mirror.h. */
#include "mirror.h"
#include "../core/context_device.h"
#include "../core/image.h"
#include "../core/state.h"
#include "coherence.h"

#include "../../door/door.h"

static cl_mem image_of(struct cw_run_memory *m, const struct cw_run_context_device *p)
{
    bool in_buffer = cw_run_image_lies_in_buffer(m->image);
    cl_mem buffer = in_buffer ? cw_run_mirror_of(m->root, p) : NULL;

    return in_buffer && !buffer ? NULL : cw_run_image_mirror(m->image, p->context, m->address, buffer);
}

/* Under chaos no byte of a new buffer reads as its last copy by luck. */
static cl_mem poisoned(cl_mem buffer, const struct cw_run_context_device *p, size_t bytes)
{
    static const uint8_t stale = CW_MEMORY_STALE;

    if (!buffer || CW_LIKELY(!cw_run.chaos))
        return buffer;
    if (!cw_run_context_device_turn_take(p))
        return buffer;
    if (cw_next.clEnqueueFillBuffer(p->queue, buffer, &stale, 1, 0, bytes, 0, NULL, NULL) == CL_SUCCESS)
        cw_next.clFinish(p->queue);
    cw_run_context_device_turn_give(p);
    return buffer;
}

/* Bytes of its own: the whole buffer, or the part of it. */
static cl_mem replica_of(struct cw_run_memory *m, const struct cw_run_context_device *p)
{
    cl_buffer_region part = {m->offset - m->root->offset, m->bytes};
    cl_mem root = m->root == m ? NULL : cw_run_mirror_of(m->root, p);
    cl_int err;

    if (m->root == m)
        return poisoned(cw_next.clCreateBuffer(p->context, CL_MEM_READ_WRITE, m->bytes, NULL, &err), p,
                        m->bytes);
    return root
               ? cw_next.clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &err)
               : NULL;
}

cl_mem cw_run_mirror_of(struct cw_run_memory *m, const struct cw_run_context_device *p)
{
    _Atomic(cl_mem) *mirror = &m->mirrors[p->worker->number];
    cl_int err;

    if (p->device->home)
        return (cl_mem)(uintptr_t)m->r.handle;
    if (!*mirror && m->image)
        *mirror = image_of(m, p);
    else if (!*mirror && p->device->memory)
        *mirror = replica_of(m, p);
    else if (!*mirror)
        *mirror = cw_next.clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, m->bytes,
                                         m->address, &err);
    return *mirror;
}
