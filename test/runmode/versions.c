/* versions.c - random commands of one in-order queue that overwrite buffers which earlier commands
 * still use: whole, in parts, some of the elements, in place, by atomic operations; and what reaches a
 * buffer by other ways: maps, sub-buffers made late, native kernels, a second queue, commands that wait
 * for the host, callbacks, releases. Each round has a context of its own. First the shape of a filter
 * that sums over shifts through one scratch buffer, and a loop over one pair of buffers that never
 * blocks; in place of both, for 0 frames, kernels that a second thread clones while the first one launches
 * them, and a build that is refused; or, with one more argument, two queues, also one of which a launch
 * waits for the other.
 *
 * usage: versions [rounds] [seed] [frames [queues]]    default 20 1 2 */
#include <pthread.h>
#include <stdatomic.h>

#include "common.h"

#include <unistd.h>

enum {
    WORDS = 512,
    BYTES = WORDS * 4,
    HALF = WORDS / 2,
    BUFFERS = 5,
    COMMANDS = 60,
    READS = 24,
    LIMIT = 100000
};
enum { WIDE = 48, HIGH = 20, SHIFTS = 12, TURNS = 10, CLONES = 12, LEAST = 20, FEW = 64 };

static const char source[] =
    "kernel void over(global int *x, int a) { int i = get_global_id(0); x[i] = a * i + 7; }\n"
    "kernel void some(global int *x, int a, global const int *y) {\n"
    "  int i = get_global_id(0); if (y[i] & 1) x[i] = a - i; }\n"
    "kernel void place(global int *x, int a) { int i = get_global_id(0); x[i] = x[i] * 3 + a; }\n"
    "kernel void into(global const int *x, global int *y, int n) {\n"
    "  int i = get_global_id(0), v = x[i] + 5 * x[n - 1 - i];\n"
    "  for (int k = 0; k < 300; k++) v = v * 1664525 + 1013904223; y[i] = v; }\n"
    "kernel void swap(global int *x, global int *y) { int i = get_global_id(0), v = x[i]; x[i] = y[i]; y[i] "
    "= v; }\n"
    "kernel void count(global int *x, global const int *y) {\n"
    "  int i = get_global_id(0); if (y[i] & 2) atomic_inc(x + i / 32); }\n"
    "kernel void ticket(global int *x, global int *y, int at) { y[at] = atomic_add(x, 3); }\n"
    "kernel void rows(global uint4 *s, read_only image2d_t src, int width, int4 dx, int dy) {\n"
    "  const sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int y = get_global_id(0); uint4 sum = 0;\n"
    "  for (int i = 0; i < width; i++) {\n"
    "    uint a = read_imageui(src, c, (int2)(i, y)).x;\n"
    "    uint4 b = (uint4)(read_imageui(src, c, (int2)(i + dx.x, y + dy)).x,\n"
    "                      read_imageui(src, c, (int2)(i + dx.y, y + dy)).x,\n"
    "                      read_imageui(src, c, (int2)(i + dx.z, y - dy)).x,\n"
    "                      read_imageui(src, c, (int2)(i + dx.w, y - dy)).x);\n"
    "    sum += (a - b) * (a - b); s[y * width + i] = sum; } }\n"
    "kernel void cols(global uint4 *s, global int *overflow, int width, int height) {\n"
    "  int x = get_global_id(0); uint4 sum = 0;\n"
    "  for (int i = 0; i < height; i++) {\n"
    "    if (any((uint4)(0x2ffff) - s[i * width + x] < sum)) atomic_inc(overflow);\n"
    "    s[i * width + x] += sum; sum = s[i * width + x]; } }\n"
    "kernel void weigh(global uint *sum, global uint *weight, global uint4 *s, read_only image2d_t src,\n"
    "                  int width, int height, int p) {\n"
    "  const sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int x = get_global_id(0), y = get_global_id(1); uint4 v = 0;\n"
    "  if (x >= p && y >= p && x + p < width && y + p < height)\n"
    "    v = s[(y + p) * width + x + p] + s[(y - p) * width + x - p] - s[(y + p) * width + x - p]\n"
    "      - s[(y - p) * width + x + p];\n"
    "  weight[y * width + x] = weight[y * width + x] * 31 + v.x + v.y + v.z + v.w;\n"
    "  sum[y * width + x] += v.x * read_imageui(src, c, (int2)(x + 1, y)).x; }\n";

