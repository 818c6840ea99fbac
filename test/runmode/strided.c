/* strided.c - kernels of which PoCL's compiler does not keep the order of accesses, and one that changes a
 * structure that it is given, which PoCL keeps once for a work-group: every way of running must give the
 * bare results (test/vendor/strided_order). */
#include "common.h"

enum { ITEMS = 4096, LAUNCHES = 6 };

static const char source[] =
    "__kernel void store_load(__global int *out, __global const int *in) {\n"
    "    int g = get_global_id(0);\n"
    "    out[2 * g + 1] = in[0] + g;\n"
    "    int s = out[2 * g + (in[g] & 1)];\n"
    "    out[2 * g] += s;\n"
    "}\n"
    "__kernel void by_group(__global int *out, __global const int *in) {\n"
    "    int g = get_global_id(0);\n"
    "    out[2 * g + 1] = in[0] + g;\n"
    "    int s = out[2 * g + (in[g] & 1)];\n"
    "    out[2 * g] += s + (int)get_group_id(0) + (int)get_num_groups(0);\n"
    "}\n"
    "__kernel void fours(__global int *out, __global const int *in) {\n"
    "    int g = get_global_id(0);\n"
    "    out[4 * g + 1] = in[0] + g;\n"
    "    out[4 * g + 3] = g;\n"
    "    int s = out[4 * g + (in[g] & 3)];\n"
    "    out[4 * g] += s;\n"
    "    out[4 * g + 2] = s * 2;\n"
    "}\n"
    "__kernel void square(__global int *out, __global const int *in) {\n"
    "    uint g = get_global_id(0);\n"
    "    int re = out[2 * g], im = out[2 * g + 1];\n"
    "    out[2 * g] = re * re - im * im + in[g];\n"
    "    out[2 * g + 1] = 2 * re * im;\n"
    "}\n"
    "struct pair { int a, b; };\n"
    "__kernel void changes(__global int *out, __global const int *in, struct pair p) {\n"
    "    int g = get_global_id(0);\n"
    "    if (g > 1) p.a += 1;\n"
    "    out[g] = p.a + in[g];\n"
    "}\n";

static void show(struct app *a, const char *name, size_t local, cl_mem in)
{
    static const cl_int pair[2] = {10, 20};
    static cl_int out[4 * ITEMS];
    cl_kernel k = app_kernel(a, name);
    cl_mem to;

    for (int i = 0; i < 4 * ITEMS; i++)
        out[i] = i * 7;
    to = app_buffer(a, CL_MEM_COPY_HOST_PTR, sizeof out, out);
    app_args(k, "mm", to, in);
    if (!strcmp(name, "changes"))
        APP_CHECK(clSetKernelArg(k, 2, sizeof pair, pair));
    for (int i = 0; i < LAUNCHES; i++)
        app_run(a->queue, k, ITEMS, local, 0, NULL, NULL);
    app_read(a, to, 0, sizeof out, out);
    printf("%s %zu: %016llx\n", name, local, (unsigned long long)a->hash);
    APP_CHECK(clReleaseMemObject(to));
    APP_CHECK(clReleaseKernel(k));
}

int main(void)
{
    static const char *const names[] = {"store_load", "by_group", "fours", "square", "changes"};
    static const size_t locals[] = {64, 16, 0};
    static cl_int values[ITEMS];
    struct app a;
    cl_mem in;

    app_open(&a, "strided", 0, source);
    for (int i = 0; i < ITEMS; i++)
        values[i] = (cl_int)((cl_uint)i * 2654435761u >> 13);
    in = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    for (size_t l = 0; l < sizeof locals / sizeof *locals; l++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            show(&a, names[i], locals[l], in);
    APP_CHECK(clReleaseMemObject(in));
    return app_close(&a);
}
