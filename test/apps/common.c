/* common.c - see common.h. */
#include "common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME  0x100000001b3u

void app_check(cl_int err, const char *file, int line)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: OpenCL error %d\n", file, line, err);
    exit(1);
}

void app_skip(const char *name, const char *why)
{
    printf("%s: SKIP %s\n", name, why);
    exit(77);
}

static unsigned index_from(const char *variable)
{
    const char *s = getenv(variable);
    return s ? (unsigned)strtoul(s, NULL, 10) : 0;
}

static void choose_device(struct app *a)
{
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint platform_count = 0, device_count = 0;
    unsigned p = index_from("APP_PLATFORM"), d = index_from("APP_DEVICE");
    APP_CHECK(clGetPlatformIDs(16, platforms, &platform_count));
    if (p >= platform_count || p >= 16) {
        fprintf(stderr, "%s: there is no platform %u (%u found)\n", a->name, p, platform_count);
        exit(1);
    }
    a->platform = platforms[p];
    APP_CHECK(clGetDeviceIDs(a->platform, CL_DEVICE_TYPE_ALL, 64, devices, &device_count));
    if (d >= device_count || d >= 64) {
        fprintf(stderr, "%s: there is no device %u (%u found)\n", a->name, d, device_count);
        exit(1);
    }
    a->device = devices[d];
}

static void build(struct app *a, const char *source)
{
    cl_int err;
    a->program = clCreateProgramWithSource(a->context, 1, &source, NULL, &err);
    APP_CHECK(err);
    err = clBuildProgram(a->program, 1, &a->device, "", NULL, NULL);
    if (err != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(a->program, a->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s: build failed: %s\n", a->name, log);
    }
    APP_CHECK(err);
}

/* APP_SUBDEVICE: a sub-device of one unit stands for the device. */
static void take_part(struct app *a)
{
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part;

    if (!getenv("APP_SUBDEVICE"))
        return;
    APP_CHECK(clCreateSubDevices(a->device, one, 1, &part, NULL));
    a->device = part;
}

/* APP_SOURCES: the source becomes a file there, and the program ends (test/compile/ahead.c). */
static void give_source(const char *name, const char *source)
{
    const char *folder = getenv("APP_SOURCES");
    char path[4096];
    FILE *f;

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.cl", folder, name);
    f = source ? fopen(path, "w") : NULL;
    _exit(f && (fputs(source, f) == EOF || fclose(f) == EOF));
}

void app_open(struct app *a, const char *name, cl_command_queue_properties properties, const char *source)
{
    cl_int err;

    give_source(name, source);
    *a = (struct app){.name = name, .hash = FNV_OFFSET, .ok = true};
    choose_device(a);
    take_part(a);
    const cl_context_properties on_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)a->platform, 0};
    a->context = clCreateContext(on_platform, 1, &a->device, NULL, NULL, &err);
    APP_CHECK(err);
    a->queue = app_queue(a, properties);
    if (source)
        build(a, source);
}

int app_close(struct app *a)
{
    if (a->program)
        APP_CHECK(clReleaseProgram(a->program));
    APP_CHECK(clReleaseCommandQueue(a->queue));
    APP_CHECK(clReleaseContext(a->context));
    if (a->ok)
        printf("%s: OK hash=%016llx\n", a->name, (unsigned long long)a->hash);
    else
        printf("%s: FAILED\n", a->name);
    return a->ok ? 0 : 1;
}

cl_command_queue app_queue(const struct app *a, cl_command_queue_properties properties)
{
    cl_int err;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(a->context, a->device, list, &err);
    APP_CHECK(err);
    return q;
}

cl_kernel app_kernel(const struct app *a, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(a->program, name, &err);
    APP_CHECK(err);
    return k;
}

cl_mem app_buffer(const struct app *a, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(a->context, flags, bytes, host, &err);
    APP_CHECK(err);
    return m;
}

