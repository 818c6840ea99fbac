/* commandbuffer.c - cl_khr_command_buffer: a recorded chain of two kernels, enqueued again and again amid
 * ordinary commands on one in-order queue, with the queue named or left to the command buffer.
 *
 * The commands inside a command buffer are nobody's enqueues: who watches the queue sees one command and
 * cannot know its memory. Skips where the extension is missing.
 *
 * usage: commandbuffer [words] [rounds]   default 1024 3 */
#include "common.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "__kernel void stir(__global uint *v) { uint i = get_global_id(0); v[i] = "
                             "rotate(v[i], 5u) * 2654435761u + i; }\n"
                             "__kernel void add(__global uint *to, __global const uint *v) { "
                             "to[get_global_id(0)] += v[get_global_id(0)]; }\n";

static struct {
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn kernel;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
} api;

static void load(const struct app *a)
{
    static const char *const names[] = {"clCreateCommandBufferKHR", "clCommandNDRangeKernelKHR",
                                        "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
                                        "clReleaseCommandBufferKHR"};
    void *found[5];

    for (int i = 0; i < 5; i++) {
        found[i] = clGetExtensionFunctionAddressForPlatform(a->platform, names[i]);
        if (!found[i])
            app_skip("commandbuffer", "the platform has no cl_khr_command_buffer");
    }
    memcpy(&api, found, sizeof api);
}

/* v := stir(v), then sum += v, as one command buffer. */
static cl_command_buffer_khr record(struct app *a, cl_kernel stir, cl_kernel add, size_t n)
{
    cl_int err;
    cl_sync_point_khr after;
    cl_command_buffer_khr buffer = api.create(1, &a->queue, NULL, &err);

    APP_CHECK(err);
    APP_CHECK(api.kernel(buffer, NULL, NULL, stir, 1, NULL, &n, NULL, 0, NULL, &after, NULL));
    APP_CHECK(api.kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 1, &after, NULL, NULL));
    APP_CHECK(api.finalize(buffer));
    return buffer;
}

static void stir_plainly(uint32_t *v, uint32_t *sum, size_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        v[i] = (v[i] << 5 | v[i] >> 27) * 2654435761u + i;
        if (sum)
            sum[i] += v[i];
    }
}

static void one_round(struct app *a, cl_command_buffer_khr buffer, cl_kernel stir, size_t n)
{
    cl_event done;

    app_run(a->queue, stir, n, 0, 0, NULL, NULL);
    APP_CHECK(api.enqueue(0, NULL, buffer, 0, NULL, &done)); /* not before the kernel */
    APP_CHECK(clWaitForEvents(1, &done));                    /* it may not be pending twice */
    app_release_events(&done, 1);
    APP_CHECK(api.enqueue(1, &a->queue, buffer, 0, NULL, NULL));
    app_run(a->queue, stir, n, 0, 0, NULL, NULL); /* not before the command buffer */
    APP_CHECK(clFinish(a->queue));
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 1024, 1, 1 << 24), rounds = app_size(argc, argv, 2, 3, 1, 100000);
    uint32_t *v = app_alloc(n * sizeof *v), *sum = app_alloc(n * sizeof *sum),
             *got = app_alloc(n * sizeof *got);
    struct app a;

    for (uint32_t i = 0; i < n; i++)
        v[i] = sum[i] = i;
    app_open(&a, "commandbuffer", 0, source);
    load(&a);
    cl_kernel stir = app_kernel(&a, "stir"), add = app_kernel(&a, "add");
    cl_mem m[2] = {app_buffer(&a, CL_MEM_COPY_HOST_PTR, n * sizeof *v, v),
                   app_buffer(&a, CL_MEM_COPY_HOST_PTR, n * sizeof *sum, sum)};
    app_args(stir, "m", m[0]);
    app_args(add, "mm", m[1], m[0]);
    cl_command_buffer_khr buffer = record(&a, stir, add, n);
    for (size_t r = 0; r < rounds; r++) {
        one_round(&a, buffer, stir, n);
        stir_plainly(v, NULL, n), stir_plainly(v, sum, n);
        stir_plainly(v, sum, n), stir_plainly(v, NULL, n);
    }
    app_read(&a, m[0], 0, n * sizeof *got, got);
    app_expect_words(&a, "v", got, v, n);
    app_read(&a, m[1], 0, n * sizeof *got, got);
    app_expect_words(&a, "sum", got, sum, n);

    APP_CHECK(api.release(buffer));
    app_release_mems(m, 2);
    APP_CHECK(clReleaseKernel(stir));
    APP_CHECK(clReleaseKernel(add));
    free(v), free(sum), free(got);
    return app_close(&a);
}
