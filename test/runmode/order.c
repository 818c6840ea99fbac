/* order.c - the order of commands as events show it: times, states, callbacks. Seeded mixtures of all kinds
 * of commands, on two in-order queues and one that is not, with wait lists across them. Bare PoCL keeps, for
 * a command and each one that it waits for (the one before it in an in-order queue, a wait list, a barrier):
 *
 *   - QUEUED <= SUBMIT <= START <= END, and the later command starts when the earlier one has ended, or
 * after;
 *   - when the later command is seen to run or to be complete, the earlier one is seen to be complete;
 *   - the callbacks of the earlier one are called first, if they were set before it was complete. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "order.h"

/* Nothing holds the commands of a round; a native kernel does, from its begin; a user event does, from
 * somewhere. */
enum { FREE, HELD, GATED, TYPES };

static bool blocks; /* commands of this round may be blocking */

static void launch(struct worker *l, cl_kernel k, cl_int more, size_t items, struct command *c)
{
    app_args(k, "mi", l->buffer[any(BUFFERS)], more);
    APP_CHECK(clEnqueueNDRangeKernel(l->queue, k, 1, NULL, &items, NULL, BEHIND(c)));
}

static void task(struct worker *l, struct command *c)
{
    app_args(alone, "m", l->buffer[any(BUFFERS)]);
    APP_CHECK(clEnqueueTask(l->queue, alone, BEHIND(c)));
}

static void transfer(struct worker *l, int kind, struct command *c)
{
    cl_mem x = l->buffer[any(BUFFERS)];
    size_t at[3] = {4 * any(8), any(8), 0}, host_at[3] = {0}, region[3] = {4 * (1 + any(8)), 1 + any(8), 1};
    size_t offset = 4 * any(64), bytes = 4 * (1 + any(64));
    cl_bool blocking = blocks && !any(8);
    void *to = l->host[any(BUFFERS)];

    if (kind == READ)
        APP_CHECK(clEnqueueReadBuffer(l->queue, x, blocking, offset, bytes, to, BEHIND(c)));
    else if (kind == WRITE)
        APP_CHECK(clEnqueueWriteBuffer(l->queue, x, blocking, offset, bytes, l->source, BEHIND(c)));
    else if (kind == READ_RECT)
        APP_CHECK(
            clEnqueueReadBufferRect(l->queue, x, blocking, at, host_at, region, 64, 0, 64, 0, to, BEHIND(c)));
    else
        APP_CHECK(clEnqueueWriteBufferRect(l->queue, x, blocking, at, host_at, region, 64, 0, 64, 0,
                                           l->source, BEHIND(c)));
}

static void copy(struct worker *l, int kind, struct command *c)
{
    cl_mem x = l->buffer[any(BUFFERS)], y = l->buffer[any(BUFFERS)];
    size_t from[3] = {4 * any(8), any(8), 0}, to[3] = {4 * any(8), 8 + any(7), 0}, region[3] = {32, 1, 1};
    cl_int pattern = (cl_int)any(1000);

    if (kind == FILL)
        APP_CHECK(clEnqueueFillBuffer(l->queue, x, &pattern, 4, 4 * any(64), 256, BEHIND(c)));
    else if (kind == COPY)
        APP_CHECK(clEnqueueCopyBuffer(l->queue, x, y, 4 * any(64), 512, 256, BEHIND(c)));
    else if (kind == COPY_RECT)
        APP_CHECK(clEnqueueCopyBufferRect(l->queue, x, y, from, to, region, 64, 0, 64, 0, BEHIND(c)));
    else /* not to the host: PoCL 3.1 loses a reference of the event when two threads use the buffer at that
            moment */
        APP_CHECK(clEnqueueMigrateMemObjects(l->queue, 1, &x, 0, BEHIND(c)));
}

static void image(struct worker *l, int kind, struct command *c)
{
    const size_t from[3] = {any(8), any(8), 0}, to[3] = {8, any(8), 0}, region[3] = {8, 8, 1};
    const cl_uint color[4] = {any(250), 2, 3, 4};

    if (kind == IMAGE_FILL)
        APP_CHECK(clEnqueueFillImage(l->queue, l->image, color, from, region, BEHIND(c)));
    else if (kind == IMAGE_WRITE)
        APP_CHECK(
            clEnqueueWriteImage(l->queue, l->image, CL_FALSE, from, region, 0, 0, l->source, BEHIND(c)));
    else if (kind == IMAGE_TO_BUFFER)
        APP_CHECK(clEnqueueCopyImageToBuffer(l->queue, l->image, l->buffer[0], to, region, 0, BEHIND(c)));
    else
        APP_CHECK(clEnqueueReadImage(l->queue, l->image, blocks && !any(8), to, region, 0, 0, l->host[0],
                                     BEHIND(c)));
}

static void shared(struct worker *l, int kind, struct command *c)
{
    cl_int pattern = (cl_int)any(1000);

    if (kind == SVM_FILL)
        APP_CHECK(clEnqueueSVMMemFill(l->queue, l->svm, &pattern, 4, 256, BEHIND(c)));
    else
        APP_CHECK(clEnqueueSVMMemcpy(l->queue, CL_FALSE, l->svm + 256, l->svm, 256, BEHIND(c)));
}

