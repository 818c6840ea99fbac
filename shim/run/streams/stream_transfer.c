/* stream_transfer.c - reads, writes, copies and fills of buffers on streams. */
#include <string.h>

#include "../staging/staging.h"
#include "stream_enqueue.h"
#include "stream_hooks.h"
#include "stream_memory.h"

/* `bytes` bytes from `offset` on of a buffer. Those of other objects are not known: the command closes. */
static void use_buffer(struct cw_stream_use *t, cl_mem buffer, size_t offset, size_t bytes, bool write)
{
    const struct cw_stream_memory *m = cw_stream_object_find(buffer, CW_STREAM_MEMORY);
    uint64_t size = m ? m->bytes.high - m->bytes.low : 0;
    struct cw_stream_bytes b;

    if (!m || !m->plain || offset > size || bytes > size - offset) {
        cw_stream_use_close(t);
        return;
    }
    b = m->bytes;
    b.low += offset;
    b.high = b.low + bytes;
    b.write = write;
    t->visible |= m->host_sees;
    cw_stream_use_add(t, &b);
}

static void use_host(struct cw_stream_use *t, const void *host, size_t offset, size_t bytes, bool write)
{
    struct cw_stream_bytes b;

    if (!cw_stream_memory_host((const char *)host + offset, bytes, &b) || !host)
        cw_stream_use_close(t);
    b.write = write;
    t->visible = true; /* the program may free it when a later command is over */
    cw_stream_use_add(t, &b);
}

static void begin_use(struct cw_stream_use *t)
{
    cw_stream_use_close(t);
    t->closes = t->visible = false;
}

/* A box of bytes: from its first to behind its last. False: the vendor knows better. */
static bool span_of(const size_t *origin, const size_t *region, size_t row, size_t slice, size_t *offset,
                    size_t *bytes)
{
    if (!origin || !region || !region[0] || !region[1] || !region[2])
        return false;
    row = row ? row : region[0];
    slice = slice ? slice : row * region[1];
    *offset = origin[2] * slice + origin[1] * row + origin[0];
    *bytes = (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
    return true;
}

static void use_box(struct cw_stream_use *t, cl_mem buffer, const void *host, const size_t *origin,
                    const size_t *region, size_t row, size_t slice, bool write)
{
    size_t offset, bytes;

    if (!span_of(origin, region, row, slice, &offset, &bytes))
        cw_stream_use_close(t);
    else if (!host)
        use_buffer(t, buffer, offset, bytes, write);
    else
        use_host(t, host, offset, bytes, write);
}

/* Between the host and a buffer. What a blocking command has done with the host's memory is over. */
static void use_transfer(struct cw_stream_use *t, cl_mem buffer, size_t offset, size_t bytes,
                         const void *host, bool write)
{
    begin_use(t);
    use_buffer(t, buffer, offset, bytes, write);
    use_host(t, host, 0, bytes, !write);
    t->reads = !write;
    t->early = write;
    t->transfers = true;
}

#define PLAIN(name, writes, constness)                                                                       \
    cl_int cw_stream_hook_##name(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,     \
                                 size_t bytes, constness void *host, cl_uint n, const cl_event *list,        \
                                 cl_event *event)                                                            \
    {                                                                                                        \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        const struct cw_dispatch *to = &cw_stream_below;                                                     \
        if (cw_stream_skips(queue, n, list))                                                                 \
            return to->name(queue, buffer, blocking, offset, bytes, host, n, list, event);                   \
        use_transfer(&t, buffer, offset, bytes, host, writes);                                               \
        to = cw_stream_begin(&c, queue, &t, blocking, n, list, event);                                       \
        return cw_stream_end(                                                                                \
            &c, to->name(c.queue, buffer, c.blocking, offset, bytes, host, c.n, c.list, c.event));           \
    }
PLAIN(clEnqueueReadBuffer, false, )
PLAIN(clEnqueueWriteBuffer, true, const)

#define RECT(name, writes, constness)                                                                        \
    cl_int cw_stream_hook_##name(cl_command_queue queue, cl_mem buffer, cl_bool blocking,                    \
                                 const size_t *origin, const size_t *host_origin, const size_t *region,      \
                                 size_t row, size_t slice, size_t host_row, size_t host_slice,               \
                                 constness void *host, cl_uint n, const cl_event *list, cl_event *event)     \
    {                                                                                                        \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        const struct cw_dispatch *to = &cw_stream_below;                                                     \
        if (cw_stream_skips(queue, n, list))                                                                 \
            return to->name(queue, buffer, blocking, origin, host_origin, region, row, slice, host_row,      \
                            host_slice, host, n, list, event);                                               \
        begin_use(&t);                                                                                       \
        t.reads = !writes;                                                                                   \
        t.early = writes;                                                                                    \
        t.transfers = true;                                                                                  \
        use_box(&t, buffer, NULL, origin, region, row, slice, writes);                                       \
        use_box(&t, NULL, host, host_origin, region, host_row, host_slice, !writes);                         \
        to = cw_stream_begin(&c, queue, &t, blocking, n, list, event);                                       \
        return cw_stream_end(&c, to->name(c.queue, buffer, c.blocking, origin, host_origin, region, row,     \
                                          slice, host_row, host_slice, host, c.n, c.list, c.event));         \
    }