cl_mem app_sub_buffer(cl_mem parent, cl_mem_flags flags, size_t offset_bytes, size_t bytes)
{
    cl_int err;
    const cl_buffer_region region = {offset_bytes, bytes};
    cl_mem m = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    APP_CHECK(err);
    return m;
}

void app_release_mems(cl_mem *mems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        APP_CHECK(clReleaseMemObject(mems[i]));
}

void app_release_events(cl_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        APP_CHECK(clReleaseEvent(events[i]));
}

static void set_arg(cl_kernel kernel, cl_uint index, char type, va_list *values)
{
    union {
        cl_mem m;
        cl_sampler s;
        cl_int i;
        cl_uint u;
        cl_float f;
    } v;
    size_t size = 0;
    switch (type) {
    case 'm':
        v.m = va_arg(*values, cl_mem), size = sizeof v.m;
        break;
    case 's':
        v.s = va_arg(*values, cl_sampler), size = sizeof v.s;
        break;
    case 'i':
        v.i = va_arg(*values, cl_int), size = sizeof v.i;
        break;
    case 'u':
        v.u = va_arg(*values, cl_uint), size = sizeof v.u;
        break;
    case 'f':
        v.f = (cl_float)va_arg(*values, double), size = sizeof v.f;
        break;
    case 'l':
        APP_CHECK(clSetKernelArg(kernel, index, va_arg(*values, size_t), NULL));
        return;
    default:
        abort();
    }
    APP_CHECK(clSetKernelArg(kernel, index, size, &v));
}

void app_args(cl_kernel kernel, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    for (cl_uint i = 0; types[i]; i++)
        set_arg(kernel, i, types[i], &values);
    va_end(values);
}

void app_run(cl_command_queue queue, cl_kernel kernel, size_t n, size_t local, cl_uint waits,
             const cl_event *wait_list, cl_event *event)
{
    APP_CHECK(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, local ? &local : NULL, waits, wait_list, event));
}

void app_run_2d(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height, size_t local)
{
    const size_t global[2] = {width, height}, group[2] = {local, local};
    APP_CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local ? group : NULL, 0, NULL, NULL));
}

void app_read(struct app *a, cl_mem buffer, size_t offset_bytes, size_t bytes, void *to)
{
    APP_CHECK(clEnqueueReadBuffer(a->queue, buffer, CL_TRUE, offset_bytes, bytes, to, 0, NULL, NULL));
    app_hash(a, to, bytes);
}

void app_hash(struct app *a, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        a->hash = (a->hash ^ p[i]) * FNV_PRIME;
}

bool app_expect(struct app *a, bool holds, const char *fmt, ...)
{
    if (holds)
        return true;
    if (a->ok) {
        va_list values;
        va_start(values, fmt);
        fprintf(stderr, "%s: ", a->name);
        vfprintf(stderr, fmt, values);
        fputc('\n', stderr);
        va_end(values);
    }
    a->ok = false;
    return false;
}

void app_expect_words(struct app *a, const char *what, const uint32_t *got, const uint32_t *want,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!app_expect(a, got[i] == want[i], "%s[%zu] is %u, expected %u", what, i, got[i], want[i]))
            return;
}

void app_expect_floats(struct app *a, const char *what, const float *got, const float *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float room = 1e-5f * fmaxf(1.0f, fabsf(want[i]));
        if (!app_expect(a, fabsf(got[i] - want[i]) <= room, "%s[%zu] is %g, expected %g", what, i, got[i],
                        want[i]))
            return;
    }
}

size_t app_size(int argc, char **argv, int i, size_t standard, size_t low, size_t high)
{
    if (i >= argc)
        return standard;
    char *end;
    unsigned long long v = strtoull(argv[i], &end, 10);
    if (*end || end == argv[i] || v < low || v > high) {
        fprintf(stderr, "%s: argument %d is '%s'; it must be a number from %zu to %zu\n", argv[0], i, argv[i],
                low, high);
        exit(1);
    }
    return v;
}

void *app_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    return p;
}

uint32_t app_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}
