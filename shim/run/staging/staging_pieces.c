/* staging_pieces.c - boxes of a region, and their copies. */
#include "staging_pieces.h"

#include <string.h>

/* Slices of a buffer's rectangle are of whole rows. */
static bool fill_in(struct cw_run_staging_side *side, const size_t *region, bool image)
{
    size_t least;

    side->row = side->row ? side->row : region[0];
    if (side->row < region[0] || __builtin_mul_overflow(side->row, region[1], &least))
        return false;
    side->slice = side->slice ? side->slice : least;
    return side->slice >= least && (image || side->slice % side->row == 0);
}

/* The bytes from the start of a side to the end of the region on it. */
static bool find_end(const struct cw_run_staging_side *side, const size_t *region, size_t *end)
{
    size_t rows, slices;

    return !__builtin_add_overflow(side->origin[1], region[1] - 1, &rows) &&
           !__builtin_add_overflow(side->origin[2], region[2] - 1, &slices) &&
           !__builtin_mul_overflow(rows, side->row, &rows) &&
           !__builtin_mul_overflow(slices, side->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, end) &&
           !__builtin_add_overflow(*end, side->origin[0], end) &&
           !__builtin_add_overflow(*end, region[0], end);
}

bool cw_run_staging_pieces_check(struct cw_run_staging_shape *s, size_t buffer_bytes)
{
    size_t bytes, end;

    if (!s->region[0] || !s->region[1] || !s->region[2] ||
        __builtin_mul_overflow(s->region[0], s->region[1], &bytes) ||
        __builtin_mul_overflow(bytes, s->region[2], &bytes))
        return false;
    if (!fill_in(&s->buffer, s->region, s->pixel) || !fill_in(&s->host, s->region, s->pixel))
        return false;
    return find_end(&s->host, s->region, &end) && find_end(&s->buffer, s->region, &end) &&
           end <= buffer_bytes;
}

bool cw_run_staging_pieces_check_image(struct cw_run_staging_shape *s, size_t pixel, const size_t *extent)
{
    struct cw_run_staging_side *b = &s->buffer;
    size_t bytes;

    for (int d = 0; d < 3; d++)
        if (b->origin[d] > extent[d] || s->region[d] > extent[d] - b->origin[d])
            return false;
    if (!pixel || s->host.row % pixel || s->host.slice % pixel ||
        __builtin_mul_overflow(extent[0], pixel, &b->row) ||
        __builtin_mul_overflow(b->row, extent[1], &b->slice) ||
        __builtin_mul_overflow(b->slice, extent[2], &bytes))
        return false;
    s->pixel = pixel;
    s->region[0] *= pixel;
    b->origin[0] *= pixel;
    return cw_run_staging_pieces_check(s, bytes);
}

size_t cw_run_staging_pieces_bytes(const struct cw_run_staging_shape *s)
{
    return s->region[0] * s->region[1] * s->region[2];
}

size_t cw_run_staging_pieces_host_span(const struct cw_run_staging_shape *s)
{
    size_t end = 0;

    find_end(&s->host, s->region, &end);
    return end;
}

static size_t steps(size_t of, size_t step)
{
    return of / step + (of % step != 0);
}

void cw_run_staging_pieces_cut(const struct cw_run_staging_shape *s, size_t piece,
                               struct cw_run_staging_cut *cut)
{
    const size_t *region = s->region;
    size_t row = region[0], slice = row * region[1], unit = s->pixel ? s->pixel : 1, units = row / unit;

    cut->step[0] = row <= piece ? row : unit * steps(units, steps(units, piece / unit)); /* parts alike */
    cut->step[1] = slice <= piece ? region[1] : row <= piece ? piece / row : 1;
    cut->step[2] = slice <= piece ? piece / slice : 1;
    cut->n = 1;
    for (int d = 0; d < 3; d++) {
        if (cut->step[d] > region[d])
            cut->step[d] = region[d];
        cut->count[d] = steps(region[d], cut->step[d]);
        cut->n *= cut->count[d];
    }
}

void cw_run_staging_pieces_at(const struct cw_run_staging_shape *s, const struct cw_run_staging_cut *cut,
                              size_t i, struct cw_run_staging_piece *p)
{
    for (int d = 0; d < 3; d++) {
        p->at[d] = i % cut->count[d] * cut->step[d];
        p->size[d] = s->region[d] - p->at[d] < cut->step[d] ? s->region[d] - p->at[d] : cut->step[d];
        i /= cut->count[d];
    }
}

void cw_run_staging_pieces_tail(const struct cw_run_staging_shape *s, size_t most,
                                struct cw_run_staging_piece *p)
{
    size_t whole = s->pixel ? most - most % s->pixel : most;
    size_t bytes = s->region[0] < whole ? s->region[0] : whole;

    *p = (struct cw_run_staging_piece){.at = {s->region[0] - bytes, s->region[1] - 1, s->region[2] - 1},
                                       .size = {bytes, 1, 1}};
}

size_t cw_run_staging_pieces_offset(const struct cw_run_staging_side *side,
                                    const struct cw_run_staging_piece *p)
{
    return side->origin[0] + p->at[0] + (side->origin[1] + p->at[1]) * side->row +
           (side->origin[2] + p->at[2]) * side->slice;
}

/* Rows that lie without gaps in host memory are one row to memcpy. */
static void copy(uint8_t *to, const uint8_t *from, const struct cw_run_staging_side *host,
                 const struct cw_run_staging_piece *p, bool gather)
{
    bool tight = p->size[0] == host->row;
    size_t row = tight ? p->size[0] * p->size[1] : p->size[0], rows = tight ? 1 : p->size[1];

    for (size_t z = 0; z < p->size[2]; z++)
        for (size_t y = 0; y < rows; y++) {
            size_t packed = (z * rows + y) * row, spread = z * host->slice + y * host->row;
            memcpy(to + (gather ? packed : spread), from + (gather ? spread : packed), row);
        }
}

void cw_run_staging_pieces_gather(uint8_t *chunk, const uint8_t *host, const struct cw_run_staging_shape *s,
                                  const struct cw_run_staging_piece *p)
{
    copy(chunk, host + cw_run_staging_pieces_offset(&s->host, p), &s->host, p, true);
}

void cw_run_staging_pieces_scatter(uint8_t *host, const uint8_t *chunk, const struct cw_run_staging_shape *s,
                                   const struct cw_run_staging_piece *p)
{
    copy(host + cw_run_staging_pieces_offset(&s->host, p), chunk, &s->host, p, false);
}
