/* drops.c - a program that lets go of everything at once, as bindings of garbage-collected languages do: of
 * each command's event, and of kernels and buffers that commands under way still need. */
#include "common.h"

enum { CHAINS = 8, STEPS = 10, ROUNDS = 3, WORDS = 1024 };

static const char source[] = "kernel void turn(global uint *x, uint v) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    x[i] = (x[i] ^ v) * 2654435761u + 1;\n"
                             "}\n"
                             "kernel void blend(global uint *x, global const uint *y) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    x[i] += y[i];\n"
                             "}\n";

static void launch(const struct app *a, cl_kernel k, bool twice)
{
    size_t n = WORDS, local = 64;
    cl_event e;

    APP_CHECK(clEnqueueNDRangeKernel(a->queue, k, 1, NULL, &n, &local, 0, NULL, &e));
    if (twice) {
        APP_CHECK(clRetainEvent(e));
        APP_CHECK(clReleaseEvent(e));
    }
    APP_CHECK(clReleaseEvent(e));
}

/* Adds something that is gone before it is used: the buffer, and the kernel. */
static void add(struct app *a, cl_mem x, uint32_t *values)
{
    cl_kernel k = app_kernel(a, "blend");
    cl_mem y = app_buffer(a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4 * WORDS, values);

    app_args(k, "mm", x, y);
    launch(a, k, false);
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseMemObject(y));
}

int main(void)
{
    uint32_t values[WORDS];
    cl_mem x[CHAINS];
    struct app a;
    cl_kernel k;

    app_open(&a, "drops", 0, source);
    for (uint32_t i = 0; i < WORDS; i++)
        values[i] = i * 2654435761u;
    for (int c = 0; c < CHAINS; c++)
        x[c] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * WORDS, values);
    k = app_kernel(&a, "turn");
    for (int r = 0; r < ROUNDS; r++) {
        for (uint32_t s = 0; s < STEPS; s++)
            for (uint32_t c = 0; c < CHAINS; c++) {
                app_args(k, "mu", x[c], s * CHAINS + c);
                launch(&a, k, c % 2);
            }
        add(&a, x[r], values);
        app_read(&a, x[r], 0, 4 * WORDS, values);
        app_hash(&a, values, 4 * WORDS);
    }
    for (int c = 0; c < CHAINS; c++) {
        app_read(&a, x[c], 0, 4 * WORDS, values);
        app_hash(&a, values, 4 * WORDS);
    }
    app_release_mems(x, CHAINS);
    APP_CHECK(clReleaseKernel(k));
    return app_close(&a);
}
