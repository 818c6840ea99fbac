/* objects.c - queries of objects, in states that do not depend on time: the same answers. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include "common.h"

#include <pthread.h>

static struct app a;
static int order[8], calls;

static void show_memory(const char *what, cl_mem m, const void *host)
{
    cl_mem_flags flags = 0;
    void *p = &flags;
    size_t bytes = 0, offset = 0;
    cl_mem parent = (cl_mem)&flags;
    cl_bool svm = 7;

    clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof p, &p, NULL);
    clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    clGetMemObjectInfo(m, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
    clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof svm, &svm, NULL);
    printf("%s: flags %#llx host %s%td bytes %zu offset %zu parent %s svm %d; short %d\n", what,
           (unsigned long long)flags, p ? host ? "host+" : "some" : "NULL",
           p && host ? (char *)p - (const char *)host : 0, bytes, offset, parent ? "yes" : "no", (int)svm,
           clGetMemObjectInfo(m, CL_MEM_FLAGS, 1, &flags, NULL));
}

static void CL_CALLBACK gone(cl_mem m, void *data)
{
    (void)m;
    if (calls < 8)
        order[calls++] = (int)(intptr_t)data;
}

static void memory(void)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY,
                                         CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                         1 << 20};
    static char host[4096] __attribute__((aligned(4096)));
    char name[64];
    cl_int err;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        for (int with = 0; with < 2; with++) {
            cl_mem m = clCreateBuffer(a.context, flags[i], 4096, with ? host : NULL, &err), s;

            snprintf(name, sizeof name, "flags %#llx%s", (unsigned long long)flags[i], with ? " with" : "");
            if (!m) {
                printf("%s: %d\n", name, err);
                continue;
            }
            show_memory(name, m, flags[i] & CL_MEM_USE_HOST_PTR ? host : NULL);
            s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){1024, 512}, &err);
            printf("sub %d; ", err);
            if (s)
                show_memory("sub", s, flags[i] & CL_MEM_USE_HOST_PTR ? host : NULL);
            if (s)
                clReleaseMemObject(s);
            s = clCreateSubBuffer(m, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                  &(cl_buffer_region){1, 512}, &err);
            printf("misaligned %d\n", err);
            if (s)
                clReleaseMemObject(s);
            clReleaseMemObject(m);
        }
    printf("no bytes: %d\n", (clCreateBuffer(a.context, 0, 0, NULL, &err), err));
    printf("too many bytes: %d\n", (clCreateBuffer(a.context, 0, (size_t)1 << 60, NULL, &err), err));
    printf("no error wanted: %d\n", clCreateBuffer(a.context, 0, 0, NULL, NULL) == NULL);
}

static void destructors(void)
{
    cl_mem m = app_buffer(&a, 0, 4096, NULL), s;
    int x = 1;

    for (intptr_t i = 1; i <= 3; i++)
        APP_CHECK(clSetMemObjectDestructorCallback(m, gone, (void *)i));
    APP_CHECK(clEnqueueFillBuffer(a.queue, m, &x, 4, 0, 4096, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    s = app_sub_buffer(m, 0, 0, 256);
    APP_CHECK(clSetMemObjectDestructorCallback(s, gone, (void *)4));
    APP_CHECK(clRetainMemObject(m));
    clReleaseMemObject(m);
    printf("calls %d\n", calls);
    clReleaseMemObject(m);
    printf("calls %d\n", calls);
    clReleaseMemObject(s);
    RM_WAIT(calls == 4); /* the vendor may still hold the buffer for the fill that has ended */
    printf("calls %d: %d %d %d %d\n", calls, order[0], order[1], order[2], order[3]);
    calls = 0;
    m = app_buffer(&a, 0, 4096, NULL);
    APP_CHECK(clSetMemObjectDestructorCallback(m, gone, (void *)5));
    APP_CHECK(clEnqueueFillBuffer(a.queue, m, &x, 4, 0, 4096, 0, NULL, NULL));
    clReleaseMemObject(m);
    APP_CHECK(clFinish(a.queue));
    RM_WAIT(calls);
    printf("after work: %d\n", calls);
}

static void show_event(const char *what, cl_event e)
{
    cl_command_type type = 0;
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    cl_ulong t[5] = {0};
    cl_int err[5];
    size_t bytes = 0;

    clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, &bytes);
    clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    for (cl_uint i = 0; i < 5; i++)
        err[i] = clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL);
    printf("%s: type %#x (%zu) queue %d context %d status %d times %d %d %d %d %d, in order %d, short %d, "
           "unknown %d %d\n",
           what, type, bytes, queue == a.queue, context == a.context, rm_status(e), err[0], err[1], err[2],
           err[3], err[4], t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3],
           clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 4, t, NULL),
           clGetEventProfilingInfo(e, 0x1234, 8, t, NULL), clGetEventInfo(e, 0x1234, 8, t, NULL));
    printf(
        "  set by the program %d, info short %d, callback %d %d\n", clSetUserEventStatus(e, CL_COMPLETE),
        clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, 1, &type, NULL),
        clSetEventCallback(e, CL_COMPLETE, NULL, NULL),
        clSetEventCallback(e, 77, (void(CL_CALLBACK *)(cl_event, cl_int, void *))(void (*)(void))gone, NULL));
    clReleaseEvent(e);
}

