/* execute_command.c - runs one command of a trace again (OpenCL specification, sections 5.2 to 5.10). */
#include "execute_state.h"

static void to_sizes(size_t out[3], const uint64_t in[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (size_t)in[i];
}

static uint64_t volume(const size_t region[3])
{
    return (uint64_t)region[0] * region[1] * region[2];
}

static const struct cw_t_transfer *transfer_of(const struct cw_trace *t, uint32_t id)
{
    return &t->transfers.v[t->commands.v[id].transfer];
}

static bool is_rect(uint32_t type)
{
    return type == CL_COMMAND_READ_BUFFER_RECT || type == CL_COMMAND_WRITE_BUFFER_RECT;
}

struct cw_execute_part cw_execute_part_of(const struct cw_trace *t, uint32_t id)
{
    const struct cw_t_transfer *f = transfer_of(t, id);
    /* maps name their object as source or destination, by their purpose */
    bool returns = cw_execute_operation_find(t->commands.v[id].type)->returns;
    bool source = returns ? f->src != CW_NONE : f->dst == CW_NONE;
    struct cw_execute_part p = {.memory = source ? f->src : f->dst};
    to_sizes(p.origin, source ? f->src_origin : f->dst_origin);
    to_sizes(p.region, f->region);
    if (p.memory < t->memory.count && t->memory.v[p.memory].kind == CW_MEM_IMAGE) {
        p.shape = CW_EXEC_IMAGE;
        p.bytes = volume(p.region) * t->memory.v[p.memory].element_bytes;
    } else if (is_rect(t->commands.v[id].type)) {
        p.shape = CW_EXEC_RECT;
        p.row_pitch = (size_t)(source ? f->src_row_pitch : f->dst_row_pitch);
        p.slice_pitch = (size_t)(source ? f->src_slice_pitch : f->dst_slice_pitch);
        p.bytes = volume(p.region);
    } else {
        p.shape = CW_EXEC_LINEAR;
        p.offset = source ? f->src_offset : f->dst_offset;
        p.bytes = f->bytes;
    }
    return p;
}

struct cw_execute_part cw_execute_part_whole(const struct cw_trace *t, uint32_t memory)
{
    const struct cw_t_memory *m = &t->memory.v[memory];
    struct cw_execute_part p = {.memory = memory, .shape = CW_EXEC_LINEAR, .bytes = m->size};
    if (m->kind != CW_MEM_IMAGE)
        return p;
    p.shape = CW_EXEC_IMAGE;
    p.region[0] = (size_t)m->width;
    p.region[1] = m->height ? (size_t)m->height : 1;
    p.region[2] = m->depth ? (size_t)m->depth : 1;
    if (m->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        p.region[1] = (size_t)m->array_size;
    if (m->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        p.region[2] = (size_t)m->array_size;
    p.bytes = volume(p.region) * m->element_bytes;
    return p;
}

/* Moves a part between the device and `host`, which is only read when `to_device`. */
static enum cw_status move_part(struct cw_exec *x, cl_command_queue q, const struct cw_execute_part *p,
                                void *host, bool to_device, uint32_t id, struct cw_error *err)
{
    static const size_t zero[3];
    const size_t offset = (size_t)p->offset, bytes = (size_t)p->bytes;
    cl_mem m;
    cl_int code;
    enum cw_status status = cw_execute_memory_use(x, p->memory, &m, err);
    if (status != CW_OK || (status = cw_execute_queue_use(x, q, err)) != CW_OK)
        return status;
    if (p->shape == CW_EXEC_IMAGE)
        code = to_device ? clEnqueueWriteImage(q, m, CL_TRUE, p->origin, p->region, 0, 0, host, 0, NULL, NULL)
                         : clEnqueueReadImage(q, m, CL_TRUE, p->origin, p->region, 0, 0, host, 0, NULL, NULL);
    else if (p->shape == CW_EXEC_RECT)
        code = to_device ? clEnqueueWriteBufferRect(q, m, CL_TRUE, p->origin, zero, p->region, p->row_pitch,
                                                    p->slice_pitch, 0, 0, host, 0, NULL, NULL)
                         : clEnqueueReadBufferRect(q, m, CL_TRUE, p->origin, zero, p->region, p->row_pitch,
                                                   p->slice_pitch, 0, 0, host, 0, NULL, NULL);
    else
        code = to_device ? clEnqueueWriteBuffer(q, m, CL_TRUE, offset, bytes, host, 0, NULL, NULL)
                         : clEnqueueReadBuffer(q, m, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
    return cw_execute_vendor_status(x, id, to_device ? "writing to the device" : "reading from the device",
                                    code, err);
}

enum cw_status cw_execute_part_read(struct cw_exec *x, cl_command_queue q, const struct cw_execute_part *p,
                                    void *host, uint32_t id, struct cw_error *err)
{
    return move_part(x, q, p, host, false, id, err);
}

static enum cw_status execute_part_write(struct cw_exec *x, cl_command_queue q,
                                         const struct cw_execute_part *p, const void *host, uint32_t id,
                                         struct cw_error *err)
{
    return move_part(x, q, p, (void *)host, true, id, err);
}

static enum cw_status run_send(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_transfer *f = transfer_of(x->t, id);
    struct cw_execute_part p = cw_execute_part_of(x->t, id);
    if (f->data.size == 0) /* an unmap after reading only */
        return CW_OK;
    return execute_part_write(x, cw_execute_queue_of(x, id), &p, x->data + f->data.offset, id, err);
}

static enum cw_status run_return(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_transfer *f = transfer_of(x->t, id);
    struct cw_execute_part p = cw_execute_part_of(x->t, id);
    enum cw_status status;
    uint8_t *got;
    cl_mem m;
    if (f->data.size == 0)
        return CW_OK;
    if (cw_execute_address_is_held(x, p.memory)) {
        x->r->address_bytes += p.bytes;
        return CW_OK;
    }
    status = cw_execute_memory_use(x, p.memory, &m,
                                   err); /* first: making an object needs the scratch memory, too */
    if (status != CW_OK)
        return status;
    got = cw_execute_scratch(x, (size_t)p.bytes);
    if (!got)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %llu bytes", (unsigned long long)p.bytes);
    status = cw_execute_part_read(x, cw_execute_queue_of(x, id), &p, got, id, err);
    return status == CW_OK ? cw_execute_compare_readback(x, id, got, p.bytes, err) : status;
}

/* The needs of a copy or fill: the queue, ready to take it, and the objects on both sides. */
struct sides {
    cl_command_queue queue;
    cl_mem src, dst;
    size_t src_origin[3], dst_origin[3], region[3];
};

static enum cw_status sides_init(struct sides *s, struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_transfer *f = transfer_of(x->t, id);
    enum cw_status status = CW_OK;
    *s = (struct sides){.queue = cw_execute_queue_of(x, id)};
    to_sizes(s->src_origin, f->src_origin);
    to_sizes(s->dst_origin, f->dst_origin);
    to_sizes(s->region, f->region);
    if (f->src != CW_NONE)
        status = cw_execute_memory_use(x, f->src, &s->src, err);
    if (status == CW_OK && f->dst != CW_NONE)
        status = cw_execute_memory_use(x, f->dst, &s->dst, err);
    return status == CW_OK ? cw_execute_queue_use(x, s->queue, err) : status;
}

static enum cw_status run_copy(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_transfer *f = transfer_of(x->t, id);
    struct sides s;
    cl_int code;
    enum cw_status status = sides_init(&s, x, id, err);
    if (status != CW_OK)
        return status;
    switch (x->t->commands.v[id].type) {
    case CL_COMMAND_COPY_BUFFER:
        code = clEnqueueCopyBuffer(s.queue, s.src, s.dst, (size_t)f->src_offset, (size_t)f->dst_offset,
                                   (size_t)f->bytes, 0, NULL, NULL);
        break;
    case CL_COMMAND_COPY_BUFFER_RECT:
        code = clEnqueueCopyBufferRect(s.queue, s.src, s.dst, s.src_origin, s.dst_origin, s.region,
                                       (size_t)f->src_row_pitch, (size_t)f->src_slice_pitch,
                                       (size_t)f->dst_row_pitch, (size_t)f->dst_slice_pitch, 0, NULL, NULL);
        break;
    case CL_COMMAND_COPY_IMAGE:
        code = clEnqueueCopyImage(s.queue, s.src, s.dst, s.src_origin, s.dst_origin, s.region, 0, NULL, NULL);
        break;
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
        code = clEnqueueCopyImageToBuffer(s.queue, s.src, s.dst, s.src_origin, s.region,
                                          (size_t)f->dst_offset, 0, NULL, NULL);
        break;
    default:
        code = clEnqueueCopyBufferToImage(s.queue, s.src, s.dst, (size_t)f->src_offset, s.dst_origin,
                                          s.region, 0, NULL, NULL);
    }
    return cw_execute_vendor_status(x, id, "the copy", code, err);
}

static enum cw_status run_fill(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_transfer *f = transfer_of(x->t, id);
    const uint8_t *pattern = x->t->bytes.v + f->pattern;
    struct sides s;
    cl_int code;
    enum cw_status status = sides_init(&s, x, id, err);
    if (status != CW_OK)
        return status;
    if (x->t->commands.v[id].type == CL_COMMAND_FILL_IMAGE)
        code = clEnqueueFillImage(s.queue, s.dst, pattern, s.dst_origin, s.region, 0, NULL, NULL);
    else
        code = clEnqueueFillBuffer(s.queue, s.dst, pattern, f->pattern_bytes, (size_t)f->dst_offset,
                                   (size_t)f->bytes, 0, NULL, NULL);
    return cw_execute_vendor_status(x, id, "the fill", code, err);
}

static enum cw_status set_arg(struct cw_exec *x, uint32_t id, cl_kernel k, const struct cw_t_arg *a,
                              struct cw_error *err)
{
    cl_mem m = NULL;
    const void *value = &a->value;
    size_t size = a->size;
    enum cw_status status = CW_OK;
    switch (a->kind) {
    case CW_ARG_MEMORY:
        if (a->memory != CW_NONE)
            status = cw_execute_memory_use(x, a->memory, &m, err);
        value = &m, size = sizeof m;
        break;
    case CW_ARG_SAMPLER:
        value = &x->samplers[a->memory], size = sizeof(cl_sampler);
        break;
    case CW_ARG_LOCAL:
        value = NULL;
        break;
    default:
        if (a->blob != CW_NONE && a->size > sizeof a->value)
            value = x->t->bytes.v + a->blob;
    }
    if (status != CW_OK)
        return status;
    return cw_execute_vendor_status(x, id, "clSetKernelArg", clSetKernelArg(k, a->command_index, size, value),
                                    err);
}

static enum cw_status run_kernel(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_command *c = &x->t->commands.v[id];
    cl_command_queue q = cw_execute_queue_of(x, id);
    cl_kernel k = x->kernels[c->kernel];
    size_t global[3], local[3], offset[3];
    enum cw_status status = CW_OK;
    cl_uint dim = c->type == CL_COMMAND_TASK || c->work_dim == 0 ? 1 : c->work_dim;
    bool offset_used = c->global_offset[0] || c->global_offset[1] || c->global_offset[2];
    bool watched = x->rival[id] != CW_NONE;
    cl_event event = NULL;
    for (uint32_t i = 0; status == CW_OK && i < c->args.count; i++)
        status = set_arg(x, id, k, &x->t->args.v[c->args.first + i], err);
    if (status != CW_OK || (status = cw_execute_queue_use(x, q, err)) != CW_OK)
        return status;
    to_sizes(global, c->global_size);
    to_sizes(local, c->local_size);
    to_sizes(offset, c->global_offset);
    status = cw_execute_vendor_status(x, id, "clEnqueueNDRangeKernel",
                                      clEnqueueNDRangeKernel(q, k, dim, offset_used ? offset : NULL, global,
                                                             c->local_null ? NULL : local, 0, NULL,
                                                             watched ? &event : NULL),
                                      err);
    return status == CW_OK && watched ? cw_execute_wait(x, id, event, err) : status;
}

static const struct cw_execute_operation operations[] = {
    {.type = CL_COMMAND_NDRANGE_KERNEL, .run = run_kernel},
    {.type = CL_COMMAND_TASK, .run = run_kernel},
    {.type = CL_COMMAND_READ_BUFFER, .returns = true, .run = run_return},
    {.type = CL_COMMAND_READ_BUFFER_RECT, .returns = true, .run = run_return},
    {.type = CL_COMMAND_READ_IMAGE, .returns = true, .run = run_return},
    {.type = CL_COMMAND_MAP_BUFFER, .returns = true, .waives = true, .run = run_return},
    {.type = CL_COMMAND_MAP_IMAGE, .returns = true, .waives = true, .run = run_return},
    {.type = CL_COMMAND_WRITE_BUFFER, .sends = true, .run = run_send},
    {.type = CL_COMMAND_WRITE_BUFFER_RECT, .sends = true, .run = run_send},
    {.type = CL_COMMAND_WRITE_IMAGE, .sends = true, .run = run_send},
    {.type = CL_COMMAND_UNMAP_MEM_OBJECT, .sends = true, .waives = true, .run = run_send},
    {.type = CW_HOST_WRITE, .sends = true, .run = run_send},
    {.type = CL_COMMAND_COPY_BUFFER, .run = run_copy},
    {.type = CL_COMMAND_COPY_BUFFER_RECT, .run = run_copy},
    {.type = CL_COMMAND_COPY_IMAGE, .run = run_copy},
    {.type = CL_COMMAND_COPY_IMAGE_TO_BUFFER, .run = run_copy},
    {.type = CL_COMMAND_COPY_BUFFER_TO_IMAGE, .run = run_copy},
    {.type = CL_COMMAND_FILL_BUFFER, .run = run_fill},
    {.type = CL_COMMAND_FILL_IMAGE, .run = run_fill},
    {.type = CL_COMMAND_MARKER},
    {.type = CL_COMMAND_BARRIER},
    {.type = CL_COMMAND_MIGRATE_MEM_OBJECTS},
    {.type = CW_HOST_FINISH},
    {.type = CW_HOST_WAIT},
    {.type = CW_HOST_USER_EVENT},
    {.type = CW_HOST_FLUSH},
    {.type = CW_HOST_POLL},
};

const struct cw_execute_operation *cw_execute_operation_find(uint32_t type)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].type == type)
            return &operations[i];
    return NULL;
}
