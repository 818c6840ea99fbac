/* callbacks.c - callbacks on events: which, how often, with which status; inside the call for commands that
 * are over.
 */
#include "common.h"

static struct app a;
static cl_kernel slow, add;

struct note {
    int calls, first_status;
    cl_event event;
};

static void CL_CALLBACK note(cl_event e, cl_int status, void *data)
{
    struct note *n = data;

    rm_sleep_ms(1);
    if (!n->calls)
        n->first_status = status;
    n->event = e;
    __atomic_add_fetch(&n->calls, 1, __ATOMIC_RELEASE);
}

static cl_event launch(cl_command_queue q, cl_mem x, int steps)
{
    cl_event e;

    app_args(slow, "mi", x, steps);
    app_run(q, slow, 64, 64, 0, NULL, &e);
    return e;
}

/* Three launches with callbacks, waited for in one way. */
static void waited(cl_command_queue q, cl_mem x, int how)
{
    struct note *n = calloc(3, sizeof *n);
    cl_event e[3];
    int v;

    for (int i = 0; i < 3; i++) {
        e[i] = launch(q, x, 20000);
        APP_CHECK(clSetEventCallback(e[i], CL_COMPLETE, note, &n[i]));
        APP_CHECK(clSetEventCallback(e[i], CL_COMPLETE, note, &n[i]));
    }
    if (how == 0)
        APP_CHECK(clFinish(q));
    else if (how == 1)
        APP_CHECK(clWaitForEvents(3, e));
    else
        APP_CHECK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        RM_WAIT(__atomic_load_n(&n[i].calls, __ATOMIC_ACQUIRE) >= 2); /* waits end before the last callback */
    for (int i = 0; i < 3; i++)
        printf("how %d: %d calls, status %d, its event %d\n", how,
               __atomic_load_n(&n[i].calls, __ATOMIC_ACQUIRE), n[i].first_status, n[i].event == e[i]);
    free(n);
    app_release_events(e, 3);
}

/* Of a command that is over: inside the call. */
static void at_once(cl_mem x)
{
    static const cl_int types[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED};
    cl_event e = launch(a.queue, x, 10);

    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < 3; i++) {
        struct note n = {0};
        APP_CHECK(clSetEventCallback(e, types[i], note, &n));
        printf("over: type %d, %d calls, status %d\n", types[i], n.calls, n.first_status);
    }
    clReleaseEvent(e);
}

struct chain {
    cl_command_queue queue;
    cl_mem x;
    int left;
};

/* Enqueues the next one. */
static void CL_CALLBACK next(cl_event e, cl_int status, void *data)
{
    struct chain *c = data;
    cl_event f;

    (void)status;
    APP_CHECK(clReleaseEvent(e));
    if (!c->left) {
        __atomic_store_n(&c->left, -1, __ATOMIC_RELEASE);
        return;
    }
    c->left--;
    app_args(add, "mi", c->x, 3);
    app_run(c->queue, add, 64, 64, 0, NULL, &f);
    APP_CHECK(clFlush(c->queue));
    APP_CHECK(clSetEventCallback(f, CL_COMPLETE, next,
                                 c)); /* the last one ends chained(), and with it what c points to */
}

static void chained(cl_mem x)
{
    struct chain c = {a.queue, x, 50};
    int zero = 0, v[64];
    cl_event e;

    APP_CHECK(clEnqueueFillBuffer(a.queue, x, &zero, 4, 0, 256, 0, NULL, &e));
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, next, &c));
    APP_CHECK(clFlush(a.queue));
    RM_WAIT(__atomic_load_n(&c.left, __ATOMIC_ACQUIRE) < 0);
    app_read(&a, x, 0, sizeof v, v);
    printf("chain: %d left, %d\n", c.left, v[5]);
}

/* One line per callback, in their order: which command, which state, and whether the command is still seen to
 * run. */
static struct stages {
    int calls;
    char line[16][40];
} stages;

struct stage {
    int command, type;
};

static void CL_CALLBACK stage(cl_event e, cl_int status, void *data)
{
    const struct stage *s = data;
    int i = __atomic_fetch_add(&stages.calls, 1, __ATOMIC_ACQ_REL);

    snprintf(stages.line[i], sizeof stages.line[i], "command %d: asked %d, got %d, now %d", s->command,
             s->type, status, rm_status(e));
}

/* Each command of a chain is told to run, and then to be over, before the next one is told to run. */
static void in_stages(cl_mem x)
{
    static const struct stage all[3][2] = {{{0, CL_COMPLETE}, {0, CL_RUNNING}},
                                           {{1, CL_RUNNING}, {1, CL_COMPLETE}},
                                           {{2, CL_COMPLETE}, {2, CL_RUNNING}}};
    cl_kernel known = slow;
    cl_event e[3];

    slow = app_kernel(&a, "slow"); /* of which nobody knows that it is short */
    for (int i = 0; i < 3; i++)
        e[i] = launch(a.queue, x, 3000000);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            APP_CHECK(clSetEventCallback(e[i], all[i][k].type, stage, (void *)(uintptr_t)&all[i][k]));
    APP_CHECK(clFinish(a.queue));
    RM_WAIT(__atomic_load_n(&stages.calls, __ATOMIC_ACQUIRE) >= 6);
    for (int i = 0; i < stages.calls; i++)
        printf("%s\n", stages.line[i]);
    clReleaseKernel(slow);
    slow = known;
    app_release_events(e, 3);
}

static int late;

static void CL_CALLBACK at_end(cl_event e, cl_int status, void *data)
{
    (void)e;
    (void)data;
    printf("last: status %d\n", status);
    fflush(stdout);
    __atomic_store_n(&late, 1, __ATOMIC_RELEASE);
}

int main(void)
{
    cl_command_queue unordered;
    cl_event e;
    cl_mem x;

    app_open(&a, "callbacks", 0, RM_SOURCE);
    slow = app_kernel(&a, "slow");
    add = app_kernel(&a, "add");
    x = app_buffer(&a, 0, 256, NULL);
    unordered = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    rm_warm(&a, add, x);
    for (int i = 0; i < 5; i++)
        for (int how = 0; how < 3; how++)
            waited(a.queue, x, how);
    waited(unordered, x, 0);
    waited(unordered, x, 1);
    at_once(x);
    chained(x);
    in_stages(x);
    e = launch(a.queue, x, 100);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, at_end, NULL));
    APP_CHECK(clFinish(a.queue));
    RM_WAIT(__atomic_load_n(&late, __ATOMIC_ACQUIRE));
    printf("called %d\n", __atomic_load_n(&late, __ATOMIC_ACQUIRE));
    clReleaseEvent(e);
    clReleaseCommandQueue(unordered);
    clReleaseKernel(slow);
    clReleaseKernel(add);
    clReleaseMemObject(x);
    return app_close(&a);
}
