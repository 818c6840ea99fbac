/* beside.c - kernels that cannot see their work-groups in a file with kernels that can, by a function, a
 * macro and local memory; devices choose the local size. */
#include "common.h"

enum { ITEMS = 60000, LAUNCHES = 12 };

static const char source[] =
    "#define PLACE get_local_id(0)\n"
    "uint inner(uint x) { return x + (uint)get_group_id(0) + (uint)get_local_size(0); }\n"
    "uint outer(uint x) { return inner(x) ^ 5u; }\n"
    "__kernel void plain(__global uint *out, __global const uint *in) {\n"
    "    size_t g = get_global_id(0);\n"
    "    uint s = in[g];\n"
    "    for (int k = 0; k < 200; k++) s = s * 1664525u + 1013904223u;\n"
    "    out[g] = s;\n"
    "}\n"
    "__kernel void function(__global uint *out, __global const uint *in) {\n"
    "    out[get_global_id(0)] = outer(in[get_global_id(0)]);\n"
    "}\n"
    "__kernel void sum(__global uint *out, __global const uint *in) {\n"
    "    size_t g = get_global_id(0);\n"
    "    out[g] = 31u * in[g] + in[g ? g - 1 : 0];\n"
    "}\n"
    "__kernel void macro(__global uint *out, __global const uint *in) {\n"
    "    out[get_global_id(0)] = in[get_global_id(0)] + (uint)PLACE;\n"
    "}\n"
    "__kernel void shared(__global uint *out, __global const uint *in) {\n"
    "    __local uint n;\n"
    "    if (get_local_id(0) == 0) n = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = in[get_global_id(0)] + n;\n"
    "}\n";

int main(void)
{
    static const char *const names[] = {"plain", "function", "sum", "macro", "plain", "shared"};
    static cl_uint values[ITEMS];
    struct app a;
    cl_mem m[2];

    app_open(&a, "beside", 0, source);
    for (cl_uint i = 0; i < ITEMS; i++)
        values[i] = i * 2654435761u;
    for (int i = 0; i < 2; i++)
        m[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    for (int i = 0; i < LAUNCHES; i++) {
        cl_kernel k = app_kernel(&a, names[i % 6]);

        app_args(k, "mm", m[i % 2], m[1 - i % 2]);
        app_run(a.queue, k, ITEMS - 8 * (size_t)i, 0, 0, NULL, NULL); /* no range twice: none is pinned */
        APP_CHECK(clReleaseKernel(k));
        if (i % 6 == 5) {
            app_read(&a, m[i % 2], 0, sizeof values, values);
            printf("%016llx\n", (unsigned long long)a.hash);
        }
    }
    for (int i = 0; i < 2; i++)
        APP_CHECK(clReleaseMemObject(m[i]));
    return app_close(&a);
}
