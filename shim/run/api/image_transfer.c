/* image_transfer.c - reads, writes, copies and fills of images: memcpy by a worker, as all bytes are the
 * host's. The vendor's code fills, as it converts the colour.
 *
 * A command that is not plainly correct goes to the vendor, which knows the error. */
#include "hooks.h"
#include "../core/image.h"
#include "../staging/staging.h"
#include "enqueue.h"
#include "memory.h"
#include "gate.h"
#include "native.h"
#include "rectangle.h"

#define NO_READ  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define NO_WRITE (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

static const size_t zero[3] = {0, 0, 0};

static struct cw_run_task *refuse(struct cw_run_enqueue *e, cl_mem memory)
{
    cw_run_enqueue_refuse(e, cw_run_memory_why(memory));
    return NULL;
}

/* ---- between images and the program's memory */

static struct cw_run_task *host_task(struct cw_run_enqueue *e, bool write, cl_mem image, const size_t *origin,
                                     const size_t *region, size_t row, size_t slice, const void *host)
{
    struct cw_run_rectangle_side out;
    struct cw_run_rectangle_part in;

    if (!host || !cw_run_rectangle_find_part(e, &in, image, write ? NO_WRITE : NO_READ, origin, region) ||
        !cw_run_rectangle_make_side(&out, zero, in.region, row, slice))
        return refuse(e, image);
    if (write)
        return cw_run_rectangle_copy(e, CL_COMMAND_WRITE_IMAGE, in.region, in.memory, &in.side, NULL, &out,
                                     (uint8_t *)(uintptr_t)host);
    return cw_run_rectangle_copy(e, CL_COMMAND_READ_IMAGE, in.region, NULL, &out, in.memory, &in.side,
                                 (uint8_t *)(uintptr_t)host);
}

#define HOST(name, writes, constness, enqueue)                                                               \
    cl_int cw_run_hook_##name(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,  \
                              const size_t *region, size_t row, size_t slice, constness void *host,          \
                              cl_uint n, const cl_event *list, cl_event *event)                              \
    {                                                                                                        \
        struct cw_run_enqueue e;                                                                             \
        struct cw_run_native x;                                                                              \
        struct cw_run_task *t;                                                                               \
        if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, writes) &&             \
            (t = host_task(&e, writes, image, origin, region, row, slice, host)))                            \
            return cw_run_enqueue_commit(&e, t, blocking);                                                   \
        cw_run_native_follow(&x, &e, CW_RUN_USE(1, &image, writes));                                         \
        x.staging = true;                                                                                    \
        return cw_run_native_end(                                                                            \
            &x, enqueue(queue, image, blocking, origin, region, row, slice, host, x.n, x.list, x.event));    \
    }
HOST(clEnqueueReadImage, false, , cw_run_staging_read_image)
HOST(clEnqueueWriteImage, true, const, cw_run_staging_write_image)

/* ---- between images, and between images and buffers */

/* The same bytes may lie in both. Parts of one image may be side by side. */
static bool may_overlap(const struct cw_run_rectangle_part *a, const struct cw_run_rectangle_part *b,
                        const size_t *region)
{
    bool disjoint = false;

    if (a->memory != b->memory)
        return a->memory->region == b->memory->region &&
               a->memory->offset + a->side.start < b->memory->offset + b->side.start + b->side.span &&
               b->memory->offset + b->side.start < a->memory->offset + a->side.start + a->side.span;
    for (int d = 0; d < 3; d++)
        disjoint |= a->origin[d] + region[d] <= b->origin[d] || b->origin[d] + region[d] <= a->origin[d];
    return !disjoint;
}

static struct cw_run_task *copy_task(struct cw_run_enqueue *e, cl_mem from, cl_mem to,
                                     const size_t *from_origin, const size_t *to_origin, const size_t *region)
{
    struct cw_run_rectangle_part in, out;

    if (!cw_run_rectangle_find_part(e, &in, from, 0, from_origin, region))
        return refuse(e, from);
    if (!cw_run_rectangle_find_part(e, &out, to, 0, to_origin, region) ||
        memcmp(&in.memory->image->format, &out.memory->image->format, sizeof(cl_image_format)) != 0 ||
        may_overlap(&in, &out, region))
        return refuse(e, to);
    return cw_run_rectangle_copy(e, CL_COMMAND_COPY_IMAGE, in.region, out.memory, &out.side, in.memory,
                                 &in.side, NULL);
}

