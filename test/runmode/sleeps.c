/* sleeps.c - calls that wait for commands return when these are over, and not before: clFinish,
 * clWaitForEvents, reads and maps that block; of commands behind user events, which another thread sets, or a
 * callback; of commands that fail. On the null driver kernels do nothing, and states of events are looked at
 * alone. SLEEPS_ROUNDS: rounds (6). */
#include "common.h"

#include <pthread.h>

enum { COUNT = 4096, WORK = 20000 };

static struct app a;
static cl_kernel slow;
static cl_mem x;
static cl_int words[COUNT];

static cl_event launch(cl_uint n, const cl_event *list)
{
    size_t global = COUNT, local = 64;
    cl_event event;

    app_args(slow, "mi", x, WORK);
    APP_CHECK(clEnqueueNDRangeKernel(a.queue, slow, 1, NULL, &global, &local, n, list, &event));
    return event;
}

/* Says whether the command is over, and lets go of its event. */
static void say(const char *call, int err, cl_event event)
{
    printf("%s: %d, %s\n", call, err, rm_status(event) == CL_COMPLETE ? "complete" : "early");
    APP_CHECK(clReleaseEvent(event));
}

static void plain(void)
{
    cl_event event = launch(0, NULL), read;
    cl_int err;
    void *at;

    say("finish", clFinish(a.queue), event);
    event = launch(0, NULL);
    say("wait", clWaitForEvents(1, &event), event);
    event = launch(0, NULL);
    say("read", clEnqueueReadBuffer(a.queue, x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL), event);
    app_hash(&a, words, sizeof words);
    event = launch(0, NULL);
    say("read", clEnqueueReadBuffer(a.queue, x, CL_TRUE, 0, sizeof words, words, 0, NULL, &read), event);
    say("its event", clWaitForEvents(1, &read), read);
    app_hash(&a, words, sizeof words);
    event = launch(0, NULL);
    at = clEnqueueMapBuffer(a.queue, x, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof words, 0, NULL, NULL,
                            &err);
    say("map", err, event);
    app_hash(&a, at, sizeof words);
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, x, at, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
}

static void *set_later(void *event)
{
    rm_sleep_ms(3);
    APP_CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

static void CL_CALLBACK set_now(cl_event event, cl_int status, void *user)
{
    (void)event;
    APP_CHECK(clSetUserEventStatus(user, status < 0 ? status : CL_COMPLETE));
}

/* A wait for a user event that another thread sets; for one that a callback sets; for commands behind it. */
static void gated(void)
{
    cl_event user = clCreateUserEvent(a.context, NULL), event = launch(1, &user);
    pthread_t thread;

    pthread_create(&thread, NULL, set_later, user);
    say("behind a thread's", clWaitForEvents(1, &event), event);
    pthread_join(thread, NULL);
    say("a thread's", clWaitForEvents(1, &user), user);
    user = clCreateUserEvent(a.context, NULL);
    event = launch(0, NULL);
    APP_CHECK(clSetEventCallback(event, CL_COMPLETE, set_now, user));
    APP_CHECK(clFlush(a.queue));
    say("a callback's", clWaitForEvents(1, &user), user);
    say("its command", clFinish(a.queue), event);
}

static void failing(void)
{
    cl_event user = clCreateUserEvent(a.context, NULL), both[2];

    both[0] = launch(0, NULL);
    both[1] = user;
    APP_CHECK(clSetUserEventStatus(user, -77));
    printf("failed: %d, %d\n", clWaitForEvents(2, both), rm_status(user));
    printf("none: %d, %d\n", clWaitForEvents(0, NULL), clWaitForEvents(0, both));
    printf("no queue: %d\n", clFinish(NULL));
    printf("no memory: %d\n",
           clEnqueueReadBuffer(a.queue, NULL, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    printf("too far: %d\n",
           clEnqueueReadBuffer(a.queue, x, CL_TRUE, sizeof words, sizeof words, words, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clReleaseEvent(both[0]));
    APP_CHECK(clReleaseEvent(user));
}

int main(void)
{
    int rounds = getenv("SLEEPS_ROUNDS") ? atoi(getenv("SLEEPS_ROUNDS")) : 6;

    app_open(&a, "sleeps", 0, RM_SOURCE);
    slow = app_kernel(&a, "slow");
    for (int i = 0; i < COUNT; i++)
        words[i] = i;
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    for (int r = 0; r < rounds; r++) {
        plain();
        gated();
        failing();
    }
    printf("hash %016llx\n", (unsigned long long)a.hash);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(slow));
    return app_close(&a);
}