/* P is the argument that `move` writes. */
static const char built_twice[] =
    "kernel void late(global const int *x, global int *y) { int i = get_global_id(0), v = i + y[i];\n"
    "  for (int k = 0; k < 100000; k++) v = v * 1664525 + 1013904223; y[i] = x[(uint)v % 64]; }\n"

    "kernel void move(global const int *x, global int *y) { int i = get_global_id(0), v = x[i]; P[i] = v + "
    "1; }\n";

static const char polling[] =
    "kernel void poll(volatile global int *flag, global int *seen, int at, uint thousands) {\n"
    "  ulong n = 0; int v; while (!(v = flag[0]) && n < thousands * 1000ul) n++; seen[at] = v; }\n";
static const char alone[] = "kernel void into(global const int *x, global int *y, int n) {\n"
                            "  int i = get_global_id(0), v = x[i] + 5 * x[n - 1 - i];\n"
                            "  for (int k = 0; k < 300; k++) v = v * 1664525 + 1013904223; y[i] = v; }\n";

static struct app a;
static uint32_t seed;
static cl_mem m[BUFFERS];
static int host[READS][WORDS], from[COMMANDS][WORDS];
static int reads;

static uint32_t lot(uint32_t n)
{
    return app_random(&seed) % n;
}

static cl_mem zeros(size_t bytes)
{
    static uint8_t none[WIDE * HIGH * 16];

    return app_buffer(&a, CL_MEM_COPY_HOST_PTR, bytes, none);
}

static cl_kernel kernel_of(const char *name)
{
    return app_kernel(&a, name);
}

/* ---- the shape of a filter: each round sums over a shifted image, through one scratch buffer */

static cl_mem image(void)
{
    static uint8_t pixels[WIDE * HIGH * 4];
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDE, .image_height = HIGH};
    cl_int err;
    cl_mem made;

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)lot(256);
    made = clCreateImage(a.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &err);
    APP_CHECK(err);
    return made;
}

static void sum_over_shifts(int width, int height, cl_mem scratch, cl_mem src)
{
    cl_kernel rows = kernel_of("rows"), cols = kernel_of("cols"), weigh = kernel_of("weigh");
    cl_mem sum = zeros(WIDE * HIGH * 4), weight = zeros(WIDE * HIGH * 4), overflow = zeros(4);
    static uint32_t got[WIDE * HIGH];

    for (int i = 0; i < SHIFTS; i++) {
        cl_int4 dx = {{i, -i, i / 2, 3}};

        app_args(rows, "mmi", scratch, src, width);
        APP_CHECK(clSetKernelArg(rows, 3, sizeof dx, &dx));
        APP_CHECK(clSetKernelArg(rows, 4, sizeof i, &i));
        app_run(a.queue, rows, (size_t)height, 0, 0, NULL, NULL);
        app_args(cols, "mmii", scratch, overflow, width, height);
        app_run(a.queue, cols, (size_t)width, 0, 0, NULL, NULL);
        app_args(weigh, "mmmmiii", sum, weight, scratch, src, width, height, 2);
        app_run_2d(a.queue, weigh, (size_t)width, (size_t)height, 0);
    }
    APP_CHECK(clFinish(a.queue));
    app_read(&a, sum, 0, sizeof got, got);
    app_read(&a, weight, 0, sizeof got, got);
    app_read(&a, overflow, 0, 4, got);
    app_release_mems((cl_mem[]){sum, weight, overflow}, 3);
    APP_CHECK(clReleaseKernel(rows));
    APP_CHECK(clReleaseKernel(cols));
    APP_CHECK(clReleaseKernel(weigh));
}

static void filter(size_t frames)
{
    cl_mem scratch, src;

    app_open(&a, "filter", 0, source);
    scratch = app_buffer(&a, 0, WIDE * HIGH * 16, NULL);
    src = image();
    for (size_t i = 0; i < frames; i++) {
        sum_over_shifts(WIDE, HIGH, scratch, src);
        sum_over_shifts(WIDE / 2, HIGH / 2, scratch, src); /* a part of the scratch buffer */
        sum_over_shifts(WIDE / 2, HIGH / 2, scratch, src);
    }
    app_release_mems((cl_mem[]){scratch, src}, 2);
    app_close(&a);
}

