/* commandbuffers.c - commands by functions that run mode knows nothing of (cl_khr_command_buffer): each kind
 * of wait waits for them, too.
 *
 * A command buffer may not be pending twice, so a wait that returns too early shows as a refused enqueue, as
 * an event that is not complete, or as wrong data. The program asks for the functions while managed commands
 * are under way. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <CL/cl_ext.h>
#include <pthread.h>

#define WORDS  64
#define ROUNDS 20
#define WORK                                                                                                 \
    20000 /* turns of `slow`, some tens of microseconds: no wait that returns at once takes as long */

static struct {
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn kernel;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
} api;

/* One queue with its command buffer, which works on `x`. */
struct line {
    cl_command_queue queue;
    cl_command_buffer_khr buffer;
    cl_kernel slow;
    cl_mem x;
    cl_uint expected;
    bool over; /* as far as the program knows */
    int unfinished, refused, wrong;
};

static struct app a;
static cl_uint step, rest; /* what WORK turns of `slow` make of v: step * v + rest */

static void load(void)
{
    static const char *const names[] = {"clCreateCommandBufferKHR", "clCommandNDRangeKernelKHR",
                                        "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
                                        "clReleaseCommandBufferKHR"};
    void *found[5];

    for (int i = 0; i < 5; i++) {
        found[i] = clGetExtensionFunctionAddressForPlatform(a.platform, names[i]);
        if (!found[i])
            app_skip("commandbuffers", "the platform has no cl_khr_command_buffer");
    }
    memcpy(&api, found, sizeof api);
}

static void open_line(struct line *l, cl_command_queue queue)
{
    const cl_uint zeros[WORDS] = {0};

    *l = (struct line){.queue = queue, .over = true};
    l->slow = app_kernel(&a, "slow");
    l->x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)zeros);
    app_args(l->slow, "mi", l->x, WORK);
}

static void record(struct line *l)
{
    size_t n = WORDS;
    cl_int err;

    l->buffer = api.create(1, &l->queue, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(api.kernel(l->buffer, NULL, NULL, l->slow, 1, NULL, &n, NULL, 0, NULL, NULL, NULL));
    APP_CHECK(api.finalize(l->buffer));
}

/* The vendor marks a command buffer as no longer pending a moment after its event is complete: once the
 * program's wait is over, the program tries until that moment has come. */
static void enqueue(struct line *l, cl_event *event)
{
    cl_int err;

    RM_WAIT((err = api.enqueue(0, NULL, l->buffer, 0, NULL, event)) != CL_INVALID_OPERATION || !l->over);
    l->refused += err != CL_SUCCESS;
    l->expected = err == CL_SUCCESS ? l->expected * step + rest : l->expected;
    if (err != CL_SUCCESS && event)
        *event = clCreateUserEvent(a.context, &err);
    l->over = false;
}

static void check_event(struct line *l, cl_event event)
{
    l->over = rm_status(event) == CL_COMPLETE;
    l->unfinished += !l->over;
    app_release_events(&event, 1);
}

static void check_words(struct line *l, const cl_uint *words)
{
    bool wrong = false;

    for (int i = 0; i < WORDS; i++)
        wrong |= words[i] != l->expected;
    l->wrong += wrong;
}

static void read_words(struct line *l, cl_uint *words)
{
    APP_CHECK(clEnqueueReadBuffer(l->queue, l->x, CL_TRUE, 0, WORDS * sizeof *words, words, 0, NULL, NULL));
}

static void say(struct line *l, const char *wait)
{
    cl_uint words[WORDS];

    APP_CHECK(clFinish(l->queue));
    read_words(l, words);
    check_words(l, words);
    printf("%s: %d refused, %d not complete, %d wrong\n", wait, l->refused, l->unfinished, l->wrong);
    l->refused = l->unfinished = l->wrong = 0;
}

/* ---- the waits: each returns when `event`, the latest command of l->queue, is over */

static void finish(struct line *l, cl_event event)
{
    (void)event;
    APP_CHECK(clFinish(l->queue));
}

static void wait_for(struct line *l, cl_event event)
{
    (void)l;
    APP_CHECK(clWaitForEvents(1, &event));
}

static void poll(struct line *l, cl_event event)
{
    APP_CHECK(clFlush(l->queue));
    rm_poll(event);
}

static void blocking_read(struct line *l, cl_event event)
{
    cl_uint words[WORDS];

    (void)event;
    read_words(l, words);
    check_words(l, words);
}

static void blocking_write(struct line *l, cl_event event)
{
    cl_uint word = 0;

    (void)event;
    APP_CHECK(clEnqueueWriteBuffer(l->queue, l->x, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(l->queue, l->x, CL_TRUE, sizeof word, sizeof word, &word, 0, NULL, NULL));
    l->wrong += word != l->expected;
    APP_CHECK(clEnqueueWriteBuffer(l->queue, l->x, CL_TRUE, 0, sizeof word, &l->expected, 0, NULL, NULL));
}

static void blocking_map(struct line *l, cl_event event)
{
    size_t bytes = WORDS * sizeof(cl_uint);
    cl_int err;
    cl_uint *p = clEnqueueMapBuffer(l->queue, l->x, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &err);

    (void)event;
    APP_CHECK(err);
    check_words(l, p);
    APP_CHECK(clEnqueueUnmapMemObject(l->queue, l->x, p, 0, NULL, NULL));
}

static void marker(struct line *l, cl_event event)
{
    cl_event after;

    (void)event;
    APP_CHECK(clEnqueueMarkerWithWaitList(l->queue, 0, NULL, &after));
    APP_CHECK(clWaitForEvents(1, &after));
    app_release_events(&after, 1);
}

static void barrier(struct line *l, cl_event event)
{
    (void)event;
    APP_CHECK(clEnqueueBarrierWithWaitList(l->queue, 0, NULL, NULL));
    APP_CHECK(clFinish(l->queue));
}

/* A kernel of another queue waits for the event; the wait is for that queue. */
static void across(struct line *l, cl_event event)
{
    size_t n = WORDS;

    (void)l;
    APP_CHECK(clEnqueueNDRangeKernel(a.queue, l->slow, 1, NULL, &n, NULL, 1, &event, NULL));
    l->expected = l->expected * step + rest;
    APP_CHECK(clFinish(a.queue));
}

static void *finish_body(void *queue)
{
    APP_CHECK(clFinish(queue));
    return NULL;
}

static void other_thread(struct line *l, cl_event event)
{
    pthread_t thread;

    (void)event;
    if (pthread_create(&thread, NULL, finish_body, l->queue))
        abort();
    pthread_join(thread, NULL);
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

static void callback(struct line *l, cl_event event)
{
    static int done;

    (void)l;
    __atomic_store_n(&done, 0, __ATOMIC_RELEASE);
    APP_CHECK(clSetEventCallback(event, CL_COMPLETE, called, &done));
    RM_WAIT(__atomic_load_n(&done, __ATOMIC_ACQUIRE));
    APP_CHECK(clFinish(l->queue)); /* the callback of the command buffer itself may come later */
}

static void many(struct line *l, const char *name, void (*wait)(struct line *, cl_event))
{
    cl_event event;

    for (int i = 0; i < ROUNDS; i++) {
        enqueue(l, &event);
        wait(l, event);
        check_event(l, event);
    }
    say(l, name);
}

/* Nobody has an event. */
static void eventless(struct line *l)
{
    cl_uint words[WORDS];

    for (int i = 0; i < ROUNDS; i++) {
        enqueue(l, NULL);
        APP_CHECK(clFinish(l->queue));
        l->over = true;
        enqueue(l, NULL);
        read_words(l, words);
        check_words(l, words);
        l->over = true;
    }
    say(l, "without events");
}

static void *line_body(void *line)
{
    cl_event event;

    for (int i = 0; i < ROUNDS; i++) {
        enqueue(line, &event);
        APP_CHECK(clFinish(((struct line *)line)->queue));
        check_event(line, event);
    }
    return NULL;
}

static void threads(struct line *l)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, line_body, &l[i]))
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    say(&l[0], "one of two threads");
    say(&l[1], "the other one");
}

