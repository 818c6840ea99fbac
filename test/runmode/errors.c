/* errors.c - calls that fail: the same codes, before and after the good calls that make kernels known; and
 * the good commands around them come to the same. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include "common.h"

static struct app a, other;
static int rounds;

#define SAY(call) printf("%d %s: %d\n", rounds, #call, call)

static void launches(cl_command_queue q, cl_mem x, cl_mem foreign_x, cl_event foreign, cl_kernel add,
                     cl_kernel needs8)
{
    size_t one = 64, zero = 0, odd = 65, l64 = 64, huge = (size_t)1 << 20, two[2] = {64, 1},
           local2[2] = {64, 1}, eight = 8, big_local[3] = {4096, 4096, 1}, global3[3] = {4096, 4096, 1};
    cl_event none = NULL;
    int v = 5;
    cl_kernel fresh = app_kernel(&a, "add");

    SAY(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clSetKernelArg(fresh, 0, sizeof x, &x));
    SAY(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clSetKernelArg(fresh, 1, 8, &v));
    SAY(clSetKernelArg(fresh, 1, 4, NULL));
    SAY(clSetKernelArg(fresh, 0, 4, &v));
    SAY(clSetKernelArg(fresh, 2, 4, &v));
    SAY(clSetKernelArg(fresh, 1, 4, &v));
    SAY(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clReleaseKernel(fresh));
    app_args(add, "mi", x, 1);
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, &l64, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 0, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 4, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, NULL, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &zero, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &odd, &l64, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &huge, &huge, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 3, NULL, global3, big_local, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 2, NULL, two, local2, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(NULL, add, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(other.queue, add, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, NULL, 0, &foreign, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, NULL, 1, &none, NULL));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, NULL, 1, &foreign, NULL));
    SAY(clEnqueueNDRangeKernel(q, needs8, 1, NULL, &one, &l64, 0, NULL, NULL));
    app_args(needs8, "m", x);
    SAY(clEnqueueNDRangeKernel(q, needs8, 1, NULL, &one, &l64, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, needs8, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, needs8, 1, NULL, &one, &eight, 0, NULL, NULL));
    SAY(clEnqueueNDRangeKernel(q, needs8, 2, NULL, two, local2, 0, NULL, NULL));
    SAY(clSetKernelArg(add, 0, sizeof foreign_x, &foreign_x));
    SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, NULL, 0, NULL, NULL));
    SAY(clSetKernelArg(add, 0, sizeof x, &x));
}

/* What the functions below try. */
static cl_command_queue q;
static cl_mem x, foreign_x, hidden, read, write, sub;
static cl_event foreign, none;
static cl_kernel slow;
static char host[8192];
static int v = 3;

