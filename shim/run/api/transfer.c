/* transfer.c - reads, writes, copies and fills of buffers: memcpy by a worker, as all bytes are the host's.
 *
 * A transfer that is not plainly correct goes to the vendor, which knows the error. */
#include "hooks.h"
#include "enqueue.h"
#include "memory.h"
#include "gate.h"
#include "native.h"
#include "rectangle.h"
#include "../core/context_device.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/content.h"
#include "../memory/spread.h"
#include "../staging/staging.h"

#define NO_READ  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define NO_WRITE (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

/* A buffer of the queue's context that the host may touch; NULL: not for us. */
static struct cw_run_memory *buffer(const struct cw_run_enqueue *e, cl_mem handle, cl_mem_flags not )
{
    struct cw_run_memory *m = cw_run_memory_buffer(handle);

    return m && m->context == e->queue->context && !m->misaligned && !(m->flags & not ) ? m : NULL;
}

/* A transfer between the program's memory and a buffer. */
struct host_transfer {
    cl_command_type type;
    bool write;
    cl_mem buffer;
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row, buffer_slice, host_row, host_slice;
    const void *host;
    bool straight; /* of a read: each piece comes from the device that has it (memory/spread.h) */
};

static struct cw_run_task *host_task(struct cw_run_enqueue *e, const struct host_transfer *h)
{
    struct cw_run_memory *m = buffer(e, h->buffer, h->write ? NO_WRITE : NO_READ);
    uint8_t *host = (uint8_t *)(uintptr_t)h->host;
    struct cw_run_rectangle_side in, out;
    struct cw_run_task *t;

    if (!m || !host ||
        !cw_run_rectangle_make_side(&in, h->buffer_origin, h->region, h->buffer_row, h->buffer_slice) ||
        !cw_run_rectangle_fits(&in, m) ||
        !cw_run_rectangle_make_side(&out, h->host_origin, h->region, h->host_row, h->host_slice)) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    if (h->write)
        return cw_run_rectangle_copy(e, h->type, h->region, m, &in, NULL, &out, host);
    t = cw_run_rectangle_copy(e, h->type, h->region, NULL, &out, m, &in, host);
    if (t && h->straight)
        t->copy.straight = true;
    return t;
}

/* A read of a GPU's buffer gains where other GPUs have some of it. One that does not block would hold the
 * thread of the program's own device. The times of such an event would be the host's. */
static bool is_straight(cl_command_queue queue, cl_mem handle, size_t offset, size_t bytes,
                        const cl_event *event)
{
    const struct cw_run_memory *m;
    const struct cw_run_queue *q;
    bool straight = false;

    if (CW_LIKELY(!cw_run_record_had_queue()) || cw_run_staging_is_small(bytes, false, CL_TRUE))
        return false;
    q = cw_run_native_queue(queue);
    if (!q || cw_run_passing_is(&q->passing))
        return false;
    cw_run_global_lock_take();
    q = cw_run_record_find(queue, CW_RUN_QUEUE);
    m = cw_run_memory_buffer(handle);
    if (q && m && q->managed && m->context == q->context && offset <= m->bytes &&
        bytes <= m->bytes - offset && !(event && q->profiled) &&
        cw_run_context_device_is_gpu(q->context->places))
        straight = cw_run_spread_read_pays(m->region, m->offset + offset, m->offset + offset + bytes);
    cw_run_global_lock_give();
    return straight;
}

static const size_t zero[3] = {0, 0, 0};

static struct cw_run_task *plain_task(struct cw_run_enqueue *e, bool write, cl_mem buffer, size_t offset,
                                      size_t bytes, const void *host)
{
    size_t origin[3] = {offset, 0, 0}, region[3] = {bytes, 1, 1};

    return host_task(e,
                     &(struct host_transfer){.type = write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER,
                                             .write = write,
                                             .buffer = buffer,
                                             .buffer_origin = origin,
                                             .host_origin = zero,
                                             .region = region,
                                             .host = host,
                                             .straight = e->straight});
}

