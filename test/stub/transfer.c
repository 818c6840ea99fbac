/* transfer.c - commands that move bytes in the null driver. Wait lists are not waited for: all is complete at
 * once. */
#include "nullcl.h"

#define WAIT          cl_uint num_waits, const cl_event *waits, cl_event *event
#define NO_WAITING    ((void)num_waits, (void)waits)
#define DONE(type, n) nullcl_complete(q, type, (n) / 8, event)

/* A transfer that blocks is over when its queue is. */
static cl_int blocked(cl_command_queue q, cl_bool blocking, cl_int err)
{
    if (blocking && err == CL_SUCCESS)
        nullcl_spin(atomic_load(&q->over_ns));
    return err;
}

/* A box of rows in a flat memory; `pitch` of rows and slices in bytes. */
struct box {
    char *bytes;
    size_t origin[3], row, slice;
};

static void copy_box(const struct box *to, const struct box *from, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memmove(to->bytes + (to->origin[2] + z) * to->slice + (to->origin[1] + y) * to->row +
                        to->origin[0],
                    from->bytes + (from->origin[2] + z) * from->slice + (from->origin[1] + y) * from->row +
                        from->origin[0],
                    region[0]);
}

static struct box box_of(void *bytes, const size_t origin[3], size_t row, size_t slice,
                         const size_t region[3])
{
    struct box b = {.bytes = bytes, .row = row ? row : region[0]};
    b.slice = slice ? slice : b.row * region[1];
    memcpy(b.origin, origin, sizeof b.origin);
    return b;
}

static cl_int check(cl_command_queue q, cl_mem m, size_t offset, size_t size)
{
    if (!nullcl_is(q, K_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!nullcl_is(m, K_MEM))
        return CL_INVALID_MEM_OBJECT;
    return offset > m->size || size > m->size - offset ? CL_INVALID_VALUE : CL_SUCCESS;
}

static cl_int read_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size, void *p,
                          WAIT)
{
    cl_int e = check(q, m, offset, size);
    NO_WAITING;
    if (e || !p)
        return e ? e : CL_INVALID_VALUE;
    memmove(p, m->bytes + offset, size);
    return blocked(q, blocking, DONE(CL_COMMAND_READ_BUFFER, size));
}

static cl_int write_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                           const void *p, WAIT)
{
    cl_int e = check(q, m, offset, size);
    NO_WAITING;
    if (e || !p)
        return e ? e : CL_INVALID_VALUE;
    memmove(m->bytes + offset, p, size);
    return blocked(q, blocking, DONE(CL_COMMAND_WRITE_BUFFER, size));
}

static cl_int copy_buffer(cl_command_queue q, cl_mem s, cl_mem d, size_t so, size_t doff, size_t size, WAIT)
{
    cl_int e = check(q, s, so, size);
    NO_WAITING;
    if (!e)
        e = check(q, d, doff, size);
    if (e)
        return e;
    memmove(d->bytes + doff, s->bytes + so, size);
    return DONE(CL_COMMAND_COPY_BUFFER, size);
}

static cl_int fill_buffer(cl_command_queue q, cl_mem m, const void *pattern, size_t n, size_t offset,
                          size_t size, WAIT)
{
    cl_int e = check(q, m, offset, size);
    NO_WAITING;
    if (e || !n || !pattern || size % n)
        return e ? e : CL_INVALID_VALUE;
    for (size_t i = 0; i < size; i += n)
        memcpy(m->bytes + offset + i, pattern, n);
    return DONE(CL_COMMAND_FILL_BUFFER, size);
}

static cl_int read_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *bo, const size_t *ho,
                        const size_t *r, size_t brow, size_t bslice, size_t hrow, size_t hslice, void *p,
                        WAIT)
{
    cl_int e = check(q, m, 0, 0);
    NO_WAITING;
    if (e)
        return e;
    struct box to = box_of(p, ho, hrow, hslice, r), from = box_of(m->bytes, bo, brow, bslice, r);
    copy_box(&to, &from, r);
    return blocked(q, blocking, DONE(CL_COMMAND_READ_BUFFER_RECT, r[0] * r[1] * r[2]));
}

