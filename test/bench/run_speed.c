/* run_speed.c - the programs that the speed of run mode is judged by; plain OpenCL, nothing of clweave.
 *
 * usage: run_speed CASE [rounds] [items] [steps]
 *
 *   chatty    a small kernel, then clFinish; the next one depends on it        the cost of one hand-over
 *   chain     small dependent kernels, clFinish after every hundredth          the cost of one command
 *   poll      a small kernel, then polls its event                             how soon a completion is seen
 *   small-io  a small write, a small kernel, a small blocking read             transfers of chatty programs
 *   chains8   eight chains of one work-group kernels in turn on one queue      what reordering can win
 *   chains64  likewise 64 chains                                               the same on many processors
 *   wide      one kernel over all items, then clFinish                         what must not get slower
 *   bulk      a large write and a large blocking read                          likewise
 *   map       maps a large buffer, changes a word, unmaps, a kernel            likewise
 *   pass      small kernels with an offset, which nobody may manage            the cost of standing aside
 *   idle      a kernel, then nothing for seconds                               what doing nothing costs
 *
 * `pass` prints "call_ns N" too, the calling thread's CPU time per launch; `idle` "idle_ns N", the process's
 * CPU time while it sleeps.
 *
 * Prints "span_ns N" (from the first enqueue to the last synchronisation, after one warm-up round; wall),
 * then the samples' line with the hash of all that was read. */
#include "../apps/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHAINS 64

static const char source[] = "__kernel void advance(__global uint *x, uint factor, uint steps) {\n"
                             "    uint i = get_global_id(0), v = x[i];\n"
                             "    for (uint s = 0; s < steps; s++)\n"
                             "        v = v * factor + (v >> 9) + i;\n"
                             "    x[i] = v;\n"
                             "}\n";

struct speed {
    struct app app;
    cl_kernel advance;
    cl_mem x[CHAINS];
    uint32_t *host;
    size_t rounds, items, steps, local;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static void launch(struct speed *s, cl_event *event)
{
    app_run(s->app.queue, s->advance, s->items, s->local, 0, NULL, event);
}

static void set_chain(struct speed *s, size_t chain)
{
    app_args(s->advance, "muu", s->x[chain], (cl_uint)(1664525 + 2 * chain), (cl_uint)s->steps);
}

static void chatty(struct speed *s, size_t rounds)
{
    for (size_t r = 0; r < rounds; r++) {
        launch(s, NULL);
        APP_CHECK(clFinish(s->app.queue));
    }
}

static void chain(struct speed *s, size_t rounds)
{
    for (size_t r = 0; r < rounds; r++) {
        for (int i = 0; i < 100; i++)
            launch(s, NULL);
        APP_CHECK(clFinish(s->app.queue));
    }
}

static void poll_event(struct speed *s, size_t rounds)
{
    for (size_t r = 0; r < rounds; r++) {
        cl_int status = CL_QUEUED;
        cl_event event;
        launch(s, &event);
        APP_CHECK(clFlush(s->app.queue));
        while (status > CL_COMPLETE)
            APP_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        APP_CHECK(clReleaseEvent(event));
    }
}

static void small_io(struct speed *s, size_t rounds)
{
    for (size_t r = 0; r < rounds; r++) {
        s->host[0] = (uint32_t)r;
        APP_CHECK(clEnqueueWriteBuffer(s->app.queue, s->x[0], CL_FALSE, 0, 64, s->host, 0, NULL, NULL));
        launch(s, NULL);
        app_read(&s->app, s->x[0], 0, 64, s->host);
    }
}

static void chains(struct speed *s, size_t rounds, size_t count)
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t c = 0; c < count; c++) {
            set_chain(s, c);
            launch(s, NULL);
        }
    APP_CHECK(clFinish(s->app.queue));
}

static void chains8(struct speed *s, size_t rounds)
{
    chains(s, rounds, 8);
}

static void chains64(struct speed *s, size_t rounds)
{
    chains(s, rounds, CHAINS);
}

