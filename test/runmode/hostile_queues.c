/* hostile_queues.c - programs with everything released under way, very many queues, odd wait lists, profiled
 * out-of-order queues, children. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "hostile.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- everything released */

static void context_released(void)
{
    static int host[WORDS] __attribute__((aligned(4096)));
    static const char *source = SOURCE;

    for (int round = 0; round < 5; round++) {
        cl_context c = clCreateContext(NULL, 1, &a.device, NULL, NULL, NULL);
        cl_command_queue q = clCreateCommandQueue(c, a.device, 0, NULL);
        cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
        cl_mem m = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, sizeof host, host, NULL);
        cl_kernel k;
        cl_event e;

        memset(host, 0, sizeof host);
        APP_CHECK(clBuildProgram(p, 1, &a.device, "", NULL, NULL));
        k = clCreateKernel(p, "add", NULL);
        for (int i = 0; i < 50; i++)
            launch(q, k, m, i, i == 49 ? &e : NULL);
        clReleaseKernel(k);
        clReleaseProgram(p);
        clReleaseContext(c);
        clReleaseMemObject(m);
        if (round % 2)
            APP_CHECK(clFlush(q));
        clReleaseCommandQueue(q);
        APP_CHECK(clWaitForEvents(1, &e));
        printf("all released: %d\n", host[9]);
        clReleaseEvent(e);
    }
}

/* ---- queues */

static void many_queues(void)
{
    enum { N = 150 };
    cl_command_queue q[N];
    cl_mem x[N];
    cl_event e[N];

    for (int i = 0; i < N; i++) {
        q[i] = app_queue(&a, i % 3 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        x[i] = filled(i, 0, NULL);
    }
    for (int i = 0; i < N; i++) {
        app_args(add, "mi", x[i], i);
        app_run(q[i], add, WORDS, 64, i ? 1 : 0, i ? &e[i - 1] : NULL, &e[i]);
        if (i % 3)
            launch(q[i], mul, x[i], 3, NULL);
    }
    for (int i = N; i--;)
        APP_CHECK(clFinish(q[i]));
    for (int i = 0; i < N; i++) {
        if (i % 50 == 0)
            look("queue", x[i]);
        clReleaseMemObject(x[i]);
        clReleaseEvent(e[i]);
        clReleaseCommandQueue(q[i]);
    }
}

/* What is known of times: each command's in order, and no command starts before what it waits for has ended.
 */
static void times(void)
{
    enum { N = 40 };
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    cl_mem x[4];
    cl_event e[N];
    cl_ulong t[N][4];
    int wrong = 0;

    for (int i = 0; i < 4; i++)
        x[i] = filled(i, 0, NULL);
    for (int i = 0; i < N; i++) {
        app_args(slow, "mi", x[i % 4], 200);
        app_run(q, slow, WORDS, 64, i < 4 ? 0 : 1, i < 4 ? NULL : &e[i - 4], &e[i]);
    }
    APP_CHECK(clFinish(q));
    for (int i = 0; i < N; i++) {
        for (cl_uint k = 0; k < 4; k++)
            APP_CHECK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof t[i][k], &t[i][k],
                                              NULL));
        wrong += t[i][0] > t[i][1] || t[i][1] > t[i][2] || t[i][2] > t[i][3];
        wrong += i >= 4 && t[i][2] < t[i - 4][3];
        wrong += i && t[i][0] < t[i - 1][0];
    }
    printf("times: %d wrong\n", wrong);
    for (int i = 0; i < 4; i++)
        look("timed", x[i]);
    app_release_events(e, N);
    app_release_mems(x, 4);
    clReleaseCommandQueue(q);
}

/* An event twice in a list, one of another queue, of the same, released before it is over; markers and
 * barriers of all kinds. */
static void lists(void)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), r = app_queue(&a, 0);
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    cl_event e[6], all[8];

    for (int i = 0; i < 30; i++) {
        launch(q, add, x, i, &e[0]);
        launch(r, mul, y, 3, &e[1]);
        for (int k = 0; k < 8; k++)
            all[k] = e[k % 2];
        APP_CHECK(clEnqueueMarkerWithWaitList(r, 8, all, &e[2]));
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 1, &e[2], &e[3]));
        app_args(add, "mi", y, 4);
        app_run(q, add, WORDS, 64, 0, NULL, &e[4]);
        APP_CHECK(clEnqueueBarrierWithWaitList(r, 0, NULL, NULL));
        app_args(sum, "mmm", x, y, x);
        app_run(r, sum, WORDS, 64, 1, &e[4], &e[5]);
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 1, &e[5], NULL));
        app_release_events(e, 6);
    }
    APP_CHECK(clFinish(q));
    APP_CHECK(clFinish(r));
    look("lists", x);
    look("lists", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
    clReleaseCommandQueue(q), clReleaseCommandQueue(r);
}

/* ---- processes */

static void children(void)
{
    char *argv[] = {"sh", "-c", "echo child; exit 3", NULL};
    cl_mem x = filled(1, 0, NULL);
    int status = 0;
    pid_t child;

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 50; k++)
            launch(a.queue, add, x, k, NULL);
        fflush(stdout);
        if (i == 0 && posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ))
            printf("no child\n");
        if (i == 1 && !(child = vfork())) {
            execv("/bin/sh", argv);
            _exit(9);
        }
        if (i == 2 && !(child = fork())) {
            execv("/bin/sh", argv);
            _exit(9);
        }
        for (int k = 0; k < 50; k++)
            launch(a.queue, add, x, k, NULL);
        waitpid(child, &status, 0);
        printf("child %d: %d\n", i, WEXITSTATUS(status));
        look("beside a child", x);
    }
    clReleaseMemObject(x);
}

int main(int argc, char **argv)
{
    static const struct hostile_case cases[] = {
        {"context_released", context_released},
        {"many_queues", many_queues},
        {"times", times},
        {"lists", lists},
        {"children", children},
        {0},
    };

    return hostile_run("hostile_queues", cases, argc, argv);
}