static cl_int write_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *bo, const size_t *ho,
                         const size_t *r, size_t brow, size_t bslice, size_t hrow, size_t hslice,
                         const void *p, WAIT)
{
    cl_int e = check(q, m, 0, 0);
    NO_WAITING;
    if (e)
        return e;
    struct box from = box_of((void *)p, ho, hrow, hslice, r), to = box_of(m->bytes, bo, brow, bslice, r);
    copy_box(&to, &from, r);
    return blocked(q, blocking, DONE(CL_COMMAND_WRITE_BUFFER_RECT, r[0] * r[1] * r[2]));
}

static cl_int copy_rect(cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *doff,
                        const size_t *r, size_t srow, size_t sslice, size_t drow, size_t dslice, WAIT)
{
    cl_int e = check(q, s, 0, 0);
    NO_WAITING;
    if (!e)
        e = check(q, d, 0, 0);
    if (e)
        return e;
    struct box from = box_of(s->bytes, so, srow, sslice, r), to = box_of(d->bytes, doff, drow, dslice, r);
    copy_box(&to, &from, r);
    return DONE(CL_COMMAND_COPY_BUFFER_RECT, r[0] * r[1] * r[2]);
}

/* An image as a box: origins and regions of images count pixels in x. */
static struct box image_box(cl_mem m, const size_t origin[3])
{
    size_t o[3] = {origin[0] * m->element, origin[1], origin[2]}, none[3] = {0};
    return box_of(m->bytes, o, m->desc.image_row_pitch, m->desc.image_slice_pitch, none);
}

static cl_int check_image(cl_command_queue q, cl_mem m)
{
    cl_int e = check(q, m, 0, 0);
    return e ? e : m->element ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

static cl_int read_image(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *o, const size_t *r,
                         size_t row, size_t slice, void *p, WAIT)
{
    static const size_t zero[3];
    cl_int e = check_image(q, m);
    NO_WAITING;
    if (e)
        return e;
    size_t bytes[3] = {r[0] * m->element, r[1], r[2]};
    struct box from = image_box(m, o), to = box_of(p, zero, row, slice, bytes);
    copy_box(&to, &from, bytes);
    return blocked(q, blocking, DONE(CL_COMMAND_READ_IMAGE, bytes[0] * r[1] * r[2]));
}

static cl_int write_image(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *o, const size_t *r,
                          size_t row, size_t slice, const void *p, WAIT)
{
    static const size_t zero[3];
    cl_int e = check_image(q, m);
    NO_WAITING;
    if (e)
        return e;
    size_t bytes[3] = {r[0] * m->element, r[1], r[2]};
    struct box to = image_box(m, o), from = box_of((void *)p, zero, row, slice, bytes);
    copy_box(&to, &from, bytes);
    return blocked(q, blocking, DONE(CL_COMMAND_WRITE_IMAGE, bytes[0] * r[1] * r[2]));
}

static cl_int copy_image(cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *doff,
                         const size_t *r, WAIT)
{
    cl_int e = check_image(q, s);
    NO_WAITING;
    if (!e)
        e = check_image(q, d);
    if (e)
        return e;
    size_t bytes[3] = {r[0] * s->element, r[1], r[2]};
    struct box from = image_box(s, so), to = image_box(d, doff);
    copy_box(&to, &from, bytes);
    return DONE(CL_COMMAND_COPY_IMAGE, bytes[0] * r[1] * r[2]);
}

static cl_int image_to_buffer(cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *r,
                              size_t doff, WAIT)
{
    static const size_t zero[3];
    cl_int e = check_image(q, s);
    NO_WAITING;
    if (!e)
        e = check(q, d, doff, r[0] * s->element * r[1] * r[2]);
    if (e)
        return e;
    size_t bytes[3] = {r[0] * s->element, r[1], r[2]};
    struct box from = image_box(s, so), to = box_of(d->bytes + doff, zero, 0, 0, bytes);
    copy_box(&to, &from, bytes);
    return DONE(CL_COMMAND_COPY_IMAGE_TO_BUFFER, bytes[0] * r[1] * r[2]);
}

static cl_int buffer_to_image(cl_command_queue q, cl_mem s, cl_mem d, size_t so, const size_t *doff,
                              const size_t *r, WAIT)
{
    static const size_t zero[3];
    cl_int e = check_image(q, d);
    NO_WAITING;
    if (!e)
        e = check(q, s, so, r[0] * d->element * r[1] * r[2]);
    if (e)
        return e;
    size_t bytes[3] = {r[0] * d->element, r[1], r[2]};
    struct box to = image_box(d, doff), from = box_of(s->bytes + so, zero, 0, 0, bytes);
    copy_box(&to, &from, bytes);
    return DONE(CL_COMMAND_COPY_BUFFER_TO_IMAGE, bytes[0] * r[1] * r[2]);
}

/* Pixels become the first bytes of the colour: a driver that computes nothing has no use for conversions. */
static cl_int fill_image(cl_command_queue q, cl_mem m, const void *color, const size_t *o, const size_t *r,
                         WAIT)
{
    cl_int e = check_image(q, m);
    NO_WAITING;
    if (e)
        return e;
    struct box b = image_box(m, o);
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            for (size_t x = 0; x < r[0]; x++)
                memcpy(b.bytes + (o[2] + z) * b.slice + (o[1] + y) * b.row + (o[0] + x) * m->element, color,
                       m->element);
    return DONE(CL_COMMAND_FILL_IMAGE, r[0] * m->element * r[1] * r[2]);
}

static void *map_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset,
                        size_t size, WAIT, cl_int *errcode_ret)
{
    cl_int e = check(q, m, offset, size);
    (void)flags, NO_WAITING;
    if (!e && m->flags & CL_MEM_ALLOC_HOST_PTR && getenv("NULLCL_UNPINNED"))
        e = CL_MAP_FAILURE;
    if (e || (e = blocked(q, blocking, DONE(CL_COMMAND_MAP_BUFFER, 0))))
        return nullcl_fail(errcode_ret, e);
    m->maps++;
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return m->bytes + offset;
}

