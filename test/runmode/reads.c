/* reads.c - reads of buffers whose bytes lie in the memories of several GPUs, in between launches that
 * write them: all of a buffer and parts of it at any byte, of sub-buffers, in two queues, with events, wait
 * lists and callbacks, waited for at once or later, and of buffers that the program lets go of at once. A
 * model in plain C says what every byte has to be.
 *
 * reads [SEED [COMMANDS]] */
#include "common.h"

enum { BUFFERS = 3, WORDS = 6144, BYTES = 4 * WORDS, HALF = BYTES / 2, LATE = 4 };

static struct app a;
static cl_command_queue queue[2];
static cl_kernel turn, spread, part;
static cl_mem buffer[BUFFERS], half[BUFFERS];
static uint32_t model[BUFFERS][WORDS], words[WORDS], seed;
static uint8_t got[BYTES + 64];
static cl_event last[BUFFERS]; /* of the latest command on each */

static uint32_t any(uint32_t n)
{
    return app_random(&seed) % n;
}

/* The wait list of a command on two buffers, which may be one. */
#define BEHIND(b, c) ((b) == (c) ? 1 : 2), ((const cl_event[]){last[b], last[c]})

static void is_last(int b, cl_event event)
{
    if (last[b])
        APP_CHECK(clReleaseEvent(last[b]));
    last[b] = event;
}

static void is_last_of_both(int b, int c, cl_event event)
{
    APP_CHECK(clRetainEvent(event));
    is_last(b, event);
    is_last(c, event);
}

static void launch(int q)
{
    int to = (int)any(BUFFERS), from = (to + 1) % BUFFERS, kind = (int)any(3);
    cl_kernel k = kind == 0 ? turn : kind == 1 ? spread : part;
    cl_uint y = any(100);
    cl_event event;
    uint32_t i;

    if (kind == 1)
        app_args(k, "mmu", buffer[to], buffer[from], y);
    else
        app_args(k, "mu", buffer[to], y);
    app_run(queue[q], k, kind == 2 ? WORDS / 2 : WORDS, 64, BEHIND(to, from), &event);
    is_last_of_both(to, from, event);
    for (i = 0; i < (kind == 2 ? WORDS / 2 : WORDS); i++)
        model[to][i] = kind == 1 ? model[from][i ? i - 1 : 0] + model[from][i + 1 < WORDS ? i + 1 : i] + y
                                 : model[to][i] * 5 + (kind == 0 ? i * y : y);
}

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
    (void)event;
    __atomic_fetch_add((int *)data, status == CL_COMPLETE, __ATOMIC_SEQ_CST);
}

/* Bytes [low, low + n) of a buffer are in `to`, and nothing beside them has been written. */
static void check(const uint8_t *to, int b, size_t low, size_t n)
{
    app_expect(&a, !memcmp(to, (uint8_t *)model[b] + low, n), "buffer %d: bytes %zu to %zu differ", b, low,
               low + n);
    for (size_t i = (size_t)(to - got); i--;)
        app_expect(&a, got[i] == 0xEE, "a byte before what was read has changed");
    for (size_t i = (size_t)(to - got) + n; i < sizeof got; i++)
        app_expect(&a, got[i] == 0xEE, "a byte behind what was read has changed");
    app_hash(&a, to, n);
}

/* Reads that are not waited for, and what they are to read. */
static struct late {
    cl_event event;
    uint8_t *want, *got;
    size_t n;
} late[LATE];
static int num_late;

static void settle(void)
{
    struct late *l = &late[num_late - 1];

    if (any(2))
        APP_CHECK(clFlush(queue[any(2)]));
    APP_CHECK(any(2) ? clFinish(queue[0]) || clFinish(queue[1]) : clWaitForEvents(1, &l->event));
    app_expect(&a, !memcmp(l->got, l->want, l->n), "a read that was waited for later has other bytes");
    APP_CHECK(clReleaseEvent(l->event));
    free(l->want);
    free(l->got);
    num_late--;
}

static void read_late(int q)
{
    int b = (int)any(BUFFERS);
    size_t low = any(BYTES), n = 1 + any((uint32_t)(BYTES - low));
    struct late *l = &late[num_late++];
    cl_event event;

    *l = (struct late){.want = app_alloc(n), .got = app_alloc(n), .n = n};
    memcpy(l->want, (uint8_t *)model[b] + low, n);
    APP_CHECK(clEnqueueReadBuffer(queue[q], buffer[b], CL_FALSE, low, n, l->got, BEHIND(b, b), &event));
    APP_CHECK(clRetainEvent(event));
    l->event = event;
    is_last(b, event);
    while (num_late == LATE)
        settle();
}

