/* manybufs.c - many buffers and hardly a kernel: chains of copies, fills, migrations, reads and writes at
 * offsets.
 *
 * usage: manybufs [buffers] [words per buffer]   default 24 1024 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BUFFERS 4096

static const char source[] =
    "__kernel void invert(__global uint *restrict x) { x[get_global_id(0)] ^= 0xffffffffu; }\n";

/* b[i + 1] is b[i] moved up by i % 7 words, the gap filled with i; every fifth one is inverted by a kernel.
 */
static void chain(struct app *a, cl_kernel invert, cl_mem *b, uint32_t **want, size_t count, size_t n)
{
    for (size_t i = 0; i + 1 < count; i++) {
        size_t gap = i % 7, moved = (n - gap) * sizeof(cl_uint);
        const cl_uint filler = (cl_uint)i;
        APP_CHECK(
            clEnqueueCopyBuffer(a->queue, b[i], b[i + 1], 0, gap * sizeof(cl_uint), moved, 0, NULL, NULL));
        memcpy(want[i + 1] + gap, want[i], moved);
        if (gap) {
            APP_CHECK(clEnqueueFillBuffer(a->queue, b[i + 1], &filler, sizeof filler, 0, gap * sizeof filler,
                                          0, NULL, NULL));
            for (size_t g = 0; g < gap; g++)
                want[i + 1][g] = filler;
        }
        if (i % 5 == 4) {
            app_args(invert, "m", b[i + 1]);
            app_run(a->queue, invert, n, 0, 0, NULL, NULL);
            for (size_t w = 0; w < n; w++)
                want[i + 1][w] = ~want[i + 1][w];
        }
    }
}

/* Writes into the middle, copies a part within one buffer, reads parts back at offsets. */
static void at_offsets(struct app *a, cl_mem b, uint32_t *want, size_t n)
{
    const uint32_t inserted[4] = {0xdead, 0xbeef, 0xcafe, 0xf00d};
    uint32_t got[8];
    size_t middle = n / 2, word = sizeof *want;
    APP_CHECK(
        clEnqueueWriteBuffer(a->queue, b, CL_TRUE, middle * word, sizeof inserted, inserted, 0, NULL, NULL));
    memcpy(want + middle, inserted, sizeof inserted);
    APP_CHECK(clEnqueueCopyBuffer(a->queue, b, b, middle * word, 0, sizeof inserted, 0, NULL, NULL));
    memcpy(want, inserted, sizeof inserted);
    const size_t places[3] = {0, middle - 2, n - 8};
    for (int i = 0; i < 3; i++) {
        app_read(a, b, places[i] * word, sizeof got, got);
        app_expect_words(a, "part", got, want + places[i], 8);
    }
}

int main(int argc, char **argv)
{
    size_t count = app_size(argc, argv, 1, 24, 2, MOST_BUFFERS),
           n = app_size(argc, argv, 2, 1024, 16, 1 << 20);
    cl_mem b[MOST_BUFFERS];
    uint32_t *want[MOST_BUFFERS], *got = app_alloc(n * sizeof *got), seed = 31;
    struct app a;
    app_open(&a, "manybufs", 0, source);
    cl_kernel invert = app_kernel(&a, "invert");
    for (size_t i = 0; i < count; i++) {
        want[i] = app_alloc(n * sizeof *want[i]);
        b[i] = app_buffer(&a, CL_MEM_READ_WRITE, n * sizeof *want[i], NULL);
    }
    for (size_t i = 0; i < n; i++)
        want[0][i] = app_random(&seed);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, b[0], CL_FALSE, 0, n * sizeof *got, want[0], 0, NULL, NULL));
    APP_CHECK(clEnqueueMigrateMemObjects(a.queue, (cl_uint)(count < 8 ? count : 8), b,
                                         CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    chain(&a, invert, b, want, count, n);
    APP_CHECK(clEnqueueMigrateMemObjects(a.queue, 1, &b[count - 1], 0, 0, NULL, NULL));
    at_offsets(&a, b[count - 1], want[count - 1], n);
    for (size_t i = 0; i<count; i += count> 8 ? count / 8 : 1) {
        app_read(&a, b[i], 0, n * sizeof *got, got);
        app_expect_words(&a, "buffer", got, want[i], n);
    }
    for (size_t i = 0; i < count; i++)
        free(want[i]);
    app_release_mems(b, count);
    APP_CHECK(clReleaseKernel(invert));
    free(got);
    return app_close(&a);
}
