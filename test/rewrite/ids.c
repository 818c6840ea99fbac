/* ids.c - an ordinary program whose kernels show every id built-in in every shape of launch, in ways that a
 * rewriter may miss; libtilecl.so launches them again in tiles. Says nothing itself. */
#include <string.h>

#include "opencl.h"

enum { SLOTS = 24, ITEMS = 4096 };

static const char source[] =
    "#define GID(d) get_global_id(d)\n"
    "#define ALIAS get_group_id\n"
    "#define APPLY(f, x) f(x)\n"
    "#define PASTE(a, b) a##b\n"
    "#ifdef WANT_SIZES\n"
    "#define SIZE(d) get_global_size(d)\n"
    "#else\n"
    "#define SIZE(d) (get_num_groups(d) * get_local_size(d))\n"
    "#endif\n"
    "size_t helper(uint d);\n"
    "size_t place(void) {\n"
    "  return ((GID(2) - get_global_offset(2)) * get_global_size(1) + GID(1) - get_global_offset(1)) * "
    "get_global_size(0)\n"
    "    + GID(0) - get_global_offset(0);\n"
    "}\n"
    "kernel void all_ids(global ulong *out) {\n"
    "  size_t p = place() * 24;\n"
    "  for (uint d = 0; d < 4; d++) {\n"
    "    out[p + d] = get_global_id(d);\n"
    "    out[p + 4 + d] = get_group_id(d);\n"
    "    out[p + 8 + d] = get_num_groups(d);\n"
    "    out[p + 12 + d] = get_global_size(d);\n"
    "    out[p + 16 + d] = get_global_offset(d);\n"
    "  }\n"
    "  out[p + 20] = get_work_dim();\n"
    "  out[p + 21] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);\n"
    "  out[p + 22] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);\n"
    "}\n"
    "kernel void through_macros(global ulong *out) {\n"
    "  size_t p = place() * 24;\n"
    "  out[p] = GID(0); out[p + 1] = ALIAS(1); out[p + 2] = APPLY(get_num_groups, 0);\n"
    "  out[p + 3] = PASTE(get_global, _id)(1); out[p + 4] = SIZE(0); out[p + 5] = APPLY(helper, 1u);\n"
    "  out[p + 6] = OPTION; out[p + 7] = ALIAS(\n"
    "#ifdef WANT_SIZES\n"
    "  0\n"
    "#else\n"
    "  1\n"
    "#endif\n"
    "  );\n"
    "}\n"
    "size_t helper(uint d) { return get_group_id(d) * 1000 + get_global_id(d) + place(); }\n"
    "kernel void nested(global ulong *out) {\n"
    "  out[place() * 24] = get_global_id(get_global_id(0) & 1) + GID(GID(get_group_id(0) & 1) & 1) * 10000;\n"
    "}\n"
    "kernel void called(global ulong *out, int add) { out[place() * 24] = helper(0) + add; }\n"
    "kernel void caller(global ulong *out) { called(out, 5); out[place() * 24 + 1] = helper(2); }\n"
    "kernel void grid_stride(global ulong *out, uint n) {\n"
    "  for (size_t i = get_global_id(0) - get_global_offset(0); i < n; i += get_global_size(0)) out[i] = i * "
    "3 + get_group_id(0);\n"
    "}\n"
    "kernel void sums(global ulong *out, local ulong *t) {\n"
    "  size_t l = get_local_id(0), n = get_local_size(0);\n"
    "  t[l] = get_global_id(0) * 7;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (l == 0) { ulong s = 0; for (size_t i = 0; i < n; i++) s += t[i]; out[get_group_id(0)] = s + "
    "get_num_groups(0); }\n"
    "}\n"
    "kernel void copies(global ulong *out, local ulong *t) {\n"
    "  event_t e = async_work_group_copy(t, out + get_group_id(0) * get_local_size(0), get_local_size(0), "
    "0);\n"
    "  wait_group_events(1, &e);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  t[get_local_id(0)] += get_global_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  e = async_work_group_copy(out + get_group_id(0) * get_local_size(0), t, get_local_size(0), 0);\n"
    "  wait_group_events(1, &e);\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global ulong *out) { out[place()] = "
    "get_group_id(0) + 10 * get_group_id(1); }\n"
    "typedef struct { int a; float b; long c[3]; } S;\n"
    "kernel void structs(global ulong *out, S s, uchar u, float4 f) { out[place()] = s.a + s.c[2] + u + "
    "(int)f.w + get_group_id(0); }\n"
    "#if __OPENCL_C_VERSION__ >= 200\n"
    "kernel void linear(global ulong *out) { out[get_global_linear_id()] = get_global_linear_id() * 3 + "
    "get_local_linear_id() + get_enqueued_local_size(0); }\n"
    "#endif\n"
    "kernel void local_only(global ulong *out) { out[0] = get_local_size(0); }\n";