/* Write, launch, read, over one pair of buffers; the program waits at the end. */
static void pipeline(void)
{
    cl_kernel into;
    cl_mem x, y;

    app_open(&a, "pipeline", 0, alone); /* its text has nothing by which a kernel may poll */
    into = kernel_of("into");
    x = app_buffer(&a, CL_MEM_READ_ONLY, BYTES, NULL);
    y = app_buffer(&a, CL_MEM_WRITE_ONLY, BYTES, NULL);
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < WORDS; k++)
            from[i][k] = i * k;
        APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_FALSE, 0, BYTES, from[i], 0, NULL, NULL));
        app_args(into, "mmi", x, y, WORDS);
        app_run(a.queue, into, WORDS, 0, 0, NULL, NULL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_FALSE, 0, BYTES, host[i], 0, NULL, NULL));
    }
    APP_CHECK(clFinish(a.queue));
    app_hash(&a, host, TURNS * BYTES);
    app_release_mems((cl_mem[]){x, y}, 2);
    APP_CHECK(clReleaseKernel(into));
    app_close(&a);
}

/* ---- kernels, programs and queues beside others */

static struct {
    cl_kernel of, clone[CLONES];
    atomic_bool made;
} clones;

static void *clone_all(void *unused)
{
    cl_int err;

    for (int i = 0; i < CLONES; i++) {
        clones.clone[i] = clCloneKernel(clones.of, &err);
        APP_CHECK(err);
        rm_sleep_ms(1);
    }
    atomic_store(&clones.made, true);
    return unused;
}

/* A clone has the buffers that the program has set, whichever the launches of the first thread use. */
static void cloned(void)
{
    pthread_t thread;
    cl_kernel into;
    cl_mem x, y, part;

    app_open(&a, "cloned", 0, source);
    x = zeros(BYTES), y = zeros(BYTES);
    into = kernel_of("into");
    clones.of = kernel_of("over");
    app_args(into, "mmi", x, y, WORDS);
    app_args(clones.of, "mi", x, 5);
    for (int i = 0; i < LEAST || !atomic_load(&clones.made); i++) {
        app_run(a.queue, clones.of, WORDS, 0, 0, NULL, NULL);
        app_run(a.queue, into, WORDS, 0, 0, NULL, NULL);
        if (i == LEAST / 2)
            pthread_create(&thread, NULL, clone_all, NULL);
        if (i % LEAST == 0)
            APP_CHECK(clFinish(a.queue));
    }
    pthread_join(thread, NULL);
    part = app_sub_buffer(x, 0, 0, BYTES); /* from here on the buffer has no versions */
    for (int i = 0; i < CLONES; i++) {
        APP_CHECK(clSetKernelArg(clones.clone[i], 1, sizeof i, &i));
        app_run(a.queue, clones.clone[i], WORDS, 0, 0, NULL, NULL);
        app_read(&a, x, 0, BYTES, host[0]);
        APP_CHECK(clReleaseKernel(clones.clone[i]));
    }
    app_release_mems((cl_mem[]){part, x, y}, 3);
    APP_CHECK(clReleaseKernel(into));
    APP_CHECK(clReleaseKernel(clones.of));
    app_close(&a);
}

/* Each queue has buffers of its own. */
static void two_queues(void)
{
    cl_command_queue q[2];
    cl_kernel over, into;
    cl_mem x[2], y[2];

    app_open(&a, "two queues", 0, source);
    over = kernel_of("over"), into = kernel_of("into");
    for (int i = 0; i < 2; i++)
        q[i] = app_queue(&a, 0), x[i] = zeros(BYTES), y[i] = zeros(BYTES);
    for (int i = 0; i < COMMANDS; i++) {
        app_args(over, "mi", x[i % 2], i);
        app_run(q[i % 2], over, WORDS, 0, 0, NULL, NULL);
        app_args(into, "mmi", x[i % 2], y[i % 2], WORDS);
        app_run(q[i % 2], into, WORDS, 0, 0, NULL, NULL);
    }
    for (int i = 0; i < 2; i++) {
        APP_CHECK(clFinish(q[i]));
        app_read(&a, y[i], 0, BYTES, host[0]);
        APP_CHECK(clReleaseCommandQueue(q[i]));
    }
    app_release_mems(x, 2);
    app_release_mems(y, 2);
    APP_CHECK(clReleaseKernel(over));
    APP_CHECK(clReleaseKernel(into));
    app_close(&a);
}

