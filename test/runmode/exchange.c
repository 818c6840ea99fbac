/* exchange.c - two devices of one context use the same buffers in turn: what one has written the other reads,
 * and writes. Each command waits for the events of those that it has to come behind. Random, but the same
 * for a seed: prints a hash of all that was read.
 *
 * usage: exchange; EXCHANGE="SEED STEPS KIB", default 1 300 64: kibibytes of a buffer */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, QUEUES = 2 * DEVICES, BUFFERS = 5, READERS = 64 };

static const char *source = "kernel void stir(global uint *x, uint salt) { uint i = get_global_id(0); x[i] = "
                            "x[i] * 31 + (salt ^ i); }\n"
                            "kernel void blend(global const uint *a, global uint *b, uint salt) {\n"
                            "    uint i = get_global_id(0), n = get_global_size(0);\n"
                            "    b[i] += a[(i * 7 + salt) % n];\n"
                            "}\n";

static cl_context context;
static cl_device_id device[DEVICES];
static cl_command_queue queue[QUEUES]; /* q belongs to device q % DEVICES */
static cl_kernel stir, mix;
static struct buffer {
    cl_mem memory;
    cl_event write, read[READERS]; /* of the latest write, of reads behind it; NULL: none */
    uint32_t reads;
} buffers[BUFFERS];
static size_t words;
static uint32_t *host;
static uint64_t state, hash = 0xcbf29ce484222325u;

static void check(cl_int err, const char *call)
{
    if (err == CL_SUCCESS)
        return;
    printf("exchange: %s: error %d\n", call, err);
    exit(1);
}
#define CHECK(call) check(call, #call)

static uint32_t lot(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void digest(const void *bytes, size_t n)
{
    const uint32_t *p = bytes;

    for (size_t i = 0; i < n / 4; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
}

static void open_devices(void)
{
    cl_platform_id platforms[8];
    cl_uint n = 0, found = 0;
    cl_int err;

    CHECK(clGetPlatformIDs(8, platforms, &n));
    for (cl_uint i = 0; i < n && found < DEVICES; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES, device, &found) != CL_SUCCESS)
            found = 0;
    if (found < DEVICES) {
        printf("exchange: no platform has two devices\n");
        exit(77);
    }
    context = clCreateContext(NULL, DEVICES, device, NULL, NULL, &err);
    check(err, "clCreateContext");
}

static void open_objects(void)
{
    cl_program program;
    cl_int err;

    for (int q = 0; q < QUEUES; q++) {
        queue[q] = clCreateCommandQueue(context, device[q % DEVICES], 0, &err);
        check(err, "clCreateCommandQueue");
    }
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    stir = clCreateKernel(program, "stir", &err);
    check(err, "clCreateKernel");
    mix = clCreateKernel(program, "blend", &err);
    check(err, "clCreateKernel");
    for (int b = 0; b < BUFFERS; b++) {
        for (size_t i = 0; i < words; i++)
            host[i] = (uint32_t)(i * 2654435761u) ^ (uint32_t)b;
        buffers[b].memory =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words * 4, host, &err);
        check(err, "clCreateBuffer");
    }
}

/* ---- the order that the program asks for */

struct order {
    cl_uint n;
    cl_event list[BUFFERS * (READERS + 1)];
};

static void behind(struct order *o, const struct buffer *b, int writes)
{
    if (b->write)
        o->list[o->n++] = b->write;
    for (uint32_t i = 0; writes && i < b->reads; i++)
        o->list[o->n++] = b->read[i];
}

static void wrote(struct buffer *b, cl_event event)
{
    for (uint32_t i = 0; i < b->reads; i++)
        CHECK(clReleaseEvent(b->read[i]));
    b->reads = 0;
    if (b->write)
        CHECK(clReleaseEvent(b->write));
    CHECK(clRetainEvent(event));
    b->write = event;
}

static void has_read(struct buffer *b, cl_event event)
{
    if (b->reads == READERS) {
        CHECK(clWaitForEvents(READERS, b->read));
        for (uint32_t i = 0; i < READERS; i++)
            CHECK(clReleaseEvent(b->read[i]));
        b->reads = 0;
    }
    CHECK(clRetainEvent(event));
    b->read[b->reads++] = event;
}

static void flush_all(void)
{
    for (int q = 0; q < QUEUES; q++)
        CHECK(clFlush(queue[q]));
}

static const cl_event *list_of(const struct order *o)
{
    return o->n ? o->list : NULL;
}

