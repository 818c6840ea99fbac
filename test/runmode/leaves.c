/* leaves.c - queues for which streams are in vain, and what comes behind: chains that the program waits for
 * each time, a second queue that it never waits for; then events of before and after, their states, times and
 * callbacks, wait lists between queues, threads that share a queue meanwhile.
 *
 * usage: leaves [ROUNDS]: a chain, and the queues in turn, alone. */
#include "common.h"

#include <pthread.h>

#define N     64
#define SLOW  20000
#define EARLY 4

static struct app a;
static cl_kernel add, mul, slow;
static cl_command_queue other;
static int rounds = 120;

static void launch(cl_command_queue q, cl_kernel k, cl_mem x, int y, cl_event *event)
{
    app_args(k, "mi", x, y);
    app_run(q, k, N, 0, 0, NULL, event);
}

static cl_mem zeros(void)
{
    static int none[N];

    return app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
}

/* Each command needs what the one before it has made. */
static void chain(cl_mem x)
{
    int word = 0;

    for (int i = 0; i < rounds; i++) {
        launch(a.queue, add, x, i, NULL);
        launch(a.queue, mul, x, 3, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, x, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    }
    printf("chain: %d\n", word);
}

/* Two queues in turn; the program waits for the first alone. */
static void in_turn(cl_mem x, cl_mem y, cl_event early[EARLY])
{
    cl_event there, back;
    int word = 0;

    for (int i = 0; i < rounds; i++) {
        launch(a.queue, add, x, 1, early && i < EARLY ? &early[i] : NULL);
        APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, &there));
        APP_CHECK(clFlush(a.queue));
        APP_CHECK(clEnqueueBarrierWithWaitList(other, 1, &there, NULL));
        for (int k = 0; k < 8; k++)
            launch(other, add, y, i, NULL);
        APP_CHECK(clEnqueueCopyBuffer(other, x, y, 0, 16, 4, 0, NULL, &back));
        APP_CHECK(clFlush(other));
        APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 1, &back, NULL));
        launch(a.queue, add, x, 2, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 16, sizeof word, &word, 0, NULL, NULL));
        app_release_events((cl_event[]){there, back}, 2);
    }
    printf("in turn: %d\n", word);
    app_read(&a, y, 0, N * sizeof(int), (int[N]){0});
}

static _Atomic int calls;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    (void)event, (void)data;
    calls += status == CL_COMPLETE;
}

/* Events of before and after: states, callbacks, and times in the order of the commands. */
static void look_back(cl_mem x, cl_mem y, cl_event early[EARLY])
{
    cl_event all[EARLY + 2];
    cl_ulong start, end, last = 0;
    bool follow = true;

    memcpy(all, early, EARLY * sizeof *all);
    launch(a.queue, slow, x, SLOW, &all[EARLY]);
    launch(a.queue, add, y, 7, &all[EARLY + 1]);
    APP_CHECK(clSetEventCallback(all[0], CL_COMPLETE, called, NULL));
    APP_CHECK(clSetEventCallback(all[EARLY + 1], CL_COMPLETE, called, NULL));
    APP_CHECK(clWaitForEvents(1, &all[EARLY + 1]));
    RM_WAIT(calls >= 2);
    printf("called %d, first %d, long %d\n", calls, rm_status(all[0]), rm_status(all[EARLY]));
    for (int i = 0; i < EARLY + 2; i++) {
        APP_CHECK(clGetEventProfilingInfo(all[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        APP_CHECK(clGetEventProfilingInfo(all[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        follow &= last <= start && start <= end;
        last = end;
    }
    printf("times %s\n", follow ? "follow" : "overlap");
    app_release_events(all, EARLY + 2);
}

/* A queue that is made later, with commands of the others in its wait lists. */
static void made_later(cl_mem x, cl_mem y)
{
    cl_command_queue late = app_queue(&a, 0);
    cl_event e[2];

    launch(a.queue, slow, x, SLOW, NULL);
    launch(a.queue, add, x, 5, &e[0]);
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clEnqueueCopyBuffer(late, x, y, 0, 0, N * sizeof(int), 1, &e[0], &e[1]));
    APP_CHECK(clFlush(late));
    APP_CHECK(clRetainCommandQueue(a.queue));
    APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 1, &e[1], NULL));
    launch(a.queue, add, y, 5, NULL);
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clReleaseCommandQueue(a.queue));
    app_read(&a, y, 0, N * sizeof(int), (int[N]){0});
    app_release_events(e, 2);
    APP_CHECK(clReleaseCommandQueue(late));
}

/* Threads on one queue, of which one waits each time. */
static cl_command_queue shared;

static void *adds(void *of)
{
    cl_mem x = of;
    cl_int err;
    cl_kernel k = clCreateKernel(a.program, "add", &err);

    APP_CHECK(err);
    for (int i = 0; i < 3 * rounds; i++) {
        launch(shared, k, x, 1, NULL);
        if (i % 3 == 0)
            APP_CHECK(clFinish(shared));
    }
    APP_CHECK(clFinish(shared));
    APP_CHECK(clReleaseKernel(k));
    return NULL;
}

static void together(void)
{
    struct app b;
    cl_mem x[2] = {zeros(), zeros()};
    pthread_t thread[2];

    shared = app_queue(&a, 0);
    for (int i = 0; i < 2; i++)
        APP_CHECK(pthread_create(&thread[i], NULL, adds, x[i]));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    b = a;
    b.queue = shared;
    for (int i = 0; i < 2; i++)
        app_read(&b, x[i], 0, N * sizeof(int), (int[N]){0});
    a.hash = b.hash;
    app_release_mems(x, 2);
    APP_CHECK(clReleaseCommandQueue(shared));
}

int main(int argc, char **argv)
{
    cl_event early[EARLY];
    cl_mem x, y;

    if (argc > 1)
        rounds = atoi(argv[1]);
    app_open(&a, "leaves", CL_QUEUE_PROFILING_ENABLE, RM_SOURCE);
    add = app_kernel(&a, "add");
    mul = app_kernel(&a, "mul");
    slow = app_kernel(&a, "slow");
    other = app_queue(&a, 0);
    x = zeros();
    y = zeros();
    if (argc > 1) {
        chain(x);
        in_turn(x, y, NULL);
    } else {
        together();
        in_turn(x, y, early);
        chain(x);
        look_back(x, y, early);
        made_later(x, y);
    }
    app_release_mems((cl_mem[]){x, y}, 2);
    APP_CHECK(clReleaseCommandQueue(other));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(mul));
    APP_CHECK(clReleaseKernel(slow));
    return app_close(&a);
}
