/* patches.c - how much a picture resembles itself, shifted: running sums over rows, then over columns, then a
 * sum over each pixel's patch, for one shift after the other through one scratch buffer.
 *
 * Each shift overwrites the scratch buffer, so the order of its commands with those of the shift before is
 * about memory alone: with another buffer for each shift they could run side by side. All count large sums in
 * one number by atomic operations, in any order. The weights of a pixel add up from shift to shift.
 *
 * One in-order queue, everything enqueued before anything is waited for.
 *
 * usage: patches [shifts]   default 12 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { W = 96, H = 64, PATCH = 3, LARGE = 60000 };

static const char source[] =
    "kernel void rows(global uint *sums, global const uint *picture, int w, int h, int dx, int dy) {\n"
    "    int y = get_global_id(0), other = clamp(y + dy, 0, h - 1);\n"
    "    uint sum = 0;\n"
    "    for (int x = 0; x < w; x++) {\n"
    "        int d = (int)picture[y * w + x] - (int)picture[other * w + clamp(x + dx, 0, w - 1)];\n"
    "        sum += (uint)(d * d);\n"
    "        sums[y * w + x] = sum;\n"
    "    }\n"
    "}\n"
    "kernel void columns(global uint *sums, global uint *large, int w, int h, uint limit) {\n"
    "    int x = get_global_id(0);\n"
    "    uint sum = 0;\n"
    "    for (int y = 0; y < h; y++) {\n"
    "        sum += sums[y * w + x];\n"
    "        if (sum > limit)\n"
    "            atomic_inc(large);\n"
    "        sums[y * w + x] = sum;\n"
    "    }\n"
    "}\n"
    "kernel void weigh(global uint *weights, global const uint *sums, int w, int h, int p) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    int outside = x - p < 0 || y - p < 0 || y + p >= h || x + p >= w;\n"
    "    uint patch = 1, weight = weights[y * w + x];\n"
    "    weights[y * w + x] = weight + 1;\n"
    "    if (!outside)\n"
    "        patch = sums[(y + p) * w + x + p] - sums[(y + p) * w + x - p] - sums[(y - p) * w + x + p]\n"
    "              + sums[(y - p) * w + x - p];\n"
    "    weights[y * w + x] = weight * 3 + 65536 / (1 + patch);\n"
    "}\n";

struct sample {
    struct app a;
    cl_kernel rows, columns, weigh;
    cl_mem picture, sums, weights, large;
    uint32_t pixel[W * H], sum[W * H], weight[W * H], got[W * H], found;
};

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void shift(struct sample *s, int dx, int dy)
{
    app_args(s->rows, "mmiiii", s->sums, s->picture, W, H, dx, dy);
    app_run(s->a.queue, s->rows, H, 16, 0, NULL, NULL);
    app_args(s->columns, "mmiiu", s->sums, s->large, W, H, (unsigned)LARGE);
    app_run(s->a.queue, s->columns, W, 16, 0, NULL, NULL);
    app_args(s->weigh, "mmiii", s->weights, s->sums, W, H, PATCH);
    app_run_2d(s->a.queue, s->weigh, W, H, 8);
}

static void expect_shift(struct sample *s, int dx, int dy)
{
    uint32_t *sum = s->sum;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int d = (int)s->pixel[y * W + x] - (int)s->pixel[within(y + dy, H) * W + within(x + dx, W)];
            sum[y * W + x] = (uint32_t)(d * d) + (x ? sum[y * W + x - 1] : 0);
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            sum[y * W + x] += y ? sum[(y - 1) * W + x] : 0;
            s->found += sum[y * W + x] > LARGE;
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const int p = PATCH, at = y * W + x, below = p * W,
                      outside = x - p < 0 || y - p < 0 || y + p >= H || x + p >= W;
            uint32_t patch = outside ? 1
                                     : sum[at + below + p] - sum[at + below - p] - sum[at - below + p] +
                                           sum[at - below - p];
            s->weight[at] = s->weight[at] * 3 + 65536 / (1 + patch);
        }
}

int main(int argc, char **argv)
{
    struct sample *s = app_alloc(sizeof *s);
    uint32_t seed = 2026, large = 0;
    memset(s, 0, sizeof *s);
    int shifts = (int)app_size(argc, argv, 1, 12, 1, 10000);
    app_open(&s->a, "patches", 0, source);
    s->rows = app_kernel(&s->a, "rows");
    s->columns = app_kernel(&s->a, "columns");
    s->weigh = app_kernel(&s->a, "weigh");
    for (int i = 0; i < W * H; i++)
        s->pixel[i] = app_random(&seed) % 16;
    s->picture = app_buffer(&s->a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof s->pixel, s->pixel);
    s->sums = app_buffer(&s->a, CL_MEM_READ_WRITE, sizeof s->sum, NULL);
    s->weights = app_buffer(&s->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof s->weight, s->weight);
    s->large = app_buffer(&s->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof large, &large);
    for (int i = 0; i < shifts; i++) {
        shift(s, i % 5 - 2, i / 5 % 5 - 2);
        expect_shift(s, i % 5 - 2, i / 5 % 5 - 2);
    }
    app_read(&s->a, s->weights, 0, sizeof s->got, s->got);
    app_expect_words(&s->a, "weights", s->got, s->weight, (size_t)W * H);
    app_read(&s->a, s->large, 0, sizeof large, &large);
    app_expect_words(&s->a, "large sums", &large, &s->found, 1);
    app_release_mems((cl_mem[]){s->picture, s->sums, s->weights, s->large}, 4);
    APP_CHECK(clReleaseKernel(s->rows));
    APP_CHECK(clReleaseKernel(s->columns));
    APP_CHECK(clReleaseKernel(s->weigh));
    int status = app_close(&s->a);
    free(s);
    return status;
}
