/* execute_memory.c - memory objects of a re-run: made before their first command, compared and released after
 * their last. */
#include "execute_state.h"

#include <stdlib.h>
#include <string.h>

/* Kernels that keep addresses of buffers in memory: in a re-run those are others.
 * Memory that may hold addresses is not compared: what kernels write that hand addresses on, and what others
 * make of it. (A kernel that follows an address is taken to do only that with it.) A trace whose program may
 * have handed one on itself is refused: what was captured would lead to memory of the traced process. */

static bool reads_address(const struct cw_exec *x, const struct cw_command *c)
{
    for (uint32_t i = 0; i < c->accesses.count; i++) {
        const struct cw_t_access *a = &x->t->accesses.v[c->accesses.first + i];
        if (a->mode & CW_ACCESS_READ && cw_execute_address_is_held(x, a->memory))
            return true;
    }
    return false;
}

/* Marks the memory that the command writes, with all buffers of its context where it may write any. True:
 * some was not marked. */
static bool mark_written(struct cw_exec *x, const struct cw_command *c)
{
    const struct cw_trace *t = x->t;
    uint32_t context =
        c->elsewhere && c->addresses && c->queue < t->queues.count ? t->queues.v[c->queue].context : CW_NONE;
    bool more = false;

    for (uint32_t i = 0; i < c->accesses.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[c->accesses.first + i];
        uint32_t root = cw_trace_memory_root(t, a->memory, NULL);
        if (!(a->mode & CW_ACCESS_WRITE) || root >= t->memory.count || x->memory[root].addresses)
            continue;
        more = x->memory[root].addresses = true;
    }
    for (size_t i = 0; context != CW_NONE && i < t->memory.count; i++) {
        if (t->memory.v[i].context != context || x->memory[i].addresses)
            continue;
        more = x->memory[i].addresses = true;
    }
    return more;
}

bool cw_execute_address_is_held(const struct cw_exec *x, uint32_t memory)
{
    uint32_t root = memory < x->t->memory.count ? cw_trace_memory_root(x->t, memory, NULL) : CW_NONE;

    return root < x->t->memory.count && x->memory[root].addresses;
}

/* Reads and maps of memory that may hold addresses, before the last command that may follow one. */
static enum cw_status check_readers(const struct cw_exec *x, size_t end, struct cw_error *err)
{
    char text[120];

    for (size_t i = 0; i < end; i++) {
        const struct cw_execute_operation *op = cw_execute_operation_find(x->t->commands.v[i].type);
        if (x->runs[i] && op && op->returns &&
            cw_execute_address_is_held(x, cw_execute_part_of(x->t, (uint32_t)i).memory))
            return cw_error_set(err, CW_ERR_UNSUPPORTED,
                                "%s: the program may read addresses of buffers there, which are others in "
                                "another run, and hand them to later commands",
                                cw_execute_command_text(x->t, (uint32_t)i, text, sizeof text));
    }
    return CW_OK;
}

enum cw_status cw_execute_address_init(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    size_t end = 0;
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < t->commands.count; i++) {
            const struct cw_command *c = &t->commands.v[i];
            if (x->runs[i] && (c->addresses || (!c->elsewhere && reads_address(x, c))))
                more |= mark_written(x, c);
        }
    }
    for (size_t i = 0; i < t->commands.count; i++)
        if (x->runs[i] && t->commands.v[i].elsewhere)
            end = i + 1;
    return end && t->process.sliced ? cw_error_set(err, CW_ERR_UNSUPPORTED, CW_EXECUTE_NO_PART)
                                    : check_readers(x, end, err);
}

#define FILL_FIRST  0x00
#define FILL_SECOND 0xa5

static const cl_mem_flags access_flags =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;

uint8_t *cw_execute_scratch(struct cw_exec *x, size_t bytes)
{
    if (bytes > x->scratch_size) {
        free(x->scratch);
        x->scratch = malloc(bytes);
        x->scratch_size = x->scratch ? bytes : 0;
    }
    return x->scratch ? x->scratch : (x->scratch = malloc(1));
}

void cw_execute_memory_mentions(const struct cw_trace *t, uint32_t id,
                                void (*visit)(void *data, uint32_t memory), void *data)
{
    const struct cw_command *c = &t->commands.v[id];
    for (uint32_t i = 0; i < c->args.count; i++) {
        const struct cw_t_arg *a = &t->args.v[c->args.first + i];
        if (a->kind == CW_ARG_MEMORY && a->memory != CW_NONE)
            visit(data, a->memory);
    }
    if (c->transfer < t->transfers.count) {
        const struct cw_t_transfer *f = &t->transfers.v[c->transfer];
        if (f->src < t->memory.count)
            visit(data, f->src);
        if (f->dst < t->memory.count)
            visit(data, f->dst);
    }
}

/* The object at the bottom, whose bytes `memory` is made of (an image made from a buffer, too), and where. A
 * parent is older than its children, so this ends for a lying trace, too. */
