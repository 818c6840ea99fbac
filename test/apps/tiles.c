/* tiles.c - kernels of the kinds that are hard to cut into tiles of work-groups, each in several rounds:
 * partial sums by group id, what all the id functions say, stencils in two and three dimensions, a histogram
 * with atomics, a transposition through local memory, work in place, early returns, no local size, a global
 * offset.
 *
 * usage: tiles [rounds]   default 3 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define N     4096
#define GROUP 32
#define SIDE  64
#define CUBE  16
#define BINS  64

static const char source[] =
    "__kernel void partial(__global const uint *in, __global uint *sum, __local uint *s, uint salt) {\n"
    "    uint l = get_local_id(0);\n"
    "    s[l] = in[get_global_id(0)] ^ salt;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "        if (l < step) s[l] += s[l + step];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) sum[get_group_id(0)] = s[0] * get_num_groups(0);\n"
    "}\n"
    "uint where(uint d) { return get_group_id(d) * 1000003u + get_num_groups(d) * 10007u + "
    "get_global_size(d) * 101u +\n"
    "    get_local_size(d) * 13u + get_global_offset(d) * 7u + get_local_id(d); }\n"
    "__kernel void ids(__global uint *out) {\n"
    "    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
    "    out[i] = where(0) ^ where(1) * 31u ^ get_work_dim();\n"
    "}\n"
    "__kernel void stencil3(__global const uint *in, __global uint *out, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * n + y) * n + x;\n"
    "    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) return;\n"
    "    out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + 3u * in[i - n * n] + 5u * in[i + n * n];\n"
    "}\n"
    "__kernel void histogram(__global const uint *in, __global uint *bins) {\n"
    "    atomic_add(&bins[in[get_global_id(0)] % 64u], 1u + (uint)get_group_id(0));\n"
    "}\n"
    "__kernel void transpose(__global const uint *in, __global uint *out, int n) {\n"
    "    __local uint tile[8][9];\n"
    "    int x = get_local_id(0), y = get_local_id(1), bx = get_group_id(0) * 8, by = get_group_id(1) * 8;\n"
    "    tile[y][x] = in[(by + y) * n + bx + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[(bx + y) * n + by + x] = tile[x][y];\n"
    "}\n"
    "__kernel void grow(__global uint *v, uint n) {\n"
    "    uint i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    v[i] = v[i] * 1664525u + 1013904223u;\n"
    "}\n"
    "__kernel void shifted(__global uint *v) {\n"
    "    v[get_global_id(0)] += 3u * (uint)get_global_offset(0) + (uint)get_global_size(0);\n"
    "}\n";

struct data {
    struct app a;
    uint32_t in[N], vector[N], bins[BINS], got[N];
    uint32_t cube[CUBE * CUBE * CUBE];
    cl_mem input, out, bin, inplace, cubes[2];
};

static void launch(struct data *d, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                   const size_t *local)
{
    APP_CHECK(clEnqueueNDRangeKernel(d->a.queue, k, dims, offset, global, local, 0, NULL, NULL));
}

static void check(struct data *d, const char *what, cl_mem m, const uint32_t *want, size_t count)
{
    app_read(&d->a, m, 0, count * sizeof *want, d->got);
    app_expect_words(&d->a, what, d->got, want, count);
}

static void partial(struct data *d, uint32_t round)
{
    uint32_t want[N / GROUP] = {0};
    cl_kernel k = app_kernel(&d->a, "partial");

    app_args(k, "mmlu", d->input, d->out, (size_t)GROUP * sizeof(cl_uint), (cl_uint)round);
    app_run(d->a.queue, k, N, GROUP, 0, NULL, NULL);
    for (size_t i = 0; i < N; i++)
        want[i / GROUP] += d->in[i] ^ round;
    for (size_t g = 0; g < N / GROUP; g++)
        want[g] *= N / GROUP;
    check(d, "partial", d->out, want, N / GROUP);
    APP_CHECK(clReleaseKernel(k));
}

static uint32_t where(size_t group, size_t groups, size_t size, size_t local, size_t item)
{
    return (uint32_t)(group * 1000003 + groups * 10007 + size * 101 + local * 13 + item);
}

static void ids(struct data *d)
{
    uint32_t want[N];
    cl_kernel k = app_kernel(&d->a, "ids");

    app_args(k, "m", d->out);
    launch(d, k, 2, NULL, (const size_t[]){SIDE, SIDE}, (const size_t[]){16, 4});
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            want[y * SIDE + x] = where(x / 16, SIDE / 16, SIDE, 16, x % 16) ^
                                 where(y / 4, SIDE / 4, SIDE, 4, y % 4) * 31u ^ 2u;
    check(d, "ids", d->out, want, N);
    APP_CHECK(clReleaseKernel(k));
}

static void stencil(struct data *d)
{
    const size_t n = CUBE;
    uint32_t want[CUBE * CUBE * CUBE];
    cl_kernel k = app_kernel(&d->a, "stencil3");

    app_args(k, "mmi", d->cubes[0], d->cubes[1], (cl_int)n);
    launch(d, k, 3, NULL, (const size_t[]){n, n, n}, (const size_t[]){8, 4, 2});
    memset(want, 0, sizeof want);
    for (size_t z = 1; z < n - 1; z++)
        for (size_t y = 1; y < n - 1; y++)
            for (size_t x = 1; x < n - 1; x++) {
                size_t i = (z * n + y) * n + x;
                const uint32_t *c = d->cube + i;
                want[i] =
                    c[-1] + c[1] + c[-(ptrdiff_t)n] + c[n] + 3u * c[-(ptrdiff_t)(n * n)] + 5u * c[n * n];
            }
    check(d, "stencil3", d->cubes[1], want, n * n * n);
    APP_CHECK(clReleaseKernel(k));
}

static void histogram(struct data *d)
{
    cl_kernel k = app_kernel(&d->a, "histogram");

    app_args(k, "mm", d->input, d->bin);
    app_run(d->a.queue, k, N, GROUP, 0, NULL, NULL);
    for (size_t i = 0; i < N; i++)
        d->bins[d->in[i] % BINS] += 1 + (uint32_t)(i / GROUP);
    check(d, "histogram", d->bin, d->bins, BINS);
    APP_CHECK(clReleaseKernel(k));
}

static void transpose(struct data *d)
{
    uint32_t want[N];
    cl_kernel k = app_kernel(&d->a, "transpose");

    app_args(k, "mmi", d->input, d->out, (cl_int)SIDE);
    app_run_2d(d->a.queue, k, SIDE, SIDE, 8);
    for (size_t i = 0; i < N; i++)
        want[i] = d->in[i % SIDE * SIDE + i / SIDE];
    check(d, "transpose", d->out, want, N);
    APP_CHECK(clReleaseKernel(k));
}

/* In place, once with work-groups, once with what the vendor chooses; the last items return early. */
static void grow(struct data *d, uint32_t round)
{
    const uint32_t n = N - 5 - round;
    cl_kernel k = app_kernel(&d->a, "grow");

    app_args(k, "mu", d->inplace, (cl_uint)n);
    app_run(d->a.queue, k, N, GROUP, 0, NULL, NULL);
    app_run(d->a.queue, k, N, 0, 0, NULL, NULL);
    for (int times = 0; times < 2; times++)
        for (size_t i = 0; i < n; i++)
            d->vector[i] = d->vector[i] * 1664525u + 1013904223u;
    check(d, "grow", d->inplace, d->vector, N);
    APP_CHECK(clReleaseKernel(k));
}

