/* roofs_measure.c - see devices.h. Launches grow until they take long enough to be timed; then several
 * are. Kernels are timed by the device's clock, transfers and launches as their caller sees them. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: vendors of OpenCL 1 know no other */
#include "devices.h"
#include "../io/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 9, LAUNCHES = 201, WARM_LAUNCHES = 20, CHAINS = 12, STEPS = 4, READS = 16 };
#define ENOUGH_NS     20e6         /* a launch that is timed */
#define LEAST_BYTES   (8ull << 20) /* of an array */
#define MOST_BYTES    (128ull << 20)
#define MOST_DISTANCE (1024ull << 20) /* where the device has a memory of its own */
#define LINK_BYTES    (64ull << 20)

struct measure {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    uint64_t units, most_local, most_bytes;
    double deadline; /* s */
};

static const char memory_source[] =
    "kernel void cw_copy(global const float4 *a, global float4 *b)\n"
    "{ size_t i = get_global_id(0); b[i] = a[i]; }\n"
    "kernel void cw_triad(global const float4 *a, global const float4 *b, global float4 *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + 3.0f * b[i]; }\n"
    "kernel void cw_read(global const float4 *a, global float4 *b)\n"
    "{\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    float4 s = 0;\n"
    "    for (int k = 0; k < 16; k++)\n"
    "        s += a[i + k * n];\n"
    "    b[i] = s;\n"
    "}\n"
    "kernel void cw_empty(global float4 *a) { }\n";

/* T and E (its element) come with the build options; a and b keep every value near 2. */
static const char flops_source[] =
    "#ifdef TWICE\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "#define M(x) x = mad(x, a, b);\n"
    "#define ALL M(x0) M(x1) M(x2) M(x3) M(x4) M(x5) M(x6) M(x7) M(x8) M(x9) M(x10) M(x11)\n"
    "kernel void cw_flops(global T *out, E factor, E summand, int rounds)\n"
    "{\n"
    "    T a = factor, b = summand, x0 = (E)get_global_id(0);\n"
    "    T x1 = x0 + b, x2 = x1 + b, x3 = x2 + b, x4 = x3 + b, x5 = x4 + b, x6 = x5 + b, x7 = x6 + b;\n"
    "    T x8 = x7 + b, x9 = x8 + b, x10 = x9 + b, x11 = x10 + b;\n"
    "    for (int i = 0; i < rounds; i++) { ALL ALL ALL ALL }\n"
    "    out[get_global_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11;\n"
    "}\n";

static bool is_late(const struct measure *m)
{
    return cw_monotonic_s() > m->deadline;
}

static uint64_t number(cl_device_id d, cl_device_info what)
{
    uint64_t v = 0;

    return clGetDeviceInfo(d, what, sizeof v, &v, NULL) == CL_SUCCESS ? v : 0;
}

/* ---- kernels */

/* The caller's to release; NULL: the device refuses it. */
static cl_kernel build(const struct measure *m, const char *source, const char *options, const char *name)
{
    cl_program p = clCreateProgramWithSource(m->context, 1, &source, NULL, NULL);
    cl_kernel k = NULL;

    if (p && clBuildProgram(p, 1, &m->device, options, NULL, NULL) == CL_SUCCESS)
        k = clCreateKernel(p, name, NULL);
    if (p)
        clReleaseProgram(p);
    return k;
}

/* ns of one launch; 0: it fails. */
static double time_launch(const struct measure *m, cl_kernel k, size_t items)
{
    size_t local = m->most_local < 64 ? 1 : 64;
    cl_event event = NULL;
    cl_ulong start = 0, end = 0;
    double begin = cw_monotonic_s(), wall;

    if (clEnqueueNDRangeKernel(m->queue, k, 1, NULL, &items, &local, 0, NULL, &event) != CL_SUCCESS)
        return 0;
    if (clFinish(m->queue) != CL_SUCCESS)
        end = 0;
    wall = (cw_monotonic_s() - begin) * 1e9;
    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) !=
            CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) != CL_SUCCESS)
        start = end = 0;
    clReleaseEvent(event);
    return end > start ? (double)(end - start) : wall;
}

/* Times REPEATS launches, each of which has `amount` bytes or operations. */
static struct cw_roof_value repeat(const struct measure *m, cl_kernel k, size_t items, double amount)
{
    double rate[REPEATS], ns;
    uint32_t n = 0;

    while (n < REPEATS && (n < 3 || !is_late(m))) {
        ns = time_launch(m, k, items);
        if (!(ns > 0))
            break;
        rate[n++] = amount / ns;
    }
    return cw_device_roofs_value(rate, n);
}

/* ---- memory */

