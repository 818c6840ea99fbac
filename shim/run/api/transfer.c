/* transfer.c - reads, writes, copies and fills of buffers: memcpy by a worker, as all bytes are the host's.
 *
 * A transfer that is not plainly correct goes to the vendor, which knows the error. */
#include "hooks.h"
#include "../core/work_ops.h"
#include "enqueue.h"
#include "memory.h"
#include "native.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../memory/content.h"
#include "../tasks/dependence.h"
#include "../tasks/reference_counts.h"
#include "../tasks/task.h"
#include "../workers/execute.h"

#define LARGE ((size_t)1 << 40) /* no sum of products of smaller numbers overflows */

#define NO_READ  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define NO_WRITE (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

/* One side of a rectangle: its first byte, pitches, and the bytes from the first to the last. */
struct side {
    size_t start, row, slice, span;
};

/* False: the vendor shall judge it. */
static bool make_side(struct side *s, const size_t *origin, const size_t *region, size_t row, size_t slice)
{
    if (!origin || !region || !region[0] || !region[1] || !region[2])
        return false;
    for (int i = 0; i < 3; i++)
        if (origin[i] >= LARGE || region[i] >= LARGE)
            return false;
    if (row >= LARGE || slice >= LARGE || (row && row < region[0]))
        return false;
    s->row = row ? row : region[0];
    if (slice && (slice < region[1] * s->row || slice % s->row))
        return false;
    s->slice = slice ? slice : region[1] * s->row;
    if (s->slice >= LARGE || region[1] >= LARGE / s->row || region[2] >= LARGE / s->slice ||
        origin[1] >= LARGE / s->row || origin[2] >= LARGE / s->slice)
        return false;
    s->start = origin[2] * s->slice + origin[1] * s->row + origin[0];
    s->span = (region[2] - 1) * s->slice + (region[1] - 1) * s->row + region[0];
    return true;
}

static bool fits(const struct side *s, const struct cw_run_memory *m)
{
    return s->start <= m->bytes && s->span <= m->bytes - s->start;
}

/* A buffer of the queue's context that the host may touch; NULL: not for us. */
static struct cw_run_memory *buffer(const struct cw_run_enqueue *e, cl_mem handle, cl_mem_flags not )
{
    struct cw_run_memory *m = cw_run_memory_buffer(handle);

    return m && m->context == e->queue->context && !m->misaligned && !(m->flags & not ) ? m : NULL;
}

static struct cw_run_task *task(struct cw_run_enqueue *e, cl_command_type type, enum cw_run_work work)
{
    struct cw_run_task *t = cw_run_enqueue_settle(e) ? cw_run_task_create(2, 0, 0) : NULL;

    if (!t)
        return NULL;
    t->type = type;
    t->work = work;
    t->ops = work == CW_RUN_FILL   ? &cw_run_execute_fill_ops
             : work == CW_RUN_COPY ? &cw_run_execute_transfer_ops
                                   : &cw_run_work_nothing;
    t->tainted = cw_run_dependence_waits_native(e->queue, e->n, e->list);
    t->at.place = e->queue->home;
    t->at.lane = t->at.home = e->queue->context->places[t->at.place].lane->number;
    return t;
}

static void uses(struct cw_run_task *t, int i, struct cw_run_memory *m)
{
    t->memories[i] = m;
    cw_run_record_pin(&m->r);
}

/* The command reads or writes the `span` bytes from `b` on. */
static void add_access(const struct cw_run_enqueue *e, struct cw_run_task *t, const struct cw_run_bytes *b,
                       size_t span, bool write)
{
    struct cw_run_memory *m = b->memory;
    uint64_t offset;
    struct cw_run_region *r;

    if (m) {
        cw_run_byte_range_add_access(e->queue, t, m->region, m->offset + b->offset, span, write);
        uses(t, !write, m);
    } else {
        r = cw_run_byte_range_region_at(b->host + b->offset, &offset);
        cw_run_byte_range_add_access(e->queue, t, r, offset, span, write);
    }
}

