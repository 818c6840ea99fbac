/* medley.c - random commands of one in-order queue, many queues one after another: what blocking and other
 * reads got, and whether events were over, and began and ended, in the order of their commands.
 *
 * usage: medley [rounds] [seed]   default 100 1 */
#include "common.h"

enum { COMMANDS = 60, BUFFERS = 12, BYTES = 4096, WORDS = BYTES / 4, LIMIT = 1000000 };

static struct app a;
static cl_kernel add, sum;
static cl_mem m[BUFFERS];
static uint8_t host[COMMANDS][BYTES];
static cl_event events[COMMANDS];
static cl_uint num_events;
static uint32_t seed;

static uint32_t lot(uint32_t n)
{
    return app_random(&seed) % n;
}

/* Two or three buffers. */
struct pick {
    cl_mem of[3];
};

static struct pick pick(void)
{
    uint32_t first = lot(BUFFERS), step = 1 + lot(BUFFERS / 3);

    return (struct pick){{m[first], m[(first + step) % BUFFERS], m[(first + 2 * step) % BUFFERS]}};
}

static void launch(cl_uint n, const cl_event *list, cl_event *event)
{
    struct pick x = pick();
    bool adds = lot(2);

    if (adds)
        app_args(add, "mi", x.of[0], (cl_int)lot(1000));
    else
        app_args(sum, "mmm", x.of[0], x.of[1], x.of[2]);
    app_run(a.queue, adds ? add : sum, (size_t)64 << lot(5), 0, n, list, event);
}

static void transfer(uint32_t kind, uint8_t *bytes, cl_uint n, const cl_event *list, cl_event *event)
{
    struct pick x = pick();
    cl_int word = (cl_int)lot(1000);

    switch (kind) {
    case 0:
        APP_CHECK(
            clEnqueueFillBuffer(a.queue, x.of[0], &word, sizeof word, lot(32) * 64, 64, n, list, event));
        break;
    case 1:
        APP_CHECK(clEnqueueCopyBuffer(a.queue, x.of[0], x.of[1], lot(4) * 512, lot(4) * 512, BYTES / 2, n,
                                      list, event));
        break;
    case 2:
        for (size_t i = 0; i < BYTES; i++)
            bytes[i] = (uint8_t)lot(256);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, x.of[0], CL_FALSE, 0, BYTES, bytes, n, list, event));
        break;
    case 3:
        APP_CHECK(clEnqueueReadBuffer(a.queue, x.of[0], CL_FALSE, 0, BYTES, bytes, n, list, event));
        break;
    default:
        APP_CHECK(clEnqueueReadBuffer(a.queue, x.of[0], CL_TRUE, 0, BYTES, bytes, n, list, event));
        app_hash(&a, bytes, BYTES);
    }
}

static void command(uint8_t *bytes)
{
    cl_event list = num_events && !lot(4) ? events[lot(num_events)] : NULL, *event = &events[num_events];
    cl_uint n = list != NULL;
    uint32_t kind = lot(10);

    event = lot(2) ? event : NULL;
    if (kind < 5)
        transfer(kind, bytes, n, n ? &list : NULL, event);
    else if (kind < 8)
        launch(n, n ? &list : NULL, event);
    else if (kind == 8)
        APP_CHECK(clEnqueueMigrateMemObjects(a.queue, 1, m, 0, n, n ? &list : NULL, event));
    else
        APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, n, n ? &list : NULL, event));
    num_events += event != NULL;
}

/* A later event first: the earlier one may only have got further meanwhile. */
static void look(void)
{
    cl_uint i = lot(num_events), k = lot(num_events);
    bool over;

    if (!lot(20))
        APP_CHECK(clWaitForEvents(1, &events[i]));
    over = rm_status(events[i > k ? i : k]) == CL_COMPLETE;
    app_expect(&a, !over || rm_status(events[i > k ? k : i]) == CL_COMPLETE, "event %u over before %u", i, k);
}

static void check_times(void)
{
    cl_ulong start, end, last = 0;

    for (cl_uint i = 0; i < num_events; i++) {
        APP_CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        APP_CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        app_expect(&a, last <= start && start <= end, "times of event %u are out of order", i);
        last = end;
    }
}

static void play(bool timed)
{
    cl_command_queue first = a.queue;

    a.queue = app_queue(&a, timed ? CL_QUEUE_PROFILING_ENABLE : 0);
    num_events = 0;
    for (int i = 0; i < COMMANDS; i++) {
        command(host[i]);
        if (num_events && !lot(8))
            look();
        if (!lot(20))
            APP_CHECK(clFlush(a.queue));
    }
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < COMMANDS; i++)
        app_hash(&a, host[i], BYTES / 8);
    if (timed)
        check_times();
    app_release_events(events, num_events);
    APP_CHECK(clReleaseCommandQueue(a.queue));
    a.queue = first;
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 100, 1, LIMIT);
    static int none[WORDS];

    seed = (uint32_t)app_size(argc, argv, 2, 1, 1, LIMIT);
    app_open(&a, "medley", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    sum = app_kernel(&a, "sum");
    for (int i = 0; i < BUFFERS; i++)
        m[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    for (size_t i = 0; i < rounds; i++)
        play(i % 2);
    app_release_mems(m, BUFFERS);
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(sum));
    return app_close(&a);
}