/* Arrays of `bytes` each, which kernels have written once; false: there is no room. */
static bool make_arrays(const struct measure *m, cl_mem array[3], size_t bytes)
{
    const cl_uint zero = 0;
    bool ok = true;

    for (int i = 0; i < 3; i++) {
        array[i] = ok ? clCreateBuffer(m->context, CL_MEM_READ_WRITE, bytes, NULL, NULL) : NULL;
        ok = array[i] && clEnqueueFillBuffer(m->queue, array[i], &zero, sizeof zero, 0, bytes, 0, NULL,
                                             NULL) == CL_SUCCESS;
    }
    return ok && clFinish(m->queue) == CL_SUCCESS;
}

static void release_arrays(cl_mem array[3])
{
    for (int i = 0; i < 3; i++)
        if (array[i])
            clReleaseMemObject(array[i]);
}

static const struct memory_kernel {
    enum cw_roof roof;
    const char *name;
    cl_uint arrays;
    double items, bytes; /* for each byte of an array */
} memory_kernels[] = {
    {CW_ROOF_COPY, "cw_copy", 2, 1.0 / 16, 2},
    {CW_ROOF_TRIAD, "cw_triad", 3, 1.0 / 16, 3},
    {CW_ROOF_READ, "cw_read", 2, 1.0 / 16 / READS, 1 + 1.0 / READS},
};

static bool set_arrays(cl_kernel k, const struct memory_kernel *v, cl_mem array[3])
{
    for (cl_uint i = 0; k && i < v->arrays; i++)
        if (clSetKernelArg(k, i, sizeof(cl_mem), &array[i]) != CL_SUCCESS)
            return false;
    return k;
}

/* The size at which a copy takes long enough, or the largest that there is room for. */
static size_t find_size(const struct measure *m)
{
    cl_kernel k = build(m, memory_source, "", "cw_copy");
    size_t bytes = LEAST_BYTES, good = 0;
    bool grow = k;

    while (grow && bytes <= m->most_bytes && !is_late(m)) {
        cl_mem array[3] = {0};
        double ns = 0;

        if (make_arrays(m, array, bytes) && set_arrays(k, &memory_kernels[0], array)) {
            (void)time_launch(m, k, bytes / 16);
            ns = time_launch(m, k, bytes / 16);
        }
        release_arrays(array);
        good = ns > 0 ? bytes : good;
        grow = ns > 0 && ns < 5 * ENOUGH_NS;
        bytes *= ns < ENOUGH_NS / 8 ? 8 : 2; /* to make arrays takes a GPU longer than to copy them */
    }
    if (k)
        clReleaseKernel(k);
    return good;
}

static void measure_memory(const struct measure *m, struct cw_device_roofs *r)
{
    size_t bytes = find_size(m);
    cl_mem array[3] = {0};
    bool enough = bytes && make_arrays(m, array, bytes);

    for (size_t i = 0; enough && i < sizeof memory_kernels / sizeof *memory_kernels && !is_late(m); i++) {
        const struct memory_kernel *v = &memory_kernels[i];
        cl_kernel k = build(m, memory_source, "", v->name);
        size_t items = (size_t)((double)bytes * v->items);

        if (set_arrays(k, v, array) && time_launch(m, k, items) > 0)
            r->v[v->roof] = repeat(m, k, items, (double)bytes * v->bytes);
        if (k)
            clReleaseKernel(k);
    }
    release_arrays(array);
}

/* ---- multiply-adds */

/* Vectors of `width`, as wide as some devices need them. */
static struct cw_roof_value measure_flops(const struct measure *m, unsigned width, bool twice)
{
    const char *element = twice ? "double" : "float";
    size_t items = (size_t)m->units * 2048, one = twice ? sizeof(double) : sizeof(float);
    cl_mem out = clCreateBuffer(m->context, CL_MEM_READ_WRITE, items * width * one, NULL, NULL);
    double d[2] = {.5, 1}, ns = 0;
    float f[2] = {.5f, 1};
    struct cw_roof_value v = {0};
    char options[128], digits[16] = "";
    cl_int rounds = 4;
    cl_kernel k;

    if (width > 1)
        snprintf(digits, sizeof digits, "%u", width);
    snprintf(options, sizeof options, "-cl-mad-enable -DE=%s -DT=%s%s%s", element, element, digits,
             twice ? " -DTWICE" : "");
    k = out ? build(m, flops_source, options, "cw_flops") : NULL;
    if (k && clSetKernelArg(k, 0, sizeof out, &out) == CL_SUCCESS &&
        clSetKernelArg(k, 1, one, twice ? (void *)&d[0] : &f[0]) == CL_SUCCESS &&
        clSetKernelArg(k, 2, one, twice ? (void *)&d[1] : &f[1]) == CL_SUCCESS) {
        do {
            rounds *= 2;
            clSetKernelArg(k, 3, sizeof rounds, &rounds);
            ns = time_launch(m, k, items);
        } while (ns > 0 && ns < ENOUGH_NS && rounds < 1 << 24 && !is_late(m));
        if (ns > 0)
            v = repeat(m, k, items, 2.0 * CHAINS * STEPS * width * rounds * (double)items);
    }
    if (k)
        clReleaseKernel(k);
    if (out)
        clReleaseMemObject(out);
    return v;
}

