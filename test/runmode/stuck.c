/* stuck.c - what must not wait for each other: callbacks that wait, threads beside an enqueue that holds
 * its caller, transfers behind both; and functions and text that run mode does not see. For libgpucl.so
 * (gpucl.c), bare and in run mode: each case ends within its time there.
 *
 * usage: stuck [case] */
#include "common.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <CL/cl_ext.h>

enum { N = 64, BYTES = 300000, LONG = 400000, LIMIT_S = 200, ROUNDS = 30, WRITES = 200, COPIES = 16 };

static struct app a;
static cl_kernel add, slow;
static const char *name;
static sem_t begun, go, gone;

static void CL_CALLBACK waits(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    sem_post(&begun);
    sem_wait(&go);
    sem_post(&gone);
}

static void begin(void)
{
    sem_init(&begun, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&gone, 0, 0);
}

/* The callback goes on, and is over. */
static void end(void)
{
    sem_post(&go);
    sem_wait(&gone);
}

static cl_event gate(void)
{
    cl_int err;
    cl_event e = clCreateUserEvent(a.context, &err);

    APP_CHECK(err);
    return e;
}

static cl_mem numbers(uint8_t **host)
{
    *host = app_alloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        (*host)[i] = (uint8_t)(i * 7);
    return app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
}

static void launch(cl_kernel k, cl_mem x, int y, cl_event *event)
{
    app_args(k, "mi", x, y);
    app_run(a.queue, k, N, 0, 0, NULL, event);
}

/* A launch whose callback waits, behind a long one that is independent. */
static void waiting(cl_mem m[2], cl_event e[2])
{
    static int none[N];

    begin();
    for (int i = 0; i < 2; i++)
        m[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    launch(slow, m[0], LONG, &e[0]);
    launch(add, m[1], 9, &e[1]);
    APP_CHECK(clSetEventCallback(e[1], CL_COMPLETE, waits, NULL));
    APP_CHECK(clFlush(a.queue));
    sem_wait(&begun);
}

static void done(cl_mem m[2], cl_event e[2])
{
    end();
    app_release_events(e, 2);
    app_read(&a, m[0], 0, N * sizeof(int), (int[N]){0});
    app_read(&a, m[1], 0, N * sizeof(int), (int[N]){0});
    app_release_mems(m, 2);
}

/* ---- a callback waits for a transfer that does not block */

static void transfer_behind(void)
{
    uint8_t *x;
    cl_event e[2], over;
    cl_mem m[2], big = numbers(&x);

    waiting(m, e);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, big, CL_FALSE, 0, BYTES, x, 0, NULL, &over));
    APP_CHECK(clWaitForEvents(1, &over));
    memset(x, 0, BYTES);
    APP_CHECK(clEnqueueReadBuffer(a.queue, big, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
    app_expect(&a, x[3] == 21 && x[BYTES - 1] == (uint8_t)((BYTES - 1) * 7), "other bytes");
    done(m, e);
    clReleaseEvent(over);
    app_release_mems(&big, 1);
    free(x);
}

static void CL_CALLBACK waits_for(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    APP_CHECK(clWaitForEvents(1, data));
    sem_post(&gone);
}

/* The callback is the transfer's own, too: on a command before it. */
static void transfer_inside(void)
{
    uint8_t *x;
    cl_event first, over, opens = gate();
    cl_mem big = numbers(&x);

    begin();
    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 1, &opens, &first));
    APP_CHECK(clEnqueueWriteBuffer(a.queue, big, CL_FALSE, 0, BYTES, x, 0, NULL, &over));
    APP_CHECK(clSetEventCallback(first, CL_COMPLETE, waits_for, &over));
    APP_CHECK(clSetUserEventStatus(opens, CL_COMPLETE));
    sem_wait(&gone);
    app_release_events((cl_event[]){first, over, opens}, 3);
    app_release_mems(&big, 1);
    free(x);
}

/* ---- a callback waits for the thread that finishes */

static void finish(void)
{
    cl_event e[2];
    cl_mem m[2];

    waiting(m, e);
    APP_CHECK(clFinish(a.queue));
    done(m, e);
}

static void wait_for_one(void)
{
    cl_event e[2];
    cl_mem m[2];

    waiting(m, e);
    APP_CHECK(clWaitForEvents(1, &e[1]));
    done(m, e);
}