/* A launch waits for a word that another queue writes; behind it stands a fill of the same word. */
static void polled(void)
{
    cl_command_queue other;
    cl_kernel poll;
    cl_mem flag, seen;
    cl_uint units = 0;
    cl_int zero = 0, value;

    app_open(&a, "polled", 0, polling);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    other = app_queue(&a, 0);
    poll = kernel_of("poll");
    flag = zeros(BYTES), seen = zeros(BYTES);
    alarm(200);
    for (cl_int i = 0; i < TURNS && units > 1; i++) {
        app_args(poll, "mmiu", flag, seen, i, 4000000000u);
        app_run(a.queue, poll, 1, 1, 0, NULL, NULL);
        APP_CHECK(clEnqueueFillBuffer(a.queue, flag, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
        APP_CHECK(clEnqueueFillBuffer(a.queue, flag, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
        APP_CHECK(clFlush(a.queue));
        value = i + 1;
        APP_CHECK(clEnqueueWriteBuffer(other, flag, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        APP_CHECK(clFinish(a.queue));
    }
    alarm(0);
    app_read(&a, seen, 0, BYTES, host[0]);
    app_release_mems((cl_mem[]){flag, seen}, 2);
    APP_CHECK(clReleaseKernel(poll));
    APP_CHECK(clReleaseCommandQueue(other));
    app_close(&a);
}

/* A build that the vendor refuses leaves the program of the build before, for later kernels, too. */
static void refused_build(void)
{
    const char *text = built_twice;
    cl_kernel before, late, move;
    cl_mem x, y, z;
    cl_int err;

    app_open(&a, "refused build", 0, NULL);
    a.program = clCreateProgramWithSource(a.context, 1, &text, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(a.program, 1, &a.device, "-DP=((global/**/int*)x)", NULL, NULL));
    x = zeros(BYTES), y = zeros(BYTES), z = zeros(BYTES);
    before = kernel_of("move");
    app_expect(&a, clBuildProgram(a.program, 1, &a.device, "-DP=y", NULL, NULL) != CL_SUCCESS,
               "a build while there are kernels");
    late = kernel_of("late"), move = kernel_of("move");
    app_args(late, "mm", x, z);
    app_args(move, "mm", x, y);
    for (int i = 0; i < TURNS; i++) {
        app_run(a.queue, late, FEW, 0, 0, NULL, NULL);
        app_run(a.queue, move, FEW, 0, 0, NULL, NULL);
        app_read(&a, z, 0, BYTES, host[0]);
    }
    app_release_mems((cl_mem[]){x, y, z}, 3);
    APP_CHECK(clReleaseKernel(before));
    APP_CHECK(clReleaseKernel(late));
    APP_CHECK(clReleaseKernel(move));
    app_close(&a);
}

/* ---- random commands */

static struct {
    cl_kernel over, some, place, into, swap, count, ticket;
} k;

static void launch(cl_command_queue q)
{
    uint32_t i = lot(BUFFERS), other = (i + 1 + lot(BUFFERS - 1)) % BUFFERS;
    size_t n = lot(3) ? WORDS : HALF;

    switch (lot(9)) {
    case 0:
    case 1:
    case 2:
        app_args(k.over, "mi", m[i], (cl_int)lot(1000));
        app_run(q, k.over, n, 0, 0, NULL, NULL);
        break;
    case 3:
        app_args(k.some, "mim", m[i], (cl_int)lot(1000), m[other]);
        app_run(q, k.some, n, 0, 0, NULL, NULL);
        break;
    case 4:
        app_args(k.place, "mi", m[i], (cl_int)lot(1000));
        app_run(q, k.place, n, 0, 0, NULL, NULL);
        break;
    case 5:
        app_args(k.swap, "mm", m[i], m[other]);
        app_run(q, k.swap, n, 0, 0, NULL, NULL);
        break;
    case 6:
        app_args(k.count, "mm", m[i], m[other]);
        app_run(q, k.count, n, 0, 0, NULL, NULL);
        break;
    case 7:
        app_args(k.ticket, "mmi", m[i], m[other], (cl_int)lot(WORDS));
        app_run(q, k.ticket, 1, 0, 0, NULL, NULL);
        break;
    default:
        app_args(k.into, "mmi", m[i], m[other], (cl_int)n);
        app_run(q, k.into, n, 0, 0, NULL, NULL);
    }
}

static void transfer(int at)
{
    uint32_t i = lot(BUFFERS), other = (i + 1 + lot(BUFFERS - 1)) % BUFFERS, whole = lot(3);
    size_t offset = whole ? 0 : lot(4) * BYTES / 8, bytes = whole ? BYTES : BYTES / 2;
    cl_int word = (cl_int)lot(1000);

    switch (lot(6)) {
    case 0:
        APP_CHECK(clEnqueueFillBuffer(a.queue, m[i], &word, 4, offset, bytes, 0, NULL, NULL));
        break;
    case 1:
        APP_CHECK(clEnqueueCopyBuffer(a.queue, m[i], m[other], offset, offset, bytes, 0, NULL, NULL));
        break;
    case 2:
        APP_CHECK(clEnqueueCopyBufferRect(a.queue, m[i], m[other], (size_t[3]){4, 1, 0}, (size_t[3]){8, 2, 0},
                                          (size_t[3]){16, 12, 1}, 64, 0, 64, 0, 0, NULL, NULL));
        break;
    case 3:
        for (int n = 0; n < WORDS; n++)
            from[at][n] = (int)lot(1 << 30);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, m[i], lot(4) == 0, offset, bytes, from[at], 0, NULL, NULL));
        break;
    default:
        if (reads < READS)
            APP_CHECK(
                clEnqueueReadBuffer(a.queue, m[i], lot(8) == 0, offset, bytes, host[reads++], 0, NULL, NULL));
    }
}

static void late_sub_buffer(void)
{
    uint32_t i = lot(BUFFERS);
    cl_mem part = app_sub_buffer(m[i], 0, 0, BYTES / 2);

    app_args(k.place, "mi", part, 9);
    app_run(a.queue, k.place, HALF, 0, 0, NULL, NULL);
    app_release_mems(&part, 1);
}

static void map(void)
{
    uint32_t i = lot(BUFFERS);
    cl_int err;
    int *at =
        clEnqueueMapBuffer(a.queue, m[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);

    APP_CHECK(err);
    app_hash(&a, at, BYTES);
    at[lot(WORDS)] = 77;
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, m[i], at, 0, NULL, NULL));
}

static void CL_CALLBACK add_one(void *data)
{
    int *at = *(int **)data;

    for (int i = 0; i < WORDS; i++)
        at[i]++;
}

static void native_kernel(void)
{
    cl_device_exec_capabilities can = 0;
    cl_mem *of = &m[lot(BUFFERS)];
    void *data = NULL;
    const void *place = &data;

    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
    if (can & CL_EXEC_NATIVE_KERNEL)
        APP_CHECK(clEnqueueNativeKernel(a.queue, add_one, &data, sizeof data, 1, of, &place, 0, NULL, NULL));
}

/* The buffer goes while commands on it are under way. */
static void anew(void)
{
    uint32_t i = lot(BUFFERS);

    APP_CHECK(clReleaseMemObject(m[i]));
    m[i] = zeros(BYTES);
}

/* Ordered by the host. */
static void second_queue(void)
{
    cl_command_queue q = app_queue(&a, 0);

    APP_CHECK(clFinish(a.queue));
    launch(q);
    launch(q);
    APP_CHECK(clFinish(q));
    APP_CHECK(clReleaseCommandQueue(q));
}

/* A command that waits for what another queue has done. */
static void across(void)
{
    cl_command_queue q = app_queue(&a, 0);
    cl_event e, back;
    cl_int word = 5;

    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, &e));
    APP_CHECK(clFlush(a.queue));
    APP_CHECK(clEnqueueFillBuffer(q, m[lot(BUFFERS)], &word, 4, 0, BYTES / 2, 1, &e, &back));
    APP_CHECK(clFlush(q));
    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 1, &back, NULL));
    APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    app_release_events((cl_event[]){e, back}, 2);
    APP_CHECK(clReleaseCommandQueue(q));
}

