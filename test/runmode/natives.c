/* natives.c - managed commands behind, before and between commands that are not managed. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "common.h"

#include <pthread.h>

static struct app a;
static cl_kernel add, sum, slow;
static int shared[64] __attribute__((aligned(4096))), flag[64] __attribute__((aligned(4096)));

/* Runs on the device's thread: slow, and writes memory that nobody has declared. */
static void CL_CALLBACK write_late(void *args)
{
    int value = *(int *)args;

    rm_sleep_ms(30);
    for (int i = 0; i < 64; i++)
        __atomic_store_n(&shared[i], value, __ATOMIC_RELEASE);
}

static bool native(cl_command_queue q, int value, cl_uint n, const cl_event *list, cl_event *event)
{
    cl_int err = clEnqueueNativeKernel(q, write_late, &value, sizeof value, 0, NULL, NULL, n, list, event);

    if (err != CL_SUCCESS)
        app_skip("natives", "the device runs no native kernels");
    return true;
}

static int read_shared(cl_command_queue q, cl_mem x)
{
    int v[64];

    APP_CHECK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    app_hash(&a, v, sizeof v);
    return v[0];
}

/* A command of queue A waits for a native one of queue B; what A is given later waits too. */
static void across(cl_mem x, int how)
{
    cl_command_queue A = app_queue(&a, 0), B = app_queue(&a, 0);
    cl_mem y = app_buffer(&a, 0, 256, NULL);
    cl_event e, f;
    int zero = 0;

    native(B, 10 + how, 0, NULL, &e);
    APP_CHECK(clFlush(B));
    if (how == 0) {
        APP_CHECK(clEnqueueMarkerWithWaitList(A, 1, &e, NULL));
    } else if (how == 1) {
        APP_CHECK(clEnqueueBarrierWithWaitList(A, 1, &e, NULL));
    } else if (how == 2) {
        APP_CHECK(clEnqueueFillBuffer(A, y, &zero, sizeof zero, 0, 256, 1, &e, NULL));
    } else { /* through a third queue */
        cl_command_queue C = app_queue(&a, 0);
        APP_CHECK(clEnqueueFillBuffer(C, y, &zero, sizeof zero, 0, 256, 1, &e, &f));
        APP_CHECK(clFlush(C));
        APP_CHECK(clEnqueueMarkerWithWaitList(A, 1, &f, NULL));
        clReleaseEvent(f);
        clReleaseCommandQueue(C);
    }
    printf("across %d: %d\n", how, read_shared(A, x));
    clReleaseEvent(e);
    APP_CHECK(clFinish(B));
    clReleaseMemObject(y);
    clReleaseCommandQueue(A);
    clReleaseCommandQueue(B);
}

/* The same in one queue, natively between managed commands. */
static void between(cl_mem x)
{
    cl_command_queue q = app_queue(&a, 0);
    int values[3];

    for (int i = 0; i < 3; i++) {
        native(q, 20 + i, 0, NULL, NULL);
        app_args(add, "mi", x, 100);
        app_run(q, add, 64, 0, 0, NULL, NULL);
        APP_CHECK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, 4, &values[i], 0, NULL, NULL));
    }
    APP_CHECK(clFinish(q));
    printf("between: %d %d %d\n", values[0], values[1], values[2]);
    clReleaseCommandQueue(q);
}

static void *finish(void *queue)
{
    APP_CHECK(clFinish(queue));
    return NULL;
}

/* Two threads finish one queue: neither returns before its native command has. */
static void two_finish(cl_mem x)
{
    cl_command_queue q = app_queue(&a, 0);
    int wrong = 0;
    pthread_t t;

    for (int i = 0; i < 5; i++) {
        native(q, 30 + i, 0, NULL, NULL);
        pthread_create(&t, NULL, finish, q);
        rm_sleep_ms(5);
        APP_CHECK(clEnqueueFillBuffer(q, x, &(int){0}, 4, 128, 4, 0, NULL, NULL));
        APP_CHECK(clFinish(q));
        wrong += __atomic_load_n(&shared[1], __ATOMIC_ACQUIRE) != 30 + i;
        pthread_join(t, NULL);
    }
    printf("two finish: %d wrong\n", wrong);
    clReleaseCommandQueue(q);
}