struct shape {
    cl_uint dims;
    size_t global[3], local[3], offset[3];
};

static void launch(cl_program p, const char *name, const struct shape *s, int extra)
{
    static cl_ulong zero[ITEMS * SLOTS];
    static const struct {
        cl_int a;
        cl_float b;
        cl_long c[3];
    } value = {3, 2, {1, 2, 3}};
    cl_int e;
    cl_kernel k = clCreateKernel(p, name, &e);
    cl_mem out;

    if (e == CL_INVALID_KERNEL_NAME)
        return;
    check(e, name);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &e);
    check(e, "buffer");
    check(clSetKernelArg(k, 0, sizeof out, &out), "argument 0");
    if (extra == 1)
        check(clSetKernelArg(k, 1, 64 * sizeof(cl_ulong), NULL), "local argument");
    if (extra == 2)
        check(clSetKernelArg(k, 1, sizeof(cl_int), &(cl_int){2000}), "int argument");
    if (extra == 3) {
        check(clSetKernelArg(k, 1, sizeof value, &value), "struct");
        check(clSetKernelArg(k, 2, 1, &(cl_uchar){7}), "uchar");
        check(clSetKernelArg(k, 3, 16, &(cl_float4){{1, 2, 3, 4}}), "float4");
    }
    check(clEnqueueNDRangeKernel(queue, k, s->dims,
                                 s->offset[0] + s->offset[1] + s->offset[2] ? s->offset : NULL, s->global,
                                 s->local, 0, NULL, NULL),
          name);
    check(clFinish(queue), "finish");
    clReleaseKernel(k);
    clReleaseMemObject(out);
}

static void run(const char *options)
{
    static const struct shape shapes[] = {
        {1, {64, 1, 1}, {8, 1, 1}, {0, 0, 0}},  {1, {1000, 1, 1}, {8, 1, 1}, {3, 0, 0}},
        {2, {24, 36, 1}, {4, 2, 1}, {0, 0, 0}}, {2, {40, 12, 1}, {4, 2, 1}, {5, 9, 0}},
        {3, {8, 12, 18}, {4, 2, 1}, {0, 0, 0}}, {3, {16, 4, 20}, {4, 2, 1}, {2, 0, 7}},
        {1, {16, 1, 1}, {16, 1, 1}, {1, 0, 0}},
    };
    static const struct {
        const char *name;
        int extra;
        bool one;
    } kernels[] = {
        {"all_ids", 0, false}, {"through_macros", 0, false}, {"nested", 0, false},    {"called", 2, false},
        {"caller", 0, false},  {"grid_stride", 2, true},     {"sums", 1, true},       {"copies", 1, true},
        {"structs", 3, false}, {"linear", 0, false},         {"local_only", 0, true},
    };
    const char *text = source;
    cl_int e;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &e);

    check(e, "program");
    check(clBuildProgram(p, 1, &device, options, NULL, NULL), options);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (!kernels[k].one || shapes[s].dims == 1)
                launch(p, kernels[k].name, &shapes[s], kernels[k].extra);
    launch(p, "required", &shapes[2], 0);
    launch(p, "required", &shapes[3], 0);
    clReleaseProgram(p);
}

int main(void)
{
    if (!open_device())
        return 77;
    run("-cl-std=CL1.2 -D OPTION=get_global_id(0)+get_group_id(1)");
    run("-cl-std=CL2.0 -DWANT_SIZES -DOPTION=(get_num_groups(1)+1)");
    return 0;
}