static void events(void)
{
    cl_command_queue plain = a.queue, timed = app_queue(&a, CL_QUEUE_PROFILING_ENABLE);
    cl_mem x = app_buffer(&a, 0, 4096, NULL), y = app_buffer(&a, 0, 4096, NULL);
    cl_kernel add = app_kernel(&a, "add");
    size_t n = 64, o[3] = {0, 0, 0}, r[3] = {16, 2, 1};
    char host[4096] = {0};
    int zero = 0;
    cl_event e;
    void *p;
    cl_int err;

    for (int i = 0; i < 2; i++) {
        a.queue = i ? timed : plain;
        rm_warm(&a, add, x);
#define SHOW(call)                                                                                           \
    APP_CHECK(call);                                                                                         \
    APP_CHECK(clFinish(a.queue));                                                                            \
    show_event(#call, e)
        SHOW(clEnqueueNDRangeKernel(a.queue, add, 1, NULL, &n, NULL, 0, NULL, &e));
        SHOW(clEnqueueTask(a.queue, add, 0, NULL, &e));
        SHOW(clEnqueueReadBuffer(a.queue, x, CL_FALSE, 0, 64, host, 0, NULL, &e));
        SHOW(clEnqueueWriteBuffer(a.queue, x, CL_TRUE, 0, 64, host, 0, NULL, &e));
        SHOW(clEnqueueCopyBuffer(a.queue, x, y, 0, 0, 64, 0, NULL, &e));
        SHOW(clEnqueueReadBufferRect(a.queue, x, CL_TRUE, o, o, r, 0, 0, 0, 0, host, 0, NULL, &e));
        SHOW(clEnqueueWriteBufferRect(a.queue, x, CL_TRUE, o, o, r, 0, 0, 0, 0, host, 0, NULL, &e));
        SHOW(clEnqueueCopyBufferRect(a.queue, x, y, o, o, r, 0, 0, 0, 0, 0, NULL, &e));
        SHOW(clEnqueueFillBuffer(a.queue, x, &zero, 4, 0, 64, 0, NULL, &e));
        SHOW(clEnqueueMigrateMemObjects(a.queue, 1, &x, 0, 0, NULL, &e));
        SHOW(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, &e));
        SHOW(clEnqueueBarrierWithWaitList(a.queue, 0, NULL, &e));
        SHOW(clEnqueueMarker(a.queue, &e));
        p = clEnqueueMapBuffer(a.queue, x, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, &e, &err);
        SHOW(err);
        SHOW(clEnqueueUnmapMemObject(a.queue, x, p, 0, NULL, &e));
    }
    a.queue = plain;
    clReleaseCommandQueue(timed);
    clReleaseKernel(add);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
}

/* ---- kernels that another thread lets go of: the next ones may have their handles, but neither their
 * arguments nor their code. Sizes differ, too: what holds 16 bytes is one word the next time. */

#define ALIKE                                                                                                \
    "kernel void one(global int *x, int y) { x[get_global_id(0)] += y; }\n"                                  \
    "kernel void two(int y, global int *x, int z) { x[get_global_id(0)] += y * z; }\n"                       \
    "kernel void three(global int *x, int4 y) { x[get_global_id(0)] += y.s3; }\n"

static void *lets_go(void *kernel)
{
    clReleaseKernel(kernel);
    return NULL;
}

static void handles(void)
{
    const char *source = ALIKE;
    struct app b = a;
    cl_int4 y = {{1, 2, 3, 4}};
    int sum[64] = {0};
    cl_mem x;

    b.program = clCreateProgramWithSource(a.context, 1, &source, NULL, NULL);
    APP_CHECK(clBuildProgram(b.program, 0, NULL, NULL, NULL, NULL));
    x = app_buffer(&b, CL_MEM_COPY_HOST_PTR, sizeof sum, sum);
    for (cl_int i = 0; i < 90; i++) {
        cl_kernel k = app_kernel(&b, i % 3 == 0 ? "one" : i % 3 == 1 ? "two" : "three");
        pthread_t thread;

        for (cl_int twice = 0; twice < 2; twice++) {
            if (i % 3 == 0)
                app_args(k, "mi", x, i + twice);
            else if (i % 3 == 1)
                app_args(k, "imi", i, x, 3 + twice);
            else
                app_args(k, "m", x);
            if (i % 3 == 2)
                APP_CHECK(clSetKernelArg(k, 1, sizeof y, &y));
            app_run(b.queue, k, 64, 64, 0, NULL, NULL);
        }
        if (i % 7 == 0)
            APP_CHECK(clFinish(b.queue));
        pthread_create(&thread, NULL, lets_go, k);
        pthread_join(thread, NULL);
    }
    APP_CHECK(clEnqueueReadBuffer(b.queue, x, CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL));
    printf("handles used again: %d %d\n", sum[0], sum[63]);
    clReleaseMemObject(x);
    clReleaseProgram(b.program);
}

int main(void)
{
    app_open(&a, "objects", 0, RM_SOURCE);
    memory();
    destructors();
    events();
    handles();
    return app_close(&a);
}
