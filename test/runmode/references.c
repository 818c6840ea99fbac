/* references.c - reference counts of all kinds of objects, when nothing is under way: as bare. Own objects of
 * the library do not show, and the references that commands hold bare show. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

static struct app a;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel add;
static cl_mem x;

#define UINT(function, object, name)                                                                         \
    ({                                                                                                       \
        cl_uint value_ = 4711;                                                                               \
        cl_int err_ = function(object, name, sizeof value_, &value_, NULL);                                  \
        err_ == CL_SUCCESS ? (int)value_ : err_;                                                             \
    })

/* What the program and its objects hold with PoCL, see RM_SETTLED. */
static struct {
    int context, queue, memory, program, kernel;
} own;

/* NULL: not shown. Each event counts for its queue; the latest command also counts without one for a while of
 * the vendor's choosing, so the queue is shown only while the program has that one's event. */
static void show(const char *when, cl_command_queue q, cl_mem m, cl_program p, cl_kernel k)
{
    printf("%s: context %d", when,
           RM_SETTLED(UINT(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT), own.context));
    if (q)
        printf(" queue %d", RM_SETTLED(UINT(clGetCommandQueueInfo, q, CL_QUEUE_REFERENCE_COUNT), own.queue));
    if (m)
        printf(" memory %d maps %d",
               RM_SETTLED(UINT(clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT), own.memory),
               UINT(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT));
    if (p)
        printf(" program %d", RM_SETTLED(UINT(clGetProgramInfo, p, CL_PROGRAM_REFERENCE_COUNT), own.program));
    if (k)
        printf(" kernel %d", RM_SETTLED(UINT(clGetKernelInfo, k, CL_KERNEL_REFERENCE_COUNT), own.kernel));
    printf("\n");
}

static void make(void)
{
    const char *source = RM_SOURCE;
    cl_int err;

    context = clCreateContext(NULL, 1, &a.device, NULL, NULL, &err);
    own.context = 1;
    show("new", NULL, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, a.device, CL_QUEUE_PROFILING_ENABLE, &err);
    own.context = 2, own.queue = 1;
    show("queue", queue, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    APP_CHECK(clBuildProgram(program, 1, &a.device, "", NULL, NULL));
    own.context = 3, own.program = 1;
    show("program", queue, NULL, program, NULL);
    add = clCreateKernel(program, "add", &err);
    x = clCreateBuffer(context, 0, 4096, NULL, &err);
    own.context = 4, own.memory = 1, own.program = 2, own.kernel = 1;
    show("kernel", queue, x, program, add);
    app_args(add, "mi", x, 3);
    show("arguments", queue, x, program, add);
}

static void launches(void)
{
    cl_event e[3];
    size_t n = 64;

    for (int i = 0; i < 20; i++) {
        APP_CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, NULL));
        APP_CHECK(clFinish(queue));
    }
    show("launched", NULL, x, program, add);
    for (int i = 0; i < 3; i++)
        APP_CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, &e[i]));
    APP_CHECK(clFinish(queue));
    printf("event %d\n", RM_SETTLED(UINT(clGetEventInfo, e[0], CL_EVENT_REFERENCE_COUNT), 1));
    APP_CHECK(clRetainEvent(e[0]));
    printf("event %d\n", UINT(clGetEventInfo, e[0], CL_EVENT_REFERENCE_COUNT));
    APP_CHECK(clReleaseEvent(e[0]));
    own.queue = 4;
    show("events", queue, x, program, add);
    app_release_events(e, 2);
    own.queue = 2;
    show("one event", queue, x, program, add);
    app_release_events(e + 2, 1);
    show("no events", NULL, x, program, add);
}

