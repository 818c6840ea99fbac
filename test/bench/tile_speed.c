/* tile_speed.c - the program that sharing one launch between two equal devices is judged by; plain OpenCL,
 * nothing of clweave.
 *
 * usage: tile_speed DEVICE KERNEL [steps] [items] [launches] [warm] [local]
 *
 *   DEVICE   both   a context of all devices of the platform; every command goes to the first
 *            one    a context of the first device
 *            halves the first device in two sub-devices, a context of both; every command goes to the first
 *            half   the same, a context of the first
 *            dsp    a context of the first accelerator
 *            hand   as both, cut by hand: two threads run a half of each launch on a device each, and watch
 *                   for each other; what this machine's processors can give at all
 *            hand-halves   as halves, cut by hand: one thread enqueues both halves
 *   KERNEL   work     `steps` dependent operations per item
 *            stream   reads and writes every item once
 *            apart    the same as work, but reads one half of the buffer and writes the other
 *            crossed  the same in place, reading what other work-groups write: may not be cut
 *
 * After `warm` launches, in which whatever learns may learn, each of `launches` is enqueued and waited for.
 * Prints "span_ns N" (all of them, with TILE_SPEED_ALL=1 also "launch_ns N" of each), "median_ns N" (one),
 * then the samples' line with the hash of what was read. TILE_SPEED_BEFORE=ITEMS: three launches of so many
 * items come first; what compiles has compiled then, and nothing is known of launches of this size. */
#include "../apps/common.h"
#include "speed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "__kernel void work(__global uint *x, uint factor, uint steps) {\n"
    "    uint i = get_global_id(0), v = x[i];\n"
    "    for (uint s = 0; s < steps; s++)\n"
    "        v = v * factor + (v >> 9) + i;\n"
    "    x[i] = v;\n"
    "}\n"
    "__kernel void stream(__global uint *x, uint factor, uint steps) {\n"
    "    uint i = get_global_id(0);\n"
    "    x[i] = x[i] * factor + steps;\n"
    "}\n"
    "__kernel void apart(__global uint *x, uint factor, uint steps) {\n"
    "    uint i = get_global_id(0), n = get_global_size(0), v = x[i];\n"
    "    for (uint s = 0; s < steps; s++)\n"
    "        v = v * factor + (v >> 9) + i;\n"
    "    x[n + i] = v;\n"
    "}\n"
    "__kernel void crossed(__global uint *x, uint factor, uint steps) {\n"
    "    uint i = get_global_id(0), n = get_global_size(0), v = x[n + (i * 7u) % n];\n"
    "    for (uint s = 0; s < steps; s++)\n"
    "        v = v * factor + (v >> 9) + i;\n"
    "    x[i] = v;\n"
    "    if (v == 1u) x[n + i] = v;\n"
    "}\n";

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static cl_device_id second; /* of the context; NULL: there is none */

static void use_halves(cl_device_id devices[64], cl_uint *n)
{
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                  CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    APP_CHECK(clCreateSubDevices(devices[0], parts, 2, devices, NULL));
    *n = 2;
}

static void open_on(struct app *a, const char *where)
{
    cl_device_id devices[64];
    cl_uint n = 0;
    cl_int err;

    where += strncmp(where, "hand-", 5) ? 0 : 5;
    app_open(a, "tile_speed", 0, NULL); /* chooses the platform */
    APP_CHECK(clReleaseCommandQueue(a->queue));
    APP_CHECK(clReleaseContext(a->context));
    APP_CHECK(clGetDeviceIDs(a->platform,
                             strcmp(where, "dsp") ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_ACCELERATOR, 64,
                             devices, &n));
    if (!strcmp(where, "half") || !strcmp(where, "halves"))
        use_halves(devices, &n);
    a->device = devices[0];
    if (!strcmp(where, "one") || !strcmp(where, "half") || !strcmp(where, "dsp"))
        n = 1;
    if (n > 1)
        second = devices[1];
    a->context = clCreateContext(NULL, n, devices, NULL, NULL, &err);
    APP_CHECK(err);
    a->queue = app_queue(a, 0);
    a->program = clCreateProgramWithSource(a->context, 1, &(const char *){source}, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(a->program, 0, NULL, "", NULL, NULL));
}

/* ---- by hand */

/* The half of one thread. Its kernel is of a program of its own: PoCL aborts when two devices run one kernel
 * of which one has an offset. */
struct half {
    struct app app;
    cl_kernel kernel;
    size_t offset, items, local;
};

static struct half halves[2]; /* the other thread's is the second */
static _Atomic size_t asked, done;
static atomic_bool quit;

static void open_half(struct half *h, const struct app *a, cl_device_id device, const char *kernel,
                      const char *options)
{
    cl_int err;

    h->app = *a;
    h->app.device = device;
    h->app.queue = app_queue(&h->app, 0);
    h->app.program = clCreateProgramWithSource(a->context, 1, &(const char *){source}, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(h->app.program, 1, &device, options, NULL, NULL));
    h->kernel = app_kernel(&h->app, kernel);
}