static void reads_and_writes(void)
{
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4097, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 4096, 1, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, SIZE_MAX, 2, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, NULL, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(NULL, x, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, foreign_x, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, host, 1, &foreign, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, host, 1, &none, NULL));
    SAY(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, host, 1, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, hidden, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, write, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueReadBuffer(q, sub, CL_TRUE, 1020, 8, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBuffer(q, x, CL_TRUE, 4093, 4, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBuffer(q, read, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBuffer(q, hidden, CL_FALSE, 0, 4, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, 4, host, 1, &foreign, NULL));
}

static void copies_and_fills(void)
{
    SAY(clEnqueueCopyBuffer(q, x, x, 0, 2, 4, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, x, 0, 8, 8, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, sub, 1020, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, sub, 0, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, foreign_x, 0, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, read, 4090, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, read, 0, 0, 0, 0, NULL, NULL));
    SAY(clEnqueueCopyBuffer(q, x, hidden, 0, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 3, 0, 6, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 4, 2, 8, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 4, 0, 6, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, host, 256, 0, 256, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, NULL, 4, 0, 8, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 4, 4096, 4, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 4, 0, 0, 0, NULL, NULL));
    SAY(clEnqueueFillBuffer(q, x, &v, 0, 0, 8, 0, NULL, NULL));
}

static void rectangles(void)
{
    size_t o[3] = {0, 0, 0}, far[3] = {0, 63, 0}, out[3] = {0, 64, 0}, r[3] = {64, 1, 1}, r0[3] = {64, 0, 1},
           r2[3] = {64, 2, 1};

    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r0, 0, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, far, o, r, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, out, o, r, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, far, o, r2, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r2, 63, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r2, 64, 100, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r2, 64, 192, 65, 130, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r2, 64, 193, 65, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, o, o, r2, 64, 0, 10, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, x, CL_TRUE, NULL, o, r2, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueReadBufferRect(q, write, CL_TRUE, o, o, r2, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBufferRect(q, read, CL_TRUE, o, o, r2, 64, 0, 0, 0, host, 0, NULL, NULL));
    SAY(clEnqueueWriteBufferRect(q, x, CL_TRUE, o, o, r2, 64, 0, 0, 0, NULL, 0, NULL, NULL));
    SAY(clEnqueueCopyBufferRect(q, x, x, o, far, r, 64, 0, 64, 0, 0, NULL, NULL));
    SAY(clEnqueueCopyBufferRect(q, x, x, o, o, r, 64, 0, 64, 0, 0, NULL, NULL));
    SAY(clEnqueueCopyBufferRect(q, x, x, o, far, r, 64, 0, 128, 0, 0, NULL, NULL));
    SAY(clEnqueueCopyBufferRect(q, x, read, o, far, r2, 64, 0, 64, 0, 0, NULL, NULL));
}

static void migrations(void)
{
    cl_mem list[2] = {x, NULL}, both[2] = {x, foreign_x};

    SAY(clEnqueueMigrateMemObjects(q, 0, NULL, 0, 0, NULL, NULL));
    SAY(clEnqueueMigrateMemObjects(q, 1, NULL, 0, 0, NULL, NULL));
    SAY(clEnqueueMigrateMemObjects(q, 2, list, 0, 0, NULL, NULL));
    SAY(clEnqueueMigrateMemObjects(q, 2, both, 0, 0, NULL, NULL));
    SAY(clEnqueueMigrateMemObjects(q, 1, list, 1 << 7, 0, NULL, NULL));
}

static void maps(void)
{
    void *p;
    cl_int err;

    for (int i = 0; i < 9; i++) {
        static const struct {
            int m;
            cl_map_flags flags;
            size_t offset, bytes;
        } c[] = {{0, CL_MAP_READ, 4096, 1},
                 {0, CL_MAP_READ, 0, 0},
                 {0, 0, 0, 64},
                 {0, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64},
                 {1, CL_MAP_WRITE, 0, 64},
                 {2, CL_MAP_READ, 0, 64},
                 {3, CL_MAP_READ, 0, 64},
                 {4, CL_MAP_READ, 0, 64},
                 {0, (cl_map_flags)1 << 9, 0, 64}};
        cl_mem m[5] = {x, read, write, hidden, foreign_x};

        p = clEnqueueMapBuffer(q, m[c[i].m], CL_TRUE, c[i].flags, c[i].offset, c[i].bytes, 0, NULL, NULL,
                               &err);
        printf("%d map %d: %d %d\n", rounds, i, err, p != NULL);
        if (p)
            SAY(clEnqueueUnmapMemObject(q, m[c[i].m], p, 0, NULL, NULL));
    }
    SAY(clEnqueueUnmapMemObject(q, x, host, 0, NULL, NULL));
    SAY(clEnqueueUnmapMemObject(q, x, NULL, 0, NULL, NULL));
    SAY(clEnqueueUnmapMemObject(q, NULL, host, 0, NULL, NULL));
}

static void synchronisation(void)
{
    SAY(clEnqueueMarkerWithWaitList(q, 1, &foreign, NULL));
    SAY(clEnqueueBarrierWithWaitList(q, 1, &foreign, NULL));
    SAY(clEnqueueMarkerWithWaitList(q, 1, NULL, NULL));
    /* while something runs that they might wait for */
    app_args(slow, "mi", x, 100000);
    app_run(q, slow, 64, 0, 0, NULL, NULL);
    SAY(clEnqueueMarkerWithWaitList(q, 0, &foreign, NULL));
    SAY(clEnqueueBarrierWithWaitList(q, 0, &foreign, NULL));
    SAY(clEnqueueBarrierWithWaitList(q, 1, NULL, NULL));
    SAY(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
    SAY(clEnqueueMarker(q, NULL));
    SAY(clEnqueueWaitForEvents(q, 1, &none));
    SAY(clEnqueueWaitForEvents(q, 1, &foreign));
    SAY(clWaitForEvents(0, NULL));
    SAY(clWaitForEvents(1, &none));
    SAY(clFlush(NULL));
    SAY(clFinish(NULL));
    SAY(clReleaseMemObject(NULL));
    SAY(clReleaseEvent(NULL));
    SAY(clRetainEvent(NULL));
    SAY(clReleaseCommandQueue(NULL));
    SAY(clFinish(q));
}

static void transfers(cl_command_queue queue, cl_mem buffer, cl_mem foreign_buffer, cl_event foreign_event)
{
    q = queue;
    x = buffer;
    foreign_x = foreign_buffer;
    foreign = foreign_event;
    hidden = app_buffer(&a, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_NO_ACCESS, 4096, host);
    read = app_buffer(&a, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY, 4096, host);
    write = app_buffer(&a, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY, 4096, host);
    sub = app_sub_buffer(x, 0, 1024, 1024);
    reads_and_writes();
    copies_and_fills();
    rectangles();
    migrations();
    maps();
    synchronisation();
    clReleaseMemObject(sub);
    clReleaseMemObject(hidden);
    clReleaseMemObject(read);
    clReleaseMemObject(write);
}

/* Of calls that enqueue nothing: what they leave alone where they fail. */
static void others(cl_kernel add, cl_mem buffer)
{
    static const char *text = RM_SOURCE;
    cl_program unbuilt = clCreateProgramWithSource(a.context, 1, &text, NULL, NULL);
    cl_kernel some[8] = {NULL};
    cl_uint n[4] = {99, 99, 99, 99};
    cl_event e;
    cl_int set[3], made[4];

    app_args(add, "mi", buffer, 1);
    app_run(a.queue, add, 64, 0, 0, NULL, &e);
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < 3; i++)
        set[i] = clSetUserEventStatus(e, 1 - i);
    clReleaseEvent(e);
    made[0] = clCreateKernelsInProgram(unbuilt, 8, some, &n[0]);
    made[1] = clCreateKernelsInProgram(a.program, 1, some, &n[1]);
    made[2] = clCreateKernelsInProgram(NULL, 8, some, &n[2]);
    made[3] = clCreateKernelsInProgram(a.program, 8, some, &n[3]);
    for (cl_uint i = 0; made[3] == CL_SUCCESS && i < n[3]; i++)
        clReleaseKernel(some[i]);
    clReleaseProgram(unbuilt);
    printf("others: %d %d %d; %d %u, %d %u, %d %u, %d %u\n", set[0], set[1], set[2], made[0], n[0], made[1],
           n[1], made[2], n[2], made[3], n[3]);
}

static void release(const cl_kernel kernels[3], const cl_mem buffers[3])
{
    for (int i = 0; i < 3; i++) {
        clReleaseKernel(kernels[i]);
        clReleaseMemObject(buffers[i]);
    }
}

int main(void)
{
    cl_mem x, y, foreign_x;
    cl_kernel add, needs8;
    cl_event foreign;
    cl_command_queue unordered;
    static int v[1024];

    setvbuf(stdout, NULL, _IONBF, 0);
    app_open(&a, "errors", 0,
             RM_SOURCE "kernel __attribute__((reqd_work_group_size(8,1,1))) void needs8(global int *x)\n"
                       "{ x[get_global_id(0)] += get_local_size(0); }\n");
    app_open(&other, "errors", 0, RM_SOURCE);
    x = app_buffer(&a, 0, 4096, NULL);
    y = app_buffer(&a, 0, 4096, NULL);
    foreign_x = app_buffer(&other, 0, 4096, NULL);
    add = app_kernel(&a, "add");
    needs8 = app_kernel(&a, "needs8");
    slow = app_kernel(&a, "slow");
    app_args(slow, "mi", x, 1);
    app_run(a.queue, slow, 64, 0, 0, NULL, NULL);
    unordered = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    APP_CHECK(clEnqueueWriteBuffer(other.queue, foreign_x, CL_TRUE, 0, sizeof v, v, 0, NULL, &foreign));
    APP_CHECK(clEnqueueWriteBuffer(a.queue, x, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    APP_CHECK(clEnqueueWriteBuffer(a.queue, y, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    for (rounds = 0; rounds < 3; rounds++) {
        launches(rounds == 2 ? unordered : a.queue, x, foreign_x, foreign, add, needs8);
        APP_CHECK(clFinish(unordered));
        app_read(&a, x, 0, sizeof v, v);
        transfers(rounds == 2 ? unordered : a.queue, y, foreign_x, foreign);
    }
    others(add, x);
    app_read(&a, y, 0, sizeof v, v);
    clReleaseEvent(foreign);
    clReleaseCommandQueue(unordered);
    release((cl_kernel[]){add, needs8, slow}, (cl_mem[]){x, y, foreign_x});
    app_close(&other);
    return app_close(&a);
}