/* A command of a second queue that was enqueued before others, and runs behind them. */
static void gated(void)
{
    cl_command_queue q = app_queue(&a, 0);
    cl_event user = clCreateUserEvent(a.context, NULL);

    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clEnqueueReadBuffer(q, m[0], CL_FALSE, 0, BYTES, host[0], 1, &user, NULL));
    APP_CHECK(clFlush(q));
    app_args(k.over, "mi", m[0], 3);
    app_run(a.queue, k.over, WORDS, 0, 0, NULL, NULL);
    app_args(k.over, "mi", m[0], 4);
    app_run(a.queue, k.over, WORDS, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    APP_CHECK(clFinish(q));
    app_hash(&a, host[0], BYTES);
    APP_CHECK(clReleaseEvent(user));
    APP_CHECK(clReleaseCommandQueue(q));
}

static _Atomic int calls;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    calls++;
}

static void callback(void)
{
    cl_event e;
    int before = calls;

    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, &e));
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, called, NULL));
    APP_CHECK(clFlush(a.queue));
    RM_WAIT(calls > before);
    APP_CHECK(clReleaseEvent(e));
}

/* A launch that the vendor refuses changes nothing. */
static void refused(void)
{
    app_args(k.over, "mi", m[0], 1);
    app_expect(&a,
               clEnqueueNDRangeKernel(a.queue, k.over, 1, NULL, (size_t[]){WORDS}, (size_t[]){1 << 20}, 0,
                                      NULL, NULL) != CL_SUCCESS,
               "a local size of 1 << 20");
}