/* The command that copies `region`; NULL: it is refused. Of `from` and `to` one may be NULL: `host`. */
static struct cw_run_task *copy_task(struct cw_run_enqueue *e, cl_command_type type, const size_t *region,
                                     struct cw_run_memory *to, const struct side *to_side,
                                     struct cw_run_memory *from, const struct side *from_side, uint8_t *host)
{
    struct cw_run_task *t = task(e, type, CW_RUN_COPY);

    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    t->copy = (struct cw_run_transfer){.to = {to, to_side->start, to ? NULL : host},
                                       .from = {from, from_side->start, from ? NULL : host},
                                       .region = {region[0], region[1], region[2]},
                                       .to_row = to_side->row,
                                       .to_slice = to_side->slice,
                                       .from_row = from_side->row,
                                       .from_slice = from_side->slice};
    add_access(e, t, &t->copy.from, from_side->span, false);
    add_access(e, t, &t->copy.to, to_side->span, true);
    return t;
}

/* A transfer between the program's memory and a buffer. */
struct host_transfer {
    cl_command_type type;
    bool write;
    cl_mem buffer;
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row, buffer_slice, host_row, host_slice;
    const void *host;
};

static struct cw_run_task *host_task(struct cw_run_enqueue *e, const struct host_transfer *h)
{
    struct cw_run_memory *m = buffer(e, h->buffer, h->write ? NO_WRITE : NO_READ);
    uint8_t *host = (uint8_t *)(uintptr_t)h->host;
    struct side in, out;

    if (!m || !host || !make_side(&in, h->buffer_origin, h->region, h->buffer_row, h->buffer_slice) ||
        !fits(&in, m) || !make_side(&out, h->host_origin, h->region, h->host_row, h->host_slice)) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    if (h->write)
        return copy_task(e, h->type, h->region, m, &in, NULL, &out, host);
    return copy_task(e, h->type, h->region, NULL, &out, m, &in, host);
}

static const size_t zero[3] = {0, 0, 0};

/* HOST(read?...) - the eight parameters that the plain forms share */
static cl_int plain(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                    const void *host, cl_uint n, const cl_event *list, cl_event *event, bool write,
                    bool *managed, struct cw_run_enqueue *e)
{
    size_t origin[3] = {offset, 0, 0}, region[3] = {bytes, 1, 1};
    struct host_transfer h = {.type = write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER,
                              .write = write,
                              .buffer = buffer,
                              .buffer_origin = origin,
                              .host_origin = zero,
                              .region = region,
                              .host = host};
    struct cw_run_task *t;

    *managed = cw_run_enqueue_begin_transfer(e, queue, n, list, event, blocking) && (t = host_task(e, &h));
    return *managed ? cw_run_enqueue_commit(e, t, blocking) : CL_SUCCESS;
}

cl_int cw_run_hook_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t bytes, void *host, cl_uint n, const cl_event *list,
                                       cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    bool managed;
    cl_int err = plain(queue, buffer, blocking, offset, bytes, host, n, list, event, false, &managed, &e);

    if (managed)
        return err;
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(1, &buffer, 0));
    return cw_run_native_end(&x, cw_native.clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host,
                                                               x.n, x.list, x.event));
}

cl_int cw_run_hook_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t bytes, const void *host, cl_uint n,
                                        const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    bool managed;
    cl_int err = plain(queue, buffer, blocking, offset, bytes, host, n, list, event, true, &managed, &e);

    if (managed)
        return err;
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(1, &buffer, 1));
    return cw_run_native_end(&x, cw_native.clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, host,
                                                                x.n, x.list, x.event));
}

