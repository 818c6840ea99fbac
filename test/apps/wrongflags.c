/* wrongflags.c - a program that breaks what it declares, as real ones do and vendors let them: a kernel fills
 * a CL_MEM_READ_ONLY buffer (hashcat clears its read-only buffers so), another reads a CL_MEM_WRITE_ONLY one,
 * a third casts a const away. All on one in-order queue, where it works.
 *
 * Who believes the flags takes the fills for reads and lets them change places with the additions.
 *
 * usage: wrongflags [words] [rounds]   default 1024 3 */
#include "common.h"

#include <stdlib.h>

static const char source[] = "__kernel void fill(__global uint *p, uint round) {\n"
                             "    p[get_global_id(0)] = (uint)get_global_id(0) * 2654435761u + round;\n"
                             "}\n"
                             "__kernel void add(__global uint *total, __global const uint *p) {\n"
                             "    total[get_global_id(0)] += p[get_global_id(0)];\n"
                             "}\n"
                             "__kernel void turn(__global const uint *total) {\n"
                             "    __global uint *t = (__global uint *)total;\n"
                             "    t[get_global_id(0)] = rotate(t[get_global_id(0)], 7u);\n"
                             "}\n";

static uint32_t plainly(uint32_t i, size_t rounds)
{
    uint32_t total = i;

    for (uint32_t r = 0; r < rounds; r++) {
        total += i * 2654435761u + r;
        total = total << 7 | total >> 25;
    }
    return total;
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 1024, 1, 1 << 24), rounds = app_size(argc, argv, 2, 3, 1, 100000);
    uint32_t *want = app_alloc(n * sizeof *want), *got = app_alloc(n * sizeof *got);
    struct app a;

    for (uint32_t i = 0; i < n; i++)
        got[i] = i, want[i] = plainly(i, rounds);
    app_open(&a, "wrongflags", 0, source);
    cl_kernel fill = app_kernel(&a, "fill"), add = app_kernel(&a, "add"), turn = app_kernel(&a, "turn");
    cl_mem in = app_buffer(&a, CL_MEM_READ_ONLY, n * sizeof *got, NULL),
           total = app_buffer(&a, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *got, got);
    for (size_t r = 0; r < rounds; r++) {
        app_args(fill, "mu", in, (cl_uint)r);
        app_run(a.queue, fill, n, 0, 0, NULL, NULL);
        app_args(add, "mm", total, in);
        app_run(a.queue, add, n, 0, 0, NULL, NULL);
        app_args(turn, "m", total);
        app_run(a.queue, turn, n, 0, 0, NULL, NULL);
    }
    app_read(&a, total, 0, n * sizeof *got, got);
    app_expect_words(&a, "total", got, want, n);

    app_release_mems((cl_mem[]){in, total}, 2);
    APP_CHECK(clReleaseKernel(fill));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(turn));
    free(want), free(got);
    return app_close(&a);
}
