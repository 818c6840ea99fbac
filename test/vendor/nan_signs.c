/* nan_signs.c - the sign of a NaN depends on the local size. `d * q - b` is one operation of the processor,
 * which leaves NaNs as they are; where b does not change from work-item to work-item of PoCL's innermost
 * loop, LLVM negates it before that loop instead, NaNs too. (IEEE 754-2019, 6.3, leaves the sign open.) So
 * shim/RUN.md, "Bits that may differ", excepts it. */
#include "common.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 128, AT = 5 };

static const char source[] = "__kernel void k(__global float *restrict a, __global const float *restrict b, "
                             "__global const float *restrict d, float q) {\n"
                             "    int x = get_global_id(0), y = get_global_id(1);\n"
                             "    a[y * 128 + x] = d[y * 128 + x] * q - b[x];\n"
                             "}\n";

/* The bits of a NaN of which another one is subtracted from a number; *others: hash of all that are no NaNs.
 */
static cl_uint sign_of(struct vendor *v, cl_kernel k, cl_mem a, size_t width, size_t height, cl_uint *others)
{
    static cl_uint out[WIDTH * WIDTH];
    const size_t global[2] = {WIDTH, WIDTH}, local[2] = {width, height};
    cl_command_queue q = vendor_queue(v, 0);

    APP_CHECK(clEnqueueNDRangeKernel(q, k, 2, NULL, global, local, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    APP_CHECK(clReleaseCommandQueue(q));
    *others = 0;
    for (size_t i = 0; i < WIDTH * WIDTH; i++)
        if (i % WIDTH != AT)
            *others = *others * 31 + out[i];
    return out[AT * WIDTH + AT];
}

int main(void)
{
    static cl_float b[WIDTH], d[WIDTH * WIDTH];
    const cl_uint nan = 0x7fc00000;
    const cl_float factor = 3;
    cl_uint column, row, others, same;
    struct vendor v;

#ifdef __x86_64__
    if (!__builtin_cpu_supports("fma")) {
        puts("this processor has no such operation");
        return 77;
    }
#endif
    vendor_open(&v, "pthread", source, "");
    for (int i = 0; i < WIDTH * WIDTH; i++)
        d[i] = (cl_float)(i % 17);
    memcpy(&b[AT], &nan, sizeof nan);
    cl_kernel k = vendor_kernel(&v, "k");
    cl_mem to = vendor_buffer(&v, sizeof d, NULL), from = vendor_buffer(&v, sizeof b, b),
           also = vendor_buffer(&v, sizeof d, d);
    APP_CHECK(clSetKernelArg(k, 0, sizeof to, &to));
    APP_CHECK(clSetKernelArg(k, 1, sizeof from, &from));
    APP_CHECK(clSetKernelArg(k, 2, sizeof also, &also));
    APP_CHECK(clSetKernelArg(k, 3, sizeof factor, &factor));
    row = sign_of(&v, k, to, 64, 1, &others);
    column = sign_of(&v, k, to, 1, 64, &same);
    vendor_expect(row != column, "a NaN is %08x with local size 64 x 1, %08x with 1 x 64", row, column);
    vendor_expect(others == same, "all that is no NaN is %s", others == same ? "the same" : "not the same");
    APP_CHECK(clReleaseMemObject(to));
    APP_CHECK(clReleaseMemObject(from));
    APP_CHECK(clReleaseMemObject(also));
    APP_CHECK(clReleaseKernel(k));
    vendor_close(&v);
    return vendor_status();
}
