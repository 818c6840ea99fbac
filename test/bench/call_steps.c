/* call_steps.c - the instructions of one call of OpenCL on the calling thread, the vendor's among them.
 * ptrace counts them one by one, so that neither a clock nor the load of the machine matters.
 *
 * usage: call_steps [ns]
 *
 * Prints "CASE INSTRUCTIONS" lines, or with ns "CASE NS": nanoseconds of the thread's clock. A case is a
 * call, or two in turn, of which it shows the mean. It stands for an in-order queue beside another one,
 * CASE/loose for one that is out of order. Before it come commands with a clFinish after every few of them:
 * trials of run mode are over by then. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "../apps/common.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 2000, SPAN = 20, STEPPED = 4, TIMED = 20000 };

static struct app a;
static cl_command_queue ordered, second, loose;
static cl_kernel kernel;
static cl_mem x, y;
static cl_event held;
static char host[256];
static const size_t global = 64;
static cl_command_queue q; /* of the case */

static void ndrange(void)
{
    APP_CHECK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}
static void ndrange_event(void)
{
    cl_event e;
    APP_CHECK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 0, NULL, &e));
    APP_CHECK(clReleaseEvent(e));
}
static void ndrange_waits(void)
{
    APP_CHECK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 1, &held, NULL));
}
static void task(void)
{
    APP_CHECK(clEnqueueTask(q, kernel, 0, NULL, NULL));
}
static void read_later(void)
{
    APP_CHECK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, 64, host, 0, NULL, NULL));
}
static void write_later(void)
{
    APP_CHECK(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, 64, host, 0, NULL, NULL));
}
static void read_now(void)
{
    APP_CHECK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 64, host, 0, NULL, NULL));
}
static void write_now(void)
{
    APP_CHECK(clEnqueueWriteBuffer(q, x, CL_TRUE, 0, 64, host, 0, NULL, NULL));
}
static void copy(void)
{
    APP_CHECK(clEnqueueCopyBuffer(q, x, y, 0, 0, 64, 0, NULL, NULL));
}
static void fill(void)
{
    APP_CHECK(clEnqueueFillBuffer(q, x, "a", 1, 0, 64, 0, NULL, NULL));
}
static void map_unmap(void)
{
    cl_int err;
    void *p = clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueUnmapMemObject(q, x, p, 0, NULL, NULL));
}
static void marker(void)
{
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
}
static void marker_event(void)
{
    cl_event e;
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &e));
    APP_CHECK(clReleaseEvent(e));
}
static void barrier(void)
{
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
}
static void barrier_waits(void)
{
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 1, &held, NULL));
}
static void flush(void)
{
    APP_CHECK(clFlush(q));
}
static void finish(void)
{
    APP_CHECK(clFinish(q));
}
static void set_buffer(void)
{
    APP_CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x));
}
static void set_int(void)
{
    APP_CHECK(clSetKernelArg(kernel, 1, sizeof(int), &(int){3}));
}
static void retain_release(void)
{
    APP_CHECK(clRetainMemObject(x));
    APP_CHECK(clReleaseMemObject(x));
}
static void retain_release_event(void)
{
    APP_CHECK(clRetainEvent(held));
    APP_CHECK(clReleaseEvent(held));
}
static void wait_for(void)
{
    APP_CHECK(clWaitForEvents(1, &held));
}
static void status(void)
{
    cl_int s;
    APP_CHECK(clGetEventInfo(held, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
}

/* calls: of OpenCL in one turn of the case */
static const struct which {
    const char *name;
    void (*call)(void);
    int calls;
    bool queued; /* in each kind of queue */
} cases[] = {
    {"NDRange", ndrange, 1, true},
    {"NDRange+event", ndrange_event, 2, true},
    {"NDRange+waits", ndrange_waits, 1, true},
    {"Task", task, 1, true},
    {"Read", read_later, 1, true},
    {"Write", write_later, 1, true},
    {"Read-blocking", read_now, 1, true},
    {"Write-blocking", write_now, 1, true},
    {"Copy", copy, 1, true},
    {"Fill", fill, 1, true},
    {"Map+Unmap", map_unmap, 2, true},
    {"Marker", marker, 1, true},
    {"Marker+event", marker_event, 2, true},
    {"Barrier", barrier, 1, true},
    {"Barrier+waits", barrier_waits, 1, true},
    {"Flush", flush, 1, true},
    {"Finish", finish, 1, true},
    {"SetKernelArg-mem", set_buffer, 1, false},
    {"SetKernelArg-int", set_int, 1, false},
    {"Retain+ReleaseMem", retain_release, 2, false},
    {"Retain+ReleaseEvent", retain_release_event, 2, false},
    {"WaitForEvents", wait_for, 1, false},
    {"GetEventInfo", status, 1, false},
};

static void hold(void)
{
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &held));
    APP_CHECK(clFinish(q));
}

