/* recorded_args.c - arguments of a kernel that change between the recording of a command buffer and its
 * enqueue. PoCL before 5.0 takes those of the enqueue, later versions those of the recording: each way of
 * running must do as the bare program does, also where launches of the same kernel are managed in between.
 * */
#include "common.h"

#include <CL/cl_ext.h>

enum { WORDS = 4096, ROUNDS = 12, BUFFERS = 3 };

static struct {
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn kernel;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
} api;

static const char source[] = "__kernel void add(__global uint *x, uint v) {\n"
                             "    uint i = get_global_id(0);\n"
                             "    x[i] = x[i] * 3 + v;\n"
                             "}\n";

static void load(const struct app *a)
{
    static const char *const names[] = {"clCreateCommandBufferKHR", "clCommandNDRangeKernelKHR",
                                        "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
                                        "clReleaseCommandBufferKHR"};
    void *found[5];

    for (int i = 0; i < 5; i++) {
        found[i] = clGetExtensionFunctionAddressForPlatform(a->platform, names[i]);
        if (!found[i])
            app_skip("recorded_args", "the platform has no cl_khr_command_buffer");
    }
    memcpy(&api, found, sizeof api);
}

/* Recorded for buffer 0, with launches on buffer 1 before and behind it; buffer 2 is set when it is
 * enqueued. */
static void round_of(struct app *a, cl_kernel add, cl_mem *x, unsigned v)
{
    static cl_uint words[WORDS];
    size_t n = WORDS;
    cl_int err;
    cl_command_buffer_khr buffer;

    app_args(add, "mu", x[0], v);
    buffer = api.create(1, &a->queue, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(api.kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 0, NULL, NULL, NULL));
    APP_CHECK(api.finalize(buffer));
    for (unsigned i = 0; i < 4; i++) {
        app_args(add, "mu", x[1], v + i);
        app_run(a->queue, add, WORDS, 0, 0, NULL, NULL);
    }
    app_args(add, "mu", x[2], v + 100);
    APP_CHECK(api.enqueue(0, NULL, buffer, 0, NULL, NULL));
    app_args(add, "mu", x[1], v + 7);
    app_run(a->queue, add, WORDS, 0, 0, NULL, NULL);
    for (int i = 0; i < BUFFERS; i++)
        app_read(a, x[i], 0, sizeof words, words);
    APP_CHECK(clFinish(a->queue));
    APP_CHECK(api.release(buffer));
}

int main(void)
{
    static cl_uint zeros[WORDS];
    struct app a;
    cl_mem x[BUFFERS];
    cl_kernel add;

    app_open(&a, "recorded_args", 0, source);
    load(&a);
    add = app_kernel(&a, "add");
    for (int i = 0; i < BUFFERS; i++)
        x[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    for (int i = 0; i < BUFFERS; i++) { /* PoCL 3.1 has memory for buffers that were used before */
        app_args(add, "mu", x[i], 1);
        app_run(a.queue, add, WORDS, 0, 0, NULL, NULL);
    }
    APP_CHECK(clFinish(a.queue));
    for (unsigned r = 0; r < ROUNDS; r++) {
        round_of(&a, add, x, r * 11);
        printf("%u: %016llx\n", r, (unsigned long long)a.hash);
    }
    app_release_mems(x, BUFFERS);
    APP_CHECK(clReleaseKernel(add));
    return app_close(&a);
}
