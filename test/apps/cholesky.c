/* cholesky.c - A = L L^T by tiles, on one in-order queue: one of the four programs of the HSCGS paper.
 *
 * For each k: factor tile (k, k); solve the tiles below it; subtract products from the tiles behind, of the
 * lower half. A task per tile. The matrix is symmetric and diagonally dominant.
 *
 * usage: cholesky [n [tiles]]   n x n elements (default 48) in so many tiles (a square number, default 9) */
#include "tiles.h"

static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    /* one work-group */
    "__kernel void factor(__global float *a, int b) {\n"
    "    for (int k = 0; k < b; k++) {\n"
    "        if (get_local_id(0) == 0) a[k * b + k] = sqrt(a[k * b + k]);\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "        for (int i = k + 1 + (int)get_local_id(0); i < b; i += (int)get_local_size(0)) a[i * b + k] /= "
    "a[k * b + k];\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "        for (int i = k + 1 + (int)get_local_id(0); i < b; i += (int)get_local_size(0))\n"
    "            for (int j = k + 1; j <= i; j++) a[i * b + j] -= a[i * b + k] * a[j * b + k];\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    /* a := a L(d)^-T, a work-item per row */
    "__kernel void solve(__global const float *restrict d, __global float *restrict a, int b) {\n"
    "    int y = get_global_id(0);\n"
    "    for (int j = 0; j < b; j++) {\n"
    "        float sum = a[y * b + j];\n"
    "        for (int k = 0; k < j; k++) sum -= a[y * b + k] * d[j * b + k];\n"
    "        a[y * b + j] = sum / d[j * b + j];\n"
    "    }\n"
    "}\n"
    "__kernel void update(__global const float *l, __global const float *r, __global float *restrict a, int "
    "b) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = a[y * b + x];\n"
    "    for (int k = 0; k < b; k++) sum -= l[y * b + k] * r[x * b + k];\n"
    "    a[y * b + x] = sum;\n"
    "}\n";

static bool is_lower(size_t row, size_t column)
{
    return column <= row;
}

static void enqueue(struct app *a, const struct tiles *m)
{
    cl_kernel factor = app_kernel(a, "factor"), solve = app_kernel(a, "solve"),
              update = app_kernel(a, "update");
    size_t group = m->b < 64 ? m->b : 64, line = tiles_local(m, 64), square = tiles_local(m, 8);

    for (size_t k = 0; k < m->t; k++) {
        app_args(factor, "mi", tiles_at(m, k, k), (cl_int)m->b);
        app_run(a->queue, factor, group, group, 0, NULL, NULL);
        for (size_t i = k + 1; i < m->t; i++) {
            app_args(solve, "mmi", tiles_at(m, k, k), tiles_at(m, i, k), (cl_int)m->b);
            app_run(a->queue, solve, m->b, line, 0, NULL, NULL);
        }
        for (size_t i = k + 1; i < m->t; i++)
            for (size_t j = k + 1; j <= i; j++) {
                app_args(update, "mmmi", tiles_at(m, i, k), tiles_at(m, j, k), tiles_at(m, i, j),
                         (cl_int)m->b);
                app_run_2d(a->queue, update, m->b, m->b, square);
            }
    }
    APP_CHECK(clReleaseKernel(factor));
    APP_CHECK(clReleaseKernel(solve));
    APP_CHECK(clReleaseKernel(update));
}

int main(int argc, char **argv)
{
    struct tiles m = tiles_sizes(argc, argv, 48, 9);
    size_t n = m.n;
    float *data = app_alloc(n * n * sizeof *data);
    double *x = app_alloc(n * sizeof *x), *y = app_alloc(n * sizeof *y), *got = app_alloc(n * sizeof *got);
    uint32_t seed = 1;
    struct app a;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            data[i * n + j] = data[j * n + i] =
                (float)(app_random(&seed) % 2000) / 1000 - 1 + (i == j ? (float)n : 0);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(app_random(&seed) % 2000) / 1000 - 1;
    app_open(&a, "cholesky", 0, source);
    tiles_make(&a, &m, data, is_lower);
    enqueue(&a, &m);

    tiles_apply(data, n, x, got, true, true, false); /* A x, before data becomes L */
    tiles_take(&a, &m, data);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            data[i * n + j] = data[j * n + i];
    tiles_apply(data, n, x, y, false, true, false); /* L^T x */
    tiles_apply(data, n, y, x, true, false, false);
    tiles_compare(&a, x, got, n);
    free(data), free(x), free(y), free(got);
    return app_close(&a);
}