/* From some number on, they end versions. */
static void rare(uint32_t kinds)
{
    switch (lot(kinds)) {
    case 0:
        late_sub_buffer();
        break;
    case 1:
        native_kernel();
        break;
    case 2:
        anew();
        break;
    case 3:
        refused();
        break;
    case 4:
        APP_CHECK(clEnqueueMigrateMemObjects(a.queue, 1, m, 0, 0, NULL, NULL));
        break;
    case 5:
        map();
        break;
    case 6:
        second_queue();
        break;
    case 7:
        across();
        break;
    case 8:
        gated();
        break;
    default:
        callback();
    }
}

static void play(uint32_t kinds)
{
    app_open(&a, "random", 0, source);
    k.over = kernel_of("over"), k.some = kernel_of("some"), k.place = kernel_of("place"),
    k.into = kernel_of("into");
    k.swap = kernel_of("swap"), k.count = kernel_of("count"), k.ticket = kernel_of("ticket");
    for (int i = 0; i < BUFFERS; i++)
        m[i] = zeros(BYTES);
    reads = 0;
    for (int i = 0; i < COMMANDS; i++) {
        if (i > COMMANDS / 2 && !lot(12))
            rare(kinds);
        else if (lot(2))
            launch(a.queue);
        else
            transfer(i);
        if (!lot(30))
            APP_CHECK(clFlush(a.queue));
        if (!lot(40))
            APP_CHECK(clFinish(a.queue));
    }
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < reads; i++)
        app_hash(&a, host[i], BYTES / 2);
    for (int i = 0; i < BUFFERS; i++)
        app_read(&a, m[i], 0, BYTES, host[0]);
    app_release_mems(m, BUFFERS);
    for (size_t i = 0; i < sizeof k / sizeof(cl_kernel); i++)
        APP_CHECK(clReleaseKernel(((cl_kernel *)&k)[i]));
    app_close(&a);
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 20, 0, LIMIT), frames;

    seed = (uint32_t)app_size(argc, argv, 2, 1, 1, LIMIT);
    frames = app_size(argc, argv, 3, 2, 0, LIMIT);
    if (argc > 4) {
        two_queues();
        polled();
    } else if (frames) {
        filter(frames);
        pipeline();
    } else {
        cloned();
        refused_build();
    }
    for (size_t i = 0; i < rounds; i++)
        play(i + 2 >= rounds ? 10 : i % 2 ? 9 : 5); /* callbacks end those of later rounds, too */
    return 0;
}
