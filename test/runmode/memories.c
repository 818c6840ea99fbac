/* memories.c - launches on one buffer whose bytes may lie in several memories: one after another in place;
 * before native commands on a buffer that the program lets go of at once; on halves of it at the same time,
 * where no index says so; beside maps of the other half; before commands of a queue that run mode does not
 * manage; and before what a handler of atexit() reads. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdatomic.h>

#include "common.h"

enum { COUNT = 4096, HALF = COUNT / 2, CHAIN = 32, ROUNDS = 6, SOON = 40 };

static struct app a;
static cl_kernel scatter, some;
static cl_mem x, at[2], everywhere;
static cl_int words[COUNT], sums[ROUNDS];

static void launch(cl_command_queue q, cl_mem to, cl_mem index, size_t n, cl_int y, cl_uint waits,
                   const cl_event *list)
{
    app_args(scatter, "mmi", to, index, y);
    app_run(q, scatter, n, 64, waits, list, NULL);
}

/* Says what `x` holds, and writes it anew: commands of other queues follow, and a write that blocks may be
 * under way when its call returns. */
static void say(const char *what)
{
    static cl_int now[COUNT];

    app_read(&a, x, 0, sizeof now, now);
    printf("%s: %016llx\n", what, (unsigned long long)a.hash);
    APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    a.hash = 0;
}

static void in_turn(void)
{
    for (int i = 0; i < CHAIN; i++) {
        launch(a.queue, x, everywhere, COUNT, i, 0, NULL);
        APP_CHECK(clFlush(a.queue));
    }
    say("in turn");
    for (int i = 0; i < CHAIN; i++) {
        app_args(some, "mmi", x, everywhere, i);
        app_run(a.queue, some, COUNT, 64, 0, NULL, NULL);
        APP_CHECK(clFlush(a.queue));
    }
    say("some in turn");
}

struct sum {
    const cl_int *from;
    cl_int *to;
};

static void CL_CALLBACK add_up(void *data)
{
    struct sum *s = data;

    for (int i = 0; i < COUNT; i++)
        *s->to = *s->to * 31 + s->from[i];
}

/* The command still has the buffer. */
static void released(void)
{
    cl_command_queue q = app_queue(&a, 0);

    for (int i = 0; i < ROUNDS; i++) {
        cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
        struct sum s = {NULL, &sums[i]};
        const void *where = &s.from;

        launch(q, y, everywhere, COUNT, i, 0, NULL);
        APP_CHECK(clFinish(q));
        launch(q, y, everywhere, COUNT, i, 0, NULL);
        if (clEnqueueNativeKernel(q, add_up, &s, sizeof s, 1, &y, &where, 0, NULL, NULL) != CL_SUCCESS)
            app_skip("memories", "the device runs no native kernels");
        APP_CHECK(clReleaseMemObject(y));
        APP_CHECK(clFinish(q));
        printf("released %d: %d\n", i, sums[i]);
    }
    clReleaseCommandQueue(q);
}

static void CL_CALLBACK take_long(void *ms)
{
    rm_sleep_ms(*(int *)ms);
}

/* Enqueues what takes `ms`. */
static cl_event lasting(cl_command_queue q, int ms)
{
    cl_event e;

    APP_CHECK(clEnqueueNativeKernel(q, take_long, &ms, sizeof ms, 0, NULL, NULL, 0, NULL, &e));
    APP_CHECK(clFlush(q));
    return e;
}

static void halves(cl_command_queue q, cl_command_queue other, cl_command_queue third)
{
    for (int i = 0; i < ROUNDS; i++) {
        cl_event e = lasting(third, 10);

        launch(q, x, at[0], HALF, i, 1, &e);
        APP_CHECK(clFlush(q));
        launch(other, x, at[1], HALF, i, 0, NULL);
        APP_CHECK(clFlush(other));
        APP_CHECK(clFinish(q));
        APP_CHECK(clFinish(other));
        clReleaseEvent(e);
    }
    say("halves");
}

