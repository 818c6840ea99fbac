/* one_clock.c - profiling of an in-order queue whose commands are of every kind, managed and native, between
 * launches: each starts when the one before it has ended, on every device. Prints "one_clock: OK", or a line
 * for each command whose times cannot be, and exits with 1. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define N   4096
#define MAX 64

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cl_int err_ = (call);                                                                                \
        if (err_ != CL_SUCCESS) {                                                                            \
            fprintf(stderr, "line %d: %d\n", __LINE__, (int)err_);                                           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

struct commands {
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem memory;
    const char *name[MAX];
    cl_event event[MAX];
    int n;
};

static cl_event *next(struct commands *c, const char *name)
{
    c->name[c->n] = name;
    return &c->event[c->n++];
}

static void launch(struct commands *c, size_t items)
{
    CHECK(clEnqueueNDRangeKernel(c->queue, c->kernel, 1, NULL, &items, NULL, 0, NULL,
                                 next(c, items ? "launch" : "launch without work-items")));
}

static void CL_CALLBACK nothing(void *unused)
{
    (void)unused;
}

static void synchronise(struct commands *c)
{
    CHECK(clEnqueueMarkerWithWaitList(c->queue, 0, NULL, next(c, "marker")));
    launch(c, N);
    CHECK(clEnqueueBarrierWithWaitList(c->queue, 0, NULL, next(c, "barrier")));
    CHECK(clEnqueueMarker(c->queue, next(c, "marker of OpenCL 1.0")));
    launch(c, 0);
    launch(c, N);
}

/* Not of PoCL's basic device, which hangs then (test/vendor/user_event_hangs.c). */
static void hold(struct commands *c)
{
    cl_event gate = clCreateUserEvent(c->context, NULL);

    CHECK(clEnqueueMarkerWithWaitList(c->queue, 1, &gate, next(c, "marker behind a user event")));
    launch(c, N);
    CHECK(clFlush(c->queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    launch(c, 0);
}

static void move(struct commands *c)
{
    static int data[N];
    cl_int err;
    void *mapped;

    CHECK(clEnqueueMigrateMemObjects(c->queue, 1, &c->memory, 0, 0, NULL, next(c, "migration")));
    launch(c, N);
    mapped = clEnqueueMapBuffer(c->queue, c->memory, CL_FALSE, CL_MAP_READ, 0, sizeof data, 0, NULL,
                                next(c, "map"), &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(c->queue, c->memory, mapped, 0, NULL, next(c, "unmap")));
    CHECK(clEnqueueReadBuffer(c->queue, c->memory, CL_TRUE, 0, sizeof data, data, 0, NULL, next(c, "read")));
    launch(c, N);
    CHECK(
        clEnqueueWriteBuffer(c->queue, c->memory, CL_FALSE, 0, sizeof data, data, 0, NULL, next(c, "write")));
}

static void others(struct commands *c, cl_device_id device)
{
    cl_device_exec_capabilities can = 0;
    cl_device_svm_capabilities svm = 0;
    void *shared;
    int one = 1;

    clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL);
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    if (can & CL_EXEC_NATIVE_KERNEL)
        CHECK(clEnqueueNativeKernel(c->queue, nothing, NULL, 0, 0, NULL, NULL, 0, NULL,
                                    next(c, "native kernel")));
    launch(c, N);
    shared = svm ? clSVMAlloc(c->context, CL_MEM_READ_WRITE, N, 0) : NULL;
    if (!shared)
        return;
    CHECK(clEnqueueSVMMemFill(c->queue, shared, &one, sizeof one, N, 0, NULL, next(c, "SVM fill")));
    CHECK(clEnqueueSVMMap(c->queue, CL_FALSE, CL_MAP_READ, shared, N, 0, NULL, next(c, "SVM map")));
    CHECK(clEnqueueSVMUnmap(c->queue, shared, 0, NULL, next(c, "SVM unmap")));
    launch(c, N);
    CHECK(clEnqueueSVMFree(c->queue, 1, &shared, NULL, NULL, 0, NULL, next(c, "SVM free")));
    launch(c, N);
}

static int look(const struct commands *c, const char *device)
{
    cl_ulong at[4], before = 0;
    int wrong = 0;

    for (int i = 0; i < c->n; i++) {
        for (cl_uint k = 0; k < 4; k++)
            CHECK(clGetEventProfilingInfo(c->event[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof at[k], &at[k],
                                          NULL));
        if (at[0] > at[1] || at[1] > at[2] || at[2] > at[3] || at[2] < before) {
            printf("%s, command %d (%s): queued %lld, submit %lld, start %lld, end %lld behind the end "
                   "before it\n",
                   device, i, c->name[i], (long long)(at[0] - before), (long long)(at[1] - before),
                   (long long)(at[2] - before), (long long)(at[3] - before));
            wrong = 1;
        }
        before = at[3];
        clReleaseEvent(c->event[i]);
    }
    return wrong;
}

static int try_device(cl_device_id device, bool dsp)
{
    static const cl_queue_properties profiled[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const char *source = "kernel void add(global int *a) { a[get_global_id(0)] += 1; }";
    struct commands c = {.n = 0};
    char name[128] = "";
    cl_program program;
    cl_int err;

    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    c.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    c.queue = clCreateCommandQueueWithProperties(c.context, device, profiled, &err);
    CHECK(err);
    c.memory = clCreateBuffer(c.context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, &err);
    CHECK(err);
    program = clCreateProgramWithSource(c.context, 1, &source, NULL, &err);
    CHECK(err);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    c.kernel = clCreateKernel(program, "add", &err);
    CHECK(err);
    CHECK(clSetKernelArg(c.kernel, 0, sizeof c.memory, &c.memory));
    launch(&c, N);
    launch(&c, 0);
    launch(&c, N);
    synchronise(&c);
    if (!dsp)
        hold(&c);
    move(&c);
    others(&c, device);
    CHECK(clFinish(c.queue));
    return look(&c, name);
}

int main(void)
{
    cl_device_id devices[16];
    cl_platform_id platform;
    cl_uint n = 0;
    int wrong = 0;

    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &n));
    for (cl_uint i = 0; i < n && i < 2; i++) /* the CPU, and the first DSP */
        wrong |= try_device(devices[i], i > 0);
    puts(wrong ? "one_clock: times of several clocks" : "one_clock: OK");
    return wrong;
}
