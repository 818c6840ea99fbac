/* varies.c - a kernel whose build options let the compiler choose among results, launched without a local
 * size: PoCL's code for work-groups of 16 items comes to other bits than that for 8. */
#include "common.h"

static const char source[] = "kernel void three(global const float *a, global float *o) {\n"
                             "  uint i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
                             "  float x = a[i], y = a[i + 1], z = a[i + 2]; o[i] = x * y + z * x + y / z + "
                             "sqrt(x) / y - x * z * y; }\n";

enum { MOST = 112, ROUNDS = 12 };

int main(void)
{
    static float in[MOST + 2], out[ROUNDS][MOST];
    struct app a;
    cl_kernel k;
    cl_mem from, to[ROUNDS];
    cl_int err;

    app_open(&a, "varies", 0, source);
    clReleaseProgram(a.program);
    a.program = clCreateProgramWithSource(a.context, 1, (const char *[]){source}, NULL, &err);
    APP_CHECK(clBuildProgram(a.program, 1, &a.device, "-cl-fast-relaxed-math", NULL, NULL));
    k = app_kernel(&a, "three");
    for (int i = 0; i < MOST + 2; i++)
        in[i] = .1f + (float)(i * 37 % 64) / 61;
    from = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in);
    for (int r = 0; r < ROUNDS; r++)
        to[r] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out[r], out[r]);
    for (int r = 0; r < ROUNDS; r++) {
        size_t global[] = {16, 5 + 2 * (size_t)(r % 2)};
        APP_CHECK(clSetKernelArg(k, 0, sizeof from, &from));
        APP_CHECK(clSetKernelArg(k, 1, sizeof to[r], &to[r]));
        APP_CHECK(clEnqueueNDRangeKernel(a.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    }
    for (int r = 0; r < ROUNDS; r++) {
        app_read(&a, to[r], 0, sizeof out[r], out[r]);
        clReleaseMemObject(to[r]);
    }
    clReleaseMemObject(from);
    clReleaseKernel(k);
    return app_close(&a);
}
