/* chains8.c - eight independent chains of kernels, enqueued in turn on one in-order queue.
 *
 * Each chain works on a buffer of its own, so the graph is eight parallel lines although the queue makes one
 * long line of them.
 *
 * usage: chains8 [items] [length of a chain]   default 2048 5 */
#include "common.h"

#include <stdlib.h>

#define CHAINS 8
#define ROUNDS 16

static const char source[] = "__kernel void advance(__global uint *restrict x, uint factor, uint rounds) {\n"
                             "    uint i = get_global_id(0), v = x[i];\n"
                             "    for (uint r = 0; r < rounds; r++)\n"
                             "        v = v * factor + (v >> 9) + i;\n"
                             "    x[i] = v;\n"
                             "}\n";

static void advance_plainly(uint32_t *x, size_t n, uint32_t factor)
{
    for (size_t i = 0; i < n; i++)
        for (int r = 0; r < ROUNDS; r++)
            x[i] = x[i] * factor + (x[i] >> 9) + (uint32_t)i;
}

static uint32_t factor_of(size_t chain, size_t depth)
{
    return (uint32_t)(1664525 + 2 * chain + 64 * depth);
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 2048, 1, 1 << 24), length = app_size(argc, argv, 2, 5, 1, 10000);
    uint32_t *want[CHAINS], *got = app_alloc(n * sizeof *got), seed = 3;
    struct app a;
    app_open(&a, "chains8", 0, source);
    cl_kernel advance = app_kernel(&a, "advance");
    cl_mem x[CHAINS];
    for (size_t c = 0; c < CHAINS; c++) {
        want[c] = app_alloc(n * sizeof *want[c]);
        for (size_t i = 0; i < n; i++)
            want[c][i] = app_random(&seed);
        x[c] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *want[c], want[c]);
    }
    for (size_t d = 0; d < length; d++)
        for (size_t c = 0; c < CHAINS; c++) {
            app_args(advance, "muu", x[c], factor_of(c, d), (cl_uint)ROUNDS);
            app_run(a.queue, advance, n, 0, 0, NULL, NULL);
            advance_plainly(want[c], n, factor_of(c, d));
        }
    APP_CHECK(clFinish(a.queue));
    for (size_t c = 0; c < CHAINS; c++) {
        app_read(&a, x[c], 0, n * sizeof *got, got);
        app_expect_words(&a, "chain", got, want[c], n);
        free(want[c]);
    }
    app_release_mems(x, CHAINS);
    APP_CHECK(clReleaseKernel(advance));
    free(got);
    return app_close(&a);
}
