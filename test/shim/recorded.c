/* recorded.c COUNTS [alias] - asks about everything that recording might disturb, and prints the answers:
 * they must be the same with and without the library, whatever its options. Runs on any driver; touches every
 * kind of record. The bare run makes the file COUNTS. With `alias` a wait list and the new event share their
 * place. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static _Atomic int called;
static FILE *counts; /* the bare run's reference counts, in the order in which they are asked */
static int bare;
static const struct timespec nap = {0, 1000000};

#define SHOW(call) printf("%s = %d\n", #call, (int)(call))

static void CL_CALLBACK done(cl_event event, cl_int status, void *data)
{
    (void)event;
    called += status == CL_COMPLETE && data == &called;
}

static cl_int exec_status(cl_event e)
{
    cl_int status = 99;

    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status;
}

static cl_uint event_refs(void *e)
{
    cl_uint n = 0;

    clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

static cl_uint context_refs(void *c)
{
    cl_uint n = 0;

    clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

static cl_uint mem_refs(void *m)
{
    cl_uint n = 0;

    clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

/* A count at rest. A vendor's threads drop references a while after the wait for a command returned, bare
 * too. So the bare run waits until a count has not moved for 200 ms, and notes it in `counts`; the others
 * have ten seconds to come to the same: what is held for longer, or forever, is seen. */
static cl_uint at_rest(cl_uint (*count)(void *), void *object)
{
    cl_uint n = count(object), before = n;
    int i, expected;

    if (bare)
        for (i = 0; i < 200; i++, before = n) {
            nanosleep(&nap, NULL);
            n = count(object);
            if (n != before)
                i = 0;
        }
    else if (fscanf(counts, "%d", &expected) == 1)
        for (i = 0; i < 10000 && (n = count(object)) != (cl_uint)expected; i++)
            nanosleep(&nap, NULL);
    if (bare)
        fprintf(counts, "%u\n", n);
    return n;
}

/* What a queue says about profiling, and what an event of it answers. */
static void show_queue(const char *name, cl_command_queue q)
{
    cl_command_queue_properties p = 99;
    cl_queue_properties array[16] = {0};
    cl_event e = NULL;
    cl_ulong t = 0;
    size_t n = 99;
    unsigned char byte = 7;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);

    SHOW(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL));
    printf("%s: properties %d\n", name, (int)p);
    SHOW(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof array, array, &n));
    printf("%s: array %zu: %d %d %d\n", name, n, (int)array[0], (int)array[1], (int)array[2]);
    SHOW(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, 1, array, NULL));
    SHOW(clEnqueueFillBuffer(q, m, &byte, 1, 0, 64, 0, NULL, &e));
    SHOW(clWaitForEvents(1, &e));
    SHOW(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
    SHOW(at_rest(event_refs, e));
    SHOW(clRetainEvent(e));
    SHOW(at_rest(event_refs, e));
    SHOW(clReleaseEvent(e));
    SHOW(clReleaseEvent(e));
    SHOW(clReleaseMemObject(m));
}

static void queues(void)
{
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_queue_properties plain[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties wrong[] = {12345, 1, 0};
    cl_command_queue q;
    cl_int err = 0;

    show_queue("no list", queue);
    q = clCreateCommandQueueWithProperties(context, device, profiling, NULL);
    show_queue("profiling", q);
    SHOW(clReleaseCommandQueue(q));
    q = clCreateCommandQueueWithProperties(context, device, plain, NULL);
    show_queue("out of order", q);
    SHOW(clReleaseCommandQueue(q));
    q = clCreateCommandQueueWithProperties(context, device, wrong, &err);
    printf("wrong: %d %d\n", q != NULL, err);
    if (q)
        clReleaseCommandQueue(q);
    SHOW(at_rest(context_refs, context));
}

/* Two maps of one address: the first unmap may be meant for either. */
static void two_maps(void)
{
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    unsigned char byte = 1, *r, *w;

    SHOW(clEnqueueFillBuffer(queue, m, &byte, 1, 0, 256, 0, NULL, NULL));
    r = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 256, 0, NULL, NULL, NULL);
    w = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 128, 0, NULL, NULL, NULL);
    SHOW(clEnqueueUnmapMemObject(queue, m, r, 0, NULL, NULL));
    SHOW(clFinish(queue));
    w[5] = 42;
    SHOW(clEnqueueUnmapMemObject(queue, m, w, 0, NULL, NULL));
    SHOW(clEnqueueReadBuffer(queue, m, CL_TRUE, 5, 1, &byte, 0, NULL, NULL));
    SHOW(byte);
    SHOW(clReleaseMemObject(m));
}

static void maps(void)
{
    static int host[1024];
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof host, host, NULL);
    cl_mem u = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof host, host, NULL);
    cl_buffer_region part = {1024, 1024};
    cl_mem s = clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL);
    size_t origin[3] = {0}, region[3] = {16, 4, 2};
    cl_event e = NULL;
    cl_int err;
    int *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, 512, 0, NULL, NULL, &err);
    int back[256];

    printf("map %d %d\n", p != NULL, err);
    p[0] = 42;
    SHOW(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, &e));
    SHOW(clEnqueueReadBuffer(queue, m, CL_FALSE, 0, sizeof back, back, 1, &e, NULL));
    SHOW(clFinish(queue));
    SHOW(back[0]);
    SHOW(clReleaseEvent(e));
    host[5] = 5;
    SHOW(clEnqueueWriteBufferRect(queue, s, CL_FALSE, origin, origin, region, 16, 64, 32, 0, host, 0, NULL,
                                  NULL));
    SHOW(clEnqueueCopyBuffer(queue, u, m, 0, 0, 256, 0, NULL, NULL));
    SHOW(clEnqueueReadBufferRect(queue, s, CL_TRUE, origin, origin, region, 16, 64, 16, 64, back, 0, NULL,
                                 NULL));
    SHOW(clEnqueueMigrateMemObjects(queue, 1, &m, 0, 0, NULL, NULL));
    SHOW(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 1 << 20, back, 0, NULL, NULL)); /* too much */
    p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 1 << 20, 0, NULL, NULL, &err);
    printf("map too much %d %d\n", p != NULL, err);
    SHOW(clFinish(queue)); /* pending commands count too */
    SHOW(at_rest(mem_refs, m));
    SHOW(clReleaseMemObject(m));
    SHOW(clReleaseMemObject(s));
    SHOW(clReleaseMemObject(u));
    SHOW(at_rest(context_refs, context));
}

