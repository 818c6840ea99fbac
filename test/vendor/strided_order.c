/* strided_order.c - LLVM's vectorizer joins strided accesses of neighbouring work-items past others that
 * touch the same bytes: what a work-item has stored it may load as it was before.
 * kernels/footprint/cut_order.c leaves such launches whole, as another form of the kernel may be compiled
 * another way. */
#include "common.h"

#include <stdio.h>

enum { ITEMS = 1024 };

static const char source[] = "__kernel void k(__global int *out, __global const int *in) {\n"
                             "    size_t g = get_global_id(0);\n"
                             "    out[STRIDE * g + 1] = (int)g + 1;\n"
                             "    int s = out[STRIDE * g + (in[g] & 1)];\n"
                             "    out[STRIDE * g] += s;\n"
                             "}\n";

/* Of all work-items, how many have loaded what they had not stored. */
static int astray(cl_uint stride)
{
    struct vendor v;
    char options[32];
    static cl_int in[ITEMS], out[16 * ITEMS];
    const size_t global = ITEMS, local = 64;
    int wrong = 0;

    snprintf(options, sizeof options, "-DSTRIDE=%u", stride);
    vendor_open(&v, "pthread", source, options);
    for (int i = 0; i < ITEMS; i++)
        in[i] = i * 2654435761u >> 13;
    cl_command_queue q = vendor_queue(&v, 0);
    cl_kernel k = vendor_kernel(&v, "k");
    cl_mem a = vendor_buffer(&v, sizeof out, NULL), b = vendor_buffer(&v, sizeof in, NULL);
    APP_CHECK(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    APP_CHECK(clEnqueueWriteBuffer(q, b, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    APP_CHECK(clSetKernelArg(k, 0, sizeof a, &a));
    APP_CHECK(clSetKernelArg(k, 1, sizeof b, &b));
    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        wrong += out[stride * (cl_uint)i] != (in[i] & 1 ? i + 1 : 0);
    APP_CHECK(clReleaseMemObject(a));
    APP_CHECK(clReleaseMemObject(b));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(q));
    vendor_close(&v);
    return wrong;
}

static int narrow(void *unused)
{
    (void)unused;
    return astray(2) > 0;
}

int main(void)
{
    int joined = vendor_in_child(narrow, NULL, 300);
    vendor_expect(joined == 1, "with two elements to the neighbour %s",
                  joined ? "stores are overtaken" : "the order holds");
    int wide = astray(9);
    vendor_expect(wide == 0, "with nine elements to the neighbour %d of %d work-items loaded something else",
                  wide, ITEMS);
    return vendor_status();
}
