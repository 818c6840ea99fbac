/* staging_pieces.h - a transfer between host memory and a buffer or image, cut into pieces that fit into
 * chunks.
 *
 * A piece is a box of the transfer's region. In a chunk its rows lie one behind the other without gaps.
 * Pure; any thread. All sizes in bytes but rows and slices, which are counts. */
#ifndef CW_RUN_STAGING_PIECES_H
#define CW_RUN_STAGING_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One side of a transfer, as OpenCL's rectangles name it. */
struct cw_run_staging_side {
    size_t origin[3];  /* bytes, rows, slices */
    size_t row, slice; /* pitches; never 0 once cw_run_staging_pieces_check has filled them in */
};

struct cw_run_staging_shape {
    size_t region[3];                        /* bytes, rows, slices */
    size_t pixel;                            /* bytes of one, which stay together; 0: of a buffer */
    struct cw_run_staging_side buffer, host; /* buffer: an image is one whose rows lie without gaps */
};

/* A transfer cut along a grid. */
struct cw_run_staging_cut {
    size_t step[3], count[3];
    size_t n; /* pieces */
};

struct cw_run_staging_piece {
    size_t at[3], size[3]; /* within the region */
};

/* Fills in pitches that are 0. False: OpenCL does not allow the shape, or it does not lie in a buffer of
 * `buffer_bytes`, or a number is too large; the vendor knows the error. */
bool cw_run_staging_pieces_check(struct cw_run_staging_shape *s, size_t buffer_bytes);

/* The same for an image of `extent` pixels, rows and slices, with `pixel` bytes each: `s` has the region and
 * the buffer's origin in pixels, which become bytes. */
bool cw_run_staging_pieces_check_image(struct cw_run_staging_shape *s, size_t pixel, const size_t *extent);

/* Bytes of the region. Only after the check. */
size_t cw_run_staging_pieces_bytes(const struct cw_run_staging_shape *s);

/* The bytes of host memory from the host pointer to the end of the region's last row. Only after the
 * check. */
size_t cw_run_staging_pieces_host_span(const struct cw_run_staging_shape *s);

/* Cuts into pieces of at most `piece` bytes, which holds a pixel, and one byte at least. */
void cw_run_staging_pieces_cut(const struct cw_run_staging_shape *s, size_t piece,
                               struct cw_run_staging_cut *cut);

/* Piece `i` of the cut, i < cut->n. */
void cw_run_staging_pieces_at(const struct cw_run_staging_shape *s, const struct cw_run_staging_cut *cut,
                              size_t i, struct cw_run_staging_piece *p);

/* The last bytes of the region's last row, at most `most`, which holds a pixel. */
void cw_run_staging_pieces_tail(const struct cw_run_staging_shape *s, size_t most,
                                struct cw_run_staging_piece *p);

/* The offset of the piece's first byte from the start of a side. */
size_t cw_run_staging_pieces_offset(const struct cw_run_staging_side *side,
                                    const struct cw_run_staging_piece *p);

/* Copies the piece from host memory into a chunk, or back. `host`: the program's pointer. */
void cw_run_staging_pieces_gather(uint8_t *chunk, const uint8_t *host, const struct cw_run_staging_shape *s,
                                  const struct cw_run_staging_piece *p);
void cw_run_staging_pieces_scatter(uint8_t *host, const uint8_t *chunk, const struct cw_run_staging_shape *s,
                                   const struct cw_run_staging_piece *p);

#endif