#define PLAIN(name, writes, constness, enqueue)                                                              \
    cl_int cw_run_hook_##name(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,        \
                              size_t bytes, constness void *host, cl_uint n, const cl_event *list,           \
                              cl_event *event)                                                               \
    {                                                                                                        \
        bool straight = !writes && blocking && is_straight(queue, buffer, offset, bytes, event);             \
        struct cw_run_enqueue e;                                                                             \
        struct cw_run_native x;                                                                              \
        struct cw_run_task *t;                                                                               \
        if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, straight, writes) &&          \
            (t = plain_task(&e, writes, buffer, offset, bytes, host)))                                       \
            return cw_run_enqueue_commit(&e, t, blocking);                                                   \
        cw_run_native_follow(&x, &e, e.unlocked ? NULL : CW_RUN_USE_RANGE(buffer, offset, bytes, writes));   \
        x.staging = !cw_run_staging_is_small(bytes, writes, blocking);                                       \
        return cw_run_native_end(&x,                                                                         \
                                 (x.staging ? enqueue : cw_native.name)(queue, buffer, blocking, offset,     \
                                                                        bytes, host, x.n, x.list, x.event)); \
    }
PLAIN(clEnqueueReadBuffer, false, , cw_run_staging_read)
PLAIN(clEnqueueWriteBuffer, true, const, cw_run_staging_write)

#define RECT(name, command, writes, constness, enqueue)                                                      \
    cl_int cw_run_hook_##name(cl_command_queue queue, cl_mem buffer, cl_bool blocking,                       \
                              const size_t *buffer_origin, const size_t *host_origin, const size_t *region,  \
                              size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,    \
                              constness void *host, cl_uint n, const cl_event *list, cl_event *event)        \
    {                                                                                                        \
        struct host_transfer h = {command,    writes,       buffer,   buffer_origin, host_origin, region,    \
                                  buffer_row, buffer_slice, host_row, host_slice,    host,        false};    \
        struct cw_run_enqueue e;                                                                             \
        struct cw_run_native x;                                                                              \
        struct cw_run_task *t;                                                                               \
        if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, writes) &&             \
            (t = host_task(&e, &h)))                                                                         \
            return cw_run_enqueue_commit(&e, t, blocking);                                                   \
        cw_run_native_follow(&x, &e, CW_RUN_USE_RANGE(buffer, 0, SIZE_MAX, writes));                         \
        x.staging = true;                                                                                    \
        return cw_run_native_end(&x, enqueue(queue, buffer, blocking, buffer_origin, host_origin, region,    \
                                             buffer_row, buffer_slice, host_row, host_slice, host, x.n,      \
                                             x.list, x.event));                                              \
    }
RECT(clEnqueueReadBufferRect, CL_COMMAND_READ_BUFFER_RECT, false, , cw_run_staging_read_rect)
RECT(clEnqueueWriteBufferRect, CL_COMMAND_WRITE_BUFFER_RECT, true, const, cw_run_staging_write_rect)

/* ---- between buffers */

static struct cw_run_task *between(struct cw_run_enqueue *e, cl_command_type type, cl_mem from, cl_mem to,
                                   const size_t *from_origin, const size_t *to_origin, const size_t *region,
                                   size_t from_row, size_t from_slice, size_t to_row, size_t to_slice)
{
    struct cw_run_memory *a = buffer(e, from, 0), *b = buffer(e, to, 0);
    struct cw_run_rectangle_side in, out;

    if (!a || !b || !cw_run_rectangle_make_side(&in, from_origin, region, from_row, from_slice) ||
        !cw_run_rectangle_fits(&in, a) ||
        !cw_run_rectangle_make_side(&out, to_origin, region, to_row, to_slice) ||
        !cw_run_rectangle_fits(&out, b) ||
        (a->region == b->region && a->offset + in.start < b->offset + out.start + out.span &&
         b->offset + out.start < a->offset + in.start + in.span) ||
        (a->root == b->root && type == CL_COMMAND_COPY_BUFFER_RECT)) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK); /* it may overlap */
        return NULL;
    }
    return cw_run_rectangle_copy(e, type, region, b, &out, a, &in, NULL);
}

