/* staged.c - transfers between the program's memory and buffers: all sizes and forms, blocking or not,
 * beside other threads, gated, refused; their events. `staged exit`: ends with transfers under way.
 * `staged last`: ends with transfers that a handler of atexit() waits for.
 * `staged large`: so many and large ones that pinned memory pays.
 * `staged first`: one, for which alone it pays with few threads.
 * `staged pinned`: of buffers with CL_MEM_ALLOC_HOST_PTR, ten each way before a map and ten behind. */
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    BYTES = 300000,
    TRANSFERS = 120,
    BATCH = 12,
    ROUNDS = 40,
    HURRIES = 300,
    PAUSE = 100000,
    CELLS = 20000,
    POINTS = 4,
    PINNED = 10,
    LARGE_MIB = 12,
    ALONE_MIB = 64,
    LARGE_ROUNDS = 24
};

static struct app a;

/* ---- random transfers of one in-order queue against a model */

static struct pending {
    uint8_t *host, *want; /* want: of a read */
    size_t bytes;
} pending[BATCH];
static int num_pending;

/* All that is under way, and the whole buffer, are as the model says. */
static void settle(cl_mem m, const uint8_t *model)
{
    uint8_t *all = app_alloc(BYTES);

    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, BYTES, all, 0, NULL, NULL));
    app_expect(&a, !memcmp(all, model, BYTES), "the buffer differs");
    free(all);
    for (int i = 0; i < num_pending; i++) {
        struct pending *p = &pending[i];
        if (p->want) {
            app_expect(&a, !memcmp(p->host, p->want, p->bytes), "a read of %zu bytes differs", p->bytes);
            app_hash(&a, p->host, p->bytes);
        }
        free(p->host), free(p->want);
    }
    num_pending = 0;
}

static struct pending *next_pending(bool read, size_t bytes, uint32_t *seed)
{
    struct pending *p = &pending[num_pending++];

    *p = (struct pending){.host = app_alloc(bytes), .want = read ? app_alloc(bytes) : NULL, .bytes = bytes};
    for (size_t i = 0; i < bytes; i++)
        p->host[i] = (uint8_t)app_random(seed);
    if (read)
        memcpy(p->want, p->host, bytes);
    return p;
}

static void plain(cl_mem m, uint8_t *model, bool write, bool blocking, uint32_t *seed)
{
    size_t bytes = 1 + app_random(seed) % (app_random(seed) % 3 ? 9000 : BYTES);
    size_t offset = app_random(seed) % (BYTES - bytes + 1);
    struct pending *p = next_pending(!write, bytes, seed);

    memcpy(write ? model + offset : p->want, write ? p->host : model + offset, bytes);
    if (write)
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m, blocking, offset, bytes, p->host, 0, NULL, NULL));
    else
        APP_CHECK(clEnqueueReadBuffer(a.queue, m, blocking, offset, bytes, p->host, 0, NULL, NULL));
}

static void rectangle(cl_mem m, uint8_t *model, bool write, bool blocking, uint32_t *seed)
{
    size_t region[3] = {1 + app_random(seed) % (app_random(seed) % 4 ? 200 : 9000), 1 + app_random(seed) % 6,
                        1 + app_random(seed) % 4};
    size_t row = region[0] + app_random(seed) % 50, slice = row * (region[1] + app_random(seed) % 2);
    size_t pitch = region[0] + app_random(seed) % 50, area = pitch * (region[1] + app_random(seed) % 2);
    size_t origin[3] = {app_random(seed) % 40, app_random(seed) % 2, app_random(seed) % 2},
           host[3] = {3, 1, 0};
    struct pending *p;

    if (origin[0] + (origin[1] + region[1]) * row + (origin[2] + region[2]) * slice > BYTES)
        return;
    p = next_pending(!write, host[0] + (region[1] + 1) * pitch + region[2] * area, seed);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            uint8_t *in = model + origin[0] + (origin[1] + y) * row + (origin[2] + z) * slice;
            size_t out = host[0] + (host[1] + y) * pitch + (host[2] + z) * area;
            memcpy(write ? in : p->want + out, write ? p->host + out : in, region[0]);
        }
    if (write)
        APP_CHECK(clEnqueueWriteBufferRect(a.queue, m, blocking, origin, host, region, row, slice, pitch,
                                           area, p->host, 0, NULL, NULL));
    else
        APP_CHECK(clEnqueueReadBufferRect(a.queue, m, blocking, origin, host, region, row, slice, pitch, area,
                                          p->host, 0, NULL, NULL));
}