/* Out of order: a marker of everything waits for what a user event holds, and so does what is behind a
 * barrier. */
static void held_marker(cl_mem x)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event user = clCreateUserEvent(a.context, NULL), e, m, after;
    bool held;

    app_args(add, "mi", x, 1);
    app_run(q, add, 64, 0, 1, &user, &e);
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &m));
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    app_run(q, add, 64, 0, 0, NULL, &after);
    APP_CHECK(clFlush(q));
    rm_sleep_ms(20);
    held = rm_status(e) > CL_COMPLETE && rm_status(m) > CL_COMPLETE && rm_status(after) > CL_COMPLETE;
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    APP_CHECK(clFinish(q));
    printf("held marker: %d, then %d %d %d\n", held, rm_status(e), rm_status(m), rm_status(after));
    app_release_events((cl_event[]){user, e, m, after}, 4);
    clReleaseCommandQueue(q);
}

/* A barrier of an out-of-order queue orders native and managed commands alike. */
static void barrier(cl_mem x)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    int v[64];

    native(q, 50, 0, NULL, NULL);
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    app_args(add, "mi", x, 3);
    app_run(q, add, 64, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, sizeof v, v, 0, NULL, NULL));
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    native(q, 60, 0, NULL, NULL);
    APP_CHECK(clFinish(q));
    printf("barrier: %d, then %d\n", v[0], shared[0]);
    clReleaseCommandQueue(q);
}

/* What waits for everything before it, in a queue without order: for a managed command that runs and one that
 * a user event holds. */
static void everything_before(cl_mem x, int how)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof shared, shared);
    cl_event user = clCreateUserEvent(a.context, NULL), marker = NULL, read;
    int one = 1 + how, got = -1;

    app_args(slow, "mi", x, 300000);
    app_run(q, slow, 64, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueWriteBuffer(q, y, CL_FALSE, 0, sizeof one, &one, 1, &user, NULL));
    if (how == 0)
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    else if (how == 1)
        APP_CHECK(clEnqueueBarrier(q));
    else if (how == 2)
        APP_CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    else
        APP_CHECK(clEnqueueMarker(q, &marker));
    APP_CHECK(
        clEnqueueReadBuffer(q, y, CL_FALSE, 0, sizeof got, &got, !!marker, marker ? &marker : NULL, &read));
    APP_CHECK(clFlush(q));
    rm_sleep_ms(150);
    printf("everything before %d: %s, ", how, rm_status(read) == CL_COMPLETE ? "read too early" : "waits");
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    APP_CHECK(clFinish(q));
    printf("%d\n", got);
    app_release_events((cl_event[]){user, read}, 2);
    if (marker)
        clReleaseEvent(marker);
    clReleaseMemObject(y);
    clReleaseCommandQueue(q);
}

/* A marker holds nothing back: behind it a native command may run while a managed one before it waits for the
 * host. */
static void past_marker(int how)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof flag, flag);
    cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof shared, shared);
    cl_kernel spin = app_kernel(&a, "spin");
    cl_event user = clCreateUserEvent(a.context, NULL), marker, read;
    int one = 1, got = -1;

    __atomic_store_n(&flag[1], 1, __ATOMIC_RELEASE);
    app_args(spin, "m", x);
    app_run(q, spin, 1, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(q));
    __atomic_store_n(&flag[1], 0, __ATOMIC_RELEASE);
    app_run(q, spin, 1, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueWriteBuffer(q, y, CL_FALSE, 0, sizeof one, &one, 1, &user, NULL));
    APP_CHECK(how ? clEnqueueMarker(q, &marker) : clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    APP_CHECK(clEnqueueReadBuffer(q, y, CL_FALSE, 64, sizeof got, &got, 0, NULL, &read));
    APP_CHECK(clFlush(q));
    printf("past marker %d: read %d, ", how, rm_poll(read));
    printf("marker %s\n", rm_status(marker) == CL_COMPLETE ? "too early" : "waits");
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    __atomic_store_n(&flag[1], 1, __ATOMIC_RELEASE);
    APP_CHECK(clFinish(q));
    app_release_events((cl_event[]){user, marker, read}, 3);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseKernel(spin);
    clReleaseCommandQueue(q);
}

