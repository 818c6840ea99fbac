/* pi.c - pi by Monte-Carlo, on one in-order queue: one of the four programs of the HSCGS paper.
 *
 * So many points in so many blocks, a task per block: each work-item draws POINTS of them by a counter-based
 * generator (the same points however they are divided) and counts those within the circle; a second task sums
 * the block up.
 *
 * usage: pi [points [blocks]]   in units of 1024 points, default 256 in 8 blocks */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS 1024 /* per work-item */

static const char source[] =
    "uint draw(uint i) {\n"
    "    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu; return i ^ i >> 16; }\n"
    "__kernel void throw_points(__global uint *count, uint first) {\n"
    "    uint item = first + (uint)get_global_id(0), within = 0;\n"
    "    for (uint k = 0; k < 1024; k++) {\n"
    "        uint x = draw(2 * (item * 1024 + k)) >> 16, y = draw(2 * (item * 1024 + k) + 1) >> 16;\n"
    "        within += x * x / 2 + y * y / 2 < 0x80000000u;\n" /* (x^2 + y^2) / 2 in 32 bits */
    "    }\n"
    "    count[get_global_id(0)] = within;\n"
    "}\n"
    "__kernel void sum(__global const uint *restrict count, __global uint *restrict total, uint n) {\n"
    "    uint all = 0;\n"
    "    for (uint k = 0; k < n; k++) all += count[k];\n"
    "    total[0] = all;\n"
    "}\n";

static uint32_t draw(uint32_t i)
{
    i ^= i >> 16, i *= 0x7feb352du, i ^= i >> 15, i *= 0x846ca68bu;
    return i ^ i >> 16;
}

static uint32_t count_plainly(uint32_t item)
{
    uint32_t within = 0;

    for (uint32_t k = 0; k < POINTS; k++) {
        uint32_t x = draw(2 * (item * POINTS + k)) >> 16, y = draw(2 * (item * POINTS + k) + 1) >> 16;
        within += x * x / 2 + y * y / 2 < 0x80000000u;
    }
    return within;
}

int main(int argc, char **argv)
{
    size_t items = app_size(argc, argv, 1, 256, 1, 1 << 20), blocks = app_size(argc, argv, 2, 8, 1, 65536);
    cl_mem *counts = app_alloc(blocks * sizeof *counts), *totals = app_alloc(blocks * sizeof *totals);
    size_t each = (items + blocks - 1) / blocks;
    uint64_t all = 0;
    cl_kernel thrown, sum;
    struct app a;

    app_open(&a, "pi", 0, source);
    thrown = app_kernel(&a, "throw_points");
    sum = app_kernel(&a, "sum");
    for (size_t k = 0; k < blocks; k++) {
        counts[k] = app_buffer(&a, CL_MEM_READ_WRITE, each * sizeof(cl_uint), NULL);
        totals[k] = app_buffer(&a, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL);
    }
    for (size_t k = 0; k < blocks; k++) {
        app_args(thrown, "mu", counts[k], (cl_uint)(k * each));
        app_run(a.queue, thrown, each, 0, 0, NULL, NULL);
        app_args(sum, "mmu", counts[k], totals[k], (cl_uint)each);
        app_run(a.queue, sum, 1, 1, 0, NULL, NULL);
    }
    for (size_t k = 0; k < blocks; k++) {
        uint32_t total = 0, first = 0, want = count_plainly((uint32_t)(k * each));
        app_read(&a, totals[k], 0, sizeof total, &total);
        app_read(&a, counts[k], 0, sizeof first, &first);
        app_expect(&a, first == want, "block %zu counts %u of its first points instead of %u", k, first,
                   want);
        all += total;
    }
    app_expect(&a, fabs(4 * (double)all / ((double)each * blocks * POINTS) - 3.14159265) < .02, "pi is %g",
               4 * (double)all / ((double)each * blocks * POINTS));
    app_release_mems(counts, blocks);
    app_release_mems(totals, blocks);
    APP_CHECK(clReleaseKernel(thrown));
    APP_CHECK(clReleaseKernel(sum));
    free(counts), free(totals);
    return app_close(&a);
}
