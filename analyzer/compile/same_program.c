/* same_program.c - see answer.h. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES 8192
#define KERNELS      256

struct answer {
    cl_int err;
    size_t bytes;
    char value[ANSWER_BYTES];
};

static bool same(const struct answer *a, const struct answer *b)
{
    return a->err == b->err && (a->err == CL_SUCCESS || a->err == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) &&
           a->bytes == b->bytes && a->bytes <= ANSWER_BYTES && !memcmp(a->value, b->value, a->bytes);
}

/* Asks both the same; `call` uses h, i, w and x. */
#define SAME(first, second, call)                                                                            \
    (__extension__({                                                                                         \
        *a = *b = (struct answer){0};                                                                        \
        for (int side = 0; side < 2; side++) {                                                               \
            struct answer *x = side ? b : a;                                                                 \
            __typeof__(first) h = side ? (second) : (first);                                                 \
            x->err = call;                                                                                   \
        }                                                                                                    \
        same(a, b);                                                                                          \
    }))

static bool same_kernel(cl_kernel one, cl_kernel other, cl_device_id device, struct answer *a,
                        struct answer *b)
{
    static const cl_kernel_info facts[] = {CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_ATTRIBUTES};
    static const cl_kernel_work_group_info sizes[] = {
        CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE};
    static const cl_kernel_arg_info args[] = {CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                                              CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                              CL_KERNEL_ARG_NAME};
    cl_uint count = 0;
    bool good = true;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, clGetKernelInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof sizes / sizeof *sizes; f++)
        good = SAME(one, other,
                    clGetKernelWorkGroupInfo(h, device, sizes[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && clGetKernelInfo(one, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; good && i < count; i++)
        for (size_t f = 0; good && f < sizeof args / sizeof *args; f++)
            good = SAME(one, other, clGetKernelArgInfo(h, i, args[f], ANSWER_BYTES, x->value, &x->bytes));
    return good;
}

static bool same_kernels(cl_program one, cl_program other, cl_device_id device, struct answer *a,
                         struct answer *b)
{
    cl_kernel first[KERNELS], second[KERNELS];
    cl_uint n = 0, m = 0;
    bool good = clCreateKernelsInProgram(one, KERNELS, first, &n) == CL_SUCCESS && n <= KERNELS;

    if (!good)
        return false;
    good = clCreateKernelsInProgram(other, KERNELS, second, &m) == CL_SUCCESS && m <= KERNELS;
    m = good ? m : 0;
    good = n == m;
    for (cl_uint i = 0; good && i < n; i++)
        good = same_kernel(first[i], second[i], device, a, b);
    for (cl_uint i = 0; i < n; i++)
        clReleaseKernel(first[i]);
    for (cl_uint i = 0; i < m; i++)
        clReleaseKernel(second[i]);
    return good;
}

bool cw_same_program(cl_program one, cl_program other, cl_device_id device)
{
    static const cl_program_info facts[] = {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES};
    static const cl_program_build_info built[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS,
                                                  CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE};
    struct answer *a = malloc(2 * sizeof *a), *b = a + 1;
    bool good = a;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, clGetProgramInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof built / sizeof *built; f++)
        good =
            SAME(one, other, clGetProgramBuildInfo(h, device, built[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && same_kernels(one, other, device, a, b);
    free(a);
    return good;
}