static uint32_t root_of(const struct cw_exec *x, uint32_t memory, uint64_t *offset)
{
    const struct cw_t_memory *m = x->t->memory.v;
    for (*offset = 0; m[memory].parent < memory; memory = m[memory].parent)
        *offset += m[memory].offset;
    return memory;
}

/* The roots that the command may use without naming them: those of its context that commands name. */
static void visit_others(struct cw_exec *x, uint32_t id, void (*visit)(void *data, uint32_t memory),
                         void *data)
{
    const struct cw_command *c = &x->t->commands.v[id];

    for (uint32_t i = 0; c->elsewhere && c->queue < x->t->queues.count && i < x->t->memory.count; i++)
        if (x->memory[i].named && x->t->memory.v[i].context == x->t->queues.v[c->queue].context)
            visit(data, i);
}

static void count_use(void *data, uint32_t memory)
{
    struct cw_exec *x = data;
    uint64_t offset;
    uint32_t root = root_of(x, memory, &offset);
    x->memory[root].uses++;
    x->memory[root].named = true;
    x->undefined |= x->t->memory.v[root].initial.size == 0;
}

enum cw_status cw_execute_memory_init(struct cw_exec *x, struct cw_error *err)
{
    size_t n = x->t->memory.count;
    x->memory = calloc(n + 1, sizeof *x->memory);
    x->memory_expect = calloc(n + 1, sizeof *x->memory_expect);
    x->transfer_expect = calloc(x->t->transfers.count + 1, sizeof *x->transfer_expect);
    if (!x->memory || !x->memory_expect || !x->transfer_expect)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu memory objects", n);
    for (size_t i = 0; i < n; i++)
        x->memory[i].next_child = CW_NONE;
    for (size_t i = 0; i < n; i++) {
        uint64_t offset;
        uint32_t root = root_of(x, (uint32_t)i, &offset);
        if (root == i)
            continue;
        x->memory[i].next_child = x->memory[root].next_child;
        x->memory[root].next_child = (uint32_t)i;
    }
    for (size_t i = 0; i < x->t->commands.count; i++)
        if (x->runs[i])
            cw_execute_memory_mentions(x->t, (uint32_t)i, count_use, x);
    for (size_t i = 0; i < x->t->commands.count; i++)
        if (x->runs[i])
            visit_others(x, (uint32_t)i, count_use, x);
    for (size_t i = 0; i < n; i++)
        x->r->uncaptured_buffers += x->memory[i].uses && x->t->memory.v[i].final.size == 0;
    return CW_OK;
}

static void release(struct cw_execute_memory *m)
{
    if (m->handle)
        clReleaseMemObject(m->handle);
    m->handle = NULL;
    free(m->host);
    m->host = NULL;
}

void cw_execute_memory_reset(struct cw_exec *x)
{
    if (x->current)
        clFinish(x->current);
    for (size_t pass = 0; pass < 2; pass++) /* objects made from an object go before it */
        for (size_t i = 0; i < x->t->memory.count; i++) {
            if ((x->t->memory.v[i].parent != CW_NONE) == (pass == 0))
                release(&x->memory[i]);
            x->memory[i].uses_left = x->memory[i].uses;
        }
}

void cw_execute_memory_finish(struct cw_exec *x)
{
    if (x->memory)
        cw_execute_memory_reset(x);
    for (size_t i = 0; x->memory_expect && i < x->t->memory.count; i++)
        free(x->memory_expect[i].first);
    for (size_t i = 0; x->transfer_expect && i < x->t->transfers.count; i++)
        free(x->transfer_expect[i].first);
    free(x->memory);
    free(x->memory_expect);
    free(x->transfer_expect);
    free(x->scratch);
}

/* The contents at creation, packed: captured, or the fill of this phase. */
static uint8_t *contents(struct cw_exec *x, const struct cw_t_memory *m, uint64_t bytes)
{
    uint8_t *fill;
    if (m->initial.size)
        return x->data + m->initial.offset;
    fill = cw_execute_scratch(x, (size_t)bytes);
    if (fill)
        memset(fill, x->phase == CW_EXEC_SECOND ? FILL_SECOND : FILL_FIRST, (size_t)bytes);
    return fill;
}

static cl_image_desc image_desc(const struct cw_t_memory *m, cl_mem parent)
{
    return (cl_image_desc){
        .image_type = m->image_type,
        .image_width = (size_t)m->width,
        .image_height = (size_t)m->height,
        .image_depth = (size_t)m->depth,
        .image_array_size = (size_t)m->array_size,
        .image_row_pitch = parent ? (size_t)m->row_pitch : 0, /* the tool's host data have no padding */
        .image_slice_pitch = parent ? (size_t)m->slice_pitch : 0,
        .mem_object = parent,
    };
}