static void images(void)
{
    static unsigned char pixels[16 * 16 * 4];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const cl_uint color[4] = {1, 2, 3, 4};
    size_t origin[3] = {0}, region[3] = {8, 8, 1}, row, slice;
    cl_int err = 0;
    cl_mem m = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &err);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, NULL);
    void *p;

    printf("image %d %d\n", m != NULL, err);
    if (!m)
        return;
    SHOW(clEnqueueFillImage(queue, m, color, origin, region, 0, NULL, NULL));
    SHOW(clEnqueueWriteImage(queue, m, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    SHOW(clEnqueueReadImage(queue, m, CL_FALSE, origin, region, 64, 0, pixels, 0, NULL, NULL));
    p = clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_WRITE, origin, region, &row, &slice, 0, NULL, NULL, &err);
    printf("map image %d %d\n", p != NULL, err);
    if (p)
        SHOW(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    SHOW(clFinish(queue));
    SHOW(clReleaseMemObject(m));
    SHOW(clReleaseSampler(sampler));
}

static void kernels(int aliasing)
{
    static const char *source =
        "typedef struct { int v[20]; } big;\n"
        "kernel void k(global int *a, int n, big b, local int *l) { a[get_global_id(0)] = n; }";
    static const struct {
        int v[20];
    } big = {{1}};
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    size_t global[3] = {64, 2, 1}, local[3] = {8, 1, 1};
    cl_event gate = clCreateUserEvent(context, NULL), e[2] = {NULL, NULL}, both;
    cl_kernel k, clone;
    int n = 7, i;

    SHOW(clBuildProgram(program, 1, &device, "-DX=1", NULL, NULL));
    k = clCreateKernel(program, "k", NULL);
    SHOW(clSetKernelArg(k, 0, sizeof m, &m));
    SHOW(clSetKernelArg(k, 1, sizeof n, &n));
    SHOW(clSetKernelArg(k, 2, sizeof big, &big));
    SHOW(clSetKernelArg(k, 3, 256, NULL));
    SHOW(clSetKernelArg(k, 9, sizeof n, &n)); /* no such argument */
    clone = clCloneKernel(k, NULL);
    SHOW(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 1, &gate, &e[0]));
    SHOW(clEnqueueNDRangeKernel(queue, k, 1, NULL, global, NULL, 1, &e[0], &e[0] + 1));
    SHOW(clEnqueueNDRangeKernel(queue, k, 77, NULL, global, NULL, 0, NULL, NULL)); /* wrong */
    SHOW(clSetEventCallback(e[1], CL_COMPLETE, done, &called));
    SHOW(clSetUserEventStatus(gate, CL_COMPLETE));
    SHOW(clFlush(queue));
    while (exec_status(e[1]) > CL_COMPLETE)
        ;
    while (!called)
        nanosleep(&nap, NULL);
    SHOW(called);
    if (clone) {
        both = e[0];
        if (aliasing) /* the new event takes the place of the one that is waited for */
            SHOW(clEnqueueNDRangeKernel(queue, clone, 1, NULL, global, NULL, 1, &both, &both));
        else
            SHOW(clEnqueueNDRangeKernel(queue, clone, 1, NULL, global, NULL, 1, e, &both));
        SHOW(clReleaseEvent(both));
        SHOW(clReleaseKernel(clone));
    }
    SHOW(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    SHOW(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    SHOW(clFinish(queue));
    for (i = 0; i < 2; i++)
        SHOW(clReleaseEvent(e[i]));
    SHOW(clReleaseEvent(gate));
    SHOW(clReleaseKernel(k));
    SHOW(clReleaseProgram(program));
    SHOW(clReleaseMemObject(m));
    SHOW(at_rest(context_refs, context));
}

/* Arguments that may be NULL, and those that may not: the vendor must see the same ones. */
static void nothing_to_answer(void)
{
    cl_platform_id platform;

    SHOW(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    SHOW(clGetPlatformIDs(0, NULL, NULL));
    SHOW(clGetPlatformIDs(1, &platform, NULL));
    SHOW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    SHOW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    SHOW(clWaitForEvents(0, NULL));
    SHOW(clWaitForEvents(1, NULL));
    SHOW(clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL));
    SHOW(clSetUserEventStatus(NULL, CL_COMPLETE));
    SHOW(clReleaseMemObject(NULL));
    SHOW(clFinish(NULL));
}

int main(int argc, char **argv)
{
    cl_platform_id platform;

    if (argc < 2)
        return 2;
    bare = !(counts = fopen(argv[1], "r"));
    if (bare && !(counts = fopen(argv[1], "w")))
        return 2;
    SHOW(clGetPlatformIDs(1, &platform, NULL));
    SHOW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    nothing_to_answer();
    queues();
    maps();
    two_maps();
    images();
    kernels(argc > 2);
    SHOW(clReleaseCommandQueue(queue));
    SHOW(at_rest(context_refs, context));
    SHOW(clReleaseContext(context));
    return fclose(counts) != 0;
}
