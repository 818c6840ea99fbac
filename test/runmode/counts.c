/* counts.c - reference counts of all kinds of objects after every kind of call that waits, round after round:
 * as bare.
 *
 * PoCL keeps the event of the last command on each memory object, and that event its queue. Run mode does so
 * for native commands alone: so a native command in a queue of its own becomes the last one before each
 * point.
 *
 * The vendor releases the objects of a command a moment after the command is over: a count that is higher
 * than in another round is read again until that moment has come. The program prints the lowest count of each
 * point, and of how many rounds a count stayed above it. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>

#define ROUNDS  12
#define POINTS  80
#define WORDS   256
#define BYTES   (WORDS * sizeof(cl_int))
#define WATCHED 300 /* turns of another thread while the context is counted, as often at least */

static const char source[] =
    "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }\n"
    "kernel void sum(global const int *a, global const int *b, global int *c)\n"
    "{ int i = get_global_id(0); c[i] = 3 * a[i] + b[i]; }\n"
    "kernel void look(read_only image2d_t m, global int *x)\n"
    "{ int i = get_global_id(0); x[i] += read_imagei(m, (int2)(i & 7, i >> 3)).x; }\n";

enum { CONTEXT, QUEUE, OTHER, PROGRAM, KERNEL, X, Y, PART, IMAGE, SAMPLER, FIRST, SECOND, KINDS };
static const char *const kinds[] = {"context", "queue", "other queue", "program",     "kernel",      "x", "y",
                                    "part",    "image", "sampler",     "first event", "second event"};

static struct app a;
static union {
    void *any;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory;
    cl_sampler sampler;
    cl_event event;
} object[KINDS];
#define QUEUE_OF(kind) object[kind].queue
#define MEMORY(kind)   object[kind].memory
#define EVENT(kind)    (&object[kind].event)

static struct point {
    const char *name;
    int least[KINDS], above[KINDS];
} points[POINTS];
static int at;
static cl_kernel sum, seen;
static cl_command_queue behind; /* of commands that become the last ones */
static int words[WORDS];