static void random_transfers(cl_mem_flags flags)
{
    uint8_t *model = app_alloc(BYTES);
    uint32_t seed = 7;
    cl_mem m;

    memset(model, 5, BYTES);
    m = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR | flags, BYTES, model);
    for (int i = 0; i < TRANSFERS; i++) {
        bool write = app_random(&seed) % 2, blocking = app_random(&seed) % 2;
        if (app_random(&seed) % 3)
            plain(m, model, write, blocking, &seed);
        else
            rectangle(m, model, write, blocking, &seed);
        if (num_pending == BATCH)
            settle(m, model);
    }
    settle(m, model);
    app_release_mems(&m, 1);
    free(model);
}

/* ---- a gate of the program's: transfers of other queues go on, later commands of this one wait */

static void gated(void)
{
    cl_command_queue other = app_queue(&a, 0);
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL),
           n = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES), *z = app_alloc(BYTES);
    cl_event gate, events[2];
    cl_int err;

    for (size_t i = 0; i < BYTES; i++)
        x[i] = (uint8_t)(i * 7);
    memset(y, 0, BYTES);
    gate = clCreateUserEvent(a.context, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_FALSE, 0, BYTES, x, 1, &gate, &events[0]));
    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_FALSE, 0, BYTES, y, 0, NULL, &events[1]));
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clEnqueueWriteBuffer(other, n, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(other, n, CL_FALSE, 0, BYTES, z, 0, NULL, NULL));
    APP_CHECK(clFinish(other));
    app_expect(&a, !memcmp(x, z, BYTES), "the other queue's bytes differ");
    app_expect(&a, rm_status(events[0]) > CL_COMPLETE && rm_status(events[1]) > CL_COMPLETE && !y[1],
               "a gated transfer is over");
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clWaitForEvents(1, &events[1]));
    app_expect(&a, rm_status(events[0]) == CL_COMPLETE && !memcmp(x, y, BYTES), "the gated bytes differ");
    app_release_events((cl_event[]){gate, events[0], events[1]}, 3);
    app_release_mems((cl_mem[]){m, n}, 2);
    APP_CHECK(clReleaseCommandQueue(other));
    free(x), free(y), free(z);
}

/* ---- events: command, queue, times, callbacks */

static _Atomic int called;

static void CL_CALLBACK is_over(cl_event event, cl_int status, void *data)
{
    (void)event;
    if (status == CL_COMPLETE && !data)
        atomic_fetch_add(&called, 1);
}

static void look(cl_event e, cl_command_type type, cl_command_queue queue)
{
    cl_ulong ns[POINTS] = {0};
    cl_command_type is = 0;
    cl_command_queue of = NULL;

    for (cl_uint i = 0; i < POINTS; i++)
        APP_CHECK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof *ns, &ns[i], NULL));
    app_expect(&a, ns[0] <= ns[1] && ns[1] <= ns[2] && ns[2] <= ns[3], "times are not in order");
    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof is, &is, NULL));
    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    app_expect(&a, is == type && of == queue, "command %x", is);
}

static void events(void)
{
    static const cl_command_type types[] = {CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER,
                                            CL_COMMAND_WRITE_BUFFER_RECT, CL_COMMAND_READ_BUFFER_RECT};
    cl_command_queue queue = app_queue(&a, CL_QUEUE_PROFILING_ENABLE);
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    size_t zero[3] = {0, 0, 0}, region[3] = {300, 100, 2};
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES);
    cl_event e[4];

    memset(x, 3, BYTES);
    for (int blocking = 0; blocking < 2; blocking++) {
        atomic_store(&called, 0);
        APP_CHECK(clEnqueueWriteBuffer(queue, m, blocking, 0, BYTES, x, 0, NULL, &e[0]));
        APP_CHECK(clEnqueueReadBuffer(queue, m, blocking, 0, BYTES, y, 1, &e[0], &e[1]));
        APP_CHECK(
            clEnqueueWriteBufferRect(queue, m, blocking, zero, zero, region, 0, 0, 0, 0, x, 2, e, &e[2]));
        APP_CHECK(
            clEnqueueReadBufferRect(queue, m, blocking, zero, zero, region, 0, 0, 0, 0, y, 0, NULL, &e[3]));
        for (int i = 0; i < 4; i++)
            APP_CHECK(clSetEventCallback(e[i], CL_COMPLETE, is_over, NULL));
        APP_CHECK(clWaitForEvents(4, e));
        for (int i = 0; i < 4; i++)
            look(e[i], types[i], queue);
        RM_WAIT(atomic_load(&called) >= 4);
        app_expect(&a, atomic_load(&called) == 4, "%d callbacks", atomic_load(&called));
        app_release_events(e, 4);
    }
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseCommandQueue(queue));
    free(x), free(y);
}