/* ---- commands */

static void run_stir(cl_command_queue q, struct buffer *b)
{
    struct order o = {0};
    cl_uint salt = lot(1 << 30);
    cl_event event;

    behind(&o, b, 1);
    CHECK(clSetKernelArg(stir, 0, sizeof b->memory, &b->memory));
    CHECK(clSetKernelArg(stir, 1, sizeof salt, &salt));
    CHECK(clEnqueueNDRangeKernel(q, stir, 1, NULL, &words, NULL, o.n, list_of(&o), &event));
    wrote(b, event);
    CHECK(clReleaseEvent(event));
}

static void run_mix(cl_command_queue q, struct buffer *a, struct buffer *b)
{
    struct order o = {0};
    cl_uint salt = lot(1 << 20);
    cl_event event;

    behind(&o, a, 0);
    behind(&o, b, 1);
    CHECK(clSetKernelArg(mix, 0, sizeof a->memory, &a->memory));
    CHECK(clSetKernelArg(mix, 1, sizeof b->memory, &b->memory));
    CHECK(clSetKernelArg(mix, 2, sizeof salt, &salt));
    CHECK(clEnqueueNDRangeKernel(q, mix, 1, NULL, &words, NULL, o.n, list_of(&o), &event));
    has_read(a, event);
    wrote(b, event);
    CHECK(clReleaseEvent(event));
}

static void copy(cl_command_queue q, struct buffer *a, struct buffer *b)
{
    size_t bytes = 4 * (1 + lot((uint32_t)words)), from = 4 * lot((uint32_t)(words - bytes / 4 + 1)),
           to = 4 * lot((uint32_t)(words - bytes / 4 + 1));
    struct order o = {0};
    cl_event event;

    behind(&o, a, 0);
    behind(&o, b, 1);
    CHECK(clEnqueueCopyBuffer(q, a->memory, b->memory, from, to, bytes, o.n, list_of(&o), &event));
    has_read(a, event);
    wrote(b, event);
    CHECK(clReleaseEvent(event));
}

static void write(cl_command_queue q, struct buffer *b)
{
    size_t n = 1 + lot(500), at = lot((uint32_t)(words - n));
    struct order o = {0};
    cl_event event;

    for (size_t i = 0; i < n; i++)
        host[i] = lot(1 << 30);
    behind(&o, b, 1);
    flush_all();
    CHECK(clEnqueueWriteBuffer(q, b->memory, CL_TRUE, at * 4, n * 4, host, o.n, list_of(&o), &event));
    wrote(b, event);
    CHECK(clReleaseEvent(event));
}

static void read(cl_command_queue q, struct buffer *b)
{
    size_t n = lot(3) ? 1 + lot(20) : words, at = lot((uint32_t)(words - n + 1));
    struct order o = {0};
    cl_event event;

    behind(&o, b, 0);
    flush_all();
    CHECK(clEnqueueReadBuffer(q, b->memory, CL_TRUE, at * 4, n * 4, host, o.n, list_of(&o), &event));
    digest(host, n * 4);
    has_read(b, event);
    CHECK(clReleaseEvent(event));
}

static void step(void)
{
    uint32_t what = lot(16), a = lot(BUFFERS), b = (a + 1 + lot(BUFFERS - 1)) % BUFFERS;
    cl_command_queue q = queue[lot(QUEUES)];

    if (what < 5)
        run_stir(q, &buffers[a]);
    else if (what < 10)
        run_mix(q, &buffers[a], &buffers[b]);
    else if (what < 12)
        copy(q, &buffers[a], &buffers[b]);
    else if (what < 13)
        write(q, &buffers[a]);
    else if (what < 14)
        read(q, &buffers[a]);
    else
        flush_all();
}

int main(void)
{
    const char *setting = getenv("EXCHANGE");
    unsigned seed = 1, steps = 300, kib = 64;

    if (setting && sscanf(setting, "%u %u %u", &seed, &steps, &kib) < 1)
        return 2;
    state = seed;
    words = (size_t)kib << 8;
    host = malloc(words * 4);
    open_devices();
    open_objects();
    while (steps--)
        step();
    for (int b = 0; b < BUFFERS; b++)
        read(queue[b % QUEUES], &buffers[b]);
    for (int q = 0; q < QUEUES; q++)
        CHECK(clFinish(queue[q]));
    printf("exchange %016llx\n", (unsigned long long)hash);
    return 0;
}
