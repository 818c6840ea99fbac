/* tiles.h - square matrices of floats cut into square tiles, each tile a buffer of its own: what lu, cholesky
 * and gemm share.
 *
 * Tile (row, column) of a matrix of T x T tiles of b x b elements is m[row * T + column], row-major inside.
 * The programs take the size of the matrix and the number of tiles (a square number: 4, 16, 64 ... 1024), as
 * the HSCGS paper does. */
#ifndef APP_TILES_H
#define APP_TILES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

struct tiles {
    size_t n, t, b; /* elements and tiles per side, elements per side of a tile */
    cl_mem *m;      /* t * t; NULL where no tile was made */
};

/* Size and tiles from the command line: usage: NAME [n [tiles]]; n is made a multiple of the tiles per side.
 */
static inline struct tiles tiles_sizes(int argc, char **argv, size_t n, size_t tiles)
{
    struct tiles m = {.n = app_size(argc, argv, 1, n, 1, 16384)};
    size_t count = app_size(argc, argv, 2, tiles, 1, 65536);

    while (m.t * m.t < count)
        m.t++;
    if (m.t * m.t != count || m.t > m.n) {
        fprintf(stderr, "usage: %s [n [tiles]]: the number of tiles is the square of at most n\n", argv[0]);
        exit(1);
    }
    m.b = m.n / m.t;
    m.n = m.b * m.t;
    return m;
}

static inline cl_mem tiles_at(const struct tiles *m, size_t row, size_t column)
{
    return m->m[row * m->t + column];
}

/* The largest local size up to `most` that divides a tile's side. The programs give local sizes, as kernels
 * beside theirs use local ids: where no size is given, only the vendor knows which it took. */
static inline size_t tiles_local(const struct tiles *m, size_t most)
{
    while (m->b % most)
        most--;
    return most;
}

/* Makes the tiles of which `wanted` (NULL: all) holds, and fills them from `data`, n x n row-major. */
static inline void tiles_make(struct app *a, struct tiles *m, const float *data,
                              bool (*wanted)(size_t, size_t))
{
    float *tile = app_alloc(m->b * m->b * sizeof *tile);

    m->m = app_alloc(m->t * m->t * sizeof *m->m);
    for (size_t k = 0; k < m->t * m->t; k++) {
        size_t row = k / m->t, column = k % m->t;
        m->m[k] = NULL;
        if (wanted && !wanted(row, column))
            continue;
        for (size_t y = 0; y < m->b; y++)
            for (size_t x = 0; x < m->b; x++)
                tile[y * m->b + x] = data[(row * m->b + y) * m->n + column * m->b + x];
        m->m[k] = app_buffer(a, CL_MEM_READ_WRITE, m->b * m->b * sizeof *tile, NULL);
        APP_CHECK(clEnqueueWriteBuffer(a->queue, m->m[k], CL_TRUE, 0, m->b * m->b * sizeof *tile, tile, 0,
                                       NULL, NULL));
    }
    free(tile);
}

/* Reads all tiles back into `data` (elements of tiles that were not made stay), and releases them. */
static inline void tiles_take(struct app *a, struct tiles *m, float *data)
{
    float *tile = app_alloc(m->b * m->b * sizeof *tile);

    for (size_t k = 0; k < m->t * m->t; k++) {
        if (!m->m[k])
            continue;
        app_read(a, m->m[k], 0, m->b * m->b * sizeof *tile, tile);
        for (size_t y = 0; y < m->b; y++)
            for (size_t x = 0; x < m->b; x++)
                data[(k / m->t * m->b + y) * m->n + k % m->t * m->b + x] = tile[y * m->b + x];
        APP_CHECK(clReleaseMemObject(m->m[k]));
    }
    free(m->m);
    free(tile);
}

/* got = what `multiply` makes of x must be want = A x, to single precision: O(n^2), so that large matrices
 * can be checked. */
static inline void tiles_compare(struct app *a, const double *got, const double *want, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fabs(want[i]) > most ? fabs(want[i]) : most;
    for (size_t i = 0; i < n; i++)
        if (!app_expect(a, fabs(got[i] - want[i]) <= 1e-4 * most, "row %zu: %g instead of %g", i, got[i],
                        want[i]))
            return;
}

/* y = A x, of the elements (row, column) for which column is from first(row) to last(row) only. */
static inline void tiles_apply(const float *matrix, size_t n, const double *x, double *y, bool lower,
                               bool upper, bool unit)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = unit ? x[i] : lower || upper ? (double)matrix[i * n + i] * x[i] : 0;
        for (size_t j = 0; j < n; j++)
            if ((lower && j < i) || (upper && j > i))
                y[i] += (double)matrix[i * n + j] * x[j];
    }
}

#endif
