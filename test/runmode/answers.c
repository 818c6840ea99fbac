/* answers.c - answers to queries: details of objects and events, reference counts, times, callbacks; and that
 * a command uses the arguments of the moment when it was enqueued. */
#include "common.h"

static struct app a;
static cl_kernel add, slow, sum;

#define ASK(function, object, name, type)                                                                    \
    ({                                                                                                       \
        type value_ = 0;                                                                                     \
        cl_int err_ = function(object, name, sizeof value_, &value_, NULL);                                  \
        if (err_ != CL_SUCCESS)                                                                              \
            printf("  " #name ": error %d\n", err_);                                                         \
        value_;                                                                                              \
    })

static void tell_memory(const char *what, cl_mem m, const void *host)
{
    const char *p = ASK(clGetMemObjectInfo, m, CL_MEM_HOST_PTR, char *);

    printf("%s: flags %llx, size %zu, host %s, maps %u, references %u, offset %zu, type %x\n", what,
           (unsigned long long)ASK(clGetMemObjectInfo, m, CL_MEM_FLAGS, cl_mem_flags),
           ASK(clGetMemObjectInfo, m, CL_MEM_SIZE, size_t),
           !p          ? "none"
           : p == host ? "the program's"
                       : "another",
           ASK(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT, cl_uint),
           ASK(clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT, cl_uint),
           ASK(clGetMemObjectInfo, m, CL_MEM_OFFSET, size_t),
           ASK(clGetMemObjectInfo, m, CL_MEM_TYPE, cl_mem_object_type));
}

static void memory(void)
{
    static char host[8192] __attribute__((aligned(4096)));
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                         CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool given = flags[i] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
        cl_mem m = app_buffer(&a, flags[i], sizeof host, given ? host : NULL);
        cl_mem sub = app_sub_buffer(m, 0, 4096, 4096);

        tell_memory("buffer", m, host);
        tell_memory("  part", sub, host + 4096);
        clReleaseMemObject(sub);
        clReleaseMemObject(m);
    }
}

/* PoCL ends a command before it takes the command's map and reference off: 13 of 600 bare runs on a busy
 * machine show that. */
static void settle(cl_mem m)
{
    cl_uint maps = 1, references = 3;

    while (maps || references > 2) {
        APP_CHECK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        APP_CHECK(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
        rm_sleep_ms(maps || references > 2);
    }
}

/* PoCL 3 undoes a map of `mapped` as one of `other`, which shares its bytes; PoCL 7 refuses to. */
static void unmap_as(const char *what, cl_mem mapped, cl_mem other, size_t from)
{
    cl_int err, undone;
    void *p = clEnqueueMapBuffer(a.queue, mapped, CL_TRUE, CL_MAP_WRITE, from, 64, 0, NULL, NULL, &err);

    undone = clEnqueueUnmapMemObject(a.queue, other, p, 0, NULL, NULL);
    printf("%s: mapped %d, unmapped as the other %d\n", what, err, undone);
    if (undone != CL_SUCCESS)
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, mapped, p, 0, NULL, NULL));
}

/* An image of a buffer's bytes has the buffer's flags. */
static void shared(void)
{
    static int host[1024];
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT8};
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host),
           part = app_sub_buffer(m, 0, 1024, 1024);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 256, .buffer = m};
    cl_int err;
    cl_mem image = clCreateImage(a.context, 0, &format, &desc, NULL, &err);

    if (err == CL_SUCCESS) {
        tell_memory("image of a buffer", image, host);
        APP_CHECK(clReleaseMemObject(image));
    }
    for (int i = 0; i < 3; i++) {
        app_args(add, "mi", m, 1);
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
        unmap_as("the part", part, m, 0);
        unmap_as("the whole", m, part, 1024);
        APP_CHECK(clFinish(a.queue));
    }
    settle(m);
    tell_memory("the whole", m, host);
    clReleaseMemObject(part);
    clReleaseMemObject(m);
}

static void tell_event(const char *what, cl_event e)
{
    printf("%s: type %x, status %d, its queue %d, its context %d\n", what,
           ASK(clGetEventInfo, e, CL_EVENT_COMMAND_TYPE, cl_command_type), rm_status(e),
           ASK(clGetEventInfo, e, CL_EVENT_COMMAND_QUEUE, cl_command_queue) == a.queue,
           ASK(clGetEventInfo, e, CL_EVENT_CONTEXT, cl_context) == a.context);
    clReleaseEvent(e);
}

