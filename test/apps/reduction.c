/* reduction.c - a sum in local memory, one partial result per work-group, passes until one value is left.
 *
 * The kernel uses get_group_id, get_num_groups, barriers and a local argument: what makes a launch hard to
 * cut.
 *
 * usage: reduction [items]   default 50000 */
#include "common.h"

#include <stdlib.h>

#define GROUP 64

static const char source[] =
    "__kernel void reduce(__global const uint *restrict in, __global uint *restrict partial,\n"
    "                     __local uint *scratch, uint n) {\n"
    "    uint l = get_local_id(0), sum = 0;\n"
    "    for (uint i = get_global_id(0); i < n; i += get_num_groups(0) * get_local_size(0))\n"
    "        sum += in[i];\n"
    "    scratch[l] = sum;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "        if (l < step) scratch[l] += scratch[l + step];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) partial[get_group_id(0)] = scratch[0] ^ get_group_id(0);\n"
    "}\n";

/* What one launch over `groups` groups leaves in partial[0..groups). */
static void reduce_plainly(const uint32_t *in, size_t n, uint32_t *partial, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        partial[g] = 0;
    for (size_t i = 0; i < n; i++)
        partial[i / GROUP % groups] += in[i];
    for (size_t g = 0; g < groups; g++)
        partial[g] ^= (uint32_t)g;
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 50000, 1, 1 << 26);
    uint32_t *in = app_alloc(n * sizeof *in), got, seed = 5;
    for (size_t i = 0; i < n; i++)
        in[i] = app_random(&seed);
    struct app a;
    app_open(&a, "reduction", 0, source);
    cl_kernel reduce = app_kernel(&a, "reduce");
    size_t most = (n + GROUP - 1) / GROUP;
    uint32_t *want[2] = {app_alloc(most * sizeof **want), app_alloc(most * sizeof **want)};
    cl_mem input = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *in, in);
    cl_mem partial[2] = {app_buffer(&a, CL_MEM_READ_WRITE, most * sizeof(cl_uint), NULL),
                         app_buffer(&a, CL_MEM_READ_WRITE, most * sizeof(cl_uint), NULL)};
    cl_mem from = input;
    const uint32_t *from_plain = in;
    int to = 0;
    for (size_t left = n, groups; left > 1 || from == input; left = groups, to = 1 - to) {
        groups = (left + 8 * GROUP - 1) / (8 * GROUP);
        app_args(reduce, "mmlu", from, partial[to], (size_t)GROUP * sizeof(cl_uint), (cl_uint)left);
        app_run(a.queue, reduce, groups * GROUP, GROUP, 0, NULL, NULL);
        reduce_plainly(from_plain, left, want[to], groups);
        from = partial[to];
        from_plain = want[to];
    }
    app_read(&a, from, 0, sizeof got, &got);
    app_expect_words(&a, "sum", &got, from_plain, 1);

    app_release_mems((cl_mem[]){input, partial[0], partial[1]}, 3);
    APP_CHECK(clReleaseKernel(reduce));
    free(in), free(want[0]), free(want[1]);
    return app_close(&a);
}
