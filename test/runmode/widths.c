/* widths.c - one kernel launched with different widths from two queues, once so that it is managed and once
 * so that it is not. Where the device runs kernels inside the enqueue, the vendor never sees two at once, as
 * it would abort (test/vendor/offset_kinds_abort.c); and both run. */
#include "common.h"

static const char source[] = "kernel void meet(volatile global uint *flag, uint role, uint steps)\n"
                             "{ if (get_global_id(0) > get_global_offset(0)) return; flag[role]++;\n"
                             "  for (uint i = 0; i < steps && !flag[1]; i++) { } flag[2 + role]++; }\n";

static volatile cl_uint flag[1024] __attribute__((aligned(4096)));

static void launch(cl_command_queue q, cl_kernel k, size_t width, const size_t *offset, cl_event *e)
{
    const size_t one = 1;

    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, offset, &width, &one, 0, NULL, e));
}

/* The first one runs when the second, which is native, is enqueued. */
static void meet(struct app *a, size_t width, size_t offset)
{
    cl_command_queue q = app_queue(a, 0), r = app_queue(a, 0);
    cl_mem m = app_buffer(a, CL_MEM_USE_HOST_PTR, sizeof flag, (void *)flag);
    cl_kernel known = app_kernel(a, "meet"), fresh = app_kernel(a, "meet");
    const cl_uint role = 1, steps = 0;
    cl_event e;
    void *p;

    app_args(known, "muu", m, 0, 0);
    launch(q, known, 1, NULL, NULL);
    APP_CHECK(clFinish(q));
    memset((void *)flag, 0, sizeof flag);
    app_args(known, "muu", m, 0, 400000000);
    launch(q, known, 1, NULL, &e);
    APP_CHECK(clFlush(q));
    RM_WAIT(flag[0] || rm_status(e) == CL_COMPLETE);
    APP_CHECK(clSetKernelArgSVMPointer(fresh, 0, (void *)flag)); /* such launches are native */
    APP_CHECK(clSetKernelArg(fresh, 1, sizeof role, &role));
    APP_CHECK(clSetKernelArg(fresh, 2, sizeof steps, &steps));
    launch(r, fresh, width, offset ? &offset : NULL, NULL);
    APP_CHECK(clFinish(r));
    APP_CHECK(clFinish(q));
    p = clEnqueueMapBuffer(a->queue, m, CL_TRUE, CL_MAP_READ, 0, sizeof flag, 0, NULL, NULL, NULL);
    printf("width %zu offset %zu: %u %u, over %u %u\n", width, offset, flag[0], flag[1], flag[2], flag[3]);
    APP_CHECK(clEnqueueUnmapMemObject(a->queue, m, p, 0, NULL, NULL));
    APP_CHECK(clFinish(a->queue));
    clReleaseEvent(e);
    clReleaseKernel(known), clReleaseKernel(fresh);
    clReleaseMemObject(m);
    clReleaseCommandQueue(q), clReleaseCommandQueue(r);
}

int main(void)
{
    struct app a;

    app_open(&a, "widths", 0, source);
    meet(&a, 64, 0);
    meet(&a, 4096, 0);
    meet(&a, 1, 7);
    return app_close(&a);
}
