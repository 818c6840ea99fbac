/* gemm.c - C = A B by tiles, on one in-order queue: one of the four programs of the HSCGS paper.
 *
 * A task adds the product of a tile of A and one of B to a tile of C: as many independent chains as C has
 * tiles. Elements are small whole numbers, so that every sum is exact in float whatever the order (n up to
 * 4096).
 *
 * usage: gemm [n [tiles]]   n x n elements (default 48) in so many tiles (a square number, default 9) */
#include "tiles.h"

#include <string.h>

static const char source[] = "__kernel void multiply(__global const float *restrict l, __global const float "
                             "*restrict r, __global float *restrict c,\n"
                             "                       int b) {\n"
                             "    int x = get_global_id(0), y = get_global_id(1);\n"
                             "    float sum = c[y * b + x];\n"
                             "    for (int k = 0; k < b; k++) sum += l[y * b + k] * r[k * b + x];\n"
                             "    c[y * b + x] = sum;\n"
                             "}\n";

static void multiply_all(struct app *a, cl_kernel multiply, const struct tiles m[3])
{
    for (size_t i = 0; i < m[0].t; i++)
        for (size_t j = 0; j < m[0].t; j++)
            for (size_t k = 0; k < m[0].t; k++) {
                app_args(multiply, "mmmi", tiles_at(&m[0], i, k), tiles_at(&m[1], k, j),
                         tiles_at(&m[2], i, j), (cl_int)m[0].b);
                app_run_2d(a->queue, multiply, m[0].b, m[0].b, 0);
            }
}

int main(int argc, char **argv)
{
    struct tiles m[3];
    size_t n;
    float *data[3];
    double *x, *y, *got;
    uint32_t seed = 1;
    cl_kernel multiply;
    struct app a;

    m[0] = m[1] = m[2] = tiles_sizes(argc, argv, 48, 9);
    n = m[0].n;
    x = app_alloc(n * sizeof *x), y = app_alloc(n * sizeof *y), got = app_alloc(n * sizeof *got);
    app_open(&a, "gemm", 0, source);
    for (int k = 0; k < 3; k++) {
        data[k] = app_alloc(n * n * sizeof *data[k]);
        for (size_t i = 0; i < n * n; i++)
            data[k][i] = k == 2 ? 0 : (float)(app_random(&seed) % 9) - 4;
        tiles_make(&a, &m[k], data[k], NULL);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(app_random(&seed) % 9) - 4;
    multiply = app_kernel(&a, "multiply");
    multiply_all(&a, multiply, m);
    APP_CHECK(clReleaseKernel(multiply));
    for (int k = 2; k >= 0; k--)
        tiles_take(&a, &m[k], data[k]);
    tiles_apply(data[1], n, x, y, true, true, false);
    tiles_apply(data[0], n, y, got, true, true, false);
    tiles_apply(data[2], n, x, y, true, true, false);
    app_expect(&a, !memcmp(got, y, n * sizeof *y), "C x is not A (B x)");
    for (int k = 0; k < 3; k++)
        free(data[k]);
    free(x), free(y), free(got);
    return app_close(&a);
}
