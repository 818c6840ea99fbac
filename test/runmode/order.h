/* order.h - of order.c: the commands of a round, the commands that each has to wait for; questions to events.
 */
#ifndef ORDER_H
#define ORDER_H

#include "common.h"

#include <pthread.h>

enum { WORKERS = 3, BUFFERS = 4, BYTES = 4096, COMMANDS = 40, MOST = COMMANDS + 1, LISTED = 4 };

enum {
    ADD,
    ZERO,
    SLOW,
    TASK,
    FILL,
    COPY,
    COPY_RECT,
    MIGRATE,
    READ,
    READ_RECT,
    WRITE,
    WRITE_RECT,
    MARKER,
    BARRIER,
    MAP,
    UNMAP,
    NATIVE,
    IMAGE_FILL,
    IMAGE_WRITE,
    IMAGE_TO_BUFFER,
    IMAGE_READ,
    SVM_FILL,
    SVM_COPY,
    KINDS
};

struct command {
    int worker, kind;
    cl_event event, list[LISTED];
    cl_uint num_waits;
    bool before[MOST]; /* by number: the command waits for that one */
    bool open;         /* it was not complete when all callbacks had been set */
    int calls[2];      /* which of all calls its callback for RUNNING, for COMPLETE was; 0: none yet */
    cl_ulong times[4];
};

struct worker { /* a queue, the last one out of order, and memory for its commands */
    cl_command_queue queue;
    bool in_order, profiled;
    cl_mem buffer[BUFFERS], image;
    uint8_t *svm;
    int host[BUFFERS][1024], source[1024];
};

struct wrong {
    int own, times, states, calls;
};

static struct app a;
static cl_kernel add, slow, alone;
static struct worker workers[WORKERS];
static struct command commands[MOST];
static int num_commands, num_calls;
static bool can[KINDS];
static cl_event held_by; /* in the wait lists of the next commands; NULL: nothing */
static struct wrong wrong;
static uint32_t seed;

/* The last three arguments of every function that enqueues. */
#define BEHIND(c) (c)->num_waits, (c)->num_waits ? (c)->list : NULL, &(c)->event

static uint32_t any(uint32_t n)
{
    return app_random(&seed) % n;
}

static void CL_CALLBACK do_nothing(void *args)
{
    (void)args;
}

static void CL_CALLBACK say_thread(void *args)
{
    **(pthread_t **)args = pthread_self();
}

/* Whether a round may be held: not on a device that runs commands inside the call that enqueues or releases
 * them, where PoCL 3.1 hangs (test/vendor/user_event_hangs.c). */