RECT(clEnqueueReadBufferRect, false, )
RECT(clEnqueueWriteBufferRect, true, const)

cl_int cw_stream_hook_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem target,
                                          size_t from_offset, size_t to_offset, size_t bytes, cl_uint n,
                                          const cl_event *list, cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueCopyBuffer(queue, from, target, from_offset, to_offset, bytes, n, list, event);
    begin_use(&t);
    use_buffer(&t, from, from_offset, bytes, false);
    use_buffer(&t, target, to_offset, bytes, true);
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
    return cw_stream_end(&c, to->clEnqueueCopyBuffer(c.queue, from, target, from_offset, to_offset, bytes,
                                                     c.n, c.list, c.event));
}

cl_int cw_stream_hook_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem target,
                                              const size_t *from_origin, const size_t *to_origin,
                                              const size_t *region, size_t from_row, size_t from_slice,
                                              size_t to_row, size_t to_slice, cl_uint n, const cl_event *list,
                                              cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueCopyBufferRect(queue, from, target, from_origin, to_origin, region, from_row,
                                           from_slice, to_row, to_slice, n, list, event);
    begin_use(&t);
    use_box(&t, from, NULL, from_origin, region, from_row, from_slice, false);
    use_box(&t, target, NULL, to_origin, region, to_row, to_slice, true);
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
    return cw_stream_end(&c, to->clEnqueueCopyBufferRect(c.queue, from, target, from_origin, to_origin,
                                                         region, from_row, from_slice, to_row, to_slice, c.n,
                                                         c.list, c.event));
}

cl_int cw_stream_hook_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                          size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n,
                                          const cl_event *list, cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes, n, list, event);
    begin_use(&t);
    use_buffer(&t, buffer, offset, bytes, true);
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
    return cw_stream_end(&c, to->clEnqueueFillBuffer(c.queue, buffer, pattern, pattern_bytes, offset, bytes,
                                                     c.n, c.list, c.event));
}

/* ---- maps: the host has the bytes from the map to the unmap, which other commands on them do not pass */

static void use_map(struct cw_stream_use *t, cl_mem buffer, size_t offset, size_t bytes, cl_map_flags flags)
{
    begin_use(t);
    use_buffer(t, buffer, offset, bytes, flags != CL_MAP_READ);
    t->reads = t->visible = true;
}

static void use_unmap(struct cw_stream_use *t, const void *address)
{
    struct cw_stream_bytes b;

    begin_use(t);
    if (!cw_stream_memory_is_mapped(address, &b))
        cw_stream_use_close(t);
    b.write = true;
    t->visible = true;
    cw_stream_use_add(t, &b);
}

void *cw_stream_hook_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t bytes, cl_uint n,
                                        const cl_event *list, cl_event *event, cl_int *err)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;
    void *address;
    cl_int error = CL_SUCCESS;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, n, list, event, err);
    use_map(&t, buffer, offset, bytes, flags);
    to = cw_stream_begin(&c, queue, &t, blocking, n, list, event);
    if (c.turn)
        cw_run_staging_notes_maps(buffer);
    address = to->clEnqueueMapBuffer(c.queue, buffer, c.blocking, flags, offset, bytes, c.n, c.list, c.event,
                                     &error);
    if (c.q && error == CL_SUCCESS)
        cw_stream_memory_mapped(buffer, address, offset, bytes);
    if (c.turn && error == CL_SUCCESS)
        cw_run_staging_notes_mapped(address, bytes, false, 0, 0); /* else the layer below does */
    error = cw_stream_end(&c, error);
    if (err)
        *err = error;
    return address;
}

cl_int cw_stream_hook_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *address, cl_uint n,
                                              const cl_event *list, cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;
    cl_int err;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueUnmapMemObject(queue, memory, address, n, list, event);
    use_unmap(&t, address);
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
    if (to != &cw_stream_below)
        cw_run_staging_notes_unmapped(address, false);
    err = to->clEnqueueUnmapMemObject(c.queue, memory, address, c.n, c.list, c.event);
    if (c.q && err == CL_SUCCESS)
        cw_run_staging_notes_unmapped(address, true);
    return cw_stream_end(&c, err);
}
