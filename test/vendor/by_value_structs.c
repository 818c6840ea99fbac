/* by_value_structs.c - a structure that is handed over by value is kept once for all work-items of a
 * work-group: what one of them changes in it the next ones see (OpenCL C gives each its own). So kernels that
 * do that are left whole, and on their device (analyzer/kernels/footprint/cut.c). */
#include "common.h"

#include <stdio.h>

enum { ITEMS = 64, FIRST = 10 };

static const char source[] = "struct pair { int a, b; };\n"
                             "__kernel void k(__global int *out, struct pair p) {\n"
                             "    int g = get_global_id(0);\n"
                             "    if (g > 1) p.a += 1;\n"
                             "    out[g] = p.a;\n"
                             "}\n";

/* How many work-items do not see what they alone have made of it. */
static int shared(struct vendor *v, cl_kernel k, cl_mem out, size_t local)
{
    const size_t global = ITEMS;
    cl_int got[ITEMS];
    cl_command_queue q = vendor_queue(v, 0);
    int wrong = 0;

    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    APP_CHECK(clReleaseCommandQueue(q));
    for (int i = 0; i < ITEMS; i++)
        wrong += got[i] != FIRST + (i > 1);
    return wrong;
}

int main(void)
{
    const cl_int pair[2] = {FIRST, 20};
    struct vendor v;

    vendor_open(&v, "pthread", source, "");
    cl_kernel k = vendor_kernel(&v, "k");
    cl_mem out = vendor_buffer(&v, ITEMS * sizeof(cl_int), NULL);
    APP_CHECK(clSetKernelArg(k, 0, sizeof out, &out));
    APP_CHECK(clSetKernelArg(k, 1, sizeof pair, pair));
    int eight = shared(&v, k, out, 8), one = shared(&v, k, out, 1);
    vendor_expect(eight > 0, "in work-groups of 8, %d of %d work-items see what others changed", eight,
                  ITEMS);
    vendor_expect(one == 0, "in work-groups of 1, %d", one);
    APP_CHECK(clReleaseMemObject(out));
    APP_CHECK(clReleaseKernel(k));
    vendor_close(&v);
    return vendor_status();
}
