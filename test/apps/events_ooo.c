/* events_ooo.c - diamonds on an out-of-order queue, held together by wait lists, markers and barriers alone.
 *
 * Per diamond: write -> top -> left and right (both wait for top) -> join (waits for both). Then a marker
 * with a wait list, a barrier without one, and kernels after it that name no event at all. Callbacks are
 * counted.
 *
 * usage: events_ooo [items] [diamonds]   default 1024 4 */
#include "common.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_DIAMONDS 64

static const char source[] =
    "__kernel void scale(__global const uint *restrict in, __global uint *restrict out, uint factor) {\n"
    "    uint i = get_global_id(0);\n"
    "    out[i] = in[i] * factor + i;\n"
    "}\n"
    "__kernel void join2(__global const uint *restrict l, __global const uint *restrict r,\n"
    "                    __global uint *restrict out) {\n"
    "    uint i = get_global_id(0);\n"
    "    out[i] = (l[i] ^ r[i]) + (l[i] >> 3);\n"
    "}\n"
    "__kernel void add(__global uint *restrict sum, __global const uint *restrict x) {\n"
    "    uint i = get_global_id(0);\n"
    "    sum[i] += x[i];\n"
    "}\n";

enum { IN, TOP, LEFT, RIGHT, OUT, PER_DIAMOND };

struct kernels {
    cl_kernel scale, join2, add;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static size_t completions;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    pthread_mutex_lock(&lock);
    completions += status == CL_COMPLETE && data == &completions;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}

/* Enqueues one diamond; its buffers are m[0..PER_DIAMOND). Returns the event of its join, which the caller
 * releases. */
static cl_event enqueue_diamond(struct app *a, const struct kernels *k, const cl_mem *m, const uint32_t *in,
                                size_t n)
{
    cl_event written, top, sides[2], joined;
    APP_CHECK(clEnqueueWriteBuffer(a->queue, m[IN], CL_FALSE, 0, n * sizeof *in, in, 0, NULL, &written));
    app_args(k->scale, "mmu", m[IN], m[TOP], 3);
    app_run(a->queue, k->scale, n, 0, 1, &written, &top);
    app_args(k->scale, "mmu", m[TOP], m[LEFT], 5);
    app_run(a->queue, k->scale, n, 0, 1, &top, &sides[0]);
    app_args(k->scale, "mmu", m[TOP], m[RIGHT], 7);
    app_run(a->queue, k->scale, n, 0, 1, &top, &sides[1]);
    app_args(k->join2, "mmm", m[LEFT], m[RIGHT], m[OUT]);
    app_run(a->queue, k->join2, n, 0, 2, sides, &joined);
    APP_CHECK(clSetEventCallback(joined, CL_COMPLETE, on_complete, &completions));
    app_release_events((cl_event[]){written, top, sides[0], sides[1]}, 4);
    return joined;
}

static uint32_t diamond_plainly(uint32_t in, uint32_t i)
{
    uint32_t top = in * 3 + i, l = top * 5 + i, r = top * 7 + i;
    return (l ^ r) + (l >> 3);
}

/* Adds all diamonds up after a marker and a barrier; the additions are ordered by wait lists. */
static void enqueue_sum(struct app *a, const struct kernels *k, cl_mem sum, const cl_mem *m,
                        const cl_event *joined, size_t n, size_t diamonds)
{
    const cl_uint zero = 0;
    cl_event marker, last, next;
    APP_CHECK(clEnqueueMarkerWithWaitList(a->queue, (cl_uint)diamonds, joined, &marker));
    APP_CHECK(clEnqueueFillBuffer(a->queue, sum, &zero, sizeof zero, 0, n * sizeof zero, 1, &marker, NULL));
    APP_CHECK(clEnqueueBarrierWithWaitList(a->queue, 0, NULL, &last));
    for (size_t d = 0; d < diamonds; d++) {
        app_args(k->add, "mm", sum, m[d * PER_DIAMOND + OUT]);
        /* the first addition waits for nothing that it names: the barrier alone orders it behind the fill */
        app_run(a->queue, k->add, n, 0, d ? 1 : 0, d ? &last : NULL, &next);
        APP_CHECK(clReleaseEvent(last));
        last = next;
    }
    APP_CHECK(clFlush(a->queue));
    APP_CHECK(clWaitForEvents(1, &last));
    cl_int status = CL_QUEUED;
    APP_CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    app_expect(a, status == CL_COMPLETE, "the awaited event has status %d", status);
    app_release_events((cl_event[]){marker, last}, 2);
}

static void await_callbacks(size_t number)
{
    pthread_mutex_lock(&lock);
    while (completions < number)
        pthread_cond_wait(&called, &lock);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 1024, 1, 1 << 24),
           diamonds = app_size(argc, argv, 2, 4, 1, MOST_DIAMONDS);
    struct app a;
    app_open(&a, "events_ooo", 0, source);
    cl_command_queue_properties able = 0;
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof able, &able, NULL));
    if (!(able & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        app_skip("events_ooo", "the device has no out-of-order queues");
    APP_CHECK(clReleaseCommandQueue(a.queue));
    a.queue = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    struct kernels k = {app_kernel(&a, "scale"), app_kernel(&a, "join2"), app_kernel(&a, "add")};
    uint32_t *in = app_alloc(n * sizeof *in), *want = app_alloc(n * sizeof *want),
             *got = app_alloc(n * sizeof *got);
    cl_mem m[MOST_DIAMONDS * PER_DIAMOND], sum = app_buffer(&a, CL_MEM_READ_WRITE, n * sizeof *in, NULL);
    cl_event joined[MOST_DIAMONDS];
    uint32_t seed = 23;
    for (size_t i = 0; i < n; i++) {
        in[i] = app_random(&seed);
        want[i] = (uint32_t)diamonds * diamond_plainly(in[i], (uint32_t)i);
    }
    for (size_t d = 0; d < diamonds * PER_DIAMOND; d++)
        m[d] = app_buffer(&a, CL_MEM_READ_WRITE, n * sizeof *in, NULL);
    for (size_t d = 0; d < diamonds; d++)
        joined[d] = enqueue_diamond(&a, &k, &m[d * PER_DIAMOND], in, n);
    enqueue_sum(&a, &k, sum, m, joined, n, diamonds);
    app_read(&a, sum, 0, n * sizeof *got, got);
    app_expect_words(&a, "sum", got, want, n);
    await_callbacks(diamonds);
    app_release_events(joined, diamonds);
    app_release_mems(m, diamonds * PER_DIAMOND);
    app_release_mems(&sum, 1);
    APP_CHECK(clReleaseKernel(k.scale));
    APP_CHECK(clReleaseKernel(k.join2));
    APP_CHECK(clReleaseKernel(k.add));
    free(in), free(want), free(got);
    return app_close(&a);
}