cl_int cw_run_hook_clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                      const size_t *from_origin, const size_t *to_origin,
                                      const size_t *region, cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = copy_task(&e, from, to, from_origin, to_origin, region)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE(2, ((cl_mem[]){from, to}), 2));
    return cw_run_native_end(&x, cw_native.clEnqueueCopyImage(queue, from, to, from_origin, to_origin, region,
                                                              x.n, x.list, x.event));
}

/* The command that copies a part of an image to `offset` in a buffer, or the other way round. */
static struct cw_run_task *buffer_task(struct cw_run_enqueue *e, bool to_buffer, cl_mem image,
                                       const size_t *origin, const size_t *region, cl_mem buffer,
                                       size_t offset)
{
    struct cw_run_memory *m = cw_run_memory_buffer(buffer);
    const size_t at[3] = {offset, 0, 0};
    struct cw_run_rectangle_part part, other = {.memory = m};

    if (!cw_run_rectangle_find_part(e, &part, image, 0, origin, region))
        return refuse(e, image);
    if (!m || m->context != e->queue->context || m->misaligned ||
        !cw_run_rectangle_make_side(&other.side, at, part.region, 0, 0) ||
        !cw_run_rectangle_fits(&other.side, m) || may_overlap(&part, &other, region))
        return refuse(e, buffer);
    if (to_buffer)
        return cw_run_rectangle_copy(e, CL_COMMAND_COPY_IMAGE_TO_BUFFER, part.region, m, &other.side,
                                     part.memory, &part.side, NULL);
    return cw_run_rectangle_copy(e, CL_COMMAND_COPY_BUFFER_TO_IMAGE, part.region, part.memory, &part.side, m,
                                 &other.side, NULL);
}

cl_int cw_run_hook_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                              const size_t *origin, const size_t *region, size_t offset,
                                              cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = buffer_task(&e, true, image, origin, region, buffer, offset)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE(2, ((cl_mem[]){image, buffer}), 2));
    return cw_run_native_end(&x, cw_native.clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region,
                                                                      offset, x.n, x.list, x.event));
}

cl_int cw_run_hook_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                              size_t offset, const size_t *origin, const size_t *region,
                                              cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = buffer_task(&e, false, image, origin, region, buffer, offset)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE(2, ((cl_mem[]){buffer, image}), 2));
    return cw_run_native_end(&x, cw_native.clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin,
                                                                      region, x.n, x.list, x.event));
}

/* ---- fills */

#define COLOUR_BYTES 16 /* four floats or integers, in each format of images */

static struct cw_run_task *fill_task(struct cw_run_enqueue *e, cl_mem image, const void *colour,
                                     const size_t *origin, const size_t *region)
{
    struct cw_run_task *t;
    struct cw_run_rectangle_part part;

    if (!colour || !cw_run_rectangle_find_part(e, &part, image, 0, origin, region))
        return refuse(e, image);
    t = cw_run_rectangle_task(e, CL_COMMAND_FILL_IMAGE, CW_RUN_FILL);
    if (!t)
        return refuse(e, image);
    t->fill.to = (struct cw_run_bytes){.memory = part.memory, .offset = part.side.start};
    t->fill.bytes = part.region[0] * part.region[1] * part.region[2];
    memcpy(t->fill.pattern, colour, COLOUR_BYTES);
    memcpy(t->fill.origin, origin, sizeof t->fill.origin);
    memcpy(t->fill.region, region, sizeof t->fill.region);
    cw_run_rectangle_add_access(e, t, &t->fill.to, part.side.span, true);
    return t;
}

cl_int cw_run_hook_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
                                      const size_t *origin, const size_t *region, cl_uint n,
                                      const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = fill_task(&e, image, colour, origin, region)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE(1, &image, 1));
    cw_run_gate_before(&x, queue, n, list);
    return cw_run_native_end(
        &x, cw_native.clEnqueueFillImage(queue, image, colour, origin, region, x.n, x.list, x.event));
}