static void close_half(struct half *h)
{
    APP_CHECK(clReleaseKernel(h->kernel));
    APP_CHECK(clReleaseProgram(h->app.program));
    APP_CHECK(clReleaseCommandQueue(h->app.queue));
}

static void enqueue_half(const struct half *h)
{
    APP_CHECK(clEnqueueNDRangeKernel(h->app.queue, h->kernel, 1, &h->offset, &h->items,
                                     h->local ? &h->local : NULL, 0, NULL, NULL));
    APP_CHECK(clFlush(h->app.queue));
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void *other(void *unused)
{
    (void)unused;
    for (size_t next = 1;; next++) {
        while (atomic_load(&asked) < next && !atomic_load(&quit))
            relax();
        if (atomic_load(&quit))
            return NULL;
        enqueue_half(&halves[1]);
        APP_CHECK(clFinish(halves[1].app.queue));
        atomic_store(&done, next);
    }
}

static void run_by_hand(bool threads)
{
    size_t next = atomic_fetch_add(&asked, threads) + 1;

    if (!threads)
        enqueue_half(&halves[1]);
    enqueue_half(&halves[0]);
    APP_CHECK(clFinish(halves[0].app.queue));
    if (!threads)
        APP_CHECK(clFinish(halves[1].app.queue));
    while (threads && atomic_load(&done) < next)
        relax();
}

/* ---- the measurement */

static void measure(struct app *a, cl_kernel kernel, size_t items, size_t local, size_t warm, size_t launches,
                    bool threads)
{
    uint64_t *ns = app_alloc(launches * sizeof *ns), begin = 0, one;
    pthread_t thread;
    bool by_hand = halves[1].kernel;

    if (threads && pthread_create(&thread, NULL, other, NULL))
        exit(1);

    for (size_t i = 0; i < warm + launches; i++) {
        one = speed_now_ns();
        if (i == warm)
            begin = one;
        if (by_hand) {
            run_by_hand(threads);
        } else {
            app_run(a->queue, kernel, items, local, 0, NULL, NULL);
            APP_CHECK(clFinish(a->queue));
        }
        if (i >= warm)
            ns[i - warm] = speed_now_ns() - one;
    }
    printf("span_ns %llu\n", (unsigned long long)(speed_now_ns() - begin));
    atomic_store(&quit, true);
    if (threads)
        pthread_join(thread, NULL);
    if (getenv("TILE_SPEED_ALL"))
        for (size_t i = 0; i < launches; i++)
            printf("launch_ns %llu\n", (unsigned long long)ns[i]);
    qsort(ns, launches, sizeof *ns, by_size);
    printf("median_ns %llu\n", (unsigned long long)ns[launches / 2]);
    free(ns);
}

int main(int argc, char **argv)
{
    size_t steps = app_size(argc, argv, 3, 1024, 0, 1 << 24),
           items = app_size(argc, argv, 4, 65536, 64, 1 << 26),
           launches = app_size(argc, argv, 5, 100, 1, 1 << 20),
           warm = app_size(argc, argv, 6, 50, 0, 1 << 20), local = app_size(argc, argv, 7, 64, 0, 4096);
    uint32_t *host = app_alloc(2 * items * sizeof *host);
    const char *before = getenv("TILE_SPEED_BEFORE");
    cl_kernel kernel;
    struct app a;
    cl_mem x;

    if (argc < 3) {
        fprintf(stderr, "usage: tile_speed both|one|halves|half|dsp|hand|hand-halves "
                        "work|stream|apart|crossed [steps] [items] [launches] [warm] [local]\n");
        return 2;
    }
    for (size_t i = 0; i < 2 * items; i++)
        host[i] = (uint32_t)(i * 2654435761u);
    open_on(&a, argv[1]);
    kernel = app_kernel(&a, argv[2]);
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 2 * items * sizeof *host, host);
    app_args(kernel, "muu", x, 1664525u, (cl_uint)steps);
    for (size_t i = 0; i < 2 && !strncmp(argv[1], "hand", 4) && second; i++) {
        open_half(&halves[i], &a, i ? second : a.device, argv[2], i ? "-DHALF=2" : "-DHALF=1");
        halves[i].items = items / 2;
        halves[i].offset = i * (items / 2);
        halves[i].local = local;
        app_args(halves[i].kernel, "muu", x, 1664525u, (cl_uint)steps);
    }
    for (int i = 0; i < 3 && before && strtoull(before, NULL, 10) <= items; i++) {
        app_run(a.queue, kernel, strtoull(before, NULL, 10), local, 0, NULL, NULL);
        APP_CHECK(clFinish(a.queue));
    }
    measure(&a, kernel, items, local, warm, launches, !strcmp(argv[1], "hand") && halves[1].kernel);
    app_read(&a, x, 0, 2 * items * sizeof *host, host);
    for (size_t i = 0; i < 2 && halves[i].kernel; i++)
        close_half(&halves[i]);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(kernel));
    free(host);
    return app_close(&a);
}