static void shifted(struct data *d)
{
    const size_t from = 512, count = 2048;
    cl_kernel k = app_kernel(&d->a, "shifted");

    app_args(k, "m", d->inplace);
    launch(d, k, 1, &from, &count, (const size_t[]){GROUP});
    for (size_t i = from; i < from + count; i++)
        d->vector[i] += 3u * (uint32_t)from + (uint32_t)count;
    check(d, "shifted", d->inplace, d->vector, N);
    APP_CHECK(clReleaseKernel(k));
}

static cl_mem copy_of(struct data *d, const uint32_t *from, size_t count)
{
    return app_buffer(&d->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *from,
                      (void *)(uintptr_t)from);
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 3, 1, 1000);
    struct data *d = app_alloc(sizeof *d);
    uint32_t seed = 77;

    memset(d, 0, sizeof *d);
    for (size_t i = 0; i < N; i++)
        d->in[i] = app_random(&seed), d->vector[i] = app_random(&seed);
    for (size_t i = 0; i < CUBE * CUBE * CUBE; i++)
        d->cube[i] = app_random(&seed);
    app_open(&d->a, "tiles", 0, source);
    d->input = copy_of(d, d->in, N);
    d->inplace = copy_of(d, d->vector, N);
    d->bin = copy_of(d, d->bins, BINS);
    d->cubes[0] = copy_of(d, d->cube, CUBE * CUBE * CUBE);
    d->out = app_buffer(&d->a, CL_MEM_READ_WRITE, N * sizeof(cl_uint), NULL);
    memset(d->got, 0, sizeof d->got);
    d->cubes[1] = copy_of(d, d->got, CUBE * CUBE * CUBE);
    for (uint32_t round = 0; round < rounds; round++) {
        partial(d, round);
        ids(d);
        stencil(d);
        histogram(d);
        transpose(d);
        grow(d, round);
        shifted(d);
    }
    app_release_mems((cl_mem[]){d->input, d->inplace, d->bin, d->cubes[0], d->cubes[1], d->out}, 6);
    int status = app_close(&d->a);
    free(d);
    return status;
}