/* Both queues get commands: trials look at all of them. No event of theirs is left. */
static void warm(const struct which *w)
{
    static int turns = WARM;

    hold();
    for (int i = 0; i < turns; i++) {
        w->call();
        ndrange();
        APP_CHECK(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        if (i % SPAN == SPAN - 1) {
            APP_CHECK(clFinish(q));
            APP_CHECK(clFinish(second));
        }
    }
    APP_CHECK(clReleaseEvent(held));
    hold();
    turns = w == &cases[0] ? WARM : 2 * SPAN; /* each queue has been tried */
}

static bool timed;

static double turns(const struct which *w)
{
    struct timespec from, to;

    warm(w);
    if (!timed) {
        raise(SIGUSR1);
        for (int i = 0; i < STEPPED; i++)
            w->call();
        raise(SIGUSR1);
        return 0;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < TIMED; i++)
        w->call();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / TIMED;
}

static void one(const struct which *w, const char *of, cl_command_queue queue)
{
    double ns;

    q = queue;
    ns = turns(w);
    if (timed)
        printf("%s%s %.1f\n", w->name, of, ns / w->calls);
    else
        dprintf(3, "%s%s %d\n", w->name, of, w->calls);
    APP_CHECK(clFinish(q));
    APP_CHECK(clReleaseEvent(held));
}

/* The program that is looked at. Its name of a case follows the counted part. */
static int program(void)
{
    static const char *source = "kernel void k(global int *a, int n) { a[get_global_id(0)] = n; }";

    app_open(&a, "call_steps", 0, source);
    ordered = a.queue;
    second = app_queue(&a, 0);
    loose = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    kernel = app_kernel(&a, "k");
    x = app_buffer(&a, CL_MEM_READ_WRITE, 256, NULL);
    y = app_buffer(&a, CL_MEM_READ_WRITE, 256, NULL);
    app_args(kernel, "mi", x, 1);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        one(&cases[i], "", ordered);
        if (cases[i].queued)
            one(&cases[i], "/loose", loose);
    }
    return 0;
}

/* Instructions of `pid` until it raises SIGUSR1 again; below 0: it has ended. */
static long steps(pid_t pid)
{
    int state;

    for (long n = 0; ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0; n++) {
        if (waitpid(pid, &state, 0) != pid || !WIFSTOPPED(state))
            return -1;
        if (WSTOPSIG(state) == SIGUSR1)
            return n;
    }
    return -1;
}

/* The counted parts of `pid`, each of which is followed by a line with its name and its calls. */
static int count(pid_t pid, FILE *names)
{
    char name[64];
    int state, calls, sig;
    long n;

    while (waitpid(pid, &state, 0) == pid && WIFSTOPPED(state)) {
        sig = WSTOPSIG(state);
        n = sig == SIGUSR1 ? steps(pid) : 0;
        if (n < 0 || ptrace(PTRACE_CONT, pid, NULL, sig == SIGUSR1 || sig == SIGTRAP ? 0 : sig))
            return 1;
        if (sig == SIGUSR1 && fscanf(names, "%63s %d", name, &calls) == 2)
            printf("%s %.0f\n", name, (double)n / STEPPED / calls);
        fflush(stdout);
    }
    return !WIFEXITED(state) || WEXITSTATUS(state);
}

int main(int argc, char **argv)
{
    int names[2];
    pid_t pid;

    timed = argc > 1 && !strcmp(argv[1], "ns");
    if (argc > 1) {
        if (!timed)
            ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        return program();
    }
    if (pipe(names) || (pid = fork()) < 0)
        return 1;
    if (!pid) {
        dup2(names[1], 3);
        execl("/proc/self/exe", argv[0], "stepped", (char *)NULL);
        _exit(127);
    }
    close(names[1]);
    return count(pid, fdopen(names[0], "r"));
}