static int count(int kind)
{
    cl_uint n = 0;
    cl_int err;

    switch (kind) {
    case CONTEXT:
        err = clGetContextInfo(object[kind].context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    case QUEUE:
    case OTHER:
        err = clGetCommandQueueInfo(object[kind].queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    case PROGRAM:
        err = clGetProgramInfo(object[kind].program, CL_PROGRAM_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    case KERNEL:
        err = clGetKernelInfo(object[kind].kernel, CL_KERNEL_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    case SAMPLER:
        err = clGetSamplerInfo(object[kind].sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    case FIRST:
    case SECOND:
        err = clGetEventInfo(object[kind].event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
        break;
    default:
        err = clGetMemObjectInfo(object[kind].memory, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL);
    }
    return err == CL_SUCCESS ? (int)n : err;
}

static void look_at(struct point *p, int kind)
{
    int now = !object[kind].any ? 0 : RM_SETTLED(count(kind), p->least[kind] ? p->least[kind] : INT_MAX);

    if (!p->least[kind] || now < p->least[kind]) {
        p->least[kind] = now;
        p->above[kind] = 0;
    }
    p->above[kind] += now > p->least[kind];
}

static void CL_CALLBACK nothing(void *unused)
{
    (void)unused;
}

static cl_int native(cl_command_queue q, cl_uint n, const cl_mem *memory, cl_event *event)
{
    void *args[3] = {NULL};
    const void *places[3] = {&args[0], &args[1], &args[2]};

    return clEnqueueNativeKernel(q, nothing, args, sizeof args, n, memory, places, 0, NULL, event);
}

/* The next point of this round; `blocked`: commands wait for a user event. */
static void look_at_all(const char *name, bool blocked)
{
    struct point *p = &points[at++];

    p->name = name;
    if (!blocked && native(behind, MEMORY(IMAGE) ? 3 : 2, (cl_mem[]){MEMORY(X), MEMORY(Y), MEMORY(IMAGE)},
                           NULL) == CL_SUCCESS)
        APP_CHECK(clFinish(behind));
    for (int kind = 0; kind < KINDS; kind++)
        look_at(p, kind);
}

static void look(const char *name)
{
    look_at_all(name, false);
}

static void finish(const char *name)
{
    APP_CHECK(clFinish(QUEUE_OF(QUEUE)));
    look(name);
}

static void launch(cl_command_queue q, cl_kernel k, cl_event *event)
{
    size_t n = 64;

    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, event));
}

static void add_to(cl_command_queue q, cl_mem m, cl_event *event)
{
    app_args(object[KERNEL].kernel, "mi", m, 1);
    launch(q, object[KERNEL].kernel, event);
}

static void release(int kind)
{
    APP_CHECK(clReleaseEvent(object[kind].event));
    object[kind].any = NULL;
}

/* ---- what a round does */

static void kernels(cl_command_queue q)
{
    add_to(q, MEMORY(X), NULL);
    finish("kernel");
    for (int i = 0; i < 5; i++)
        add_to(q, MEMORY(X), NULL);
    finish("kernels");
    launch(q, sum, NULL);
    finish("kernel on both");
    add_to(q, MEMORY(X), NULL);
    APP_CHECK(clEnqueueReadBuffer(q, MEMORY(X), CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    look("kernel, read");
    app_args(object[KERNEL].kernel, "mi", MEMORY(Y), 1);
    APP_CHECK(clEnqueueTask(q, object[KERNEL].kernel, 0, NULL, NULL));
    finish("task");
}

static void transfers(cl_command_queue q)
{
    static const size_t origin[3] = {0, 0, 0}, region[3] = {64, 2, 1};
    cl_mem both[2] = {MEMORY(X), MEMORY(Y)};
    cl_int pattern = 7;

    APP_CHECK(clEnqueueReadBuffer(q, MEMORY(Y), CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    look("read");
    APP_CHECK(clEnqueueWriteBuffer(q, MEMORY(Y), CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    look("write");
    APP_CHECK(clEnqueueWriteBuffer(q, MEMORY(X), CL_FALSE, 0, BYTES, words, 0, NULL, NULL));
    finish("write, finish");
    APP_CHECK(clEnqueueReadBufferRect(q, MEMORY(X), CL_TRUE, origin, origin, region, 64, 0, 64, 0, words, 0,
                                      NULL, NULL));
    look("read rectangle");
    APP_CHECK(clEnqueueWriteBufferRect(q, MEMORY(Y), CL_TRUE, origin, origin, region, 64, 0, 64, 0, words, 0,
                                       NULL, NULL));
    look("write rectangle");
    APP_CHECK(clEnqueueCopyBuffer(q, MEMORY(X), MEMORY(Y), 0, 0, 64, 0, NULL, NULL));
    finish("copy");
    APP_CHECK(clEnqueueFillBuffer(q, MEMORY(X), &pattern, sizeof pattern, 0, BYTES, 0, NULL, NULL));
    finish("fill");
    APP_CHECK(clEnqueueCopyBufferRect(q, MEMORY(X), MEMORY(Y), origin, origin, region, 64, 0, 64, 0, 0, NULL,
                                      NULL));
    finish("copy of a rectangle");
    APP_CHECK(clEnqueueMigrateMemObjects(q, 2, both, 0, 0, NULL, NULL));
    finish("migration");
}

static void maps(cl_command_queue q)
{
    cl_int err;
    void *p = clEnqueueMapBuffer(q, MEMORY(X), CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err), *r;

    look("map");
    r = clEnqueueMapBuffer(q, MEMORY(Y), CL_FALSE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    finish("another map");
    APP_CHECK(clEnqueueUnmapMemObject(q, MEMORY(X), p, 0, NULL, NULL));
    finish("unmap");
    APP_CHECK(clEnqueueUnmapMemObject(q, MEMORY(Y), r, 0, NULL, NULL));
    finish("another unmap");
}

static void synchronisation(cl_command_queue q)
{
    APP_CHECK(clEnqueueMarker(q, EVENT(FIRST)));
    APP_CHECK(clWaitForEvents(1, EVENT(FIRST)));
    look("marker");
    release(FIRST);
    look("no marker");
    APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, EVENT(FIRST)));
    APP_CHECK(clWaitForEvents(1, EVENT(FIRST)));
    look("barrier");
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 1, EVENT(FIRST), EVENT(SECOND)));
    finish("marker behind it");
    release(FIRST);
    release(SECOND);
    look("neither");
}

static void events(cl_command_queue q)
{
    add_to(q, MEMORY(X), EVENT(FIRST));
    APP_CHECK(clWaitForEvents(1, EVENT(FIRST)));
    look("event");
    APP_CHECK(clRetainEvent(object[FIRST].event));
    look("event retained");
    APP_CHECK(clReleaseEvent(object[FIRST].event));
    look("event released");
    launch(q, sum, EVENT(SECOND));
    finish("two events");
    add_to(q, MEMORY(X), NULL);
    finish("x has another last command");
    release(FIRST);
    look("one event");
    add_to(q, MEMORY(Y), NULL);
    finish("y, too");
    release(SECOND);
    look("no event");
    add_to(q, MEMORY(X), EVENT(FIRST));
    release(FIRST);
    finish("event released at once");
    add_to(q, MEMORY(X), EVENT(FIRST));
    while (rm_status(object[FIRST].event) > CL_COMPLETE)
        rm_sleep_ms(1);
    look("polled");
    release(FIRST);
}

/* Commands that are never managed, and managed ones behind them. */
static void natives(cl_command_queue q)
{
    if (native(q, 1, &MEMORY(X), EVENT(FIRST)) != CL_SUCCESS)
        return;
    finish("native kernel");
    add_to(q, MEMORY(X), NULL);
    finish("kernel behind it");
    release(FIRST);
    look("without its event");
    add_to(q, MEMORY(Y), NULL);
    APP_CHECK(native(q, 1, &MEMORY(X), NULL));
    add_to(q, MEMORY(X), NULL);
    finish("native kernel between others");
}

static void gated(cl_command_queue q)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(a.context, &err);
    size_t n = 64;

    app_args(object[KERNEL].kernel, "mi", MEMORY(X), 1);
    APP_CHECK(clEnqueueNDRangeKernel(q, object[KERNEL].kernel, 1, NULL, &n, NULL, 1, &gate, EVENT(FIRST)));
    APP_CHECK(clEnqueueMarkerWithWaitList(q, 1, EVENT(FIRST), NULL));
    look_at_all("behind a user event", true);
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    finish("user event set");
    release(FIRST);
    look("without the event");
    APP_CHECK(clReleaseEvent(gate));
    look("without the user event");
}

static void parts(cl_command_queue q)
{
    MEMORY(PART) = app_sub_buffer(MEMORY(X), 0, 0, 512);
    look("part");
    add_to(q, MEMORY(PART), NULL);
    finish("kernel on the part");
    add_to(q, MEMORY(PART), NULL);
    APP_CHECK(clReleaseMemObject(MEMORY(PART)));
    MEMORY(PART) = NULL;
    APP_CHECK(clEnqueueReadBuffer(q, MEMORY(X), CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    look("part released");
}

static void images(cl_command_queue q)
{
    static const size_t origin[3] = {0, 0, 0}, region[3] = {8, 8, 1};

    if (!MEMORY(IMAGE))
        return;
    APP_CHECK(clEnqueueWriteImage(q, MEMORY(IMAGE), CL_TRUE, origin, region, 0, 0, words, 0, NULL, NULL));
    look("image written");
    launch(q, seen, NULL);
    finish("image seen");
    APP_CHECK(clEnqueueReadImage(q, MEMORY(IMAGE), CL_TRUE, origin, region, 0, 0, words, 0, NULL, NULL));
    look("image read");
}

/* A queue stays, and with it a reference to the context, as long as an event of it does. */
static void queues(cl_command_queue q)
{
    cl_int err;

    QUEUE_OF(OTHER) = clCreateCommandQueue(a.context, a.device, 0, &err);
    look("another queue");
    add_to(QUEUE_OF(OTHER), MEMORY(X), NULL);
    APP_CHECK(clFinish(QUEUE_OF(OTHER)));
    look("x in the other queue");
    add_to(QUEUE_OF(OTHER), MEMORY(Y), EVENT(FIRST));
    APP_CHECK(clFinish(QUEUE_OF(OTHER)));
    APP_CHECK(clReleaseCommandQueue(QUEUE_OF(OTHER)));
    QUEUE_OF(OTHER) = NULL;
    look("other queue released");
    add_to(q, MEMORY(X), NULL);
    finish("x left it");
    add_to(q, MEMORY(Y), NULL);
    finish("y left it");
    release(FIRST);
    look("its event left it");
}

static void again_and_again(cl_command_queue q)
{
    app_args(object[KERNEL].kernel, "mi", MEMORY(X), 1);
    for (int i = 0; i < 40; i++) {
        launch(q, object[KERNEL].kernel, NULL);
        launch(q, sum, NULL);
    }
    finish("in turn");
    launch(q, object[KERNEL].kernel, NULL);
    finish("and another one");
}

/* ---- another thread */

static bool quit;
static int turns; /* of its loop */

static void *work(void *unused)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(a.context, a.device, 0, &err);
    cl_mem m = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    int here[WORDS];
    cl_event e;

    (void)unused;
    __atomic_store_n(&quit, false, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE)) {
        APP_CHECK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, BYTES, here, 0, NULL, &e));
        APP_CHECK(clEnqueueMarkerWithWaitList(q, 1, &e, NULL));
        APP_CHECK(clFinish(q));
        APP_CHECK(clReleaseEvent(e));
        __atomic_add_fetch(&turns, 1, __ATOMIC_RELEASE);
    }
    APP_CHECK(clReleaseMemObject(m));
    APP_CHECK(clReleaseCommandQueue(q));
    return NULL;
}

/* The context's count does not move while another thread enqueues. On a busy machine run mode may give up
 * waiting for that thread (core/recount.h): a few counts may be higher. */
static void beside_a_thread(void)
{
    int least = INT_MAX, counted = 0, above = 0, n;
    pthread_t thread;

    quit = true;
    if (pthread_create(&thread, NULL, work, NULL))
        abort();
    while (__atomic_load_n(&quit, __ATOMIC_ACQUIRE))
        rm_sleep_ms(1);
    while (counted < WATCHED || __atomic_load_n(&turns, __ATOMIC_ACQUIRE) < WATCHED) {
        n = count(CONTEXT);
        above = n < least ? counted : above + (n > least);
        least = n < least ? n : least;
        counted++;
        sched_yield();
    }
    __atomic_store_n(&quit, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    printf("beside a thread: context %d%s\n", least, above > counted / 20 + 2 ? ", and other numbers" : "");
}

static cl_mem image(void)
{
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_bool there = CL_FALSE;
    cl_int err;
    cl_mem m;

    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof there, &there, NULL));
    m = there ? clCreateImage(a.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err) : NULL;
    if (m) {
        seen = app_kernel(&a, "look");
        app_args(seen, "mm", m, MEMORY(X));
    }
    return m;
}

static void make(void)
{
    cl_int err;

    object[CONTEXT].context = a.context;
    object[QUEUE].queue = a.queue;
    behind = app_queue(&a, 0);
    object[PROGRAM].program = a.program;
    object[KERNEL].kernel = app_kernel(&a, "add");
    MEMORY(X) = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, words);
    MEMORY(Y) = app_buffer(&a, CL_MEM_READ_WRITE, BYTES, NULL);
    object[SAMPLER].sampler = clCreateSampler(a.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    MEMORY(IMAGE) = image();
    sum = app_kernel(&a, "sum");
    app_args(sum, "mmm", MEMORY(X), MEMORY(X), MEMORY(Y));
}

static void one_round(void)
{
    static void (*const parts_of_it[])(cl_command_queue) = {
        kernels, transfers, maps,   synchronisation, events,         natives,
        gated,   parts,     images, queues,          again_and_again};

    at = 0;
    for (size_t i = 0; i < sizeof parts_of_it / sizeof *parts_of_it; i++)
        parts_of_it[i](a.queue);
}

static void print(const struct point *p)
{
    printf("%s:", p->name);
    for (int kind = 0; kind < KINDS; kind++) {
        if (p->least[kind])
            printf(" %s %d", kinds[kind], p->least[kind]);
        if (p->above[kind])
            printf(" (%d rounds above)", p->above[kind]);
    }
    printf("\n");
}

int main(void)
{
    app_open(&a, "counts", CL_QUEUE_PROFILING_ENABLE, source);
    make();
    one_round(); /* after it, each memory object has a last command that may count */
    memset(points, 0, sizeof points);
    for (int i = 0; i < ROUNDS; i++)
        one_round();
    for (int i = 0; i < at; i++)
        print(&points[i]);
    beside_a_thread();
    for (int kind = X; kind <= IMAGE; kind++)
        if (MEMORY(kind))
            clReleaseMemObject(MEMORY(kind));
    clReleaseSampler(object[SAMPLER].sampler);
    clReleaseCommandQueue(behind);
    clReleaseKernel(object[KERNEL].kernel);
    clReleaseKernel(sum);
    if (seen)
        clReleaseKernel(seen);
    return app_close(&a);
}
