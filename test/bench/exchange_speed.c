/* exchange_speed.c - two devices of one context take turns with one buffer: the time of a turn. Plain OpenCL.
 *
 * usage: exchange_speed [PLATFORM [MIB...]]
 * PLATFORM: a part of a platform's name (else the first with two devices).
 * MIB: sizes of the buffer (1 16 256).
 *
 * Each turn: a kernel on one device changes all of the buffer, then clFinish. Prints one line per size: the
 * median turn in ms, and a hash of the bytes at the end. */
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

enum { TURNS = 12, FIRST = 4 }; /* the first are not counted */

static cl_context context;
static cl_device_id device[2];
static cl_command_queue queue[2];
static cl_kernel stir;

static void check(cl_int err, const char *call)
{
    if (err == CL_SUCCESS)
        return;
    printf("exchange_speed: %s: error %d\n", call, err);
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void open_devices(const char *name)
{
    static const char *source = "kernel void stir(global uint *x, uint salt) {\n"
                                "    uint i = get_global_id(0);\n"
                                "    x[i] = x[i] * 31 + (salt ^ i);\n"
                                "}\n";
    cl_platform_id platforms[16];
    char text[256];
    cl_uint n = 0, found = 0;
    cl_program program;
    cl_int err;

    CHECK(clGetPlatformIDs(16, platforms, &n));
    for (cl_uint i = 0; i < n && found < 2; i++) {
        CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL));
        if ((name && !strstr(text, name)) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 2, device, &found) != CL_SUCCESS)
            found = 0;
    }
    if (found < 2) {
        printf("exchange_speed: no platform has two devices\n");
        exit(77);
    }
    context = clCreateContext(NULL, 2, device, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (int d = 0; d < 2; d++) {
        queue[d] = clCreateCommandQueue(context, device[d], 0, &err);
        check(err, "clCreateCommandQueue");
    }
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    stir = clCreateKernel(program, "stir", &err);
    check(err, "clCreateKernel");
}

static uint64_t hash_of(cl_mem x, size_t bytes)
{
    uint32_t *words = malloc(bytes);
    uint64_t hash = 0xcbf29ce484222325u;

    CHECK(clEnqueueReadBuffer(queue[0], x, CL_TRUE, 0, bytes, words, 0, NULL, NULL));
    for (size_t i = 0; i < bytes / 4; i++)
        hash = (hash ^ words[i]) * 0x100000001b3u;
    free(words);
    return hash;
}

static void measure(size_t mib)
{
    size_t bytes = mib << 20, items = bytes / 4;
    double ms[TURNS];
    cl_uint zero = 0;
    cl_int err;
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);

    check(err, "clCreateBuffer");
    CHECK(clEnqueueFillBuffer(queue[0], x, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    CHECK(clFinish(queue[0]));
    for (cl_uint t = 0; t < FIRST + TURNS; t++) {
        double begin = now_ms();

        CHECK(clSetKernelArg(stir, 0, sizeof x, &x));
        CHECK(clSetKernelArg(stir, 1, sizeof t, &t));
        CHECK(clEnqueueNDRangeKernel(queue[t % 2], stir, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clFinish(queue[t % 2]));
        if (t >= FIRST)
            ms[t - FIRST] = now_ms() - begin;
    }
    qsort(ms, TURNS, sizeof *ms, by_value);
    printf("%4zu MiB %10.3f ms hash=%016llx\n", mib, ms[TURNS / 2], (unsigned long long)hash_of(x, bytes));
    fflush(stdout);
    CHECK(clReleaseMemObject(x));
}

int main(int argc, char **argv)
{
    open_devices(argc > 1 && *argv[1] ? argv[1] : NULL);
    if (argc > 2) {
        for (int i = 2; i < argc; i++)
            measure((size_t)atoi(argv[i]));
    } else {
        measure(1);
        measure(16);
        measure(256);
    }
    return 0;
}
