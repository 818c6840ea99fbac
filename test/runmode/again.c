/* again.c - launches that come again unchanged, and everything that may change between two of them:
 * arguments, buffers, ranges, kernels, queues, unfinished commands, waiting threads, another thread on the
 * same queue. Prints the hash of all that it read. `again alone` leaves out user events, for which PoCL's
 * basic device waits inside the enqueue, for ever, and threads, which it now and then does not survive. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <pthread.h>

#define N    64
#define MANY 300

static struct app a;
static cl_kernel add, mul, sum;
static int host[4 * N];

static void once(cl_command_queue q, cl_kernel k, size_t items)
{
    app_run(q, k, items, 0, 0, NULL, NULL);
}

static void often(cl_kernel k, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        once(a.queue, k, N);
        APP_CHECK(clFinish(a.queue));
    }
}

static void look(cl_mem x)
{
    app_read(&a, x, 0, sizeof host, host);
}

static cl_mem fresh(int from)
{
    for (int i = 0; i < 4 * N; i++)
        host[i] = from + 3 * i;
    return app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host);
}

/* Another value now and then, set before a launch that is like the ones before it but for that. */
static void values(cl_mem x)
{
    for (int v = 1; v < 12; v++) {
        app_args(add, "mi", x, v);
        often(add, v % 3 ? 40 : 1);
    }
    app_args(add, "mi", x, 1);
    often(add, MANY);
    look(x);
}

/* One buffer goes and another comes, which the vendor may give the same handle and the same address. */
static void buffers(void)
{
    for (int i = 0; i < 8; i++) {
        cl_mem x = fresh(i), y = fresh(7 * i);
        app_args(add, "mi", i % 2 ? x : y, 5);
        often(add, 50);
        app_args(add, "mi", i % 2 ? y : x, 5);
        often(add, 50);
        look(x);
        look(y);
        app_release_mems((cl_mem[]){x, y}, 2);
    }
}

/* The same buffer twice, through a window upon another one, and a kernel whose arguments overlap. */
static void windows(cl_mem x)
{
    cl_mem half = app_sub_buffer(x, CL_MEM_READ_WRITE, 0, sizeof host / 2);

    app_args(add, "mi", half, 3);
    often(add, 80);
    app_args(sum, "mmm", x, half, x);
    often(sum, 9);
    look(x);
    often(sum, 9);
    app_args(sum, "mmm", x, x, x);
    often(sum, 7);
    look(x);
    app_release_mems(&half, 1);
}

static void ranges(cl_mem x)
{
    static const size_t items[] = {N, 2 * N, N, 1, N, 3 * N}, local = 16, offset = 5, some = N;

    app_args(add, "mi", x, 2);
    for (int turn = 0; turn < 40; turn++)
        for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
            once(a.queue, add, items[i]);
            APP_CHECK(clFinish(a.queue));
        }
    often(add, 50);
    app_run(a.queue, add, N, local, 0, NULL, NULL);
    often(add, 2);
    APP_CHECK(clEnqueueNDRangeKernel(a.queue, add, 1, &offset, &some, NULL, 0, NULL, NULL));
    often(add, 2);
    look(x);
}

/* Nothing waits: transfers are unfinished, maps are open, events are asked for and waited for. */
static void unfinished(cl_mem x)
{
    cl_event e;
    cl_int err;
    int *p;

    app_args(add, "mi", x, 11);
    app_args(mul, "mi", x, 3);
    often(add, 50);
    often(mul, 50);
    for (int i = 0; i < 60; i++) {
        int word = 17 * i;
        APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_FALSE, 4 * (size_t)i, 4, &word, 0, NULL, NULL));
        once(a.queue, add, N);
        once(a.queue, mul, N);
        APP_CHECK(clFinish(a.queue));
        once(a.queue, mul, N);
        once(a.queue, add, N);
        app_read(&a, x, 0, 64, host);
        app_run(a.queue, add, N, 0, 0, NULL, &e);
        once(a.queue, add, N);
        app_run(a.queue, mul, N, 0, 1, &e, NULL);
        APP_CHECK(clReleaseEvent(e));
        p = clEnqueueMapBuffer(a.queue, x, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof host, 0, NULL, NULL,
                               &err);
        APP_CHECK(err);
        p[i] += i;
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, x, p, 0, NULL, NULL));
        once(a.queue, add, N);
    }
    look(x);
}

/* What is behind a user event stays behind it, whoever has run before. */
static void gated(cl_mem x)
{
    cl_int err;

    app_args(add, "mi", x, 1);
    app_args(mul, "mi", x, 5);
    for (int i = 0; i < 12; i++) {
        cl_event gate = clCreateUserEvent(a.context, &err);
        APP_CHECK(err);
        often(add, 40);
        app_run(a.queue, mul, N, 0, 1, &gate, NULL);
        once(a.queue, add, N);
        once(a.queue, add, N);
        APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        APP_CHECK(clFinish(a.queue));
        APP_CHECK(clReleaseEvent(gate));
    }
    look(x);
}

