/* gpu_speed.c - what several streams of one GPU are judged by: commands of one in-order queue. Plain OpenCL.
 *
 * usage: gpu_speed [PLATFORM [CASE...]]
 * PLATFORM: a part of a platform's name (else GPU_SPEED_PLATFORM, else the first platform); its first device.
 *
 *   small8     8 independent small kernels, then clFinish
 *   small64    64 of them
 *   chain      1,000 dependent kernels, then clFinish
 *   enqueue    the calling thread's time per launch of 1,000 independent kernels on 8 buffers
 *   pipeline   write, kernel, read over 8 buffers, nothing blocks; then clFinish
 *   blocking   the same with blocking writes
 *   reused     the same as pipeline, 8 times over one buffer
 *   read4      a kernel and a blocking read of 4 bytes, 200 times
 *   events     64 small kernels with events, whose times are asked for
 *
 * Prints one line per case: its name, the median of ROUNDS in ms (enqueue: us per launch), and a hash of all
 * bytes that were read back. GPU_SPEED_MIB: size of each pipeline buffer (16). GPU_SPEED_STEPS: turns of a
 * small kernel's loop (40000); fewer suit devices that are no GPU. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFERS 64
#define PIPES   8
#define ITEMS   1024
#define ROUNDS  9

static const char *source = "__kernel void advance(__global uint *x, uint factor, uint steps) {\n"
                            "    uint i = get_global_id(0), v = x[i];\n"
                            "    for (uint s = 0; s < steps; s++) v = v * factor + (v >> 9) + i;\n"
                            "    x[i] = v;\n"
                            "}\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue, plain, timed; /* queue: one of the two */
static cl_kernel advance;
static cl_mem small[BUFFERS], pipe[PIPES];
static uint32_t *host[PIPES];
static size_t pipe_bytes;
static cl_uint small_steps;
static uint64_t hash;

static void check(cl_int err, const char *call)
{
    if (err == CL_SUCCESS)
        return;
    printf("gpu_speed: %s: error %d\n", call, err);
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void digest(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
}

static void open_device(const char *name)
{
    cl_platform_id platforms[16], chosen = NULL;
    char text[256];
    cl_uint n = 0;
    cl_int err;

    CHECK(clGetPlatformIDs(16, platforms, &n));
    for (cl_uint i = 0; i < n && !chosen; i++) {
        CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL));
        if (!name || strstr(text, name))
            chosen = platforms[i];
    }
    if (!chosen) {
        printf("gpu_speed: no platform named %s\n", name);
        exit(77);
    }
    CHECK(clGetDeviceIDs(chosen, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL));
    printf("device %s\n", text);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
}

static void open_objects(void)
{
    const char *mib = getenv("GPU_SPEED_MIB"), *steps = getenv("GPU_SPEED_STEPS");
    cl_program program;
    cl_int err;

    pipe_bytes = (size_t)(mib ? atoi(mib) : 16) << 20;
    small_steps = (cl_uint)(steps ? atoi(steps) : 40000);
    plain = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    check(err, "clCreateCommandQueue");
    queue = plain;
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    advance = clCreateKernel(program, "advance", &err);
    check(err, "clCreateKernel");
    for (int i = 0; i < BUFFERS; i++) {
        uint32_t zero[ITEMS] = {0};
        small[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &err);
        check(err, "clCreateBuffer");
    }
    for (int i = 0; i < PIPES; i++) {
        pipe[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, pipe_bytes, NULL, &err);
        check(err, "clCreateBuffer");
        host[i] = malloc(pipe_bytes);
        memset(host[i], i + 1, pipe_bytes);
    }
}

static void launch(cl_mem x, size_t items, cl_uint factor, cl_uint steps, cl_event *event)
{
    size_t local = 64;

    CHECK(clSetKernelArg(advance, 0, sizeof x, &x));
    CHECK(clSetKernelArg(advance, 1, sizeof factor, &factor));
    CHECK(clSetKernelArg(advance, 2, sizeof steps, &steps));
    CHECK(clEnqueueNDRangeKernel(queue, advance, 1, NULL, &items, &local, 0, NULL, event));
}