static void learn_step(struct line *l)
{
    cl_uint words[WORDS] = {0};

    for (cl_uint v = 0; v < 2; v++) {
        words[0] = v;
        APP_CHECK(clEnqueueWriteBuffer(l->queue, l->x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
        app_run(l->queue, l->slow, WORDS, 0, 0, NULL, NULL);
        read_words(l, words);
        rest = v ? rest : words[0];
        step = words[0] - rest;
    }
    memset(words, 0, sizeof words);
    APP_CHECK(clEnqueueWriteBuffer(l->queue, l->x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
}

int main(void)
{
    static const struct {
        const char *name;
        void (*wait)(struct line *, cl_event);
    } waits[] = {{"finish", finish},
                 {"wait", wait_for},
                 {"poll", poll},
                 {"read", blocking_read},
                 {"map", blocking_map},
                 {"write", blocking_write},
                 {"marker", marker},
                 {"barrier", barrier},
                 {"another queue", across},
                 {"another thread", other_thread},
                 {"callback", callback}};
    struct line l[3];
    cl_int err;

    app_open(&a, "commandbuffers", 0, RM_SOURCE);
    open_line(&l[0], clCreateCommandQueue(a.context, a.device, 0, &err));
    open_line(&l[1], clCreateCommandQueue(a.context, a.device, 0, &err));
    open_line(&l[2], clCreateCommandQueue(a.context, a.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err));
    learn_step(&l[0]);
    for (int i = 0; i < 100; i++) {
        app_run(l[0].queue, l[0].slow, WORDS, 0, 0, NULL, NULL);
        l[0].expected = l[0].expected * step + rest;
    }
    load();
    for (int i = 0; i < 3; i++)
        record(&l[i]);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        many(&l[0], waits[i].name, waits[i].wait);
    many(&l[2], "out of order, finish", finish);
    many(&l[2], "out of order, marker", marker);
    many(&l[2], "out of order, barrier", barrier);
    eventless(&l[0]);
    threads(l);
    for (int i = 0; i < 3; i++) {
        APP_CHECK(api.release(l[i].buffer));
        APP_CHECK(clReleaseMemObject(l[i].x));
        APP_CHECK(clReleaseKernel(l[i].slow));
        APP_CHECK(clReleaseCommandQueue(l[i].queue));
    }
    return app_close(&a);
}
