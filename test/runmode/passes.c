/* passes.c - threads that share an in-order queue, each with a queue of its own beside it: launches, fills,
 * copies, transfers, maps, markers, user events, waits of all kinds, by lot. Each thread has its own buffers,
 * and a model of them in plain C. Long stretches gain nothing by helpers, so that queues are bypassed, are
 * looked at, and are bypassed again while other threads enqueue.
 *
 * passes [SEED [STEPS [THREADS]]] */
#include "common.h"

#include <pthread.h>

enum { MOST = 8, BUFFERS = 2, WORDS = 512, BYTES = 4 * WORDS, LATER = 4, SLOW = 20000 };

static const char source[] =
    "kernel void turn(global uint *x, uint y) { uint i = get_global_id(0); x[i] = x[i] * 5 + i * y; }\n"
    "kernel void slow(global uint *x, uint y) { uint v = x[get_global_id(0)];\n"
    "  for (uint i = 0; i < y; i++) v = v * 1664525 + 1013904223; x[get_global_id(0)] = v; }\n"
    "kernel void join(global uint *x, global const uint *from)\n"
    "{ uint i = get_global_id(0); x[i] = x[i] * 3 + from[get_global_size(0) - 1 - i]; }\n";

static struct app a;
static cl_command_queue shared;
static uint32_t steps = 400;

struct thread {
    pthread_t thread;
    uint32_t seed;
    uint64_t hash, reads;
    cl_command_queue own, now; /* now: of the latest command */
    cl_kernel turn, slow, join;
    cl_mem buffer[BUFFERS];
    uint32_t model[BUFFERS][WORDS], host[LATER][WORDS], got[WORDS];
    uint32_t later; /* slots of host[] that writes under way read */
};

static uint32_t any(struct thread *t, uint32_t n)
{
    return app_random(&t->seed) % n;
}

/* The queue of the next command: behind all earlier ones, of whichever queue they were. */
static cl_command_queue next(struct thread *t)
{
    cl_command_queue to = any(t, 6) ? t->now : t->now == shared ? t->own : shared;
    cl_event before;

    if (to == t->now)
        return to;
    APP_CHECK(clEnqueueMarkerWithWaitList(t->now, 0, NULL, &before));
    APP_CHECK(clFlush(t->now));
    APP_CHECK(clEnqueueBarrierWithWaitList(to, 1, &before, NULL));
    APP_CHECK(clReleaseEvent(before));
    return t->now = to;
}

static void check(struct thread *t, int b, const uint32_t *got)
{
    app_expect(&a, !memcmp(got, t->model[b], BYTES), "buffer %d differs", b);
    for (int i = 0; i < WORDS; i++)
        t->hash = (t->hash ^ got[i]) * 1099511628211u;
    t->reads++;
}

static void launch(struct thread *t, int b)
{
    uint32_t y = any(t, 100), *x = t->model[b];
    const uint32_t *from = t->model[!b];
    int kind = any(t, 16) ? 1 + (int)any(t, 2) : 0;
    cl_kernel k = kind == 0 ? t->slow : kind == 1 ? t->turn : t->join;

    if (kind == 2)
        app_args(k, "mm", t->buffer[b], t->buffer[!b]);
    else
        app_args(k, "mu", t->buffer[b], kind ? y : SLOW);
    app_run(next(t), k, WORDS, 64, 0, NULL, NULL);
    for (uint32_t i = 0; i < WORDS; i++) {
        if (kind)
            x[i] = kind == 1 ? x[i] * 5 + i * y : x[i] * 3 + from[WORDS - 1 - i];
        for (uint32_t j = 0; !kind && j < SLOW; j++)
            x[i] = x[i] * 1664525 + 1013904223;
    }
}

static void finish(struct thread *t)
{
    APP_CHECK(clFinish(t->now));
    t->later = 0;
}

static void write_later(struct thread *t, int b)
{
    cl_command_queue queue = next(t);
    uint32_t *from;

    if (t->later == LATER)
        finish(t);
    from = t->host[t->later++];
    for (int i = 0; i < WORDS; i++)
        from[i] = t->model[b][i] = any(t, 1000);
    APP_CHECK(clEnqueueWriteBuffer(queue, t->buffer[b], CL_FALSE, 0, BYTES, from, 0, NULL, NULL));
}

static void map(struct thread *t, int b)
{
    cl_command_queue queue = next(t);
    cl_int err;
    uint32_t *x = clEnqueueMapBuffer(queue, t->buffer[b], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0,
                                     NULL, NULL, &err);

    APP_CHECK(err);
    check(t, b, x);
    x[3] = t->model[b][3] = any(t, 1000);
    APP_CHECK(clEnqueueUnmapMemObject(next(t), t->buffer[b], x, 0, NULL, NULL));
}