static void read_small(int n)
{
    uint32_t words[ITEMS];

    for (int i = 0; i < n; i++) {
        CHECK(clEnqueueReadBuffer(queue, small[i], CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
        digest(words, sizeof words);
    }
}

static double finish(double begin)
{
    CHECK(clFinish(queue));
    return now_ms() - begin;
}

static double run_small(int n)
{
    double begin = now_ms();

    for (int i = 0; i < n; i++)
        launch(small[i], ITEMS, (cl_uint)i + 3, small_steps, NULL);
    begin = finish(begin);
    read_small(n);
    return begin;
}

static double small8(void)
{
    return run_small(8);
}

static double small64(void)
{
    return run_small(64);
}

static double chain(void)
{
    double begin = now_ms();

    for (cl_uint i = 0; i < 1000; i++)
        launch(small[0], ITEMS, i, 16, NULL);
    begin = finish(begin);
    read_small(1);
    return begin;
}

static double enqueue(void)
{
    double begin = now_ms(), spent;

    for (cl_uint i = 0; i < 1000; i++)
        launch(small[i % 8], 64, i, 1, NULL);
    spent = now_ms() - begin;
    finish(begin);
    read_small(8);
    return spent; /* of 1,000 launches: us each */
}

/* Over so many buffers. */
static double run_pipeline(cl_bool blocking, int buffers)
{
    double begin;

    for (int i = 0; i < PIPES; i++)
        memset(host[i], i + 1, pipe_bytes);
    begin = now_ms();
    for (int i = 0; i < PIPES; i++) {
        cl_mem x = pipe[i % buffers];

        CHECK(clEnqueueWriteBuffer(queue, x, blocking, 0, pipe_bytes, host[i], 0, NULL, NULL));
        launch(x, pipe_bytes / 4, (cl_uint)i + 3, small_steps / 100, NULL);
        CHECK(clEnqueueReadBuffer(queue, x, CL_FALSE, 0, pipe_bytes, host[i], 0, NULL, NULL));
    }
    begin = finish(begin);
    for (int i = 0; i < PIPES; i++)
        digest(host[i], pipe_bytes < 1 << 16 ? pipe_bytes : 1 << 16);
    return begin;
}

static double pipeline(void)
{
    return run_pipeline(CL_FALSE, PIPES);
}

static double blocking(void)
{
    return run_pipeline(CL_TRUE, PIPES);
}

static double reused(void)
{
    return run_pipeline(CL_FALSE, 1);
}

static double read4(void)
{
    double begin = now_ms();
    uint32_t word;

    for (cl_uint i = 0; i < 200; i++) {
        launch(small[i % 4], ITEMS, i, 16, NULL);
        CHECK(clEnqueueReadBuffer(queue, small[i % 4], CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
        digest(&word, sizeof word);
    }
    return finish(begin);
}

static double events(void)
{
    double begin = now_ms();
    cl_event event[BUFFERS];
    cl_ulong end, last = 0;
    cl_int status;

    for (int i = 0; i < BUFFERS; i++)
        launch(small[i], ITEMS, (cl_uint)i + 3, small_steps / 10, &event[i]);
    CHECK(clFlush(queue));
    CHECK(clWaitForEvents(1, &event[BUFFERS - 1]));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(clGetEventInfo(event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        if (status != CL_COMPLETE)
            printf("events: event %d is not over: %d\n", i, status);
        CHECK(clGetEventProfilingInfo(event[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        if (end < last)
            printf("events: event %d ends before the one before it\n", i);
        last = end;
        CHECK(clReleaseEvent(event[i]));
    }
    begin = now_ms() - begin;
    read_small(BUFFERS);
    return begin;
}

static const struct {
    const char *name;
    double (*run)(void);
} cases[] = {{"small8", small8},     {"small64", small64},   {"chain", chain},
             {"enqueue", enqueue},   {"read4", read4},       {"events", events},
             {"pipeline", pipeline}, {"blocking", blocking}, {"reused", reused}};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int is_wanted(const char *name, int argc, char **argv)
{
    int wanted = argc < 3;

    for (int i = 2; i < argc; i++)
        wanted |= !strcmp(argv[i], name);
    return wanted;
}

int main(int argc, char **argv)
{
    double ms[ROUNDS];

    open_device(argc > 1 && *argv[1] ? argv[1] : getenv("GPU_SPEED_PLATFORM"));
    open_objects();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (!is_wanted(cases[k].name, argc, argv))
            continue;
        hash = 0xcbf29ce484222325u;
        queue = cases[k].run == events ? timed : plain;
        cases[k].run();
        for (int r = 0; r < ROUNDS; r++)
            ms[r] = cases[k].run();
        qsort(ms, ROUNDS, sizeof *ms, by_value);
        printf("%-9s %10.4f %s hash=%016llx\n", cases[k].name, ms[ROUNDS / 2],
               cases[k].run == enqueue ? "us" : "ms", (unsigned long long)hash);
        fflush(stdout);
    }
    return 0;
}
