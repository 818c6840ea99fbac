/* chains8.c - eight independent chains of kernels, enqueued in turn on one in-order queue.
 *
 * Each chain works on a buffer of its own, so the graph is eight parallel lines although the queue makes one
 * long line of them.
 *
 * usage: chains8 [items] [length of a chain] [memory]   default 2048 5 0
 *
 * memory: 0 buffers, 1 coarse-grain, 2 fine-grain shared virtual memory */
#include "common.h"

#include <stdlib.h>
#include <string.h>

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

enum memory { BUFFERS, COARSE, FINE };

/* A buffer or an allocation. */
union memory_of {
    cl_mem buffer;
    uint32_t *pointer;
};

/* The host reads or writes the allocation: coarse-grained, between a map and its end. */
static void exchange(struct app *a, enum memory kind, uint32_t *p, uint32_t *host, size_t bytes, bool write)
{
    if (kind == COARSE)
        APP_CHECK(
            clEnqueueSVMMap(a->queue, CL_TRUE, write ? CL_MAP_WRITE : CL_MAP_READ, p, bytes, 0, NULL, NULL));
    memcpy(write ? p : host, write ? host : p, bytes);
    if (kind == COARSE)
        APP_CHECK(clEnqueueSVMUnmap(a->queue, p, 0, NULL, NULL));
}

static union memory_of make(struct app *a, enum memory kind, uint32_t *host, size_t bytes)
{
    union memory_of x;

    if (kind == BUFFERS) {
        x.buffer = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, host);
        return x;
    }
    x.pointer = clSVMAlloc(a->context, CL_MEM_READ_WRITE | (kind == FINE ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0),
                           bytes, 0);
    if (!x.pointer)
        app_skip("chains8", "the device has no such memory");
    exchange(a, kind, x.pointer, host, bytes, true);
    return x;
}

static void set(cl_kernel k, enum memory kind, union memory_of x, uint32_t factor)
{
    cl_uint rounds = ROUNDS;

    if (kind == BUFFERS)
        APP_CHECK(clSetKernelArg(k, 0, sizeof x.buffer, &x.buffer));
    else
        APP_CHECK(clSetKernelArgSVMPointer(k, 0, x.pointer));
    APP_CHECK(clSetKernelArg(k, 1, sizeof factor, &factor));
    APP_CHECK(clSetKernelArg(k, 2, sizeof rounds, &rounds));
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 2048, 1, 1 << 24), length = app_size(argc, argv, 2, 5, 1, 10000);
    enum memory kind = (enum memory)app_size(argc, argv, 3, BUFFERS, BUFFERS, FINE);
    uint32_t *want[CHAINS], *got = app_alloc(n * sizeof *got), seed = 3;
    struct app a;
    app_open(&a, "chains8", 0, source);
    cl_kernel advance = app_kernel(&a, "advance");
    union memory_of x[CHAINS];
    for (size_t c = 0; c < CHAINS; c++) {
        want[c] = app_alloc(n * sizeof *want[c]);
        for (size_t i = 0; i < n; i++)
            want[c][i] = app_random(&seed);
        x[c] = make(&a, kind, want[c], n * sizeof *want[c]);
    }
    for (size_t d = 0; d < length; d++)
        for (size_t c = 0; c < CHAINS; c++) {
            set(advance, kind, x[c], factor_of(c, d));
            app_run(a.queue, advance, n, 0, 0, NULL, NULL);
            advance_plainly(want[c], n, factor_of(c, d));
        }
    APP_CHECK(clFinish(a.queue));
    for (size_t c = 0; c < CHAINS; c++) {
        if (kind == BUFFERS) {
            app_read(&a, x[c].buffer, 0, n * sizeof *got, got);
        } else {
            exchange(&a, kind, x[c].pointer, got, n * sizeof *got, false);
            app_hash(&a, got, n * sizeof *got);
        }
        app_expect_words(&a, "chain", got, want[c], n);
        free(want[c]);
    }
    APP_CHECK(clFinish(a.queue));
    for (size_t c = 0; c < CHAINS; c++)
        if (kind == BUFFERS)
            APP_CHECK(clReleaseMemObject(x[c].buffer));
        else
            clSVMFree(a.context, x[c].pointer);
    APP_CHECK(clReleaseKernel(advance));
    free(got);
    return app_close(&a);
}