static bool native_kernels_wait(void)
{
    pthread_t thread = pthread_self(), *to = &thread;

    APP_CHECK(clEnqueueNativeKernel(a.queue, say_thread, &to, sizeof to, 0, NULL, NULL, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    return !pthread_equal(thread, pthread_self());
}

static void CL_CALLBACK wait_for_flag(void *args)
{
    RM_WAIT(__atomic_load_n(*(int **)args, __ATOMIC_ACQUIRE));
}

/* ---- what waits for what */

static void wait_for(struct command *c, struct command *earlier)
{
    if (c->num_waits == LISTED || c->before[earlier - commands])
        return;
    c->list[c->num_waits++] = earlier->event;
    c->before[earlier - commands] = true;
}

/* By the rules of its queue. PoCL 3.1: a barrier with a list replaces the barrier before it, and does not
 * wait for it. */
static void wait_in_line(struct command *c)
{
    bool in_order = workers[c->worker].in_order;

    if (!in_order && c->kind == BARRIER)
        return;
    for (struct command *b = c - 1; b >= commands; b--)
        if (b->worker == c->worker && (in_order || b->kind == BARRIER)) {
            c->before[b - commands] = true;
            return;
        }
}

/* Out of order, a marker or a barrier without a list waits for all before it. */
static void wait_for_all(struct command *c)
{
    for (struct command *b = commands; b < c; b++)
        if (b->worker == c->worker)
            c->before[b - commands] = true;
}

static struct command *next_command(int worker, int kind)
{
    struct command *c = &commands[num_commands++];

    *c = (struct command){.worker = worker, .kind = kind};
    if (held_by)
        c->list[c->num_waits++] = held_by;
    return c;
}

/* ---- callbacks */

static void CL_CALLBACK called(cl_event event, cl_int status, void *call)
{
    (void)event;
    (void)status;
    __atomic_store_n((int *)call, __atomic_add_fetch(&num_calls, 1, __ATOMIC_ACQ_REL), __ATOMIC_RELEASE);
}

/* The command is enqueued. */
static void watch(struct command *c)
{
    wait_in_line(c);
    if ((c->kind == MARKER || c->kind == BARRIER) && !c->num_waits)
        wait_for_all(c);
    c->calls[0] = any(4) ? -1 : 0; /* not all are asked for */
    c->calls[1] = any(8) ? 0 : -1;
    if (getenv("APP_NO_CALLBACKS")) /* PoCL 7.1 calls back after clFinish(), on a thread of its own */
        c->calls[0] = c->calls[1] = -1;
    if (!c->calls[0])
        APP_CHECK(clSetEventCallback(c->event, CL_RUNNING, called, &c->calls[0]));
    if (!c->calls[1])
        APP_CHECK(clSetEventCallback(c->event, CL_COMPLETE, called, &c->calls[1]));
}

static void look_what_is_open(void)
{
    for (int i = 0; i < num_commands; i++)
        commands[i].open = rm_status(commands[i].event) > CL_COMPLETE;
}

static int call_of(const struct command *c, int which)
{
    int n;

    RM_WAIT((n = __atomic_load_n(&c->calls[which], __ATOMIC_ACQUIRE)));
    return n;
}

/* Whether what `early` says was called after what `late` does. */
static bool swapped(const struct command *early, int which, const struct command *late, int of)
{
    return call_of(early, which) > 0 && call_of(late, of) > 0 && call_of(early, which) > call_of(late, of);
}

static void complain(const char *what, const struct command *b, const struct command *c)
{
    static int times;

    if (times++ < 10)
        fprintf(stderr, "%s: kind %d, number %d, queue %d; kind %d, number %d, queue %d\n", what, b->kind,
                (int)(b - commands), b->worker, c->kind, (int)(c - commands), c->worker);
}

/* Counts the pairs of which the later command waits for the earlier one, and for which function() is true. */
static int pairs(const char *what, bool (*function)(const struct command *early, const struct command *late))
{
    int count = 0;

    for (struct command *c = commands; c < commands + num_commands; c++)
        for (struct command *b = commands; b < c; b++)
            if (c->before[b - commands] && function(b, c)) {
                complain(what, b, c);
                count++;
            }
    return count;
}

/* Of one queue only: callbacks on commands of several may come from several threads. */
static bool called_early(const struct command *early, const struct command *late)
{
    return early->open && early->worker == late->worker &&
           (swapped(early, 0, late, 0) || swapped(early, 0, late, 1) || swapped(early, 1, late, 0) ||
            swapped(early, 1, late, 1));
}

static void look_at_calls(void)
{
    for (struct command *c = commands; c < commands + num_commands; c++)
        if (swapped(c, 0, c, 1)) {
            complain("callbacks of one", c, c);
            wrong.calls++;
        }
    wrong.calls += pairs("callbacks", called_early);
}

/* ---- times */

static void ask_times(struct command *c)
{
    cl_int err = CL_SUCCESS;

    for (int i = 0; i < 4 && workers[c->worker].profiled; i++)
        err |= clGetEventProfilingInfo(c->event, (cl_profiling_info)(CL_PROFILING_COMMAND_QUEUED + i),
                                       sizeof c->times[i], &c->times[i], NULL);
    if (err != CL_SUCCESS || c->times[0] > c->times[1] || c->times[1] > c->times[2] ||
        c->times[2] > c->times[3]) {
        complain("own times", c, c);
        wrong.own++;
    }
}

static bool timed_early(const struct command *early, const struct command *late)
{
    return workers[early->worker].profiled && workers[late->worker].profiled &&
           late->times[2] < early->times[3];
}

static void look_at_times(void)
{
    for (int i = 0; i < num_commands; i++)
        ask_times(&commands[i]);
    wrong.times += pairs("times", timed_early);
}

/* ---- states */

/* The later one is asked first. */
static bool seen_early(const struct command *early, const struct command *late)
{
    return rm_status(late->event) <= CL_RUNNING && rm_status(early->event) > CL_COMPLETE;
}

static bool all_complete(void)
{
    for (int i = 0; i < num_commands; i++)
        if (rm_status(commands[i].event) > CL_COMPLETE)
            return false;
    return true;
}

static void look_at_states(void)
{
    do
        wrong.states += pairs("states", seen_early);
    while (!all_complete());
}

/* Their callbacks write to the records: a vendor may call the last ones after clFinish has returned. */
static void forget_commands(void)
{
    for (int i = 0; i < num_commands; i++)
        for (int which = 0; which < 2; which++)
            call_of(&commands[i], which);
    for (int i = 0; i < num_commands; i++)
        APP_CHECK(clReleaseEvent(commands[i].event));
    num_commands = 0;
}

/* ---- what the commands work on */

static void open_workers(bool profiled)
{
    static int words[1024];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_int err;

    for (int i = 0; i < WORKERS; i++) {
        struct worker *l = &workers[i];
        l->in_order = i < WORKERS - 1;
        l->profiled = profiled;
        l->queue = app_queue(&a, (profiled ? CL_QUEUE_PROFILING_ENABLE : 0) |
                                     (l->in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
        for (int k = 0; k < BUFFERS; k++)
            l->buffer[k] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, BYTES, words);
        if (can[IMAGE_FILL]) {
            l->image = clCreateImage(a.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc,
                                     words, &err);
            APP_CHECK(err);
        }
        if (can[SVM_FILL])
            memset(l->svm = clSVMAlloc(a.context, CL_MEM_READ_WRITE, BYTES, 0), 0, BYTES);
    }
}

static void close_workers(void)
{
    for (int i = 0; i < WORKERS; i++) {
        struct worker *l = &workers[i];
        for (int k = 0; k < BUFFERS && l->in_order; k++) {
            APP_CHECK(
                clEnqueueReadBuffer(l->queue, l->buffer[k], CL_TRUE, 0, BYTES, l->host[0], 0, NULL, NULL));
            app_hash(&a, l->host[0], BYTES);
        }
        app_release_mems(l->buffer, BUFFERS);
        if (l->image)
            APP_CHECK(clReleaseMemObject(l->image));
        if (l->svm)
            clSVMFree(a.context, l->svm);
        APP_CHECK(clReleaseCommandQueue(l->queue));
    }
}

static void open_kernels(void)
{
    cl_device_exec_capabilities exec = 0;
    cl_device_svm_capabilities svm = 0;
    cl_bool images = CL_FALSE;

    clGetDeviceInfo(a.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof exec, &exec, NULL);
    clGetDeviceInfo(a.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    if (!getenv("APP_SUBDEVICE")) /* PoCL 3.1 ends the process when a sub-device's queue gets an image */
        clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    for (int i = 0; i < KINDS; i++)
        can[i] = i == NATIVE      ? exec & CL_EXEC_NATIVE_KERNEL
                 : i < IMAGE_FILL ? true
                 : i < SVM_FILL   ? images
                                  : svm != 0;
    add = app_kernel(&a, "add"), slow = app_kernel(&a, "slow"), alone = app_kernel(&a, "alone");
}

static void close_kernels(void)
{
    clReleaseKernel(add), clReleaseKernel(slow), clReleaseKernel(alone);
}

#endif