/* ---- calls that are wrong */

static void refused(void)
{
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem hidden = app_buffer(&a, CL_MEM_HOST_NO_ACCESS, BYTES, NULL);
    size_t zero[3] = {0, 0, 0}, region[3] = {100, 10, 1};
    uint8_t *x = app_alloc(BYTES);
    cl_int err;
    cl_event gate = clCreateUserEvent(a.context, &err);

    APP_CHECK(err);
    memset(x, 1, BYTES);
    printf("not for hosts, not yet: %d\n",
           clEnqueueReadBuffer(a.queue, hidden, CL_FALSE, 0, BYTES, x, 1, &gate, NULL));
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    app_release_events(&gate, 1);
    printf("beyond the end: %d\n", clEnqueueWriteBuffer(a.queue, m, CL_TRUE, 8, BYTES, x, 0, NULL, NULL));
    printf("no memory: %d\n", clEnqueueReadBuffer(a.queue, m, CL_FALSE, 0, BYTES, NULL, 0, NULL, NULL));
    printf("no list: %d\n", clEnqueueWriteBuffer(a.queue, m, CL_FALSE, 0, BYTES, x, 1, NULL, NULL));
    printf("not for hosts: %d\n", clEnqueueReadBuffer(a.queue, hidden, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
    printf("short rows: %d\n",
           clEnqueueWriteBufferRect(a.queue, m, CL_TRUE, zero, zero, region, 99, 0, 0, 0, x, 0, NULL, NULL));
    app_release_mems((cl_mem[]){m, hidden}, 2);
    free(x);
}

/* ---- several threads on one queue: a write is whole for any read */

static cl_mem shared;
static _Atomic int mixed;

static void *writes(void *number)
{
    uint8_t *x = app_alloc(CELLS);
    cl_event e;

    memset(x, (int)(intptr_t)number, CELLS);
    for (int i = 0; i < ROUNDS; i++) {
        APP_CHECK(clEnqueueWriteBuffer(a.queue, shared, i % 2, 0, CELLS, x, 0, NULL, &e));
        if (i % 4 == 0)
            APP_CHECK(clWaitForEvents(1, &e));
        app_release_events(&e, 1);
    }
    APP_CHECK(clFinish(a.queue));
    free(x);
    return NULL;
}

static void *reads(void *blocking)
{
    uint8_t *y = app_alloc(CELLS);
    cl_event e;

    for (int i = 0; i < ROUNDS; i++) {
        APP_CHECK(clEnqueueReadBuffer(a.queue, shared, blocking != NULL, 0, CELLS, y, 0, NULL, &e));
        APP_CHECK(clWaitForEvents(1, &e));
        app_release_events(&e, 1);
        if (memcmp(y, y + 1, CELLS - 1))
            atomic_fetch_add(&mixed, 1);
    }
    free(y);
    return NULL;
}

static void threads(void)
{
    uint8_t *zero = app_alloc(CELLS);
    pthread_t thread[4];

    memset(zero, 0, CELLS);
    shared = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, CELLS, zero);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, i < 2 ? writes : reads,
                           (void *)(intptr_t)(i < 2 ? i + 1 : i - 2)))
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    app_expect(&a, !atomic_load(&mixed), "%d reads saw parts of two writes", atomic_load(&mixed));
    app_release_mems(&shared, 1);
    free(zero);
}

/* ---- another thread's commands come while the pieces of a transfer are being enqueued */

static _Atomic bool transferred;

static void *marks(void *unused)
{
    while (!atomic_load(&transferred)) {
        APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, NULL));
        for (volatile int i = 0; i < PAUSE; i++)
            ;
    }
    return unused;
}

static void hurried(void)
{
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES);
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    int differ = 0;
    pthread_t thread;

    if (pthread_create(&thread, NULL, marks, NULL))
        exit(1);
    for (int i = 0; i < HURRIES; i++) {
        memset(x, i, BYTES);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, BYTES, y, 0, NULL, NULL));
        differ += !!memcmp(x, y, BYTES);
    }
    atomic_store(&transferred, true);
    pthread_join(thread, NULL);
    app_expect(&a, !differ, "%d transfers were not whole", differ);
    app_release_mems(&m, 1);
    free(x), free(y);
}

