/* record_cost.c - what recording costs one thread, in CPU time. test/bench/record.bench runs it with and
 * without the library.
 *
 * Prints "name value" lines: ns per call or pair (thread CPU time), and KiB of growth. Arguments: repetitions
 * in thousands (default 200); "chained": nothing but chained pairs. */
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffers[4];
static long reps = 200000;
static const size_t global = 64;

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void must(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "record_cost: %s: error %d\n", what, status);
        exit(1);
    }
}

/* Resident memory of our own; pages of the log come and go with their chunk. */
static long rss_kib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void set_args(void)
{
    uint64_t t0 = cpu_ns();
    long i;
    int n;

    for (i = 0; i < 5 * reps; i++)
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i & 3]);
    printf("set_arg %.1f\n", (double)(cpu_ns() - t0) / (double)(5 * reps));
    t0 = cpu_ns();
    for (i = 0; i < 5 * reps; i++) {
        n = (int)i;
        clSetKernelArg(kernel, 1, sizeof n, &n);
    }
    printf("set_arg_int %.1f\n", (double)(cpu_ns() - t0) / (double)(5 * reps));
}

static void pairs(void)
{
    uint64_t t0 = cpu_ns();
    long i;

    for (i = 0; i < reps; i++) {
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i & 3]);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    }
    printf("pair %.1f\n", (double)(cpu_ns() - t0) / (double)reps);
    must(clFinish(queue), "clFinish");
}

/* Every command waits for the one before: events are made, waited for and released. */
static void chained_pairs(void)
{
    uint64_t t0 = cpu_ns();
    cl_event before = NULL, event = NULL;
    long i;

    for (i = 0; i < reps; i++) {
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i & 3]);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, before ? 1 : 0, before ? &before : NULL,
                               &event);
        if (before)
            clReleaseEvent(before);
        before = event;
    }
    printf("chained_pair %.1f\n", (double)(cpu_ns() - t0) / (double)reps);
    must(clFinish(queue), "clFinish");
    clReleaseEvent(before);
}

static void polled(void)
{
    long before = rss_kib(), i;
    cl_int status;
    cl_event event;

    for (i = 0; i < reps; i++) {
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event), "enqueue");
        do
            must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 "poll");
        while (status > CL_COMPLETE);
        clReleaseEvent(event);
    }
    printf("growth_kib %ld\n", rss_kib() - before);
}

int main(int argc, char **argv)
{
    static const char *source = "kernel void k(global int *a, int n) { a[get_global_id(0)] = n; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_program program;
    cl_int status;
    int i, n = 1;

    if (argc > 1)
        reps = atol(argv[1]) * 1000;
    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    must(status, "clCreateCommandQueueWithProperties");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    must(status, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "k", &status);
    must(status, "clCreateKernel");
    for (i = 0; i < 4; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &status);
        must(status, "clCreateBuffer");
        must(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    must(clSetKernelArg(kernel, 1, sizeof n, &n), "clSetKernelArg");
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "enqueue");
    must(clFinish(queue), "clFinish");
    if (argc > 2) {
        chained_pairs();
        return 0;
    }
    set_args();
    pairs();
    chained_pairs();
    polled();
    return 0;
}
