/* updates.c - launches that count by atomic operations in one buffer, which may change places, amid launches,
 * writes and reads that may not: every way of running must give the bare results. */
#include "common.h"

enum { ITEMS = 2048, COUNTERS = 64, LAUNCHES = 150 };

static const char source[] =
    "__kernel void count(__global uint *counters, __global const uint *in, uint n) {\n"
    "    uint x = in[get_global_id(0)];\n"
    "    for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;\n"
    "    atomic_add(counters + x % 64, x >> 20);\n"
    "}\n"
    "__kernel void take(__global int *counters, __global const uint *in, uint n) {\n"
    "    if (in[get_global_id(0)] % n == 0) atomic_dec(counters + get_global_id(0) % 64);\n"
    "}\n"
    "__kernel void mark(__global uint *counters, __global const uint *in, uint n) {\n"
    "    atomic_xor(counters + get_global_id(0) % 64, in[get_global_id(0)] * n);\n"
    "}\n"
    "__kernel void scale(__global uint *counters, __global const uint *in, uint n) {\n"
    "    if (get_global_id(0) < 64) counters[get_global_id(0)] = counters[get_global_id(0)] * 3 + n;\n"
    "}\n"
    "__kernel void keep(__global uint *counters, __global uint *out, uint n) {\n"
    "    if (get_global_id(0) < 64) out[n * 64 + get_global_id(0)] = counters[get_global_id(0)];\n"
    "}\n"
    "__kernel void renew(__global uint *counters, __global const uint *in, uint n) {\n"
    "    if (get_global_id(0) < 64) counters[get_global_id(0)] = in[get_global_id(0)] + n;\n"
    "}\n";

static const char *const names[] = {"count", "take", "mark", "scale", "keep", "renew"};

struct program {
    struct app a;
    cl_kernel kernel[6];
    cl_mem counters, in, out;
    cl_uint values[ITEMS], bytes[LAUNCHES * COUNTERS];
};

/* Mostly the first two, whose order does not matter. */
static void run(struct program *p, uint32_t *random, cl_uint n)
{
    const uint32_t lot = app_random(random) % 24, k = lot < 10   ? 0
                                                      : lot < 17 ? 1
                                                      : lot < 20 ? lot - 15
                                                      : lot < 22 ? 4
                                                                 : 5;
    const cl_uint more = n + 2;

    app_args(p->kernel[k], "mmu", p->counters, k == 4 ? p->out : p->in, k == 4 ? n : more);
    app_run(p->a.queue, p->kernel[k], ITEMS, 64, 0, NULL, NULL);
    if (lot == 23)
        APP_CHECK(
            clEnqueueWriteBuffer(p->a.queue, p->counters, CL_FALSE, 16, 64, p->values + n, 0, NULL, NULL));
    if (n % 50 == 49)
        app_read(&p->a, p->counters, 0, COUNTERS * sizeof *p->values, p->bytes);
}

int main(void)
{
    struct program *p = app_alloc(sizeof *p);
    uint32_t random = 53;

    memset(p, 0, sizeof *p);
    app_open(&p->a, "updates", 0, source);
    for (int i = 0; i < 6; i++)
        p->kernel[i] = app_kernel(&p->a, names[i]);
    for (int i = 0; i < ITEMS; i++)
        p->values[i] = app_random(&random);
    p->in = app_buffer(&p->a, CL_MEM_COPY_HOST_PTR, sizeof p->values, p->values);
    p->counters = app_buffer(&p->a, CL_MEM_COPY_HOST_PTR, COUNTERS * sizeof *p->values, p->values);
    p->out = app_buffer(&p->a, CL_MEM_COPY_HOST_PTR, sizeof p->bytes, p->bytes);
    for (cl_uint n = 0; n < LAUNCHES; n++)
        run(p, &random, n);
    app_read(&p->a, p->out, 0, sizeof p->bytes, p->bytes);
    app_read(&p->a, p->counters, 0, COUNTERS * sizeof *p->values, p->bytes);
    printf("updates: %016llx\n", (unsigned long long)p->a.hash);
    app_release_mems((cl_mem[]){p->in, p->counters, p->out}, 3);
    for (int i = 0; i < 6; i++)
        APP_CHECK(clReleaseKernel(p->kernel[i]));
    int status = app_close(&p->a);
    free(p);
    return status;
}
