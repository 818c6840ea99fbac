/* mad_enable.c - with -cl-mad-enable PoCL makes the code for CPUs that it makes without: products and sums
 * meet in one operation within an expression, and nowhere else. shim/run/tiles/cut.c and the rewriter ignore
 * the option for that. */
#include "common.h"

#include <string.h>

enum { N = 4096, FORMS = 4 };

static const char source[] =
    "kernel void k(global const float *a, global const double *d, global float *x, global double *y) {\n"
    "  size_t i = get_global_id(0), n = get_global_size(0); float p = a[i] * a[n - 1 - i], s = 0; double t = "
    "0;\n"
    "  x[i] = a[i] * a[n - 1 - i] + a[i / 2];\n"
    "  x[i + n] = p + a[i / 3]; y[i] = d[i] * d[n - 1 - i] - d[i / 5];\n"
    "  for (int j = 0; j < 9; j++) { float q = a[(i + j) % n] * a[j]; s += q; t += d[j] * d[(i * j) % n]; }\n"
    "  x[i + 2 * n] = s; x[i + 3 * n] = mad(a[i], s, p) / a[i / 7]; y[i + n] = t;\n"
    "}\n";

static struct {
    float a[N], x[FORMS * N];
    double d[N], y[2 * N];
} with, without;

static void run(const struct vendor *v, const char *options, float *a, double *d, float *x, double *y)
{
    const char *text = source;
    size_t global = N, local = 64;
    cl_int err;
    cl_program p = clCreateProgramWithSource(v->context, 1, &text, NULL, &err);
    cl_command_queue queue = vendor_queue(v, 0);
    cl_mem m[4] = {vendor_buffer(v, N * sizeof *a, a), vendor_buffer(v, N * sizeof *d, d),
                   vendor_buffer(v, FORMS * N * sizeof *x, x), vendor_buffer(v, 2 * N * sizeof *y, y)};
    cl_kernel k;

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 0, NULL, options, NULL, NULL));
    k = clCreateKernel(p, "k", &err);
    APP_CHECK(err);
    for (cl_uint i = 0; i < 4; i++)
        APP_CHECK(clSetKernelArg(k, i, sizeof m[i], &m[i]));
    APP_CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(queue, m[2], CL_TRUE, 0, FORMS * N * sizeof *x, x, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBuffer(queue, m[3], CL_TRUE, 0, 2 * N * sizeof *y, y, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        APP_CHECK(clReleaseMemObject(m[i]));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseProgram(p));
    APP_CHECK(clReleaseCommandQueue(queue));
}

static bool same(void)
{
    return !memcmp(with.x, without.x, sizeof with.x) && !memcmp(with.y, without.y, sizeof with.y);
}

int main(void)
{
    struct vendor v;

    for (int i = 0; i < N; i++) {
        with.a[i] = without.a[i] = 1.0f + (float)(i * 2654435761u >> 8) / 3e6f;
        with.d[i] = without.d[i] = 1.0 / (1 + i) + (double)(i * 40503u % 9973) / 7;
    }
    vendor_open(&v, "pthread", NULL, "");
    run(&v, "", without.a, without.d, without.x, without.y);
    run(&v, "-cl-mad-enable", with.a, with.d, with.x, with.y);
    vendor_expect(same(), "the same values with -cl-mad-enable");
    vendor_close(&v);
    return vendor_status();
}