static void read_blocking(void)
{
    cl_event e[2];
    cl_mem m[2];
    int word = 0;

    waiting(m, e);
    APP_CHECK(clEnqueueReadBuffer(a.queue, m[1], CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    app_expect(&a, word == 9, "read %d", word);
    done(m, e);
}

static void CL_CALLBACK works(cl_event event, cl_int status, void *data)
{
    int word = 0;

    (void)status;
    app_expect(&a, rm_status(event) == CL_COMPLETE, "a callback before its command's end");
    APP_CHECK(clEnqueueReadBuffer(a.queue, *(cl_mem *)data, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    app_expect(&a, word == 7, "a callback read %d", word);
    sem_post(&gone);
}

/* A callback works on the queue while other threads wait for it. */
static void calls_work(void)
{
    static int none[N];
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none),
           y = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    cl_event e;

    begin();
    launch(slow, y, LONG, NULL);
    launch(add, x, 7, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, works, &x));
    for (int i = 0; i < ROUNDS; i++)
        APP_CHECK(clFinish(a.queue));
    sem_wait(&gone);
    clReleaseEvent(e);
    app_release_mems((cl_mem[]){x, y}, 2);
}

/* ---- the vendor holds a thread in an enqueue until another one has done something */

static struct held {
    cl_event first, opens;
    cl_mem m;
} held;

static void *is_held(void *unused)
{
    cl_int pattern = 5;

    APP_CHECK(clEnqueueFillBuffer(a.queue, held.m, &pattern, sizeof pattern, 0, N * sizeof(int), 1,
                                  &held.opens, NULL));
    sem_post(&gone);
    return unused;
}

static void looks(void)
{
    cl_uint count = 0;
    cl_ulong ns;

    app_expect(&a, rm_poll(held.first) == CL_COMPLETE, "the command before is not over");
    APP_CHECK(clGetEventInfo(held.first, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    APP_CHECK(clGetEventProfilingInfo(held.first, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
    APP_CHECK(clSetEventCallback(held.first, CL_COMPLETE, waits, NULL));
    APP_CHECK(clWaitForEvents(1, &held.first));
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clRetainEvent(held.first));
    APP_CHECK(clReleaseEvent(held.first));
    APP_CHECK(clRetainCommandQueue(a.queue));
    APP_CHECK(clReleaseCommandQueue(a.queue));
}

static void another_thread(void)
{
    static int none[N];
    pthread_t thread;

    begin();
    held = (struct held){.opens = gate(), .m = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none)};
    launch(add, held.m, 7, &held.first);
    if (pthread_create(&thread, NULL, is_held, NULL))
        exit(1);
    rm_sleep_ms(50); /* it is held now, most likely */
    looks();
    sem_post(&go);
    APP_CHECK(clSetUserEventStatus(held.opens, CL_COMPLETE));
    sem_wait(&gone), sem_wait(&gone);
    pthread_join(thread, NULL);
    app_read(&a, held.m, 0, N * sizeof(int), (int[N]){0});
    app_release_events((cl_event[]){held.first, held.opens}, 2);
    app_release_mems(&held.m, 1);
}

static void *reads(void *unused)
{
    int words[N];

    APP_CHECK(clEnqueueReadBuffer(a.queue, held.m, CL_TRUE, 0, sizeof words, words, 1, &held.opens, NULL));
    return unused;
}

/* One thread reads behind a gate that another one opens when it has enqueued something. */
static void beside_a_read(void)
{
    static int none[N];
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    pthread_t thread;

    held = (struct held){.opens = gate(), .m = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none)};
    launch(add, held.m, 7, NULL);
    if (pthread_create(&thread, NULL, reads, NULL))
        exit(1);
    rm_sleep_ms(50); /* it waits now, most likely */
    launch(add, x, 3, NULL);
    APP_CHECK(clSetUserEventStatus(held.opens, CL_COMPLETE));
    pthread_join(thread, NULL);
    app_read(&a, x, 0, sizeof none, (int[N]){0});
    app_read(&a, held.m, 0, sizeof none, (int[N]){0});
    app_release_events(&held.opens, 1);
    app_release_mems((cl_mem[]){held.m, x}, 2);
}

/* ---- a call that is wrong, behind a gate: the vendor says so at once */

static void wrong_list(void)
{
    static int none[N];
    cl_int pattern = 5;
    cl_event opens = gate();
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);

    launch(slow, x, LONG, NULL);
    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 1, &opens, NULL));
    launch(add, x, 1, NULL);
    printf("no list: %d\n",
           clEnqueueFillBuffer(a.queue, x, &pattern, sizeof pattern, 0, sizeof none, 1, NULL, NULL));
    printf("a list of none: %d\n",
           clEnqueueFillBuffer(a.queue, x, &pattern, sizeof pattern, 0, sizeof none, 0, &opens, NULL));
    printf("beyond the end: %d\n",
           clEnqueueReadBuffer(a.queue, x, CL_TRUE, 4, sizeof none, none, 0, NULL, NULL));
    APP_CHECK(clSetUserEventStatus(opens, CL_COMPLETE));
    app_read(&a, x, 0, sizeof none, (int[N]){0});
    app_release_events(&opens, 1);
    app_release_mems(&x, 1);
}

/* ---- text that only the vendor reads */