static void measure_compute(const struct measure *m, struct cw_device_roofs *r)
{
    static const unsigned single[] = {1, 8, 16}, twice[] = {1, 4, 8};
    bool has_double = number(m->device, CL_DEVICE_DOUBLE_FP_CONFIG);

    for (int i = 0; i < 6 && !is_late(m); i++) {
        bool two = i % 2;
        struct cw_roof_value v, *best = &r->v[two ? CW_ROOF_DOUBLE : CW_ROOF_SINGLE];

        if (two && !has_double)
            continue;
        v = measure_flops(m, two ? twice[i / 2] : single[i / 2], two);
        if (v.median > best->median)
            *best = v;
    }
}

/* ---- the host */

static void measure_link(const struct measure *m, struct cw_device_roofs *r)
{
    size_t bytes = m->most_bytes < LINK_BYTES ? m->most_bytes : LINK_BYTES;
    cl_mem b = clCreateBuffer(m->context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    char *host = malloc(bytes);
    double up[REPEATS], down[REPEATS], begin, middle;
    uint32_t n = 0;
    bool ok = b && host;

    if (ok)
        memset(host, 1, bytes);
    begin = cw_monotonic_s();
    ok = ok && !clEnqueueWriteBuffer(m->queue, b, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
    if ((cw_monotonic_s() - begin) * 1e9 > 5 * ENOUGH_NS)
        bytes /= 8;
    while (ok && n < REPEATS && (n < 3 || !is_late(m))) {
        begin = cw_monotonic_s();
        ok = !clEnqueueWriteBuffer(m->queue, b, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
        middle = cw_monotonic_s();
        ok = ok && !clEnqueueReadBuffer(m->queue, b, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
        if (!ok)
            break;
        up[n] = (double)bytes / (middle - begin) * 1e-9;
        down[n++] = (double)bytes / (cw_monotonic_s() - middle) * 1e-9;
    }
    r->v[CW_ROOF_UP] = cw_device_roofs_value(up, n);
    r->v[CW_ROOF_DOWN] = cw_device_roofs_value(down, n);
    free(host);
    if (b)
        clReleaseMemObject(b);
}

static void measure_launch(const struct measure *m, struct cw_device_roofs *r)
{
    cl_kernel k = build(m, memory_source, "", "cw_empty");
    cl_mem b = clCreateBuffer(m->context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    double us[LAUNCHES], begin;
    uint32_t n = 0;
    size_t one = 1;
    bool ok = k && b && clSetKernelArg(k, 0, sizeof b, &b) == CL_SUCCESS;

    for (int i = 0; ok && i < WARM_LAUNCHES + LAUNCHES && (n < 3 || !is_late(m)); i++) {
        begin = cw_monotonic_s();
        ok = !clEnqueueNDRangeKernel(m->queue, k, 1, NULL, &one, &one, 0, NULL, NULL) && !clFinish(m->queue);
        if (ok && i >= WARM_LAUNCHES)
            us[n++] = (cw_monotonic_s() - begin) * 1e6;
    }
    r->v[CW_ROOF_LAUNCH] = cw_device_roofs_value(us, n);
    if (b)
        clReleaseMemObject(b);
    if (k)
        clReleaseKernel(k);
}

bool cw_roofs_measure(cl_device_id device, double seconds, struct cw_device_roofs *r, bool *late)
{
    struct measure m = {.device = device, .deadline = cw_monotonic_s() + seconds};
    uint64_t memory = number(device, CL_DEVICE_GLOBAL_MEM_SIZE) / 8,
             one = number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), most;
    bool any = false;

    *r = (struct cw_device_roofs){.when_s = (int64_t)time(NULL)};
    m.units = number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    m.units = m.units ? m.units : 1;
    m.most_local = number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    m.most_bytes = memory < one ? memory : one;
    most = number(device, CL_DEVICE_HOST_UNIFIED_MEMORY) ? MOST_BYTES : MOST_DISTANCE;
    m.most_bytes = m.most_bytes < most ? m.most_bytes : most;
    m.context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (m.context)
        m.queue = clCreateCommandQueue(m.context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    if (m.queue) {
        measure_launch(&m, r);
        measure_link(&m, r);
        measure_memory(&m, r);
        measure_compute(&m, r);
        clReleaseCommandQueue(m.queue);
    }
    if (m.context)
        clReleaseContext(m.context);
    for (int k = 0; k < CW_ROOFS; k++)
        any |= r->v[k].n > 0;
    *late = is_late(&m);
    return any;
}
