/* flags.c [once] - kernels that wait for a word which the host or another queue writes while they run:
 * nothing that bare goes on beside such a launch may wait for it. The loops have another end after hours, and
 * an alarm ends the program. `once`: the first case alone. */
#include "common.h"

#include <unistd.h>

#define MOST   4000000000u /* thousands of reads of the word: hours */
#define ROUNDS 3
#define WORDS  1024
#define BYTES  (1u << 20)

static const char source[] =
    "kernel void plain(volatile global int *flag, global int *out, uint thousands) {\n"
    "    ulong n = 0;\n"
    "    while (!flag[0] && n < thousands * 1000ul) n++;\n"
    "    out[0] = flag[0];\n"
    "}\n"
    "kernel void told(volatile global int *flag, global int *out, uint thousands) {\n"
    "    bool over = false;\n"
    "    for (ulong n = 0; !over; n++)\n"
    "        if (flag[0]) { out[0] = flag[0]; over = true; } else over = n > thousands * 1000ul;\n"
    "}\n"
    "kernel void atomic(volatile global int *flag, global int *out, uint thousands) {\n"
    "    ulong n = 0;\n"
    "    while (!atomic_or(flag, 0) && n < thousands * 1000ul) n++;\n"
    "    out[0] = atomic_add(flag, 0);\n"
    "}\n"
    "kernel void set(global int *flag, int value) { flag[0] = value; }\n"
    "kernel void triple(global const int *x, global int *y) { int i = get_global_id(0); y[i] = 3 * x[i]; }\n";

static struct app a;
static cl_command_queue other, loose;
static cl_kernel set, triple;
static cl_mem flag, out, x, y, large[2];
static char *bytes[2];
static int words[WORDS];

/* ---- what goes on beside the launch, and sets the flag to `value` */

