/* featurefusion.c - several features of one picture, weighed together and normalised.
 *
 * Four kernels read the same picture and write a feature each (they are independent); one weighs the features
 * together; one finds the greatest value of each row; one scales by the greatest of all. All arithmetic is in
 * whole numbers.
 *
 * usage: featurefusion [side] [times]   default 96 1 */
#include "common.h"

#include <stdlib.h>

#define FEATURES 4

static const char source[] =
    "int at(__global const uchar *restrict p, int n, int x, int y) {\n"
    "    return p[clamp(y, 0, n - 1) * n + clamp(x, 0, n - 1)];\n"
    "}\n"
    "__kernel void gradient(__global const uchar *restrict p, __global uint *restrict f, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    f[y * n + x] = abs(at(p, n, x + 1, y) - at(p, n, x - 1, y)) +\n"
    "                   abs(at(p, n, x, y + 1) - at(p, n, x, y - 1));\n"
    "}\n"
    "__kernel void mean(__global const uchar *restrict p, __global uint *restrict f, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), sum = 0;\n"
    "    for (int j = -1; j <= 1; j++)\n"
    "        for (int i = -1; i <= 1; i++)\n"
    "            sum += at(p, n, x + i, y + j);\n"
    "    f[y * n + x] = sum / 9;\n"
    "}\n"
    "__kernel void contrast(__global const uchar *restrict p, __global uint *restrict f, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), low = 255, high = 0;\n"
    "    for (int j = -1; j <= 1; j++)\n"
    "        for (int i = -1; i <= 1; i++) {\n"
    "            low = min(low, at(p, n, x + i, y + j));\n"
    "            high = max(high, at(p, n, x + i, y + j));\n"
    "        }\n"
    "    f[y * n + x] = high - low;\n"
    "}\n"
    "__kernel void pattern(__global const uchar *restrict p, __global uint *restrict f, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), c = at(p, n, x, y), bits = 0;\n"
    "    for (int j = -1; j <= 1; j++)\n"
    "        for (int i = -1; i <= 1; i++)\n"
    "            bits = bits * 2 + (at(p, n, x + i, y + j) > c);\n"
    "    f[y * n + x] = bits;\n"
    "}\n"
    "__kernel void fuse(__global const uint *restrict f0, __global const uint *restrict f1,\n"
    "                   __global const uint *restrict f2, __global const uint *restrict f3,\n"
    "                   __global uint *restrict fused, __constant uint *weight, int n) {\n"
    "    int i = get_global_id(1) * n + get_global_id(0);\n"
    "    fused[i] = f0[i] * weight[0] + f1[i] * weight[1] + f2[i] * weight[2] + f3[i] * weight[3];\n"
    "}\n"
    "__kernel void row_max(__global const uint *restrict fused, __global uint *restrict rows, int n) {\n"
    "    int y = get_global_id(0);\n"
    "    uint most = 1;\n"
    "    for (int x = 0; x < n; x++)\n"
    "        most = max(most, fused[y * n + x]);\n"
    "    rows[y] = most;\n"
    "}\n"
    "__kernel void normalise(__global uint *restrict fused, __global const uint *restrict rows, int n) {\n"
    "    int i = get_global_id(1) * n + get_global_id(0);\n"
    "    uint most = 1;\n"
    "    for (int y = 0; y < n; y++)\n"
    "        most = max(most, rows[y]);\n"
    "    fused[i] = fused[i] * 255 / most;\n"
    "}\n";

static const uint32_t weights[FEATURES] = {40, 15, 25, 3};

static int at(const uint8_t *p, int n, int x, int y)
{
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    return p[y * n + x];
}

static uint32_t fused_plainly(const uint8_t *p, int n, int x, int y)
{
    int sum = 0, low = 255, high = 0, bits = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int v = at(p, n, x + i, y + j);
            sum += v;
            low = v < low ? v : low;
            high = v > high ? v : high;
            bits = bits * 2 + (v > at(p, n, x, y));
        }
    int gradient =
        abs(at(p, n, x + 1, y) - at(p, n, x - 1, y)) + abs(at(p, n, x, y + 1) - at(p, n, x, y - 1));
    return (uint32_t)gradient * weights[0] + (uint32_t)(sum / 9) * weights[1] +
           (uint32_t)(high - low) * weights[2] + (uint32_t)bits * weights[3];
}

