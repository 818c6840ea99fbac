/* host_range.c - see graph_parts.h. */
#include "graph_parts.h"

#include <CL/cl.h>

/* The shape of an image's or a rectangle's rows, with the specification's defaults for pitches of 0. */
static void set_rows(struct cw_host_range *r, const uint64_t region[3], uint64_t element,
                     const uint64_t *origin, uint64_t row_pitch, uint64_t slice_pitch)
{
    r->bytes = region[0] * element;
    r->rows = region[1] ? region[1] : 1;
    r->slices = region[2] ? region[2] : 1;
    r->row_pitch = row_pitch ? row_pitch : r->bytes;
    r->slice_pitch = slice_pitch ? slice_pitch : r->rows * r->row_pitch;
    if (origin)
        r->start += origin[2] * r->slice_pitch + origin[1] * r->row_pitch + origin[0];
}

static uint64_t element_bytes(const struct cw_trace *t, const struct cw_t_transfer *x)
{
    uint32_t image = x->src < t->memory.count ? x->src : x->dst;

    return image < t->memory.count ? t->memory.v[image].element_bytes : 0;
}

/* The mapped bytes: pitches are those of the map, also for its unmap. */
static void set_mapped(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];
    const struct cw_command *map = x->map_command < t->commands.count ? &t->commands.v[x->map_command] : k;

    r->mapped = true;
    r->mode = CW_ACCESS_WRITE;
    if (map->transfer != CW_NONE)
        x = &t->transfers.v[map->transfer];
    r->bytes = x->bytes;
    if (!x->bytes && x->region[0])
        set_rows(r, x->region, element_bytes(t, x), NULL, x->dst_row_pitch, x->dst_slice_pitch);
}

static void set_shape(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];

    r->start = x->host_ptr;
    r->rows = r->slices = 1;
    switch (k->type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_WRITE_BUFFER:
        r->bytes = x->bytes;
        break;
    case CL_COMMAND_SVM_MEMCPY:
        r->bytes = x->src == CW_NONE || x->dst == CW_NONE ? x->bytes : 0;
        break;
    case CL_COMMAND_READ_BUFFER_RECT:
        set_rows(r, x->region, 1, x->dst_origin, x->dst_row_pitch, x->dst_slice_pitch);
        break;
    case CL_COMMAND_WRITE_BUFFER_RECT:
        set_rows(r, x->region, 1, x->src_origin, x->src_row_pitch, x->src_slice_pitch);
        break;
    case CL_COMMAND_READ_IMAGE:
        set_rows(r, x->region, element_bytes(t, x), NULL, x->dst_row_pitch, x->dst_slice_pitch);
        break;
    case CL_COMMAND_WRITE_IMAGE:
        set_rows(r, x->region, element_bytes(t, x), NULL, x->src_row_pitch, x->src_slice_pitch);
        break;
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_MAP:
    case CL_COMMAND_SVM_UNMAP:
        set_mapped(t, k, r);
        break;
    default:
        break;
    }
}

bool cw_host_range(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = k->transfer != CW_NONE ? &t->transfers.v[k->transfer] : NULL;
    uint64_t last, rows;

    *r = (struct cw_host_range){0};
    if (k->status != 0 || !x || !x->host_ptr)
        return false;
    r->mode = x->dst == CW_NONE ? CW_ACCESS_WRITE : CW_ACCESS_READ;
    set_shape(t, k, r);
    if (!r->bytes)
        return false;
    if (__builtin_mul_overflow(r->slices - 1, r->slice_pitch, &last) ||
        __builtin_mul_overflow(r->rows - 1, r->row_pitch, &rows) ||
        __builtin_add_overflow(last, rows, &last) || __builtin_add_overflow(last, r->bytes, &last) ||
        last > UINT64_MAX - 1 - r->start)
        return false; /* a lying trace */
    if (r->rows > CW_ACCESS_MAX_ROWS || r->slices > CW_ACCESS_MAX_ROWS ||
        r->rows * r->slices > CW_ACCESS_MAX_ROWS ||
        ((r->rows == 1 || r->row_pitch == r->bytes) &&
         (r->slices == 1 || r->slice_pitch == r->rows * r->row_pitch))) {
        r->bytes = last;
        r->rows = r->slices = 1;
    }
    return true;
}