#define RECT(name, command, writes, constness)                                                               \
    cl_int cw_run_hook_##name(cl_command_queue queue, cl_mem buffer, cl_bool blocking,                       \
                              const size_t *buffer_origin, const size_t *host_origin, const size_t *region,  \
                              size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,    \
                              constness void *host, cl_uint n, const cl_event *list, cl_event *event)        \
    {                                                                                                        \
        struct host_transfer h = {command,    writes,       buffer,   buffer_origin, host_origin, region,    \
                                  buffer_row, buffer_slice, host_row, host_slice,    host};                  \
        struct cw_run_enqueue e;                                                                             \
        struct cw_run_native x;                                                                              \
        struct cw_run_task *t;                                                                               \
        if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking) && (t = host_task(&e, &h)))   \
            return cw_run_enqueue_commit(&e, t, blocking);                                                   \
        cw_run_native_follow(&x, &e, CW_RUN_TOUCH(1, &buffer, writes));                                      \
        return cw_run_native_end(&x, cw_native.name(queue, buffer, blocking, buffer_origin, host_origin,     \
                                                    region, buffer_row, buffer_slice, host_row, host_slice,  \
                                                    host, x.n, x.list, x.event));                            \
    }
RECT(clEnqueueReadBufferRect, CL_COMMAND_READ_BUFFER_RECT, false, )
RECT(clEnqueueWriteBufferRect, CL_COMMAND_WRITE_BUFFER_RECT, true, const)

/* ---- between buffers */

static struct cw_run_task *between(struct cw_run_enqueue *e, cl_command_type type, cl_mem from, cl_mem to,
                                   const size_t *from_origin, const size_t *to_origin, const size_t *region,
                                   size_t from_row, size_t from_slice, size_t to_row, size_t to_slice)
{
    struct cw_run_memory *a = buffer(e, from, 0), *b = buffer(e, to, 0);
    struct side in, out;

    if (!a || !b || !make_side(&in, from_origin, region, from_row, from_slice) || !fits(&in, a) ||
        !make_side(&out, to_origin, region, to_row, to_slice) || !fits(&out, b) ||
        (a->region == b->region && a->offset + in.start < b->offset + out.start + out.span &&
         b->offset + out.start < a->offset + in.start + in.span) ||
        (a->root == b->root && type == CL_COMMAND_COPY_BUFFER_RECT)) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK); /* it may overlap */
        return NULL;
    }
    return copy_task(e, type, region, b, &out, a, &in, NULL);
}

cl_int cw_run_hook_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t bytes, cl_uint n, const cl_event *list,
                                       cl_event *event)
{
    size_t a[3] = {from_offset, 0, 0}, b[3] = {to_offset, 0, 0}, region[3] = {bytes, 1, 1};
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = between(&e, CL_COMMAND_COPY_BUFFER, from, to, a, b, region, 0, 0, 0, 0)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(2, ((cl_mem[]){from, to}), 2));
    return cw_run_native_end(&x, cw_run_content_copy(&x, queue, from, to, from_offset, to_offset, bytes));
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
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(2, ((cl_mem[]){from, to}), 2));
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
        t = task(e, CL_COMMAND_FILL_BUFFER, CW_RUN_FILL);
    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    t->fill.to = (struct cw_run_bytes){.memory = m, .offset = offset};
    t->fill.bytes = bytes;
    t->fill.pattern_bytes = pattern_bytes;
    memcpy(t->fill.pattern, pattern, pattern_bytes);
    add_access(e, t, &t->fill.to, bytes, true);
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
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(1, &buffer, 1));
    return cw_run_native_end(&x, cw_native.clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset,
                                                               bytes, x.n, x.list, x.event));
}

/* ---- migration: all memory is where it shall be */

static struct cw_run_task *migrate_task(struct cw_run_enqueue *e, cl_uint n, const cl_mem *objects,
                                        cl_mem_migration_flags flags)
{
    struct cw_run_task *t = NULL;
    bool plain = n && objects &&
                 !(flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                                     CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));

    for (cl_uint i = 0; plain && i < n; i++)
        plain = buffer(e, objects[i], 0);
    if (plain)
        t = task(e, CL_COMMAND_MIGRATE_MEM_OBJECTS, CW_RUN_NOTHING);
    if (!t)
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
    for (cl_uint i = 0; t && i < n; i++)
        cw_run_reference_counts_last(buffer(e, objects[i], 0), e->queue, cw_run.sequence + 1);
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
    cw_run_native_follow(&x, &e, CW_RUN_TOUCH(count, objects, 0));
    return cw_run_native_end(
        &x, cw_native.clEnqueueMigrateMemObjects(queue, count, objects, flags, x.n, x.list, x.event));
}