/* One event of each kind. */
static void events(void)
{
    int v[64] = {1, 2, 3}, w[64];
    size_t zero[3] = {0, 0, 0}, region[3] = {16, 4, 1};
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof v, v), y = app_buffer(&a, 0, sizeof v, NULL);
    cl_event e[11];
    void *p;
    cl_int err;

    APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_FALSE, 0, sizeof v, v, 0, NULL, &e[0]));
    APP_CHECK(clEnqueueCopyBuffer(a.queue, x, y, 0, 0, sizeof v, 0, NULL, &e[1]));
    APP_CHECK(clEnqueueFillBuffer(a.queue, y, &v[1], 4, 64, 64, 0, NULL, &e[2]));
    APP_CHECK(clEnqueueCopyBufferRect(a.queue, x, y, zero, zero, region, 32, 0, 32, 0, 0, NULL, &e[3]));
    app_args(add, "mi", y, 5);
    app_run(a.queue, add, 64, 0, 0, NULL, &e[4]);
    APP_CHECK(clEnqueueMigrateMemObjects(a.queue, 1, &y, 0, 0, NULL, &e[5]));
    APP_CHECK(clEnqueueMarkerWithWaitList(a.queue, 0, NULL, &e[6]));
    APP_CHECK(clEnqueueBarrierWithWaitList(a.queue, 0, NULL, &e[7]));
    p = clEnqueueMapBuffer(a.queue, y, CL_TRUE, CL_MAP_READ, 0, sizeof v, 0, NULL, &e[8], &err);
    APP_CHECK(err);
    app_hash(&a, p, sizeof v);
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, y, p, 0, NULL, &e[9]));
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 0, sizeof w, w, 0, NULL, &e[10]));
    app_hash(&a, w, sizeof w);
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < 11; i++)
        tell_event("event", e[i]);
    app_release_mems((cl_mem[]){x, y}, 2);
}

static void counts(const char *when)
{
    printf("%s: context %u, queue %u, program %u, kernel %u\n", when,
           ASK(clGetContextInfo, a.context, CL_CONTEXT_REFERENCE_COUNT, cl_uint),
           ASK(clGetCommandQueueInfo, a.queue, CL_QUEUE_REFERENCE_COUNT, cl_uint) > 0,
           ASK(clGetProgramInfo, a.program, CL_PROGRAM_REFERENCE_COUNT, cl_uint),
           ASK(clGetKernelInfo, add, CL_KERNEL_REFERENCE_COUNT, cl_uint));
}

static void times(void)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_command_queue q = app_queue(&a, CL_QUEUE_PROFILING_ENABLE);
    cl_mem m[4];
    cl_event e[20];
    cl_ulong t[4], end = 0;
    int wrong = 0, early = 0;

    for (int i = 0; i < 4; i++)
        m[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){i});
    for (int i = 0; i < 20; i++) {
        app_args(slow, "mi", m[i % 4], i % 3 ? 1000 : 50000);
        app_run(q, slow, 64, 0, 0, NULL, &e[i]);
    }
    APP_CHECK(clFinish(q));
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 4; k++)
            APP_CHECK(clGetEventProfilingInfo(e[i], names[k], sizeof t[k], &t[k], NULL));
        wrong += t[0] > t[1] || t[1] > t[2] || t[2] > t[3];
        early += t[3] < end;
        end = t[3];
    }
    printf("times: %d out of order, %d ends before the end before\n", wrong, early);
    app_release_events(e, 20);
    app_args(add, "mi", m[0], 1);
    app_run(a.queue, add, 64, 0, 0, NULL, &e[0]);
    APP_CHECK(clFinish(a.queue));
    printf("no profiling: %d\n", clGetEventProfilingInfo(e[0], names[0], sizeof t[0], t, NULL));
    clReleaseEvent(e[0]);
    app_release_mems(m, 4);
    clReleaseCommandQueue(q);
}

