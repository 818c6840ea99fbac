/* table1.c - the times of Gu, Ning, Zheng (2022), table 1, as a program sees them on emulated DSPs:
 * transfers, set-up and execution by profiling information. Usage: table1 real|virtual [preload]
 *
 * virtual: every figure within 2 %, transfers of four DSPs one after another through the DDR, kernels of four
 * DSPs at the same time, which slow each other at the DDR, one DSP's commands one after another. An element
 * of the kernel takes 270 ns, of which 12 bytes at 0.2963 bytes/ns = 40.5 ns are the DDR's. With preload
 * (CLWEAVE_PRELOAD_POSTSTORE=1) these pass while the rest is computed: 229.5 ns an element, and four DSPs,
 * which need 162 ns of the DDR for one element of each, do not slow each other. real: nothing shorter than
 * the model says, and the host is held. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4, DSPS = 4 };

static const struct {
    size_t length;
    double transfer_us, set_up_us, execution_us;
} rows[ROWS] = {{2000, 36, 224, 540}, {4000, 81, 224, 1080}, {6000, 102, 224, 1620}, {8000, 129, 224, 2160}};

static const char source[] = "__kernel void add(__global const int *a, __global int *b) {\n"
                             "    size_t i = get_global_id(0); b[i] += a[i]; }\n";
static int failures, is_real, preload;
static int a[8000], b[8000];

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        failures++;
    }
}

static double at_us(cl_event e, cl_profiling_info which)
{
    cl_ulong ns = 0;

    check(clGetEventProfilingInfo(e, which, sizeof ns, &ns, NULL), "profiling");
    return (double)ns / 1000;
}

static void near(const char *what, double got, double want)
{
    double low = want * 0.98, high = is_real ? INFINITY : want * 1.02;

    printf("%-40s %9.1f us, table %9.1f us\n", what, got, want);
    if (got < low || got > high) {
        fprintf(stderr, "%s: %g us is not %g us\n", what, got, want);
        failures++;
    }
}

static double wall_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* One row on one DSP: write, kernel, read. */
static void row(cl_command_queue q, cl_kernel k, cl_mem x, size_t r)
{
    size_t n = rows[r].length, bytes = 4 * n;
    cl_event e[3];
    double t0 = wall_us(), total, execution_us = rows[r].execution_us * (preload ? 229.5 / 270 : 1);

    check(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, bytes, a, 0, NULL, &e[0]), "write");
    check(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e[1]), "kernel");
    check(clEnqueueReadBuffer(q, x, CL_TRUE, 0, bytes, b, 0, NULL, &e[2]), "read");
    total = at_us(e[2], CL_PROFILING_COMMAND_END) - at_us(e[0], CL_PROFILING_COMMAND_START);
    near("transfer to the DSP",
         at_us(e[0], CL_PROFILING_COMMAND_END) - at_us(e[0], CL_PROFILING_COMMAND_START),
         rows[r].transfer_us);
    near("set-up", at_us(e[1], CL_PROFILING_COMMAND_START) - at_us(e[1], CL_PROFILING_COMMAND_SUBMIT),
         rows[r].set_up_us);
    near("execution", at_us(e[1], CL_PROFILING_COMMAND_END) - at_us(e[1], CL_PROFILING_COMMAND_START),
         execution_us);
    near("all three", total, 2 * rows[r].transfer_us + rows[r].set_up_us + execution_us);
    if (is_real)
        near("wall", wall_us() - t0, 2 * rows[r].transfer_us + rows[r].set_up_us + execution_us);
    for (int i = 0; i < 3; i++) {
        cl_ulong t[4];
        for (cl_profiling_info w = 0; w < 4; w++)
            clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + w, sizeof t[w], &t[w], NULL);
        if (t[0] > t[1] || t[1] > t[2] || t[2] > t[3]) {
            fprintf(stderr, "QUEUED <= SUBMIT <= START <= END does not hold\n");
            failures++;
        }
        clReleaseEvent(e[i]);
    }
}

/* The same on all DSPs at once, nothing waited for: the DDR serves one transfer at a time. */
static void all_at_once(cl_command_queue *q, cl_kernel k, cl_mem *x)
{
    size_t n = 8000;
    cl_event w[DSPS], e[DSPS];
    double start = INFINITY, end = 0;

    for (int d = 0; d < DSPS; d++)
        check(clEnqueueWriteBuffer(q[d], x[d], CL_FALSE, 0, 4 * n, a, 0, NULL, &w[d]), "write");
    for (int d = 0; d < DSPS; d++)
        clFinish(q[d]);
    for (int d = 0; d < DSPS; d++) {
        start = fmin(start, at_us(w[d], CL_PROFILING_COMMAND_START));
        end = fmax(end, at_us(w[d], CL_PROFILING_COMMAND_END));
    }
    near("four transfers at once", end - start, 4 * 129);
    start = INFINITY, end = 0;
    for (int d = 0; d < DSPS; d++) {
        clSetKernelArg(k, 0, sizeof x[d], &x[d]);
        clSetKernelArg(k, 1, sizeof x[d], &x[d]);
        check(clEnqueueNDRangeKernel(q[d], k, 1, NULL, &n, NULL, 0, NULL, &e[d]), "kernel");
    }
    for (int d = 0; d < DSPS; d++)
        clFinish(q[d]);
    for (int d = 0; d < DSPS; d++) {
        start = fmin(start, at_us(e[d], CL_PROFILING_COMMAND_SUBMIT));
        end = fmax(end, at_us(e[d], CL_PROFILING_COMMAND_END));
        clReleaseEvent(e[d]);
        clReleaseEvent(w[d]);
    }
    /* in turn: the k-th DSP has 1 - u of the DDR, u what those before it use: ends at 2160, 2216, 2290, 2391
     * us */
    near("four kernels at once", end - start, 224 + (preload ? 1836 : 2391));
}

int main(int argc, char **argv)
{
    cl_platform_id p;
    cl_device_id d[DSPS];
    cl_uint n = 0;
    const char *text = source;
    cl_command_queue q[DSPS];
    cl_mem x[DSPS], y;
    cl_int error;

    is_real = argc > 1 && !strcmp(argv[1], "real");
    preload = argc > 2 && !strcmp(argv[2], "preload");
    check(clGetPlatformIDs(1, &p, NULL), "platform");
    check(clGetDeviceIDs(p, CL_DEVICE_TYPE_ACCELERATOR, DSPS, d, &n), "devices");
    if (n != DSPS)
        return fprintf(stderr, "%u DSPs instead of %d\n", n, DSPS), 1;
    cl_context c = clCreateContext(NULL, n, d, NULL, NULL, &error);
    cl_program program = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "build");
    cl_kernel k = clCreateKernel(program, "add", &error);
    y = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof b, NULL, NULL);
    for (int i = 0; i < DSPS; i++) {
        q[i] = clCreateCommandQueue(c, d[i], CL_QUEUE_PROFILING_ENABLE, &error);
        check(error, "queue");
        x[i] = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof a, NULL, NULL);
    }
    for (int i = 0; i < 8000; i++)
        a[i] = i;
    clSetKernelArg(k, 0, sizeof x[0], &x[0]);
    clSetKernelArg(k, 1, sizeof y, &y);
    for (size_t r = 0; r < ROWS; r++)
        row(q[0], k, x[0], r);
    if (memcmp(a, b, sizeof a))
        failures += !!fprintf(stderr, "wrong data came back\n");
    if (!is_real)
        all_at_once(q, k, x);
    return failures != 0;
}