static void bulk(struct speed *s, size_t rounds)
{
    size_t bytes = s->items * sizeof *s->host;

    for (size_t r = 0; r < rounds; r++) {
        APP_CHECK(clEnqueueWriteBuffer(s->app.queue, s->x[0], CL_FALSE, 0, bytes, s->host, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(s->app.queue, s->x[0], CL_TRUE, 0, bytes, s->host, 0, NULL, NULL));
    }
}

static void map(struct speed *s, size_t rounds)
{
    size_t bytes = s->items * sizeof *s->host;
    cl_int err;

    for (size_t r = 0; r < rounds; r++) {
        uint32_t *p = clEnqueueMapBuffer(s->app.queue, s->x[0], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
                                         0, NULL, NULL, &err);
        APP_CHECK(err);
        p[0]++;
        APP_CHECK(clEnqueueUnmapMemObject(s->app.queue, s->x[0], p, 0, NULL, NULL));
        launch(s, NULL);
    }
    APP_CHECK(clFinish(s->app.queue));
}

/* The vendor's worker is asleep or busy as it may be: only the calls are timed. */
static void pass(struct speed *s, size_t rounds)
{
    size_t offset = 1, items = s->items - 1;
    uint64_t spent = 0, begin;

    for (size_t r = 0; r < rounds; r++) {
        begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < 100; i++)
            APP_CHECK(
                clEnqueueNDRangeKernel(s->app.queue, s->advance, 1, &offset, &items, NULL, 0, NULL, NULL));
        spent += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
        APP_CHECK(clFinish(s->app.queue));
    }
    printf("call_ns %llu\n", (unsigned long long)(spent / (100 * rounds)));
}

static void idle(struct speed *s, size_t rounds)
{
    struct timespec second = {1, 0};
    uint64_t begin;

    launch(s, NULL);
    APP_CHECK(clFinish(s->app.queue));
    nanosleep(&(struct timespec){0, 100000000}, NULL); /* what is begun may end */
    begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t r = 0; r < rounds; r++)
        nanosleep(&second, NULL);
    printf("idle_ns %llu\n", (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin));
}

/* local 0: the implementation's choice. The defaults take a few tenths of a second on two cores. */
static const struct {
    const char *name;
    void (*run)(struct speed *s, size_t rounds);
    size_t rounds, items, steps, local, buffers;
} cases[] = {
    {"chatty", chatty, 20000, 64, 1, 0, 1},
    {"chain", chain, 200, 64, 1, 0, 1},
    {"poll", poll_event, 5000, 64, 1, 0, 1},
    {"small-io", small_io, 2000, 64, 1, 0, 1},
    {"chains8", chains8, 20, 64, 16384, 64, 8},
    {"chains64", chains64, 20, 64, 16384, 64, CHAINS},
    {"wide", chatty, 40, 1 << 20, 32, 0, 1},
    {"bulk", bulk, 40, 1 << 20, 1, 0, 1},
    {"map", map, 60, 1 << 20, 1, 0, 1},
    {"pass", pass, 200, 64, 1, 0, 1},
    {"idle", idle, 2, 64, 1, 0, 1},
};

/* RUN_SPEED_REST=1: sleeps before it measures; who has slept is not put aside at once for others on a busy
 * machine. */
static void rest(void)
{
    if (getenv("RUN_SPEED_REST"))
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static int run_case(struct speed *s, size_t c, int argc, char **argv)
{
    s->rounds = app_size(argc, argv, 2, cases[c].rounds, 1, 1 << 24);
    s->items = app_size(argc, argv, 3, cases[c].items, 64, 1 << 26);
    s->steps = app_size(argc, argv, 4, cases[c].steps, 1, 1 << 24);
    s->local = cases[c].local;
    app_open(&s->app, cases[c].name, 0, source);
    s->advance = app_kernel(&s->app, "advance");
    s->host = app_alloc(s->items * sizeof *s->host);
    for (size_t i = 0; i < s->items; i++)
        s->host[i] = (uint32_t)(i * 2654435761u);
    for (size_t i = 0; i < cases[c].buffers; i++)
        s->x[i] = app_buffer(&s->app, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, s->items * sizeof *s->host,
                             s->host);
    set_chain(s, 0);
    rest();
    cases[c].run(s, 1);
    APP_CHECK(clFinish(s->app.queue));
    rest();
    uint64_t begin = now_ns();
    cases[c].run(s, s->rounds);
    printf("span_ns %llu\n", (unsigned long long)(now_ns() - begin));
    for (size_t i = 0; i < cases[c].buffers; i++)
        app_read(&s->app, s->x[i], 0, s->items * sizeof *s->host, s->host);
    app_release_mems(s->x, cases[c].buffers);
    APP_CHECK(clReleaseKernel(s->advance));
    free(s->host);
    return app_close(&s->app);
}

int main(int argc, char **argv)
{
    struct speed s = {0};

    for (size_t c = 0; argc > 1 && c < sizeof cases / sizeof *cases; c++)
        if (!strcmp(argv[1], cases[c].name))
            return run_case(&s, c, argc, argv);
    fprintf(stderr, "usage: run_speed CASE [rounds] [items] [steps]; cases:");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        fprintf(stderr, " %s", cases[c].name);
    fprintf(stderr, "\n");
    return 2;
}
