/* edges.c - ranges with rough edges: global offsets in one to three dimensions, with and without work-groups,
 * one kernel with and without an offset in turn; sizes that no convenient work-group divides (primes), where
 * the vendor chooses.
 *
 * usage: edges [rounds]   default 3 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define CELLS 16384
#define WIDE  1009 /* primes */
#define LONG  4099
#define TALL  13

static const char source[] =
    "uint where(uint d) { return get_group_id(d) * 1000003u + get_num_groups(d) * 10007u + "
    "get_global_size(d) * 101u +\n"
    "    get_local_size(d) * 13u + get_global_offset(d) * 7u + get_local_id(d) + get_global_id(d) * 31u; }\n"
    "__kernel void ids(__global uint *out, uint pitch, uint slice) {\n"
    "    size_t i = get_global_id(2) * slice + get_global_id(1) * pitch + get_global_id(0);\n"
    "    out[i] = out[i] * 3u + (where(0) ^ where(1) * 31u ^ where(2) * 961u ^ get_work_dim());\n"
    "}\n";
/* no work-group shows in these: a program of their own */
static const char plain[] =
    "__kernel void grow(__global uint *v, uint salt) {\n"
    "    uint i = get_global_id(0);\n"
    "    v[i] = v[i] * 1664525u + salt + (uint)get_global_offset(0) * 5u + (uint)get_global_size(0);\n"
    "}\n"
    "__kernel void plane(__global const uint *in, __global uint *out, uint pitch) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), i = y * pitch + x;\n"
    "    out[i] = in[i] + (uint)(x * 7u) + (y > 0 ? in[i - pitch] : 1u) + (x > 0 ? in[i - 1] : 2u);\n"
    "}\n";

struct data {
    struct app a, p;
    uint32_t out[CELLS], grown[CELLS], in[CELLS], got[CELLS];
    cl_mem m, v, from, to;
};

static void launch(struct data *d, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                   const size_t *local)
{
    APP_CHECK(clEnqueueNDRangeKernel(d->a.queue, k, dims, offset, global, local, 0, NULL, NULL));
}

static void check(struct data *d, const char *what, cl_mem m, const uint32_t *want)
{
    app_read(&d->a, m, 0, sizeof d->got, d->got);
    app_expect_words(&d->a, what, d->got, want, CELLS);
}

static uint32_t where(size_t item, size_t offset, size_t size, size_t local)
{
    return (uint32_t)(item / local * 1000003 + size / local * 10007 + size * 101 + local * 13 + offset * 7 +
                      item % local + (item + offset) * 31);
}

/* One launch of `ids`, and the same plainly. */
static void ids(struct data *d, cl_uint dims, const size_t offset[3], const size_t global[3],
                const size_t local[3])
{
    const size_t pitch = 32, slice = 1024;
    cl_kernel k = app_kernel(&d->a, "ids");

    app_args(k, "muu", d->m, (cl_uint)pitch, (cl_uint)slice);
    launch(d, k, dims, offset, global, local);
    for (size_t z = 0; z < global[2]; z++)
        for (size_t y = 0; y < global[1]; y++)
            for (size_t x = 0; x < global[0]; x++) {
                uint32_t *o = &d->out[(z + offset[2]) * slice + (y + offset[1]) * pitch + x + offset[0]];
                *o = *o * 3u + (where(x, offset[0], global[0], local[0]) ^
                                where(y, offset[1], global[1], local[1]) * 31u ^
                                where(z, offset[2], global[2], local[2]) * 961u ^ dims);
            }
    APP_CHECK(clReleaseKernel(k));
}

/* Some cells grow; offset and size as the vendor may cut them. */
static void grow(struct data *d, size_t from, size_t count, uint32_t salt)
{
    cl_kernel k = app_kernel(&d->p, "grow");

    app_args(k, "mu", d->v, (cl_uint)salt);
    launch(d, k, 1, from ? &from : NULL, &count, NULL);
    for (size_t i = from; i < from + count; i++)
        d->grown[i] = d->grown[i] * 1664525u + salt + (uint32_t)from * 5u + (uint32_t)count;
    APP_CHECK(clReleaseKernel(k));
}

static void plane(struct data *d, size_t width, size_t height, uint32_t *want)
{
    cl_kernel k = app_kernel(&d->p, "plane");

    app_args(k, "mmu", d->from, d->to, (cl_uint)width);
    launch(d, k, 2, NULL, (const size_t[]){width, height}, NULL);
    for (size_t i = 0; i < width * height; i++)
        want[i] = d->in[i] + (uint32_t)(i % width * 7) + (i >= width ? d->in[i - width] : 1u) +
                  (i % width ? d->in[i - 1] : 2u);
    check(d, "plane", d->to, want);
    APP_CHECK(clReleaseKernel(k));
}

static void round_of(struct data *d, uint32_t round, uint32_t *want)
{
    const size_t none[3] = {0}, one[3] = {512 + 32 * round, 0, 0}, two[3] = {5, 7, 0},
                 three[3] = {3, 1, 2 + round % 3};

    ids(d, 1, one, (const size_t[]){2048, 1, 1}, (const size_t[]){32, 1, 1});
    ids(d, 2, two, (const size_t[]){16, 24, 1}, (const size_t[]){8, 4, 1});
    ids(d, 2, none, (const size_t[]){32, 24, 1}, (const size_t[]){8, 4, 1});
    ids(d, 3, three, (const size_t[]){8, 4, 6}, (const size_t[]){4, 2, 1});
    check(d, "ids", d->m, d->out);
    grow(d, 0, WIDE, round);
    grow(d, 700 + round, LONG, round);
    grow(d, 0, LONG, round + 1);
    grow(d, 1, 128 * (1 + round % 2), round);
    grow(d, 9, 130, round);
    check(d, "grow", d->v, d->grown);
    plane(d, WIDE, TALL, want);
    plane(d, TALL, WIDE, want);
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 3, 1, 1000), bytes = CELLS * sizeof(uint32_t);
    struct data *d = app_alloc(sizeof *d);
    uint32_t *want = app_alloc(bytes), seed = 7;
    const char *text = plain;
    cl_int err;

    memset(d, 0, sizeof *d);
    for (size_t i = 0; i < CELLS; i++)
        d->in[i] = app_random(&seed), d->grown[i] = app_random(&seed);
    memset(want, 0, bytes);
    app_open(&d->a, "edges", 0, source);
    d->p = d->a;
    d->p.program = clCreateProgramWithSource(d->a.context, 1, &text, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(d->p.program, 1, &d->a.device, "", NULL, NULL));
    d->m = app_buffer(&d->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, d->out);
    d->v = app_buffer(&d->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, d->grown);
    d->from = app_buffer(&d->a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, d->in);
    d->to = app_buffer(&d->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, want);
    for (uint32_t round = 0; round < rounds; round++)
        round_of(d, round, want);
    app_release_mems((cl_mem[]){d->m, d->v, d->from, d->to}, 4);
    APP_CHECK(clReleaseProgram(d->p.program));
    int status = app_close(&d->a);
    free(want);
    free(d);
    return status;
}