/* Later commands of the queue, those of other threads, too, wait for a user event. */
static void hold(struct thread *t, int b)
{
    cl_int err;
    cl_event user = clCreateUserEvent(a.context, &err), behind;

    APP_CHECK(err);
    APP_CHECK(clEnqueueMarkerWithWaitList(next(t), 1, &user, &behind));
    launch(t, b);
    launch(t, !b);
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    APP_CHECK(clWaitForEvents(1, &behind));
    APP_CHECK(clReleaseEvent(user));
    APP_CHECK(clReleaseEvent(behind));
}

static void wait_for_event(struct thread *t)
{
    cl_event e;

    APP_CHECK(clEnqueueMarkerWithWaitList(next(t), 0, NULL, &e));
    APP_CHECK(clWaitForEvents(1, &e));
    APP_CHECK(clReleaseEvent(e));
    t->later = 0;
}

static void step(struct thread *t)
{
    int b = (int)any(t, BUFFERS);
    cl_uint value;

    switch (any(t, 14)) {
    case 0:
        value = any(t, 100);
        APP_CHECK(clEnqueueFillBuffer(next(t), t->buffer[b], &value, 4, 64, BYTES - 64, 0, NULL, NULL));
        for (int i = 16; i < WORDS; i++)
            t->model[b][i] = value;
        return;
    case 1:
        APP_CHECK(clEnqueueCopyBuffer(next(t), t->buffer[!b], t->buffer[b], 0, 256, 256, 0, NULL, NULL));
        memcpy(t->model[b] + 64, t->model[!b], 256);
        return;
    case 2:
        write_later(t, b);
        return;
    case 3:
        for (int i = 0; i < 16; i++)
            t->model[b][i] = any(t, 1000);
        APP_CHECK(clEnqueueWriteBuffer(next(t), t->buffer[b], CL_TRUE, 0, 64, t->model[b], 0, NULL, NULL));
        return;
    case 4:
    case 5:
        APP_CHECK(clEnqueueReadBuffer(next(t), t->buffer[b], CL_TRUE, 0, BYTES, t->got, 0, NULL, NULL));
        check(t, b, t->got);
        return;
    case 6:
        map(t, b);
        return;
    case 7:
        finish(t);
        return;
    case 8:
        if (any(t, 8) == 0)
            hold(t, b);
        else
            wait_for_event(t);
        return;
    case 9:
        APP_CHECK(clFlush(t->now));
        return;
    default:
        launch(t, b);
    }
}

static void *run(void *thread)
{
    struct thread *t = thread;

    for (uint32_t i = 0; i < steps; i++)
        step(t);
    for (int b = 0; b < BUFFERS; b++) {
        APP_CHECK(clEnqueueReadBuffer(t->now, t->buffer[b], CL_TRUE, 0, BYTES, t->got, 0, NULL, NULL));
        check(t, b, t->got);
    }
    return NULL;
}

static void open_thread(struct thread *t, uint32_t seed)
{
    *t = (struct thread){.seed = seed, .hash = seed, .own = app_queue(&a, 0), .now = shared};
    t->turn = app_kernel(&a, "turn");
    t->slow = app_kernel(&a, "slow");
    t->join = app_kernel(&a, "join");
    for (int b = 0; b < BUFFERS; b++)
        t->buffer[b] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, t->model[b]);
}

static void close_thread(struct thread *t)
{
    app_release_mems(t->buffer, BUFFERS);
    APP_CHECK(clReleaseKernel(t->turn));
    APP_CHECK(clReleaseKernel(t->slow));
    APP_CHECK(clReleaseKernel(t->join));
    APP_CHECK(clReleaseCommandQueue(t->own));
}

int main(int argc, char **argv)
{
    uint32_t seed = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, n = argc > 3 ? (uint32_t)atoi(argv[3]) : 3;
    static struct thread thread[MOST];

    steps = argc > 2 ? (uint32_t)atoi(argv[2]) : steps;
    n = n < MOST ? n : MOST;
    app_open(&a, "passes", 0, source);
    shared = app_queue(&a, 0);
    for (uint32_t i = 0; i < n; i++)
        open_thread(&thread[i], seed * 100 + i);
    for (uint32_t i = 1; i < n; i++)
        APP_CHECK(pthread_create(&thread[i].thread, NULL, run, &thread[i]));
    run(&thread[0]);
    for (uint32_t i = 1; i < n; i++)
        pthread_join(thread[i].thread, NULL);
    for (uint32_t i = 0; i < n; i++) {
        app_hash(&a, &thread[i].hash, sizeof thread[i].hash);
        printf("thread %u: %llu reads\n", i, (unsigned long long)thread[i].reads);
        close_thread(&thread[i]);
    }
    APP_CHECK(clReleaseCommandQueue(shared));
    return app_close(&a);
}