static void CL_CALLBACK wait_for_host(void *args)
{
    (void)args;
    while (!__atomic_load_n(&flag[2], __ATOMIC_ACQUIRE))
        rm_sleep_ms(1);
}

/* The host goes on only once a write is over, and only then a fill of the same bytes, which no event orders
 * behind the write: over two queues, and in one out of order. */
static void before_the_host(int how)
{
    cl_command_queue A = app_queue(&a, how ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0),
                     B = how ? A : app_queue(&a, 0);
    cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE, sizeof shared, NULL);
    cl_event e, written;
    int five = 5, got[64] = {0};

    __atomic_store_n(&flag[2], 0, __ATOMIC_RELEASE);
    APP_CHECK(clEnqueueNativeKernel(A, wait_for_host, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
    APP_CHECK(clEnqueueFillBuffer(A, y, &five, sizeof five, 0, 64, 1, &e, NULL));
    APP_CHECK(clFlush(A));
    APP_CHECK(clEnqueueWriteBuffer(B, y, CL_FALSE, 0, sizeof got, got, 0, NULL,
                                   &written)); /* PoCL's blocking one: clFinish(B) */
    APP_CHECK(clWaitForEvents(1, &written));
    __atomic_store_n(&flag[2], 1, __ATOMIC_RELEASE);
    APP_CHECK(clFinish(A));
    APP_CHECK(clEnqueueReadBuffer(B, y, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    printf("before the host %d: %d %d\n", how, got[0], got[16]);
    app_hash(&a, got, sizeof got);
    app_release_events((cl_event[]){e, written}, 2);
    clReleaseMemObject(y);
    clReleaseCommandQueue(A);
    if (!how)
        clReleaseCommandQueue(B);
}

static void CL_CALLBACK rest(void *args)
{
    (void)args;
    rm_sleep_ms(500);
}

/* Queue B: a slow kernel, then a read of what it writes. In between A is given a kernel that might write the
 * same, as far as can be known, and waits for a native one, so that the read need not wait for it, but must
 * for the slow one, which the other covers; `how` 1: which one more kernel covers that waits for nothing, and
 * the other covers that. */
static void covered(int how)
{
    cl_command_queue A = app_queue(&a, 0), B = app_queue(&a, 0), N = app_queue(&a, 0);
    cl_kernel lower = app_kernel(&a, "lower"), upper = app_kernel(&a, "upper");
    int index[64], got[128] = {0};
    cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof got, got), at;
    cl_event e;

    for (int i = 0; i < 64; i++)
        index[i] = i;
    at = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof index, index);
    app_args(lower, "mi", y, 1);
    app_run(B, lower, 64, 0, 0, NULL, NULL);
    app_args(upper, "mm", y, at);
    app_run(B, upper, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(B));
    APP_CHECK(clEnqueueNativeKernel(N, rest, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
    APP_CHECK(clFlush(N));
    app_args(lower, "mi", y, 1000000);
    app_run(B, lower, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFlush(B));
    if (how)
        app_run(A, upper, 64, 0, 0, NULL, NULL);
    app_run(A, upper, 64, 0, 1, &e, NULL);
    APP_CHECK(clFlush(A));
    APP_CHECK(clEnqueueReadBuffer(B, y, CL_TRUE, 0, 256, got, 0, NULL, NULL));
    APP_CHECK(clFinish(A));
    APP_CHECK(clEnqueueReadBuffer(B, y, CL_TRUE, 256, 256, got + 64, 0, NULL, NULL));
    printf("covered %d: %d %d\n", how, got[0], got[64]);
    app_hash(&a, got, sizeof got);
    clReleaseEvent(e);
    clReleaseMemObject(y), clReleaseMemObject(at);
    clReleaseKernel(lower), clReleaseKernel(upper);
    clReleaseCommandQueue(A), clReleaseCommandQueue(B), clReleaseCommandQueue(N);
}

/* The device does something else while a kernel waits. */
static bool has_threads(void)
{
    char name[256] = "";
    cl_uint units = 0;

    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_NAME, sizeof name, name, NULL));
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units > 1 && strncmp(name, "basic", 5) != 0;
}

/* A failing gate: what waits ends with an error, bare and here alike. */
static void failing(cl_mem x)
{
    cl_command_queue q = app_queue(&a, 0);
    cl_event user = clCreateUserEvent(a.context, NULL), e, f;

    app_args(add, "mi", x, 1);
    app_run(q, add, 64, 0, 1, &user, &e);
    app_run(q, add, 64, 0, 1, &e, &f);
    APP_CHECK(clFlush(q));
    APP_CHECK(clSetUserEventStatus(user, -5));
    printf("failing: %d %d\n", rm_poll(e), rm_poll(f));
    app_release_events((cl_event[]){user, e, f}, 3);
    clReleaseCommandQueue(q);
}

/* A native command that waits for the host, which waits for launches of another queue: they need a thread
 * that is free, or it hangs. */
static void held_thread(void)
{
    cl_command_queue A = app_queue(&a, 0), B = app_queue(&a, 0);
    cl_mem x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof shared, shared);

    for (int i = 0; i < 3; i++) {
        __atomic_store_n(&flag[2], 0, __ATOMIC_RELEASE);
        APP_CHECK(clEnqueueNativeKernel(B, wait_for_host, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
        APP_CHECK(clFlush(B));
        for (int k = 0; k < 8; k++) {
            app_args(slow, "mi", x, 1000 + k);
            app_run(A, slow, 64, 8, 0, NULL, NULL);
            APP_CHECK(clFinish(A));
        }
        __atomic_store_n(&flag[2], 1, __ATOMIC_RELEASE);
        APP_CHECK(clFinish(B));
    }
    printf("held thread: %d\n", read_shared(A, x));
    clReleaseMemObject(x);
    clReleaseCommandQueue(A);
    clReleaseCommandQueue(B);
}

int main(void)
{
    cl_mem x;

    app_open(&a, "natives", 0,
             RM_SOURCE
             "kernel void spin(global volatile int *x) { while (!x[1]) { } }\n"
             "kernel void upper(global int *x, global const int *at) { x[64 + at[get_global_id(0)]] = 9; }\n"
             "kernel void lower(global int *x, int n) {\n"
             "  int v = 5; for (int i = 0; i < n; i++) v = v * 3 + (v >> 3) + i; x[get_global_id(0)] = v | "
             "1; }\n");
    add = app_kernel(&a, "add");
    sum = app_kernel(&a, "sum");
    slow = app_kernel(&a, "slow");
    x = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof shared, shared);
    rm_warm(&a, add, x);
    rm_warm(&a, slow, x);
    for (int how = 0; how < 4; how++)
        across(x, how);
    between(x);
    two_finish(x);
    held_marker(x);
    barrier(x);
    for (int how = 0; how < 4; how++)
        everything_before(x, how);
    for (int how = 0; how < 2 && has_threads(); how++)
        past_marker(how);
    for (int how = 0; how < 2 && has_threads(); how++)
        before_the_host(how);
    for (int how = 0; how < 2 && has_threads(); how++)
        covered(how);
    failing(x);
    if (has_threads())
        held_thread();
    clReleaseMemObject(x);
    clReleaseKernel(add), clReleaseKernel(sum), clReleaseKernel(slow);
    return app_close(&a);
}