cl_int cw_run_hook_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t bytes, cl_uint n, const cl_event *list,
                                       cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = between(&e, CL_COMMAND_COPY_BUFFER, from, to, (size_t[3]){from_offset, 0, 0},
                     (size_t[3]){to_offset, 0, 0}, (size_t[3]){bytes, 1, 1}, 0, 0, 0, 0)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_COPY(from, from_offset, to, to_offset, bytes));
    if (CW_UNLIKELY(__atomic_load_n(&cw_run_content_any, __ATOMIC_RELAXED)))
        return cw_run_native_end(&x, cw_run_content_copy(&x, queue, from, to, from_offset, to_offset, bytes));
    return cw_run_native_end(&x, cw_native.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes,
                                                               x.n, x.list, x.event));
}

cl_int cw_run_hook_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                           const size_t *from_origin, const size_t *to_origin,
                                           const size_t *region, size_t from_row, size_t from_slice,
                                           size_t to_row, size_t to_slice, cl_uint n, const cl_event *list,
                                           cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = between(&e, CL_COMMAND_COPY_BUFFER_RECT, from, to, from_origin, to_origin, region, from_row,
                     from_slice, to_row, to_slice)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_COPY(from, 0, to, 0, SIZE_MAX));
    return cw_run_native_end(&x, cw_native.clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin,
                                                                   region, from_row, from_slice, to_row,
                                                                   to_slice, x.n, x.list, x.event));
}

static struct cw_run_task *fill_task(struct cw_run_enqueue *e, cl_mem handle, const void *pattern,
                                     size_t pattern_bytes, size_t offset, size_t bytes)
{
    struct cw_run_memory *m = buffer(e, handle, 0);
    struct cw_run_task *t = NULL;

    if (m && pattern && pattern_bytes && pattern_bytes <= sizeof t->fill.pattern &&
        !(pattern_bytes & (pattern_bytes - 1)) && bytes && offset <= m->bytes && bytes <= m->bytes - offset &&
        offset % pattern_bytes == 0 && bytes % pattern_bytes == 0)
        t = cw_run_rectangle_task(e, CL_COMMAND_FILL_BUFFER, CW_RUN_FILL);
    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    t->fill.to = (struct cw_run_bytes){.memory = m, .offset = offset};
    t->fill.bytes = bytes;
    t->fill.pattern_bytes = pattern_bytes;
    memcpy(t->fill.pattern, pattern, pattern_bytes);
    cw_run_rectangle_add_access(e, t, &t->fill.to, bytes, true);
    return t;
}

cl_int cw_run_hook_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                       size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n,
                                       const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = fill_task(&e, buffer, pattern, pattern_bytes, offset, bytes)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_RANGE(buffer, offset, bytes, 1));
    if (x.n != n)
        cw_run_gate_before(&x, queue, n, list);
    return cw_run_native_end(&x, cw_native.clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset,
                                                               bytes, x.n, x.list, x.event));
}

/* ---- migration: all memory is where it shall be */

static bool is_here(const struct cw_run_enqueue *e, cl_mem object)
{
    const struct cw_run_memory *m = cw_run_memory_any(object);

    return m && m->context == e->queue->context && !m->misaligned;
}

static struct cw_run_task *migrate_task(struct cw_run_enqueue *e, cl_uint n, const cl_mem *objects,
                                        cl_mem_migration_flags flags)
{
    struct cw_run_task *t = NULL;
    bool plain = n && objects &&
                 !(flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                                     CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));

    for (cl_uint i = 0; plain && i < n; i++)
        plain = is_here(e, objects[i]);
    if (plain)
        t = cw_run_rectangle_task(e, CL_COMMAND_MIGRATE_MEM_OBJECTS, CW_RUN_NOTHING);
    if (!t)
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
    return t;
}

cl_int cw_run_hook_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *objects,
                                              cl_mem_migration_flags flags, cl_uint n, const cl_event *list,
                                              cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = migrate_task(&e, count, objects, flags)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE(count, objects, 0));
    return cw_run_native_end(
        &x, cw_native.clEnqueueMigrateMemObjects(queue, count, objects, flags, x.n, x.list, x.event));
}