/* Two commands: the second undoes the first. */
static void map(int worker, struct command *c)
{
    struct worker *l = &workers[worker];
    cl_mem x = l->buffer[any(BUFFERS)];
    size_t offset = 4 * any(64);
    struct command *u;
    cl_int *at, err;

    at = clEnqueueMapBuffer(l->queue, x, blocks && !any(8), any(2) ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE,
                            offset, 256, BEHIND(c), &err);
    APP_CHECK(err);
    watch(c);
    u = next_command(worker, UNMAP);
    wait_for(u, c);
    APP_CHECK(clEnqueueUnmapMemObject(l->queue, x, at, BEHIND(u)));
    watch(u);
}

static void enqueue(int worker, int kind)
{
    struct command *c = next_command(worker, kind);
    struct worker *l = &workers[worker];
    cl_int nothing = 0;

    for (int i = any(4) ? 0 : 1 + (int)any(2); i && num_commands > 1; i--)
        wait_for(c, &commands[any((uint32_t)num_commands - 1)]);
    if (kind == MAP) {
        map(worker, c);
        return;
    }
    if (kind <= SLOW)
        launch(l, kind == SLOW ? slow : add, kind == SLOW ? 5000 : 7, kind == ZERO ? 0 : 64u << any(3), c);
    else if (kind == TASK)
        task(l, c);
    else if (kind <= MIGRATE)
        copy(l, kind, c);
    else if (kind <= WRITE_RECT)
        transfer(l, kind, c);
    else if (kind == MARKER)
        APP_CHECK(clEnqueueMarkerWithWaitList(l->queue, BEHIND(c)));
    else if (kind == BARRIER)
        APP_CHECK(clEnqueueBarrierWithWaitList(l->queue, BEHIND(c)));
    else if (kind == NATIVE)
        APP_CHECK(
            clEnqueueNativeKernel(l->queue, do_nothing, &nothing, sizeof nothing, 0, NULL, NULL, BEHIND(c)));
    else if (kind <= IMAGE_READ)
        image(l, kind, c);
    else
        shared(l, kind, c);
    watch(c);
}

/* Out of order nothing keeps transfers apart. */
static bool is_apart(int kind)
{
    return kind <= TASK || kind == MIGRATE || kind == MARKER || kind == BARRIER || kind == NATIVE;
}

static int a_kind(const struct worker *l)
{
    int kind;

    do {
        kind = any(3) ? (int)any(SLOW + 1) : (int)any(KINDS);
    } while (kind == UNMAP || !can[kind] || !(l->in_order || is_apart(kind)));
    return kind;
}

/* What holds a round, if anything does. */
struct hold {
    cl_event event;
    int flag;
};

static void hold_begin(struct hold *h, int type)
{
    int *flag = &h->flag;
    cl_int err = CL_SUCCESS;

    h->flag = 0;
    h->event = NULL;
    if (type == GATED)
        h->event = clCreateUserEvent(a.context, &err);
    else if (type == HELD)
        err = clEnqueueNativeKernel(workers[0].queue, wait_for_flag, &flag, sizeof flag, 0, NULL, NULL, 0,
                                    NULL, &h->event);
    APP_CHECK(err);
    blocks = type == FREE;
}

static void hold_end(struct hold *h, int type)
{
    __atomic_store_n(&h->flag, 1, __ATOMIC_RELEASE);
    if (type == GATED)
        APP_CHECK(clSetUserEventStatus(h->event, CL_COMPLETE));
    if (h->event)
        APP_CHECK(clReleaseEvent(h->event));
}

static void one_round(int type)
{
    int holds_at = type == GATED ? (int)any(COMMANDS) : 0;
    struct hold h;

    hold_begin(&h, type);
    for (int i = 0; num_commands < COMMANDS; i++) {
        int worker = i < WORKERS ? i : (int)any(WORKERS);
        held_by =
            (type == HELD && i < WORKERS) || (type == GATED && num_commands >= holds_at) ? h.event : NULL;
        enqueue(worker, a_kind(&workers[worker]));
        if (!any(16))
            APP_CHECK(clFlush(workers[worker].queue));
    }
    held_by = NULL;
    look_what_is_open();
    hold_end(&h, type);
    if (any(2))
        look_at_states();
    for (int i = 0; i < WORKERS; i++)
        APP_CHECK(clFinish(workers[i].queue));
    look_at_times();
    look_at_calls();
    forget_commands();
}

static void rounds(int count, int type, bool profiled)
{
    static const char *names[] = {"free", "held by a native kernel", "held by a user event"};

    wrong = (struct wrong){0};
    open_workers(profiled);
    for (int i = 0; i < count; i++)
        one_round(type);
    close_workers();
    printf("%s, %s: times of one command %d, times of two %d, states %d, callbacks %d wrong\n", names[type],
           profiled ? "profiled" : "not profiled", wrong.own, wrong.times, wrong.states, wrong.calls);
}

int main(int argc, char **argv)
{
    int count = (int)app_size(argc, argv, 1, 5, 1, 100000);
    bool holds, natives;

    seed = (uint32_t)app_size(argc, argv, 2, 1, 1, UINT32_MAX);
    app_open(&a, "order", 0, RM_SOURCE "kernel void alone(global int *x) { x[0]++; }\n");
    open_kernels();
    natives = can[NATIVE];
    holds = natives && native_kernels_wait();
    for (int i = 0; i < (holds ? TYPES : 1); i++) {
        static const int types[TYPES] = {FREE, GATED, HELD}; /* after a native kernel launches stay at home */
        can[NATIVE] = natives && types[i] == HELD;
        rounds(count, types[i], true);
        rounds(count, types[i], false);
    }
    close_kernels();
    return app_close(&a);
}
