/* exits.c - programs that end early: in the middle of work, in a callback, in a child. Their output and exit
 * status are as bare. Each case is a child process.
 *
 * exits [only CASE | but CASE] */
#include "common.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCE                                                                                               \
    RM_SOURCE "kernel void until(volatile global uint *flag, global uint *out)\n"                            \
              "{ while (!flag[0]) { } out[get_global_id(0)] += flag[0]; }\n"

static struct app a;
static cl_kernel add;
static cl_mem x;

static void CL_CALLBACK leave(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    exit(7);
}

/* Ends without waiting for anything. */
static int unfinished(void)
{
    for (int i = 0; i < 50; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    return 5;
}

/* The callback of an event calls exit. */
static int in_callback(void)
{
    cl_event e;

    app_run(a.queue, add, 64, 0, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, leave, NULL));
    clFinish(a.queue);
    pause();
    return 1;
}

static int at_once(void)
{
    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFlush(a.queue));
    _exit(6);
}

static void late(void)
{
    int v[64];

    if (clEnqueueReadBuffer(a.queue, x, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL) == CL_SUCCESS && v[0] == 10)
        _exit(8);
}

/* An exit handler of the program still uses what it made. */
static int in_handler(void)
{
    APP_CHECK(clFinish(a.queue));
    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    return 4;
}

/* A user event that nobody ever sets, commands behind it on two queues. */
static int gated(void)
{
    cl_command_queue q = app_queue(&a, 0);
    cl_event user = clCreateUserEvent(a.context, NULL), e;

    for (int i = 0; i < 5; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    app_run(a.queue, add, 64, 0, 1, &user, &e);
    app_run(q, add, 64, 0, 1, &e, NULL);
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clFlush(q));
    return 9;
}

static void *ends(void *status)
{
    rm_sleep_ms(50);
    exit(*(int *)status);
}

/* Another thread ends the process while this one waits for what never comes. */
static int by_another(void)
{
    static int status = 10;
    cl_event user = clCreateUserEvent(a.context, NULL);
    pthread_t t;

    for (int i = 0; i < 5; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    app_run(a.queue, add, 64, 0, 1, &user, NULL);
    pthread_create(&t, NULL, ends, &status);
    clFinish(a.queue);
    return 1;
}

static void *goes_on(void *unused)
{
    int v[64];

    (void)unused;
    rm_sleep_ms(20);
    for (int i = 0; i < 50; i++) {
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, x, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    }
    exit(v[0] & 63);
}

/* The first thread ends, the others do not. */
static int first_leaves(void)
{
    pthread_t t;

    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    pthread_create(&t, NULL, goes_on, NULL);
    pthread_exit(NULL);
}

/* A thread of the least stack that there can be ends the process, with work under way. */
static int small_leaves(void)
{
    static int status = 12;
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    for (int i = 0; i < 50; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    pthread_create(&t, &attr, ends, &status);
    for (int i = 0; i < 50; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    pthread_join(t, NULL);
    return 1;
}

static uint32_t flag[1024] __attribute__((aligned(4096)));

/* A kernel that has been known to be quick never ends; nobody waits for it. */
static int endless(void)
{
    cl_kernel until = app_kernel(&a, "until");
    cl_mem m = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof flag, flag);

    flag[0] = 1;
    app_args(until, "mm", m, x);
    for (int i = 0; i < 5; i++)
        app_run(a.queue, until, 64, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    flag[0] = 0;
    app_run(a.queue, until, 64, 64, 0, NULL, NULL);
    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFlush(a.queue));
    return 11;
}

static const char *way, *named; /* of main's arguments */

static void outcome(const char *what, int (*body)(void), bool handler)
{
    int status = 0;
    pid_t child;

    if (named && !strcmp(way, "only") != !strcmp(what, named))
        return;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(200); /* ends one that hangs */
        if (handler)
            atexit(late);
        app_open(&a, "exits", 0, SOURCE);
        add = app_kernel(&a, "add");
        x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0});
        rm_warm(&a, add, x);
        app_args(add, "mi", x, 10);
        exit(body());
    }
    waitpid(child, &status, 0);
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "exit status" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        way = argv[1];
        named = argv[2];
    }
    outcome("unfinished", unfinished, false);
    outcome("in a callback", in_callback, false);
    outcome("at once", at_once, false);
    outcome("in a handler", in_handler, true);
    outcome("gated", gated, false);
    outcome("by another thread", by_another, false);
    outcome("by one of a small stack", small_leaves, false);
    outcome("endless", endless, false);
    outcome("the first thread leaves", first_leaves, false);
    return 0;
}