static cl_mem make_child(struct cw_exec *x, const struct cw_t_memory *m, uint32_t memory, cl_mem parent,
                         cl_int *code)
{
    cl_image_format format = {.image_channel_order = m->channel_order,
                              .image_channel_data_type = m->channel_type};
    cl_buffer_region region = {.size = (size_t)m->size};
    cl_image_desc desc = image_desc(m, parent);
    uint64_t offset;
    if (m->kind == CW_MEM_IMAGE)
        return clCreateImage(x->contexts[m->context].handle, m->flags & access_flags, &format, &desc, NULL,
                             code);
    root_of(x, memory, &offset);
    region.origin = (size_t)offset;
    return clCreateSubBuffer(parent, m->flags & access_flags, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
}

static cl_mem make_root(struct cw_exec *x, const struct cw_t_memory *m, uint32_t memory, cl_int *code)
{
    cl_image_format format = {.image_channel_order = m->channel_order,
                              .image_channel_data_type = m->channel_type};
    cl_image_desc desc = image_desc(m, NULL);
    cl_mem_flags flags = m->flags & access_flags;
    uint64_t bytes = cw_execute_part_whole(x->t, memory).bytes;
    void *host = contents(x, m, bytes);
    *code = CL_OUT_OF_HOST_MEMORY;
    if (host && (m->flags & CL_MEM_USE_HOST_PTR)) {
        x->memory[memory].host = aligned_alloc(4096, (size_t)(bytes + 4095) / 4096 * 4096);
        if (!x->memory[memory].host)
            return NULL;
        host = memcpy(x->memory[memory].host, host, (size_t)bytes);
        flags |= CL_MEM_USE_HOST_PTR;
    } else {
        flags |= CL_MEM_COPY_HOST_PTR | (m->flags & CL_MEM_ALLOC_HOST_PTR);
    }
    if (!host)
        return NULL;
    if (m->kind == CW_MEM_IMAGE)
        return clCreateImage(x->contexts[m->context].handle, flags, &format, &desc, host, code);
    return clCreateBuffer(x->contexts[m->context].handle, flags, (size_t)bytes, host, code);
}

enum cw_status cw_execute_memory_use(struct cw_exec *x, uint32_t memory, cl_mem *handle, struct cw_error *err)
{
    const struct cw_t_memory *m = &x->t->memory.v[memory];
    struct cw_execute_memory *e = &x->memory[memory];
    enum cw_status status;
    uint64_t offset;
    cl_mem parent = NULL;
    cl_int code = CL_SUCCESS;
    if (!e->handle) {
        if (m->parent != CW_NONE) {
            /* a sub-buffer is made from the root, an image from its own parent */
            uint32_t from = m->kind == CW_MEM_IMAGE ? m->parent : root_of(x, memory, &offset);
            status = cw_execute_memory_use(x, from, &parent, err);
            if (status != CW_OK)
                return status;
            e->handle = make_child(x, m, memory, parent, &code);
        } else {
            e->handle = make_root(x, m, memory, &code);
        }
        if (!e->handle)
            return cw_error_set(err, CW_ERR_VENDOR,
                                "memory object %u of %llu bytes cannot be made again: OpenCL error %d",
                                memory, (unsigned long long)m->size, code);
    }
    *handle = e->handle;
    return CW_OK;
}

static enum cw_status compare_end(struct cw_exec *x, uint32_t root, struct cw_error *err)
{
    const struct cw_t_memory *m = &x->t->memory.v[root];
    struct cw_execute_part whole = cw_execute_part_whole(x->t, root);
    enum cw_status status;
    uint8_t *got;
    if (m->final.size == 0 || !x->memory[root].handle)
        return CW_OK;
    if (x->memory[root].addresses) {
        x->r->address_bytes += whole.bytes;
        return CW_OK;
    }
    got = cw_execute_scratch(x, (size_t)whole.bytes);
    if (!got)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %llu bytes", (unsigned long long)whole.bytes);
    status = cw_execute_part_read(x, x->contexts[m->context].queues[0], &whole, got, CW_NONE, err);
    return status == CW_OK ? cw_execute_compare_memory(x, root, got, whole.bytes, err) : status;
}

struct done {
    struct cw_exec *x;
    struct cw_error *err;
    enum cw_status status;
};

static void count_done(void *data, uint32_t memory)
{
    struct done *d = data;
    uint64_t offset;
    uint32_t root = root_of(d->x, memory, &offset), child;
    struct cw_execute_memory *m = &d->x->memory[root];
    if (--m->uses_left)
        return;
    if (d->status == CW_OK)
        d->status = compare_end(d->x, root, d->err);
    if (m->host && d->x->current) /* the tool's memory must outlive the commands on it */
        clFinish(d->x->current);
    for (child = m->next_child; child != CW_NONE; child = d->x->memory[child].next_child)
        release(&d->x->memory[child]);
    release(m);
}

enum cw_status cw_execute_memory_done(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    struct done d = {x, err, CW_OK};
    if (x->t->commands.v[id].elsewhere && x->current) /* the vendor does not know all that it uses */
        clFinish(x->current);
    cw_execute_memory_mentions(x->t, id, count_done, &d);
    visit_others(x, id, count_done, &d);
    return d.status;
}
