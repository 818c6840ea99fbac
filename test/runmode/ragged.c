/* ragged.c - one kernel that cannot see the local size, launched with ever new widths, which are
 * primes: whole, PoCL runs such a launch with local size 1; cut, it has a smaller last work-group. */
#include "common.h"

#define WIDTHS 20
#define WIDEST 40000

static const char source[] =
    "kernel void churn(global uint *x, uint n) { size_t i = get_global_id(0);\n"
    "  uint v = x[i]; for (uint k = 0; k < 200; k++) v = v * 1664525u + n; x[i] = v; }\n";

static bool is_prime(cl_uint n)
{
    for (cl_uint d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

int main(void)
{
    static cl_uint host[WIDEST];
    struct app a;
    cl_kernel k;
    cl_mem x;

    app_open(&a, "ragged", 0, source);
    k = app_kernel(&a, "churn");
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    for (cl_uint i = 0, width = 20011; i < WIDTHS; i++, width += 900) {
        while (!is_prime(width))
            width++;
        app_args(k, "mu", x, i);
        app_run(a.queue, k, width, 0, 0, NULL, NULL);
        APP_CHECK(clFinish(a.queue));
    }
    app_read(&a, x, 0, sizeof host, host);
    clReleaseMemObject(x);
    clReleaseKernel(k);
    return app_close(&a);
}