/* The same in quick succession: copies to the device of the launch that waits are under way when the other
 * one comes to write, or about to be. */
static void soon(cl_command_queue q, cl_command_queue other, cl_command_queue third)
{
    for (int i = 0; i < SOON; i++) {
        cl_event e = lasting(third, 1 + i % 3);

        launch(q, x, at[i % 2], HALF, i, 1, &e);
        APP_CHECK(clFlush(q));
        if (i % 4 > 1)
            rm_sleep_ms(1);
        launch(other, x, at[!(i % 2)], HALF, i, 0, NULL);
        APP_CHECK(clFinish(q));
        APP_CHECK(clFinish(other));
        clReleaseEvent(e);
    }
    say("soon");
}

/* The same; a later launch on one half covers what an earlier one of them may write, which runs or is to
 * run: `q` and `other` wait for what takes a while, and nothing does at `early`. */
static void covered(cl_command_queue q, cl_command_queue other, cl_command_queue third, bool early)
{
    for (int i = 0; i < ROUNDS; i++) {
        cl_event first = lasting(third, 10), second = lasting(third, 10);

        launch(q, x, at[0], HALF, i, 1, &first);
        APP_CHECK(clFlush(q));
        launch(other, x, at[1], HALF, i, !early, early ? NULL : &second);
        APP_CHECK(clFlush(other));
        if (!early)
            rm_sleep_ms(15);
        launch(early ? other : q, x, at[early], HALF, i + 1, 0, NULL);
        APP_CHECK(clFinish(q));
        APP_CHECK(clFinish(other));
        clReleaseEvent(first);
        clReleaseEvent(second);
    }
    say(early ? "covered" : "covered while it runs");
}

static void write_part(cl_int *p, int i)
{
    for (int j = 0; j < HALF; j++)
        p[j] = p[j] * 5 + i;
}

/* A launch on the other half comes to run while the first half is mapped. */
static void beside_a_map(cl_command_queue q, cl_command_queue other, cl_command_queue third)
{
    for (int i = 0; i < ROUNDS; i++) {
        cl_event e = lasting(third, 10);
        cl_int *p, err;

        launch(q, x, at[1], HALF, i, 1, &e);
        APP_CHECK(clFlush(q));
        p = clEnqueueMapBuffer(other, x, CL_TRUE, CL_MAP_WRITE | CL_MAP_READ, 0, HALF * sizeof *p, 0, NULL,
                               NULL, &err);
        APP_CHECK(err);
        write_part(p, i);
        APP_CHECK(clFinish(q));
        write_part(p, i);
        APP_CHECK(clEnqueueUnmapMemObject(other, x, p, 0, NULL, NULL));
        APP_CHECK(clFinish(other));
        clReleaseEvent(e);
    }
    say("beside a map");
}

/* The same; a user event has held the map. */
static void beside_a_held_map(cl_command_queue q)
{
    cl_command_queue other = app_queue(&a, 0);

    for (int i = 0; i < ROUNDS; i++) {
        cl_event user = clCreateUserEvent(a.context, NULL);
        cl_int *p, err;

        p = clEnqueueMapBuffer(other, x, CL_FALSE, CL_MAP_WRITE | CL_MAP_READ, 0, HALF * sizeof *p, 1, &user,
                               NULL, &err);
        APP_CHECK(err);
        APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
        APP_CHECK(clFinish(other));
        write_part(p, i);
        launch(q, x, at[1], HALF, i, 0, NULL);
        APP_CHECK(clFinish(q));
        write_part(p, i);
        APP_CHECK(clEnqueueUnmapMemObject(other, x, p, 0, NULL, NULL));
        APP_CHECK(clFinish(other));
        clReleaseEvent(user);
    }
    say("beside a held map");
    clReleaseCommandQueue(other);
}

static atomic_int may_end;

static void CL_CALLBACK wait_for_main(void *unused)
{
    (void)unused;
    while (!atomic_load(&may_end))
        rm_sleep_ms(1);
}

