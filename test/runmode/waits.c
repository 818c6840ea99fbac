/* waits.c - programs that never flush, user events set late, out-of-order diamonds, releases in exclusion. */
#include "common.h"

#include <pthread.h>
#include <sched.h>

static struct app a;
static cl_kernel add, mul, slow, sum;

static cl_mem filled(int value, cl_mem_flags flags, void *host)
{
    int v[64];

    for (int i = 0; i < 64; i++)
        v[i] = value;
    if (host)
        memcpy(host, v, sizeof v);
    return app_buffer(&a, flags | (host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR), sizeof v,
                      host ? host : v);
}

static int first(cl_mem m)
{
    int v[64];

    APP_CHECK(clEnqueueReadBuffer(a.queue, m, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    app_hash(&a, v, sizeof v);
    return v[0];
}

static void CL_CALLBACK note(cl_event e, cl_int status, void *data)
{
    (void)e;
    __atomic_store_n((int *)data, status == CL_COMPLETE ? 1 : 2, __ATOMIC_RELEASE);
}

static void never_flushes(void)
{
    static int host[64] __attribute__((aligned(4096)));
    cl_mem x = filled(1, 0, NULL), watched = filled(1, 0, host);
    int seen = 0;
    cl_event e;

    app_args(add, "mi", x, 5);
    app_run(a.queue, add, 64, 0, 0, NULL, &e);
    printf("polled: status %d\n", rm_poll(e));
    clReleaseEvent(e);
    app_run(a.queue, add, 64, 0, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, note, &seen));
    RM_WAIT(__atomic_load_n(&seen, __ATOMIC_ACQUIRE));
    printf("called back: %d\n", seen);
    clReleaseEvent(e);
    app_args(add, "mi", watched, 7);
    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    RM_WAIT(*(volatile int *)host == 8);
    printf("watched: %d, value %d\n", host[0], first(x));
    clReleaseMemObject(x);
    clReleaseMemObject(watched);
}

static void *set_later(void *event)
{
    rm_sleep_ms(20);
    APP_CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

static int was_set;

static void CL_CALLBACK set_by_callback(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status;
    clSetUserEventStatus(data, CL_COMPLETE);
    __atomic_store_n(&was_set, 1, __ATOMIC_RELEASE);
}

static void set_from_callback(cl_event user)
{
    cl_mem y = filled(1, 0, NULL);
    cl_command_queue q = app_queue(&a, 0);
    cl_event e;

    app_args(add, "mi", y, 1);
    app_run(q, add, 64, 0, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, set_by_callback, user));
    APP_CHECK(clFlush(q));
    clReleaseEvent(e);
    clReleaseCommandQueue(q);
    clReleaseMemObject(y);
}

/* Commands behind an unset gate must not run, must not block, and must run once it is set. */
static void gate(int how)
{
    cl_mem x = filled(3, 0, NULL);
    cl_event user = clCreateUserEvent(a.context, NULL), e, m, behind;
    cl_int err;
    pthread_t t;
    int *mapped, before;

    app_args(add, "mi", x, 4);
    app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    app_run(a.queue, add, 64, 0, 1, &user, &e);
    app_args(mul, "mi", x, 2);
    app_run(a.queue, mul, 64, 0, 0, NULL, &behind);
    mapped = clEnqueueMapBuffer(a.queue, x, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, 256, 0, NULL, &m, &err);
    APP_CHECK(err);
    printf("gate %d: returned before it is set, %s\n", how, mapped ? "mapped" : "not mapped");
    APP_CHECK(clFlush(a.queue));
    before = rm_status(e) > CL_COMPLETE && rm_status(behind) > CL_COMPLETE && rm_status(m) > CL_COMPLETE;
    if (how == 0)
        APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    else if (how == 1)
        pthread_create(&t, NULL, set_later, user);
    else
        set_from_callback(user);
    APP_CHECK(clWaitForEvents(1, &m));
    printf("gate %d: held %d, value %d\n", how, before, mapped[0]);
    mapped[0] = 100;
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, x, mapped, 0, NULL, NULL));
    printf("after the unmap %d\n", first(x));
    if (how == 1)
        pthread_join(t, NULL);
    while (how == 2 &&
           !__atomic_load_n(&was_set, __ATOMIC_ACQUIRE)) /* PoCL cannot lose it before that call is over */
        rm_sleep_ms(1);
    app_release_events((cl_event[]){user, e, m, behind}, 4);
    clReleaseMemObject(x);
}

