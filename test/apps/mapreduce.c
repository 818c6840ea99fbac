/* mapreduce.c - a histogram by map, partial reduction and final reduction.
 *
 * Each chunk of the input is mapped to keys by one kernel and counted by a second one into a sub-buffer of
 * its own; the last kernel adds the chunks' histograms. The graph is `chunks` independent chains map ->
 * reduce that meet in one node; at the precision of whole buffers the partial histograms would wrongly depend
 * on each other.
 *
 * usage: mapreduce [items per chunk] [chunks] [times]   default 4096 6 1 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define BINS 32
#define PARTIAL_BYTES                                                                                        \
    4096 /* distance of the partial histograms: above any device's alignment of sub-buffers */

static const char source[] =
    "__kernel void map(__global const uint *restrict in, __global uchar *restrict key, uint first) {\n"
    "    uint i = get_global_id(0), x = in[first + i];\n"
    "    key[i] = (uchar)((x * x + (x >> 7)) % 32u);\n"
    "}\n"
    "__kernel void reduce_chunk(__global const uchar *restrict key, __global uint *restrict partial, uint n) "
    "{\n"
    "    uint bin = get_global_id(0), count = 0;\n"
    "    for (uint i = 0; i < n; i++)\n"
    "        count += key[i] == bin;\n"
    "    partial[bin] = count;\n"
    "}\n"
    "__kernel void reduce_all(__global const uint *restrict partial, __global uint *restrict total, uint "
    "chunks,\n"
    "                         uint stride) {\n"
    "    uint bin = get_global_id(0), sum = 0;\n"
    "    for (uint c = 0; c < chunks; c++)\n"
    "        sum += partial[c * stride + bin];\n"
    "    total[bin] = sum;\n"
    "}\n";

#define MOST_CHUNKS 64

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 4096, 1, 1 << 24), chunks = app_size(argc, argv, 2, 6, 1, MOST_CHUNKS),
           times = app_size(argc, argv, 3, 1, 1, 1000);
    uint32_t *in = app_alloc(n * chunks * sizeof *in), want[BINS] = {0}, got[BINS], seed = 7;
    for (size_t i = 0; i < n * chunks; i++) {
        in[i] = app_random(&seed);
        want[(in[i] * in[i] + (in[i] >> 7)) % 32u]++;
    }
    struct app a;
    app_open(&a, "mapreduce", 0, source);
    cl_kernel map = app_kernel(&a, "map"), reduce = app_kernel(&a, "reduce_chunk"),
              final = app_kernel(&a, "reduce_all");
    cl_mem input = app_buffer(&a, CL_MEM_READ_ONLY, n * chunks * sizeof *in, NULL);
    cl_mem all = app_buffer(&a, CL_MEM_READ_WRITE, chunks * PARTIAL_BYTES, NULL);
    cl_mem total = app_buffer(&a, CL_MEM_WRITE_ONLY, sizeof got, NULL);
    cl_mem keys[MOST_CHUNKS], partial[MOST_CHUNKS];
    for (size_t c = 0; c < chunks; c++) {
        keys[c] = app_buffer(&a, CL_MEM_READ_WRITE, n, NULL);
        partial[c] = app_sub_buffer(all, CL_MEM_READ_WRITE, c * PARTIAL_BYTES, BINS * sizeof(cl_uint));
    }
    for (size_t k = 0; k < times; k++) {
        APP_CHECK(
            clEnqueueWriteBuffer(a.queue, input, CL_FALSE, 0, n * chunks * sizeof *in, in, 0, NULL, NULL));
        for (size_t c = 0; c < chunks; c++) {
            app_args(map, "mmu", input, keys[c], (cl_uint)(c * n));
            app_run(a.queue, map, n, 0, 0, NULL, NULL);
        }
        for (size_t c = 0; c < chunks; c++) {
            app_args(reduce, "mmu", keys[c], partial[c], (cl_uint)n);
            app_run(a.queue, reduce, BINS, 0, 0, NULL, NULL);
        }
        app_args(final, "mmuu", all, total, (cl_uint)chunks, (cl_uint)(PARTIAL_BYTES / sizeof(cl_uint)));
        app_run(a.queue, final, BINS, 0, 0, NULL, NULL);
        app_read(&a, total, 0, sizeof got, got);
    }
    app_expect_words(&a, "histogram", got, want, BINS);

    app_release_mems(keys, chunks);
    app_release_mems(partial, chunks);
    app_release_mems((cl_mem[]){input, all, total}, 3);
    APP_CHECK(clReleaseKernel(map));
    APP_CHECK(clReleaseKernel(reduce));
    APP_CHECK(clReleaseKernel(final));
    free(in);
    return app_close(&a);
}