static void read(int q)
{
    int b = (int)any(BUFFERS), kind = (int)any(4), called = 0;
    bool sub = any(3) == 0, blocking = any(4) > 0;
    size_t all = sub ? HALF : BYTES, low = kind ? any((uint32_t)all) : 0,
           n = kind ? 1 + any((uint32_t)(all - low)) : all, at = any(64);
    cl_event event = NULL, *wanted = !blocking || any(2) ? &event : NULL;

    if (kind == 1)
        n = n < 64 ? n : 64;
    memset(got, 0xEE, sizeof got);
    APP_CHECK(clEnqueueReadBuffer(queue[q], sub ? half[b] : buffer[b], blocking, low, n, got + at,
                                  BEHIND(b, b), wanted));
    if (wanted && any(2)) {
        called = -1;
        APP_CHECK(clSetEventCallback(event, CL_COMPLETE, count, &called));
    }
    if (!blocking)
        APP_CHECK(clWaitForEvents(1, &event));
    if (wanted)
        app_expect(&a, rm_status(event) == CL_COMPLETE, "a read that is over has status %d",
                   rm_status(event));
    check(got + at, b, sub ? HALF + low : low, n);
    RM_WAIT(__atomic_load_n(&called, __ATOMIC_SEQ_CST) >= 0);
    app_expect(&a, __atomic_load_n(&called, __ATOMIC_SEQ_CST) == 0, "a callback came with another status");
    if (wanted)
        is_last(b, event);
}

static void write(int q)
{
    int b = (int)any(BUFFERS);
    uint32_t low = any(WORDS), n = 1 + any(WORDS - low);
    cl_event event;

    for (uint32_t i = 0; i < n; i++)
        model[b][low + i] = words[i] = any(1u << 30);
    APP_CHECK(
        clEnqueueWriteBuffer(queue[q], buffer[b], CL_TRUE, 4 * low, 4 * n, words, BEHIND(b, b), &event));
    is_last(b, event);
}

static void copy(int q)
{
    int to = (int)any(BUFFERS), from = (to + 1) % BUFFERS;
    uint32_t low = any(WORDS), n = 1 + any(WORDS - low);
    cl_event event;

    APP_CHECK(clEnqueueCopyBuffer(queue[q], buffer[from], buffer[to], 4 * low, 4 * low, 4 * n,
                                  BEHIND(to, from), &event));
    is_last_of_both(to, from, event);
    memcpy(&model[to][low], &model[from][low], 4 * n);
}

static void make(int b)
{
    cl_event event;

    for (uint32_t i = 0; i < WORDS; i++)
        model[b][i] = any(1u << 30);
    buffer[b] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, model[b]);
    half[b] = app_sub_buffer(buffer[b], CL_MEM_READ_WRITE, HALF, HALF);
    APP_CHECK(clEnqueueMarkerWithWaitList(queue[0], 0, NULL, &event));
    is_last(b, event);
}

/* The program lets go of a buffer that is being read, and does not wait. */
static void renew(int q)
{
    int b = (int)any(BUFFERS);
    cl_event event;

    memset(got, 0xEE, sizeof got);
    APP_CHECK(clEnqueueReadBuffer(queue[q], buffer[b], CL_FALSE, 0, BYTES, got, BEHIND(b, b), &event));
    app_release_mems(&half[b], 1);
    app_release_mems(&buffer[b], 1);
    APP_CHECK(clWaitForEvents(1, &event));
    check(got, b, 0, BYTES);
    APP_CHECK(clReleaseEvent(event));
    make(b);
}

int main(int argc, char **argv)
{
    size_t commands;

    seed = (uint32_t)app_size(argc, argv, 1, 1, 1, 1u << 30);
    commands = app_size(argc, argv, 2, 60, 1, 100000);
    app_open(
        &a, "reads", 0,
        "kernel void turn(global uint *x, uint y) { size_t i = get_global_id(0); x[i] = x[i] * 5 + i * y; }\n"
        "kernel void part(global uint *x, uint y) { size_t i = get_global_id(0); x[i] = x[i] * 5 + y; }\n"
        "kernel void spread(global uint *to, global const uint *from, uint y) {\n"
        "    size_t i = get_global_id(0), n = 6144;\n"
        "    to[i] = from[i ? i - 1 : 0] + from[i + 1 < n ? i + 1 : i] + y;\n"
        "}\n");
    turn = app_kernel(&a, "turn");
    spread = app_kernel(&a, "spread");
    part = app_kernel(&a, "part");
    for (int q = 0; q < 2; q++)
        queue[q] = app_queue(&a, 0);
    for (int b = 0; b < BUFFERS; b++)
        make(b);
    for (size_t i = 0; i < commands; i++) {
        int q = (int)any(2);
        uint32_t what = any(16);

        if (what < 7)
            launch(q);
        else if (what < 11)
            read(q);
        else if (what < 13)
            read_late(q);
        else if (what < 14)
            write(q);
        else if (what < 15)
            copy(q);
        else
            renew(q);
    }
    while (num_late)
        settle();
    for (int b = 0; b < BUFFERS; b++)
        is_last(b, NULL);
    for (int q = 0; q < 2; q++)
        APP_CHECK(clReleaseCommandQueue(queue[q]));
    app_release_mems(half, BUFFERS);
    app_release_mems(buffer, BUFFERS);
    APP_CHECK(clReleaseKernel(turn));
    APP_CHECK(clReleaseKernel(spread));
    APP_CHECK(clReleaseKernel(part));
    return app_close(&a);
}