/* ---- releases while transfers are under way */

static _Atomic int destroyed;

static void CL_CALLBACK is_gone(cl_mem m, void *data)
{
    (void)m, (void)data;
    atomic_fetch_add(&destroyed, 1);
}

static void released(void)
{
    uint8_t *x = app_alloc(BYTES);
    cl_command_queue queue;
    cl_context context;
    cl_event e;
    cl_mem m;
    cl_int err;

    memset(x, 9, BYTES);
    context = clCreateContext(NULL, 1, &a.device, NULL, NULL, &err);
    APP_CHECK(err);
    queue = clCreateCommandQueueWithProperties(context, a.device, NULL, &err);
    APP_CHECK(err);
    m = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clSetMemObjectDestructorCallback(m, is_gone, NULL));
    APP_CHECK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, BYTES, x, 0, NULL, &e));
    APP_CHECK(clReleaseMemObject(m));
    APP_CHECK(clReleaseCommandQueue(queue));
    APP_CHECK(clReleaseContext(context));
    app_expect(&a, rm_poll(e) == CL_COMPLETE, "the transfer of released objects is not over");
    app_release_events(&e, 1);
    RM_WAIT(atomic_load(&destroyed));
    app_expect(&a, atomic_load(&destroyed) == 1, "the buffer's end was told %d times",
               atomic_load(&destroyed));
    free(x);
}

/* A transfer is under way, and another one never will be. */
static int leave(void)
{
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    uint8_t *x = app_alloc(BYTES);
    cl_int err;
    cl_event gate = clCreateUserEvent(a.context, &err);

    memset(x, 9, BYTES);
    APP_CHECK(err);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_FALSE, 0, BYTES, x, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_FALSE, 0, BYTES, x, 1, &gate, NULL));
    APP_CHECK(clFlush(a.queue));
    puts("leaves");
    return 0;
}

static cl_event last_gate;
static uint8_t *last[2];

/* Registered before run mode's: it is called after that. */
static void at_last(void)
{
    if (!last_gate)
        return;
    APP_CHECK(clSetUserEventStatus(last_gate, CL_COMPLETE));
    APP_CHECK(clFinish(a.queue));
    puts(memcmp(last[0], last[1], BYTES) ? "other bytes" : "the same bytes");
    fflush(stdout);
}

static int leave_last(void)
{
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_int err;

    last_gate = clCreateUserEvent(a.context, &err);
    APP_CHECK(err);
    last[0] = app_alloc(BYTES), last[1] = app_alloc(BYTES);
    memset(last[0], 9, BYTES), memset(last[1], 0, BYTES);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_FALSE, 0, BYTES, last[0], 1, &last_gate, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_FALSE, 0, BYTES, last[1], 0, NULL, NULL));
    APP_CHECK(clFlush(a.queue));
    puts("leaves");
    return 0;
}

static void large(void)
{
    size_t bytes = (size_t)LARGE_MIB << 20;
    uint8_t *x = app_alloc(bytes), *y = app_alloc(bytes);
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL);
    uint32_t seed = 3;

    for (size_t i = 0; i < bytes; i++)
        x[i] = (uint8_t)app_random(&seed);
    for (int i = 0; i < LARGE_ROUNDS; i++) {
        x[app_random(&seed) % bytes]++;
        memset(y, 0, bytes);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_TRUE, 0, bytes, x, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, bytes, y, 0, NULL, NULL));
        app_expect(&a, !memcmp(x, y, bytes), "round %d: other bytes", i);
        if (i > LARGE_ROUNDS / 2)
            rm_sleep_ms(3); /* a thread that is to pin memory gets its time */
    }
    app_release_mems(&m, 1);
    free(x), free(y);
}

/* The first transfer of all, which does not block: what it has written is read through a map. */
static void first(void)
{
    size_t bytes = (size_t)ALONE_MIB << 20;
    uint8_t *x = app_alloc(bytes), *y;
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL);
    uint32_t seed = 5;
    cl_int err;

    for (size_t i = 0; i < bytes; i++)
        x[i] = (uint8_t)app_random(&seed);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, m, CL_FALSE, 0, bytes, x, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    y = clEnqueueMapBuffer(a.queue, m, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &err);
    APP_CHECK(err);
    app_expect(&a, !memcmp(x, y, bytes), "other bytes");
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, y, 0, NULL, NULL));
    app_release_mems(&m, 1);
    free(x);
}

