/* nulls.c - launches without a local size: the kernel sees the one that the program's own device chooses,
 * wherever it runs.
 *
 * nulls [ROUNDS]: in the first two of them the device's choice is not known yet */
#include "common.h"

static const char source[] = "__kernel void sizes(__global uint *out) {\n"
                             "    uint i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
                             "    out[i] = out[i] * 7 + get_local_size(0) + 100 * get_num_groups(0) + 10000 "
                             "* get_group_id(0) + get_local_id(0) +\n"
                             "             31 * get_local_size(1);\n"
                             "}\n"
                             "__kernel void plain(__global uint *out) {\n"
                             "    uint i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
                             "    out[i] = out[i] * 3 + i;\n"
                             "}\n";

int main(int argc, char **argv)
{
    static const size_t global[][2] = {{64, 1}, {100, 1}, {7, 5}, {1024, 1}, {96, 33}, {4093, 1}};
    static uint32_t host[4096];
    int rounds = (int)app_size(argc, argv, 1, 4, 1, 1000);
    struct app a;
    cl_kernel sizes, plain;
    cl_mem m;

    app_open(&a, "nulls", 0, source);
    sizes = app_kernel(&a, "sizes"), plain = app_kernel(&a, "plain");
    m = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    app_args(sizes, "m", m);
    app_args(plain, "m", m);
    for (int round = 0; round < rounds; round++) {
        if (round % 8 == 7)
            rm_sleep_ms(20);
        for (size_t g = 0; g < sizeof global / sizeof *global; g++) {
            APP_CHECK(clEnqueueNDRangeKernel(a.queue, plain, 2, NULL, global[g], NULL, 0, NULL, NULL));
            APP_CHECK(clEnqueueNDRangeKernel(a.queue, sizes, 2, NULL, global[g], NULL, 0, NULL, NULL));
            if (g % 2)
                APP_CHECK(clFinish(a.queue));
        }
    }
    app_read(&a, m, 0, sizeof host, host);
    clReleaseMemObject(m);
    clReleaseKernel(sizes), clReleaseKernel(plain);
    return app_close(&a);
}