static void *map_image(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, const size_t *o,
                       const size_t *r, size_t *row, size_t *slice, WAIT, cl_int *errcode_ret)
{
    cl_int e = check_image(q, m);
    (void)flags, (void)r, NO_WAITING;
    if (e || (e = blocked(q, blocking, DONE(CL_COMMAND_MAP_IMAGE, 0))))
        return nullcl_fail(errcode_ret, e);
    m->maps++;
    if (row)
        *row = m->desc.image_row_pitch;
    if (slice)
        *slice = m->desc.image_slice_pitch;
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return m->bytes + o[2] * m->desc.image_slice_pitch + o[1] * m->desc.image_row_pitch + o[0] * m->element;
}

static cl_int unmap(cl_command_queue q, cl_mem m, void *p, WAIT)
{
    cl_int e = check(q, m, 0, 0);
    NO_WAITING;
    if (e || (char *)p < m->bytes || (char *)p >= m->bytes + m->size || !m->maps)
        return e ? e : CL_INVALID_VALUE;
    m->maps--;
    return DONE(CL_COMMAND_UNMAP_MEM_OBJECT, 0);
}

static cl_int migrate(cl_command_queue q, cl_uint n, const cl_mem *m, cl_mem_migration_flags flags, WAIT)
{
    (void)flags, NO_WAITING;
    for (cl_uint i = 0; i < n; i++)
        if (check(q, m[i], 0, 0))
            return check(q, m[i], 0, 0);
    return DONE(CL_COMMAND_MIGRATE_MEM_OBJECTS, 0);
}

void nullcl_fill_transfer(void)
{
    nullcl.clEnqueueReadBuffer = read_buffer;
    nullcl.clEnqueueWriteBuffer = write_buffer;
    nullcl.clEnqueueCopyBuffer = copy_buffer;
    nullcl.clEnqueueFillBuffer = fill_buffer;
    nullcl.clEnqueueReadBufferRect = read_rect;
    nullcl.clEnqueueWriteBufferRect = write_rect;
    nullcl.clEnqueueCopyBufferRect = copy_rect;
    nullcl.clEnqueueReadImage = read_image;
    nullcl.clEnqueueWriteImage = write_image;
    nullcl.clEnqueueCopyImage = copy_image;
    nullcl.clEnqueueCopyImageToBuffer = image_to_buffer;
    nullcl.clEnqueueCopyBufferToImage = buffer_to_image;
    nullcl.clEnqueueFillImage = fill_image;
    nullcl.clEnqueueMapBuffer = map_buffer;
    nullcl.clEnqueueMapImage = map_image;
    nullcl.clEnqueueUnmapMemObject = unmap;
    nullcl.clEnqueueMigrateMemObjects = migrate;
}
