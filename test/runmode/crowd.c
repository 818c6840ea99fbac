/* crowd.c - several threads on the same queues, each with buffers of its own, managed and native commands
 * mixed: each thread finds its own values in its bytes.
 *
 * crowd [SEED [ROUNDS]] */
#include "common.h"

#include <pthread.h>

enum { THREADS = 4, WORDS = 256, QUEUES = 3 };

#define TURN                                                                                                 \
    "kernel void turn(global int *x, int a, int b) { int i = get_global_id(0); x[i] = x[i] * a + b; }\n"
#define LOUD                                                                                                 \
    "kernel void loud(global int *x, int a, int b)\n"                                                        \
    "{ int i = get_global_id(0); if (a == -1) printf(\"never\\n\"); x[i] = x[i] * a - b; }\n"

static struct app a;
static cl_command_queue queues[QUEUES]; /* the last one is out of order */
static size_t rounds;
static uint32_t first_seed;
static int wrong;

struct worker {
    pthread_t thread;
    uint32_t seed;
    cl_kernel turn, loud;
    cl_mem mem;
    int32_t model[WORDS], got[WORDS];
    uint64_t hash;
};

static void CL_CALLBACK let_go(cl_event e, cl_int status, void *data)
{
    if (status < 0)
        __atomic_store_n((int *)data, 1, __ATOMIC_RELAXED);
    clReleaseEvent(e);
}

/* A command of the worker on queue q, behind *before; leaves its event in *before. */
static void command(struct worker *w, int q, cl_event *before)
{
    bool loud = !(app_random(&w->seed) % 3), fill = !(app_random(&w->seed) % 4);
    int x = (int)(app_random(&w->seed) % 5) + 2, y = (int)(app_random(&w->seed) % 100);
    cl_uint n = *before ? 1 : 0;
    cl_event e, *list = n ? before : NULL;
    size_t items = WORDS;

    if (fill) {
        APP_CHECK(clEnqueueFillBuffer(queues[q], w->mem, &y, 4, 128, 256, n, list, &e));
    } else {
        app_args(loud ? w->loud : w->turn, "mii", w->mem, x, y);
        APP_CHECK(
            clEnqueueNDRangeKernel(queues[q], loud ? w->loud : w->turn, 1, NULL, &items, NULL, n, list, &e));
    }
    for (int i = 0; i < WORDS; i++)
        if (!fill)
            w->model[i] = (int32_t)((uint32_t)w->model[i] * (uint32_t)x + (uint32_t)(loud ? -y : y));
        else if (i >= 32 && i < 96)
            w->model[i] = y;
    if (*before)
        clReleaseEvent(*before);
    *before = e;
}

static void look(struct worker *w, int q, cl_event *before)
{
    int how = (int)(app_random(&w->seed) % 4);
    cl_event e;

    if (how == 0) {
        APP_CHECK(clEnqueueReadBuffer(queues[q], w->mem, CL_TRUE, 0, sizeof w->got, w->got, 1, before, NULL));
    } else {
        APP_CHECK(clEnqueueReadBuffer(queues[q], w->mem, CL_FALSE, 0, sizeof w->got, w->got, 1, before, &e));
        if (how == 1) {
            APP_CHECK(clWaitForEvents(1, &e));
        } else if (how == 2) {
            APP_CHECK(clFinish(queues[q]));
        } else if (clFlush(queues[q]), rm_poll(e) != CL_COMPLETE) {
            __atomic_store_n(&wrong, 2, __ATOMIC_RELAXED);
        }
        if (app_random(&w->seed) % 2)
            APP_CHECK(clSetEventCallback(e, CL_COMPLETE, let_go, &wrong));
        else
            clReleaseEvent(e);
    }
    clReleaseEvent(*before);
    *before = NULL;
    if (memcmp(w->got, w->model, sizeof w->got))
        __atomic_store_n(&wrong, 3, __ATOMIC_RELAXED);
    for (int i = 0; i < WORDS; i++)
        w->hash = (w->hash ^ (uint32_t)w->got[i]) * 0x100000001b3u;
}

static void *work(void *data)
{
    struct worker *w = data;
    cl_event before = NULL;
    cl_mem old;

    for (size_t r = 0; r < rounds; r++) {
        int n = 1 + (int)(app_random(&w->seed) % 8), q = (int)(app_random(&w->seed) % QUEUES);
        for (int i = 0; i < n; i++) {
            if (!(app_random(&w->seed) % 4)) /* on to another queue, by the event */
                q = (int)(app_random(&w->seed) % QUEUES);
            command(w, q, &before);
        }
        look(w, q, &before);
        if (app_random(&w->seed) % 8)
            continue;
        old = w->mem; /* a new buffer with the bytes of the old one, which is let go with work in exclusion */
        w->mem = app_buffer(&a, 0, sizeof w->model, NULL);
        APP_CHECK(clEnqueueCopyBuffer(queues[q], old, w->mem, 0, 0, sizeof w->model, 0, NULL, &before));
        clReleaseMemObject(old);
    }
    if (before)
        clReleaseEvent(before);
    return NULL;
}

static void begin(struct worker *w, uint32_t seed, cl_program second)
{
    cl_int err;

    w->seed = seed;
    w->turn = app_kernel(&a, "turn");
    w->loud = clCreateKernel(second, "loud", &err);
    APP_CHECK(err);
    w->mem = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof w->model, w->model);
    pthread_create(&w->thread, NULL, work, w);
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS];
    const char *source = LOUD;
    cl_program second;
    cl_int err;

    first_seed = (uint32_t)app_size(argc, argv, 1, 1, 1, 1u << 30);
    rounds = app_size(argc, argv, 2, 30, 1, 100000);
    app_open(&a, "crowd", 0, TURN);
    second = clCreateProgramWithSource(a.context, 1, &source, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(second, 1, &a.device, NULL, NULL, NULL));
    for (int i = 0; i < QUEUES; i++)
        queues[i] = app_queue(&a, i < QUEUES - 1 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < THREADS; i++) {
        begin(&workers[i], first_seed * 1000 + (uint32_t)i + 1, second);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        app_hash(&a, &workers[i].hash, sizeof workers[i].hash);
    }
    for (int i = 0; i < QUEUES; i++)
        APP_CHECK(clFinish(queues[i]));
    app_expect(&a, !wrong, "wrong: %d", wrong);
    for (int i = 0; i < THREADS; i++) {
        clReleaseKernel(workers[i].turn);
        clReleaseKernel(workers[i].loud);
        clReleaseMemObject(workers[i].mem);
    }
    for (int i = 0; i < QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseProgram(second);
    return app_close(&a);
}