/* Launches with earlier arguments wait for another queue, and may run after one with later arguments. */
static void overtaken(cl_mem x)
{
    cl_command_queue other = app_queue(&a, 0);
    cl_mem y = fresh(9), z = fresh(3);
    cl_kernel slow = app_kernel(&a, "slow");
    cl_event e;

    app_args(slow, "mi", z, 3000);
    for (int i = 0; i < 30; i++) {
        app_args(add, "mi", y, i);
        often(add, 20);
        app_args(add, "mi", x, i);
        app_run(other, slow, N, 0, 0, NULL, &e);
        APP_CHECK(clFlush(other));
        app_run(a.queue, add, N, 0, 1, &e, NULL);
        once(a.queue, add, N);
        app_args(add, "mi", y, i);
        once(a.queue, add, N);
        APP_CHECK(clFinish(a.queue));
        often(add, 3);
        APP_CHECK(clReleaseEvent(e));
    }
    APP_CHECK(clFinish(other));
    look(x);
    look(y);
    look(z);
    app_release_mems((cl_mem[]){y, z}, 2);
    APP_CHECK(clReleaseKernel(slow));
    APP_CHECK(clReleaseCommandQueue(other));
}

/* What the vendor has to refuse. */
static void refused(cl_mem x)
{
    cl_event none = NULL;

    app_args(add, "mi", x, 1);
    often(add, 50);
    printf("again: without a range %d, ",
           clEnqueueNDRangeKernel(a.queue, add, 1, NULL, NULL, NULL, 0, NULL, NULL));
    printf("with a list of none %d\n",
           clEnqueueNDRangeKernel(a.queue, add, 1, NULL, &(size_t){N}, NULL, 0, &none, NULL));
    often(add, 2);
}

/* Two queues: the second is behind the first by an event, or by waiting. */
static void queues(cl_mem x)
{
    cl_command_queue other = app_queue(&a, 0), ooo = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event e;

    app_args(add, "mi", x, 4);
    app_args(mul, "mi", x, 7);
    for (int i = 0; i < 40; i++) {
        often(add, 5);
        once(other, mul, N);
        APP_CHECK(clFinish(other));
        once(ooo, add, N);
        APP_CHECK(clFinish(ooo));
        often(mul, 5);
        app_run(a.queue, mul, N, 0, 0, NULL, &e);
        app_run(other, add, N, 0, 1, &e, NULL);
        APP_CHECK(clFinish(other));
        APP_CHECK(clReleaseEvent(e));
        APP_CHECK(clFinish(a.queue));
    }
    look(x);
    APP_CHECK(clReleaseCommandQueue(other));
    APP_CHECK(clReleaseCommandQueue(ooo));
}

/* Steps of one sequence, by two threads on the same buffer and queue: in any order the end is the same,
 * unless two run at once. Tasks are never managed. */
static void *steps(void *kernel)
{
    for (int i = 0; i < 2000; i++) {
        once(a.queue, kernel, N);
        if (i % 3)
            APP_CHECK(clFinish(a.queue));
    }
    return NULL;
}

static void *tasks(void *kernel)
{
    for (int i = 0; i < 2000; i++) {
        APP_CHECK(clEnqueueTask(a.queue, kernel, 0, NULL, NULL));
        if (i % 3)
            APP_CHECK(clFinish(a.queue));
    }
    return NULL;
}

static void threads(cl_mem x, void *(*body)(void *))
{
    cl_kernel slow = app_kernel(&a, "slow"), other = app_kernel(&a, "slow");
    pthread_t thread;

    app_args(slow, "mi", x, 150);
    app_args(other, "mi", x, 150);
    often(slow, 200);
    if (pthread_create(&thread, NULL, body, other) == 0) {
        steps(slow);
        pthread_join(thread, NULL);
    }
    APP_CHECK(clFinish(a.queue));
    look(x);
    APP_CHECK(clReleaseKernel(other));
    APP_CHECK(clReleaseKernel(slow));
}

int main(int argc, char **argv)
{
    bool all = argc < 2 || strcmp(argv[1], "alone");
    cl_mem x;

    app_open(&a, "again", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    mul = app_kernel(&a, "mul");
    sum = app_kernel(&a, "sum");
    x = fresh(1);
    values(x);
    buffers();
    windows(x);
    ranges(x);
    unfinished(x);
    if (all)
        gated(x);
    queues(x);
    overtaken(x);
    refused(x);
    if (all) {
        threads(x, steps);
        threads(x, tasks);
    }
    app_release_mems(&x, 1);
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(mul));
    APP_CHECK(clReleaseKernel(sum));
    return app_close(&a);
}