/* Returns the sub-buffer. */
static cl_mem maps(void)
{
    cl_int err;
    void *p = clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_READ, 0, 4096, 0, NULL, NULL, &err), *q;
    cl_mem sub;

    own.memory = 2; /* a map counts */
    show("mapped", NULL, x, NULL, NULL);
    sub = app_sub_buffer(x, 0, 0, 1024);
    own.context = 5, own.memory = 1;
    show("sub", NULL, sub, NULL, NULL);
    own.memory = 3;
    show("parent", NULL, x, NULL, NULL);
    q = clEnqueueMapBuffer(queue, sub, CL_TRUE, CL_MAP_WRITE, 0, 1024, 0, NULL, NULL, &err);
    own.memory = 1;
    show("sub mapped", NULL, sub, NULL, NULL);
    own.memory = 4; /* it counts for the parent */
    show("parent", NULL, x, NULL, NULL);
    printf("same place %d\n", p == q);
    APP_CHECK(clEnqueueUnmapMemObject(queue, sub, q, 0, NULL, NULL));
    APP_CHECK(clFinish(queue));
    own.memory = 1;
    show("sub unmapped", NULL, sub, NULL, NULL);
    APP_CHECK(clEnqueueUnmapMemObject(queue, x, p, 0, NULL, NULL));
    APP_CHECK(clFinish(queue));
    own.memory = 2;
    show("unmapped", NULL, x, NULL, NULL);
    printf("unmapped again %d\n", clEnqueueUnmapMemObject(queue, x, p, 0, NULL, NULL));
    return sub;
}

/* A launch on `m` that is under way while the counts are read: its loops grow until it is. */
static void under_way(const char *when, cl_kernel slow, cl_mem m, cl_mem sub)
{
    int whole, part, status = CL_COMPLETE;
    size_t n = 64;
    cl_event e;

    for (int loops = 1 << 16; status <= CL_COMPLETE; loops *= 2) {
        app_args(slow, "mi", m, loops);
        APP_CHECK(clEnqueueNDRangeKernel(queue, slow, 1, NULL, &n, NULL, 0, NULL, &e));
        whole = UINT(clGetMemObjectInfo, x, CL_MEM_REFERENCE_COUNT);
        part = UINT(clGetMemObjectInfo, sub, CL_MEM_REFERENCE_COUNT);
        status = rm_status(e);
        APP_CHECK(clFinish(queue));
        APP_CHECK(clReleaseEvent(e));
        (void)RM_SETTLED(UINT(clGetMemObjectInfo, x, CL_MEM_REFERENCE_COUNT), 2);
        (void)RM_SETTLED(UINT(clGetMemObjectInfo, sub, CL_MEM_REFERENCE_COUNT), 1);
    }
    printf("%s under way: memory %d sub %d\n", when, whole, part);
}

static void launches_on(cl_mem sub)
{
    cl_int err;
    cl_kernel slow = clCreateKernel(program, "slow", &err);

    APP_CHECK(err);
    under_way("first", slow, x, sub);
    under_way("whole", slow, x, sub);
    under_way("part", slow, sub, sub);
    APP_CHECK(clReleaseKernel(slow));
}

static void programs(void)
{
    cl_int err;
    cl_kernel clone = clCloneKernel(add, &err);

    printf("clone %d\n", err);
    own.program = 3;
    show("clone", NULL, x, program, add);
    if (clone)
        clReleaseKernel(clone);
    clReleaseProgram(program);
    own.program = 1;
    show("program let go", NULL, x, program, add);
    APP_CHECK(clRetainProgram(program));
    own.program = 2;
    show("and taken again", NULL, x, program, add);
    printf("build with kernels %d\n", clBuildProgram(program, 1, &a.device, "", NULL, NULL));
    clReleaseKernel(add);
    printf("build without %d\n", clBuildProgram(program, 1, &a.device, "-DX", NULL, NULL));
    clReleaseProgram(program);
}

int main(void)
{
    cl_mem sub;

    app_open(&a, "references", 0, NULL);
    make();
    launches();
    sub = maps();
    launches_on(sub);
    programs();
    clReleaseContext(context);
    own.context = 3;
    show("context let go", NULL, x, NULL, NULL);
    clReleaseMemObject(x);
    own.memory = 1;
    show("parent let go", NULL, sub, NULL, NULL);
    clReleaseMemObject(sub);
    own.context = 1;
    show("memory let go", NULL, NULL, NULL, NULL);
    clReleaseCommandQueue(queue);
    return app_close(&a);
}