static void write_it(cl_int value)
{
    APP_CHECK(clEnqueueWriteBuffer(other, flag, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
}

static void unmap_it(cl_int value)
{
    cl_int err, *p = clEnqueueMapBuffer(other, flag, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof value, 0,
                                        NULL, NULL, &err);

    APP_CHECK(err);
    *p = value;
    APP_CHECK(clEnqueueUnmapMemObject(other, flag, p, 0, NULL, NULL));
    APP_CHECK(clFinish(other));
}

static void fill_it(cl_int value)
{
    APP_CHECK(clEnqueueFillBuffer(other, flag, &value, sizeof value, 0, sizeof value, 0, NULL, NULL));
    APP_CHECK(clFinish(other));
}

static void copy_it(cl_int value)
{
    cl_event e;

    APP_CHECK(clEnqueueWriteBuffer(other, y, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBuffer(other, y, flag, 0, 0, sizeof value, 0, NULL, &e));
    APP_CHECK(clWaitForEvents(1, &e));
    APP_CHECK(clReleaseEvent(e));
}

static void launch_it(cl_int value)
{
    app_args(set, "mi", flag, value);
    app_run(other, set, 1, 1, 0, NULL, NULL);
    APP_CHECK(clFinish(other));
}

/* Work on other memory first: launches, reads, events. */
static void work_first(cl_int value)
{
    cl_event e;

    app_args(triple, "mm", x, y);
    app_run(other, triple, WORDS, 64, 0, NULL, &e);
    APP_CHECK(clEnqueueReadBuffer(other, y, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    APP_CHECK(clWaitForEvents(1, &e));
    APP_CHECK(clReleaseEvent(e));
    app_run(other, triple, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(other));
    write_it(value);
}

/* Objects come and go. */
static void release_first(cl_int value)
{
    cl_command_queue q = app_queue(&a, 0);
    cl_mem m = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    cl_kernel k = app_kernel(&a, "triple");
    cl_event e = clCreateUserEvent(a.context, NULL);

    app_args(k, "mm", m, y);
    app_run(q, k, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clSetUserEventStatus(e, CL_COMPLETE));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseMemObject(m));
    APP_CHECK(clReleaseCommandQueue(q));
    APP_CHECK(clReleaseEvent(e));
    write_it(value);
}

/* Commands of the launch's own queue stand behind it, on memory that the other queue's use, too. */
static void behind_it(cl_int value)
{
    app_args(triple, "mm", x, y);
    app_run(a.queue, triple, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clEnqueueReadBuffer(other, x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    APP_CHECK(clEnqueueWriteBuffer(other, x, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    write_it(value);
}

/* Large transfers that do not block, on both queues. */
static void move_much(cl_int value)
{
    cl_command_queue queue[2] = {a.queue, other};

    for (int i = 0; i < 2; i++) {
        APP_CHECK(clEnqueueWriteBuffer(queue[i], large[i], CL_FALSE, 0, BYTES, bytes[i], 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(queue[i], large[i], CL_FALSE, 0, BYTES, bytes[i], 0, NULL, NULL));
        APP_CHECK(clFlush(queue[i]));
    }
    APP_CHECK(clFinish(other));
    write_it(value);
}

/* ---- the launch */

static void run(const char *name, cl_kernel k, cl_command_queue queue, void (*beside)(cl_int))
{
    cl_int seen, zero = 0;
    cl_command_queue second = other;

    for (cl_int i = 1; i <= ROUNDS; i++) {
        APP_CHECK(clEnqueueWriteBuffer(queue, flag, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
        app_args(k, "mmu", flag, out, MOST);
        app_run(queue, k, 1, 1, 0, NULL, NULL);
        APP_CHECK(clFlush(queue));
        rm_sleep_ms(10);
        other = queue == loose ? loose : second;
        beside(i);
        other = second;
        APP_CHECK(clFinish(queue));
        APP_CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
        printf("%s: saw %d\n", name, seen);
    }
}

static void run_all(cl_kernel plain, cl_kernel told, cl_kernel atomic)
{
    run("told, write", told, a.queue, write_it);
    run("atomic, write", atomic, a.queue, write_it);
    run("unmap", plain, a.queue, unmap_it);
    run("fill", plain, a.queue, fill_it);
    run("copy", plain, a.queue, copy_it);
    run("launch", plain, a.queue, launch_it);
    run("out of order, write", plain, loose, write_it);
    run("work first", plain, a.queue, work_first);
    run("release first", plain, a.queue, release_first);
    run("behind it", plain, a.queue, behind_it);
    run("transfers", plain, a.queue, move_much);
}

int main(int argc, char **argv)
{
    cl_kernel plain, told, atomic;
    cl_uint units = 0;

    app_open(&a, "flags", 0, source);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2)
        app_skip("flags", "the device runs one kernel at a time");
    alarm(230);
    other = app_queue(&a, 0);
    loose = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    plain = app_kernel(&a, "plain"), told = app_kernel(&a, "told"), atomic = app_kernel(&a, "atomic");
    set = app_kernel(&a, "set"), triple = app_kernel(&a, "triple");
    flag = app_buffer(&a, CL_MEM_READ_WRITE, 64, NULL), out = app_buffer(&a, CL_MEM_READ_WRITE, 64, NULL);
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    y = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    for (int i = 0; i < 2; i++) {
        bytes[i] = memset(app_alloc(BYTES), 7 * i, BYTES);
        large[i] = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    }
    run("write", plain, a.queue, write_it);
    if (argc < 2 || strcmp(argv[1], "once") != 0)
        run_all(plain, told, atomic);
    app_release_mems((cl_mem[]){flag, out, x, y, large[0], large[1]}, 6);
    free(bytes[0]), free(bytes[1]);
    clReleaseKernel(plain), clReleaseKernel(told), clReleaseKernel(atomic);
    clReleaseKernel(set), clReleaseKernel(triple);
    clReleaseCommandQueue(other), clReleaseCommandQueue(loose);
    return app_close(&a);
}
