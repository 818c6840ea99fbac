/* jacobi.c - a five-point stencil, many steps between two buffers, with the residual watched on the way.
 *
 * Step i + 1 reads what step i wrote and overwrites what step i read: RAW and WAR in one chain.
 *
 * usage: jacobi [side] [steps]   default 64 24 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "__kernel void jacobi(__global const float *restrict in, __global float *restrict out, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * n + x;\n"
    "    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)\n"
    "        out[i] = in[i];\n"
    "    else\n"
    "        out[i] = 0.25f * (((in[i - n] + in[i + n]) + in[i - 1]) + in[i + 1]);\n"
    "}\n";

static void jacobi_plainly(const float *in, float *out, size_t n)
{
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            size_t i = y * n + x;
            bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
            out[i] = edge ? in[i] : 0.25f * (((in[i - n] + in[i + n]) + in[i - 1]) + in[i + 1]);
        }
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 64, 3, 16384), steps = app_size(argc, argv, 2, 24, 1, 1000000);
    size_t bytes = n * n * sizeof(float);
    float *want[2] = {app_alloc(bytes), app_alloc(bytes)}, *got = app_alloc(bytes), middle;
    uint32_t seed = 11;
    for (size_t i = 0; i < n * n; i++)
        want[0][i] = (float)(app_random(&seed) % 1000) / 1000.0f;
    struct app a;
    app_open(&a, "jacobi", 0, source);
    cl_kernel jacobi = app_kernel(&a, "jacobi");
    cl_mem grid[2] = {app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL),
                      app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL)};
    APP_CHECK(clEnqueueWriteBuffer(a.queue, grid[0], CL_TRUE, 0, bytes, want[0], 0, NULL, NULL));
    for (size_t s = 0; s < steps; s++) {
        app_args(jacobi, "mmi", grid[s % 2], grid[(s + 1) % 2], (cl_int)n);
        app_run_2d(a.queue, jacobi, n, n, 0);
        jacobi_plainly(want[s % 2], want[(s + 1) % 2], n);
        if (s % 8 == 7) { /* a program that watches one value: a small blocking read amid the steps */
            size_t at = (n / 2 * n + n / 2) * sizeof middle;
            app_read(&a, grid[(s + 1) % 2], at, sizeof middle, &middle);
            app_expect_floats(&a, "middle", &middle, &want[(s + 1) % 2][n / 2 * n + n / 2], 1);
        }
    }
    app_read(&a, grid[steps % 2], 0, bytes, got);
    app_expect_floats(&a, "grid", got, want[steps % 2], n * n);

    app_release_mems(grid, 2);
    APP_CHECK(clReleaseKernel(jacobi));
    free(want[0]), free(want[1]), free(got);
    return app_close(&a);
}
