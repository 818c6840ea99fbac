/* lu.c - A = L U without pivoting, by tiles, on one in-order queue: one of the four programs of the HSCGS
 * paper.
 *
 * For each k: factor tile (k, k); solve the tiles right of it and below it; subtract products from all tiles
 * behind. A task per tile. The matrix is diagonally dominant.
 *
 * usage: lu [n [tiles]]   n x n elements (default 48) in so many tiles (a square number, default 9) */
#include "tiles.h"

static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    /* one work-group */
    "__kernel void factor(__global float *a, int b) {\n"
    "    for (int k = 0; k < b; k++) {\n"
    "        for (int i = k + 1 + (int)get_local_id(0); i < b; i += (int)get_local_size(0)) {\n"
    "            float l = a[i * b + k] / a[k * b + k];\n"
    "            a[i * b + k] = l;\n"
    "            for (int j = k + 1; j < b; j++) a[i * b + j] -= l * a[k * b + j];\n"
    "        }\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    /* a := L(d)^-1 a, a work-item per column */
    "__kernel void solve_right(__global const float *restrict d, __global float *restrict a, int b) {\n"
    "    int x = get_global_id(0);\n"
    "    for (int i = 1; i < b; i++) {\n"
    "        float sum = a[i * b + x];\n"
    "        for (int k = 0; k < i; k++) sum -= d[i * b + k] * a[k * b + x];\n"
    "        a[i * b + x] = sum;\n"
    "    }\n"
    "}\n"
    /* a := a U(d)^-1, a work-item per row */
    "__kernel void solve_below(__global const float *restrict d, __global float *restrict a, int b) {\n"
    "    int y = get_global_id(0);\n"
    "    for (int j = 0; j < b; j++) {\n"
    "        float sum = a[y * b + j];\n"
    "        for (int k = 0; k < j; k++) sum -= a[y * b + k] * d[k * b + j];\n"
    "        a[y * b + j] = sum / d[j * b + j];\n"
    "    }\n"
    "}\n"
    "__kernel void update(__global const float *restrict l, __global const float *restrict u, __global float "
    "*restrict a,\n"
    "                     int b) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = a[y * b + x];\n"
    "    for (int k = 0; k < b; k++) sum -= l[y * b + k] * u[k * b + x];\n"
    "    a[y * b + x] = sum;\n"
    "}\n";

static void enqueue(struct app *a, const struct tiles *m)
{
    cl_kernel factor = app_kernel(a, "factor"), right = app_kernel(a, "solve_right"),
              below = app_kernel(a, "solve_below"), update = app_kernel(a, "update");
    size_t group = m->b < 64 ? m->b : 64, line = tiles_local(m, 64), square = tiles_local(m, 8);

    for (size_t k = 0; k < m->t; k++) {
        app_args(factor, "mi", tiles_at(m, k, k), (cl_int)m->b);
        app_run(a->queue, factor, group, group, 0, NULL, NULL);
        for (size_t j = k + 1; j < m->t; j++) {
            app_args(right, "mmi", tiles_at(m, k, k), tiles_at(m, k, j), (cl_int)m->b);
            app_run(a->queue, right, m->b, line, 0, NULL, NULL);
            app_args(below, "mmi", tiles_at(m, k, k), tiles_at(m, j, k), (cl_int)m->b);
            app_run(a->queue, below, m->b, line, 0, NULL, NULL);
        }
        for (size_t i = k + 1; i < m->t; i++)
            for (size_t j = k + 1; j < m->t; j++) {
                app_args(update, "mmmi", tiles_at(m, i, k), tiles_at(m, k, j), tiles_at(m, i, j),
                         (cl_int)m->b);
                app_run_2d(a->queue, update, m->b, m->b, square);
            }
    }
    APP_CHECK(clReleaseKernel(factor));
    APP_CHECK(clReleaseKernel(right));
    APP_CHECK(clReleaseKernel(below));
    APP_CHECK(clReleaseKernel(update));
}

int main(int argc, char **argv)
{
    struct tiles m = tiles_sizes(argc, argv, 48, 9);
    size_t n = m.n;
    float *data = app_alloc(n * n * sizeof *data);
    double *x = app_alloc(n * sizeof *x), *y = app_alloc(n * sizeof *y), *got = app_alloc(n * sizeof *got),
           *want = y;
    uint32_t seed = 1;
    struct app a;

    for (size_t i = 0; i < n * n; i++)
        data[i] = (float)(app_random(&seed) % 2000) / 1000 - 1 + (i % (n + 1) ? 0 : (float)n);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(app_random(&seed) % 2000) / 1000 - 1;
    app_open(&a, "lu", 0, source);
    tiles_make(&a, &m, data, NULL);
    enqueue(&a, &m);

    tiles_apply(data, n, x, got, true, true, false); /* A x, before data becomes L and U */
    tiles_take(&a, &m, data);
    tiles_apply(data, n, x, y, false, true, false);
    for (size_t i = 0; i < n; i++)
        x[i] = got[i];
    tiles_apply(data, n, want, got, true, false, true);
    tiles_compare(&a, got, x, n);
    free(data), free(x), free(y), free(got);
    return app_close(&a);
}