static void fuse_plainly(const uint8_t *p, uint32_t *out, int n)
{
    uint32_t most = 1;
    for (int i = 0; i < n * n; i++) {
        out[i] = fused_plainly(p, n, i % n, i / n);
        most = out[i] > most ? out[i] : most;
    }
    for (int i = 0; i < n * n; i++)
        out[i] = out[i] * 255 / most;
}

/* Enqueues the seven kernels that turn `picture` into `fused`. */
static void enqueue_fusion(struct app *a, cl_mem picture, cl_mem *feature, cl_mem weight, cl_mem fused,
                           cl_mem rows, size_t n)
{
    static const char *const names[FEATURES] = {"gradient", "mean", "contrast", "pattern"};
    cl_kernel fuse = app_kernel(a, "fuse"), row_max = app_kernel(a, "row_max"),
              normalise = app_kernel(a, "normalise");
    for (int f = 0; f < FEATURES; f++) {
        cl_kernel extract = app_kernel(a, names[f]);
        app_args(extract, "mmi", picture, feature[f], (cl_int)n);
        app_run_2d(a->queue, extract, n, n, 0);
        APP_CHECK(clReleaseKernel(extract));
    }
    app_args(fuse, "mmmmmmi", feature[0], feature[1], feature[2], feature[3], fused, weight, (cl_int)n);
    app_run_2d(a->queue, fuse, n, n, 0);
    app_args(row_max, "mmi", fused, rows, (cl_int)n);
    app_run(a->queue, row_max, n, 0, 0, NULL, NULL);
    app_args(normalise, "mmi", fused, rows, (cl_int)n);
    app_run_2d(a->queue, normalise, n, n, 0);
    APP_CHECK(clReleaseKernel(fuse));
    APP_CHECK(clReleaseKernel(row_max));
    APP_CHECK(clReleaseKernel(normalise));
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 96, 3, 4096), words = n * n * sizeof(uint32_t),
           times = app_size(argc, argv, 2, 1, 1, 1000);
    uint8_t *picture = app_alloc(n * n);
    uint32_t *want = app_alloc(words), *got = app_alloc(words), seed = 17;
    for (size_t i = 0; i < n * n; i++)
        picture[i] = (uint8_t)((i % n * 3 + i / n * 5 + app_random(&seed) % 64) & 255);
    fuse_plainly(picture, want, (int)n);
    struct app a;
    app_open(&a, "featurefusion", CL_QUEUE_PROFILING_ENABLE, source);
    enum { PICTURE, WEIGHT, FUSED, ROWS, FEATURE, COUNT = FEATURE + FEATURES };
    cl_mem m[COUNT];
    m[PICTURE] = app_buffer(&a, CL_MEM_READ_ONLY, n * n, NULL);
    m[WEIGHT] = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights, (void *)weights);
    m[FUSED] = app_buffer(&a, CL_MEM_READ_WRITE, words, NULL);
    m[ROWS] = app_buffer(&a, CL_MEM_READ_WRITE, n * sizeof(uint32_t), NULL);
    for (int f = 0; f < FEATURES; f++)
        m[FEATURE + f] = app_buffer(&a, CL_MEM_READ_WRITE, words, NULL);
    for (size_t k = 0; k < times; k++) {
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m[PICTURE], CL_FALSE, 0, n * n, picture, 0, NULL, NULL));
        enqueue_fusion(&a, m[PICTURE], &m[FEATURE], m[WEIGHT], m[FUSED], m[ROWS], n);
        app_read(&a, m[FUSED], 0, words, got);
    }
    app_expect_words(&a, "fused", got, want, n * n);

    app_release_mems(m, COUNT);
    free(picture), free(want), free(got);
    return app_close(&a);
}