/* What is changed after the enqueue is not the command's any more. */
static void snapshots(void)
{
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0}),
           y = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0});
    int pattern = 7, got[128];
    size_t global = 64, local = 64;
    cl_event waits;

    APP_CHECK(clEnqueueFillBuffer(a.queue, x, &pattern, sizeof pattern, 0, 256, 0, NULL, &waits));
    pattern = 9;
    app_args(add, "mi", x, 100);
    APP_CHECK(clEnqueueNDRangeKernel(a.queue, add, 1, NULL, &global, &local, 1, &waits, NULL));
    global = local = 1;
    clReleaseEvent(waits);
    app_args(add, "mi", y, 1000);
    app_run(a.queue, add, 64, 64, 0, NULL, NULL);
    APP_CHECK(clEnqueueReadBuffer(a.queue, x, CL_FALSE, 0, 256, got, 0, NULL, NULL));
    /* what was read is written at once, in order */
    APP_CHECK(clEnqueueWriteBuffer(a.queue, y, CL_FALSE, 0, 128, got, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_TRUE, 0, 256, got + 64, 0, NULL, NULL));
    printf("snapshots: %d %d %d\n", got[0], got[64], got[127]);
    app_hash(&a, got, sizeof got);
    app_release_mems((cl_mem[]){x, y}, 2);
}

/* Overlapping views of one memory: order by bytes, not by object. */
static void aliases(void)
{
    static int host[2048] __attribute__((aligned(4096)));
    cl_mem whole = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof host, host);
    cl_mem low = app_sub_buffer(whole, 0, 0, 4096), high = app_sub_buffer(whole, 0, 4096, 4096);
    cl_mem again = app_buffer(&a, CL_MEM_USE_HOST_PTR, 4096, host + 512);

    for (int i = 0; i < 10; i++) {
        app_args(add, "mi", whole, 1);
        app_run(a.queue, add, 2048, 64, 0, NULL, NULL);
        app_args(slow, "mi", i % 2 ? low : high, 100);
        app_run(a.queue, slow, 1024, 64, 0, NULL, NULL);
        app_args(add, "mi", again, 3);
        app_run(a.queue, add, 1024, 64, 0, NULL, NULL);
        APP_CHECK(clEnqueueCopyBuffer(a.queue, low, high, 0, 2048, 1024, 0, NULL, NULL));
    }
    APP_CHECK(clFinish(a.queue));
    app_hash(&a, host, sizeof host);
    printf("aliases: %d %d %d\n", host[0], host[600], host[2047]);
    app_release_mems((cl_mem[]){again, low, high, whole}, 4);
}

struct heard {
    int order[3], count;
    cl_event inner;
};

static void CL_CALLBACK hear(cl_event e, cl_int status, void *data)
{
    struct heard *h = data;
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0});

    (void)e;
    h->order[h->count] = status;
    if (status == CL_COMPLETE) { /* callbacks may enqueue */
        APP_CHECK(clEnqueueFillBuffer(a.queue, x, &(int){1}, 4, 0, 256, 0, NULL, &h->inner));
        APP_CHECK(clFlush(a.queue));
    }
    clReleaseMemObject(x);
    __atomic_add_fetch(&h->count, 1, __ATOMIC_RELEASE);
}

static void callbacks(void)
{
    static struct heard h;
    cl_mem x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0});
    cl_event e;

    app_args(add, "mi", x, 5);
    app_run(a.queue, add, 64, 0, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, hear, &h));
    printf("callback without function: %d, of another state: %d\n",
           clSetEventCallback(e, CL_COMPLETE, NULL, NULL), clSetEventCallback(e, 17, hear, &h));
    APP_CHECK(clFlush(a.queue));
    RM_WAIT(__atomic_load_n(&h.count, __ATOMIC_ACQUIRE));
    APP_CHECK(clWaitForEvents(1, &h.inner));
    printf("callbacks: %d with %d\n", h.count, h.order[0]);
    clReleaseEvent(h.inner);
    clReleaseEvent(e);
    clReleaseMemObject(x);
}

int main(void)
{
    cl_mem x;

    app_open(&a, "answers", 0, RM_SOURCE);
    add = app_kernel(&a, "add"), slow = app_kernel(&a, "slow"), sum = app_kernel(&a, "sum");
    counts("before");
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, 256, (int[64]){0});
    rm_warm(&a, add, x);
    rm_warm(&a, slow, x);
    clReleaseMemObject(x);
    memory();
    shared();
    events();
    times();
    snapshots();
    aliases();
    callbacks();
    APP_CHECK(clFinish(a.queue));
    rm_sleep_ms(20);
    counts("after");
    clReleaseKernel(add), clReleaseKernel(slow), clReleaseKernel(sum);
    return app_close(&a);
}