/* Ten writes, and as many reads of what is there. */
static void both_ways(cl_mem m, uint8_t *model, size_t bytes, uint32_t *seed)
{
    uint8_t *x = app_alloc(bytes), *y = app_alloc(bytes);

    for (int i = 0; i < PINNED; i++) {
        for (size_t k = 0; k < bytes; k++)
            x[k] = (uint8_t)app_random(seed);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m, i % 2, 0, bytes, x, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, bytes, y, 0, NULL, NULL));
        app_expect(&a, !memcmp(x, y, bytes), "pinned %d: other bytes", i);
        app_hash(&a, y, bytes);
    }
    memcpy(model, x, bytes);
    free(x), free(y);
}

/* What the program has written by commands it sees in the map, and what it writes there, commands see. */
static void look_inside(cl_mem m, uint8_t *model, cl_mem of)
{
    uint8_t *in, *y = app_alloc(BYTES);
    cl_int err;

    in = clEnqueueMapBuffer(a.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES / 2, 0, NULL, NULL,
                            &err);
    APP_CHECK(err);
    app_expect(&a, !memcmp(in, model, BYTES / 2), "the map has other bytes");
    memset(in, 7, BYTES / 3);
    memset(model, 7, BYTES / 3);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, of, CL_FALSE, 0, BYTES / 2, in, 0, NULL, NULL));
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, in, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, of, CL_TRUE, 0, BYTES / 2, y, 0, NULL, NULL));
    app_expect(&a, !memcmp(y, model, BYTES / 2), "what was written from the map differs");
    free(y);
}

/* A context lives for as long as one of its queues, though the program has released it. */
static void held(void)
{
    uint8_t *x = app_alloc(BYTES), *y = app_alloc(BYTES);
    cl_command_queue queue;
    cl_context context;
    cl_mem m;
    cl_int err;

    context = clCreateContext(NULL, 1, &a.device, NULL, NULL, &err);
    APP_CHECK(err);
    queue = clCreateCommandQueueWithProperties(context, a.device, NULL, &err);
    APP_CHECK(err);
    m = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clReleaseContext(context));
    APP_CHECK(clRetainCommandQueue(queue));
    APP_CHECK(clReleaseCommandQueue(queue));
    for (int i = 0; i < 7; i++) {
        memset(x, i + 1, BYTES);
        APP_CHECK(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, BYTES, y, 0, NULL, NULL));
        app_expect(&a, !memcmp(x, y, BYTES), "round %d: other bytes", i);
    }
    APP_CHECK(clReleaseCommandQueue(queue));
    APP_CHECK(clReleaseMemObject(m));
    free(x), free(y);
}

static void pinned(void)
{
    enum { FLAGS = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, PART = 128 << 10 };
    cl_mem m = app_buffer(&a, FLAGS, BYTES, NULL), of = app_buffer(&a, FLAGS, BYTES, NULL),
           part = app_sub_buffer(m, CL_MEM_READ_WRITE, 0, PART);
    uint8_t *model = app_alloc(BYTES), *y = app_alloc(BYTES);
    uint32_t seed = 11;

    both_ways(m, model, BYTES, &seed);
    look_inside(m, model, of);
    both_ways(part, model, PART, &seed);
    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, BYTES, y, 0, NULL, NULL));
    app_expect(&a, !memcmp(y, model, BYTES), "the buffer has other bytes than its part");
    app_release_mems((cl_mem[]){part, m, of}, 3);
    free(model), free(y);
}

int main(int argc, char **argv)
{
    atexit(at_last);
    app_open(&a, "staged", 0, NULL);
    if (argc > 1 && !strcmp(argv[1], "exit"))
        return leave();
    if (argc > 1 && !strcmp(argv[1], "last"))
        return leave_last();
    if (argc > 1 && !strcmp(argv[1], "large")) {
        large();
        return app_close(&a);
    }
    if (argc > 1 && !strcmp(argv[1], "pinned")) {
        pinned();
        return app_close(&a);
    }
    if (argc > 1 && !strcmp(argv[1], "held")) {
        held();
        return app_close(&a);
    }
    if (argc > 1 && !strcmp(argv[1], "first")) {
        first();
        return app_close(&a);
    }
    random_transfers(0);
    random_transfers(CL_MEM_ALLOC_HOST_PTR);
    pinned();
    gated();
    events();
    refused();
    threads();
    hurried();
    released();
    held();
    return app_close(&a);
}