static void diamonds(void)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem x = filled(1, 0, NULL), l = filled(0, 0, NULL), r = filled(0, 0, NULL);
    cl_event top, left, right, bottom = NULL, both[2];

    for (int i = 0; i < 20; i++) {
        app_args(add, "mi", x, i);
        app_run(q, add, 64, 0, bottom ? 1 : 0, bottom ? &bottom : NULL, &top);
        app_args(sum, "mmm", x, x, l);
        app_run(q, sum, 64, 0, 1, &top, &left);
        app_args(sum, "mmm", x, x, r);
        app_run(q, sum, 64, 0, 1, &top, &right);
        both[0] = left;
        both[1] = right;
        if (bottom)
            clReleaseEvent(bottom);
        app_args(sum, "mmm", l, r, x);
        app_run(q, sum, 64, 0, 2, both, &bottom);
        app_release_events((cl_event[]){top, left, right}, 3);
    }
    APP_CHECK(clFinish(q));
    printf("diamonds: %d, status %d\n", first(x), rm_status(bottom));
    clReleaseEvent(bottom);
    app_release_mems((cl_mem[]){x, l, r}, 3);
    clReleaseCommandQueue(q);
}

static void CL_CALLBACK gone(cl_mem m, void *data)
{
    (void)m;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

/* Everything is released while commands need it. */
static void release_in_flight(void)
{
    static const char *source = RM_SOURCE;
    static int host[64], destroyed;
    cl_command_queue q = app_queue(&a, 0);
    cl_program p = clCreateProgramWithSource(a.context, 1, &source, NULL, NULL);
    cl_mem x = filled(1, 0, NULL);
    cl_kernel k;
    cl_event e;

    APP_CHECK(clBuildProgram(p, 1, &a.device, "", NULL, NULL));
    k = clCreateKernel(p, "slow", NULL);
    APP_CHECK(clSetMemObjectDestructorCallback(x, gone, &destroyed));
    app_args(k, "mi", x, 1000);
    for (int i = 0; i < 10; i++)
        app_run(q, k, 64, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, sizeof host, host, 0, NULL, &e));
    clReleaseKernel(k);
    clReleaseMemObject(x);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    APP_CHECK(clWaitForEvents(1, &e));
    printf("released in exclusion: %d\n", host[0]);
    app_hash(&a, host, sizeof host);
    clReleaseEvent(e);
    RM_WAIT(__atomic_load_n(&destroyed, __ATOMIC_ACQUIRE));
    printf("destroyed %d\n", destroyed);
}

/* Whenever an event of an in-order queue is complete, all before it are. */
static void in_order(void)
{
    enum { N = 60 };
    cl_mem m[8];
    cl_event e[N];
    int wrong = 0;

    for (int i = 0; i < 8; i++)
        m[i] = filled(i, 0, NULL);
    for (int i = 0; i < N; i++) {
        app_args(slow, "mi", m[i % 8], i % 5 ? 10 : 20000);
        app_run(a.queue, slow, 64, 0, 0, NULL, &e[i]);
    }
    APP_CHECK(clFlush(a.queue));
    while (rm_status(e[N - 1]) > CL_COMPLETE)
        for (int i = 1; i < N; i++)
            wrong += rm_status(e[i]) == CL_COMPLETE && rm_status(e[i - 1]) != CL_COMPLETE;
    printf("in order: %d wrong\n", wrong);
    for (int i = 0; i < 8; i++)
        first(m[i]);
    app_release_events(e, N);
    app_release_mems(m, 8);
}

int main(void)
{
    cl_mem x;

    app_open(&a, "waits", 0, RM_SOURCE);
    add = app_kernel(&a, "add"), mul = app_kernel(&a, "mul");
    slow = app_kernel(&a, "slow"), sum = app_kernel(&a, "sum");
    x = filled(0, 0, NULL);
    rm_warm(&a, add, x);
    rm_warm(&a, mul, x);
    rm_warm(&a, slow, x);
    app_args(sum, "mmm", x, x, x);
    app_run(a.queue, sum, 64, 0, 0, NULL, NULL);
    never_flushes();
    for (int how = 0; how < 3; how++)
        gate(how);
    diamonds();
    release_in_flight();
    in_order();
    clReleaseMemObject(x);
    clReleaseKernel(add), clReleaseKernel(mul), clReleaseKernel(slow), clReleaseKernel(sum);
    return app_close(&a);
}