static void behind_nul(void)
{
    static const char text[] =
        "kernel void put(global const int *x, global int *y, int n)\n"
        "{ int i = get_global_id(0), v = x[i]; for (int k = 0; k < n; k++) v = v * 1664525 + 1013904223;\n"
        "  y[i] = v;\0 ((global int *)x)[i] = v + 1; }\n";
    static int none[N];
    size_t bytes = sizeof text - 1;
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none),
           y[2] = {app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none),
                   app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none)};
    cl_program p;
    cl_kernel k;
    cl_int err;

    p = clCreateProgramWithSource(a.context, 1, (const char *[]){text}, &bytes, &err);
    APP_CHECK(err);
    err = clBuildProgram(p, 0, NULL, "", NULL, NULL);
    if (err == CL_SUCCESS) {
        k = clCreateKernel(p, "put", &err);
        APP_CHECK(err);
        for (int i = 0; i < ROUNDS; i++) {
            app_args(k, "mmi", x, y[i % 2], LONG / 8);
            app_run(a.queue, k, N, 0, 0, NULL, NULL);
        }
        APP_CHECK(clReleaseKernel(k));
    }
    APP_CHECK(clReleaseProgram(p));
    printf("text behind a NUL: %d\n", err);
    app_read(&a, x, 0, sizeof none, (int[N]){0});
    app_release_mems((cl_mem[]){x, y[0], y[1]}, 3);
}

/* ---- a function that run mode does not know, beside transfers of another thread */

typedef cl_int(CL_API_CALL *copy_function)(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                                           const cl_event *, cl_event *);

static cl_mem shared;
static _Atomic bool transferred;

static void *writes(void *blocking)
{
    uint8_t *x = app_alloc(BYTES);

    for (int i = 0; i < WRITES; i++) {
        memset(x, i, BYTES);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, shared, blocking != NULL, 0, BYTES, x, 0, NULL, NULL));
        APP_CHECK(clFinish(a.queue));
    }
    transferred = true;
    free(x);
    return NULL;
}

/* What is copied is one write's. */
static void unseen(bool blocking)
{
    cl_platform_id platform;
    copy_function copy;
    uint8_t *y = app_alloc((size_t)COPIES * BYTES), *one;
    cl_mem to = app_buffer(&a, CL_MEM_READ_WRITE, (size_t)COPIES * BYTES, NULL);
    int mixed = 0;
    pthread_t thread;

    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    copy = (copy_function)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCopyBufferNV");
    memset(y, 0, BYTES);
    shared = app_buffer(&a, CL_MEM_COPY_HOST_PTR, BYTES, y);
    transferred = false;
    if (pthread_create(&thread, NULL, writes, blocking ? &transferred : NULL))
        exit(1);
    while (copy && !transferred) {
        for (size_t i = 0; i < COPIES; i++) {
            APP_CHECK(copy(a.queue, shared, to, 0, i * BYTES, BYTES, 0, NULL, NULL));
            rm_sleep_ms(1);
        }
        APP_CHECK(clEnqueueReadBuffer(a.queue, to, CL_TRUE, 0, (size_t)COPIES * BYTES, y, 0, NULL, NULL));
        for (one = y; one < y + (size_t)COPIES * BYTES; one += BYTES)
            mixed += !!memcmp(one, one + 1, BYTES - 1);
    }
    pthread_join(thread, NULL);
    app_expect(&a, !mixed, "%d copies were of several writes", mixed);
    app_release_mems((cl_mem[]){shared, to}, 2);
    free(y);
}

static void unseen_beside(void)
{
    unseen(true);
    unseen(false);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"transfer behind", transfer_behind},
    {"transfer inside", transfer_inside},
    {"finish", finish},
    {"wait for one", wait_for_one},
    {"read", read_blocking},
    {"calls work", calls_work},
    {"another thread", another_thread},
    {"beside a read", beside_a_read},
    {"wrong list", wrong_list},
    {"behind NUL", behind_nul},
    {"unseen", unseen_beside}, /* the last one: nothing is streamed or staged afterwards */
};

static void too_late(int unused)
{
    (void)unused;
    dprintf(2, "stuck: %s: still waits\n", name);
    _exit(1);
}

static bool is_gpu(void)
{
    cl_platform_id platform;
    char vendor[64] = "";

    APP_CHECK(clGetPlatformIDs(1, &platform, NULL));
    APP_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof vendor, vendor, NULL));
    return !strcmp(vendor, "NVIDIA CUDA");
}

int main(int argc, char **argv)
{
    if (!is_gpu()) {
        puts("not below libgpucl.so: PoCL's waits wait for callbacks");
        return 77;
    }
    app_open(&a, "stuck", CL_QUEUE_PROFILING_ENABLE, RM_SOURCE);
    add = app_kernel(&a, "add");
    slow = app_kernel(&a, "slow");
    signal(SIGALRM, too_late);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
            continue;
        name = cases[i].name;
        alarm(LIMIT_S);
        cases[i].run();
        printf("%s: over\n", name);
        fflush(stdout);
    }
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(slow));
    return app_close(&a);
}