/* A queue on a device that the context does not name; NULL: there is none. */
static cl_command_queue other_queue(void)
{
    cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                            CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id sub = NULL;
    cl_int err;

    if (clCreateSubDevices(a.device, parts, 1, &sub, NULL) != CL_SUCCESS)
        return NULL;
    return clCreateCommandQueue(a.context, sub, 0, &err);
}

/* A command there is enqueued while another one waits, by an event, for the thread that enqueues it. */
static void beside_one_that_waits(cl_command_queue q, cl_command_queue third)
{
    cl_command_queue other = other_queue();
    cl_mem y = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    cl_int now[COUNT];
    cl_event e;

    for (int i = 0; i < ROUNDS && other; i++) {
        launch(a.queue, y, everywhere, COUNT, i, 0, NULL);
        launch(q, x, everywhere, COUNT, i, 0, NULL);
        APP_CHECK(clFinish(a.queue));
        APP_CHECK(clFinish(q));
        atomic_store(&may_end, 0);
        APP_CHECK(clEnqueueNativeKernel(third, wait_for_main, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
        APP_CHECK(clFlush(third));
        launch(q, x, everywhere, COUNT, i, 1, &e);
        APP_CHECK(clFlush(q));
        APP_CHECK(clEnqueueCopyBuffer(other, y, y, 0, HALF * sizeof *now, 64, 0, NULL, NULL));
        APP_CHECK(clFlush(other));
        atomic_store(&may_end, 1);
        APP_CHECK(clFinish(q));
        APP_CHECK(clFinish(other));
        clReleaseEvent(e);
    }
    app_read(&a, y, 0, sizeof now, now);
    say("beside one that waits");
    clReleaseMemObject(y);
    if (other)
        clReleaseCommandQueue(other);
}

/* Behind the end of run mode, which is set up later and so ends sooner. */
static void at_last(void)
{
    cl_int now[COUNT];
    cl_event read;

    APP_CHECK(clEnqueueReadBuffer(a.queue, x, CL_FALSE, 0, sizeof now, now, 0, NULL, &read));
    APP_CHECK(clWaitForEvents(1, &read));
    printf("at last: %d\n", now[COUNT / 2]);
}

int main(void)
{
    cl_command_queue q[3];
    cl_int index[COUNT];

    atexit(at_last);
    app_open(&a, "memories", 0,
             "kernel void scatter(global int *x, global const int *at, int y)\n"
             "{ int i = get_global_id(0); x[at[i]] = x[at[i]] * 3 + y + i; }\n"
             "kernel void some(global int *x, global const int *at, int y)\n"
             "{ int i = get_global_id(0); if (i % 32 == y) x[at[i]] = y + i; }\n");
    some = app_kernel(&a, "some");
    scatter = app_kernel(&a, "scatter");
    for (int i = 0; i < COUNT; i++) {
        words[i] = i;
        index[i] = i / HALF * HALF + (i * 7 + 3) % HALF;
    }
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    everywhere = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof index, index);
    at[0] = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof index / 2, index);
    at[1] = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof index / 2, index + HALF);
    for (int i = 0; i < 3; i++)
        q[i] = app_queue(&a, 0);
    in_turn();
    released();
    halves(q[0], q[1], q[2]);
    soon(q[0], q[1], q[2]);
    covered(q[0], q[1], q[2], true);
    covered(q[0], q[1], q[2], false);
    beside_a_map(q[0], q[1], q[2]);
    beside_a_held_map(q[0]);
    beside_one_that_waits(q[0], q[2]);
    for (int i = 0; i < 3; i++)
        APP_CHECK(clReleaseCommandQueue(q[i]));
    for (int i = 0; i < 3; i++) /* some of them where the bytes stay */
        launch(a.queue, x, everywhere, COUNT, i, 0, NULL);
    APP_CHECK(clFinish(a.queue));
    return 0;
}
