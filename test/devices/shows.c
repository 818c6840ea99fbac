/* shows.c - prints everything that a program can learn about devices, with handles as numbers in order of
 * their first appearance: equal output means that nothing shows. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 64, BYTES = 1 << 16 };

static const void *seen[1024];
static size_t n_seen;

static size_t id_of(const void *handle)
{
    size_t i = 0;

    while (i < n_seen && seen[i] != handle)
        i++;
    if (i == n_seen && n_seen < 1024)
        seen[n_seen++] = handle;
    return i;
}

/* A query's answer: device handles (1) by number, others (2), whose addresses the vendor uses again, not, the
 * rest (0) as bytes. */
static void show(const char *what, cl_int error, const unsigned char *value, size_t size, int handles)
{
    printf("%s: error %d, %zu bytes:", what, error, size);
    if (error == CL_SUCCESS && handles == 2)
        printf(" %s", ((void *const *)value)[0] ? "handle" : "NULL");
    else if (error == CL_SUCCESS && handles)
        for (size_t i = 0; i < size / sizeof(void *); i++)
            printf(" #%zu", id_of(((void *const *)value)[i]));
    else if (error == CL_SUCCESS)
        for (size_t i = 0; i < size; i++)
            printf("%02x", value[i]);
    printf("\n");
}

#define QUERY(handles, f, ...)                                                                               \
    do {                                                                                                     \
        static union {                                                                                       \
            unsigned char bytes[BYTES];                                                                      \
            void *align;                                                                                     \
        } value;                                                                                             \
        size_t size = 0;                                                                                     \
        cl_int error = f(__VA_ARGS__, BYTES, &value, &size);                                                 \
        show(#f "(" #__VA_ARGS__ ")", error, value.bytes, error == CL_SUCCESS ? size : 0, handles);          \
    } while (0)

static void device_lists(cl_platform_id p)
{
    static const cl_device_type types[] = {0,
                                           CL_DEVICE_TYPE_DEFAULT,
                                           CL_DEVICE_TYPE_CPU,
                                           CL_DEVICE_TYPE_GPU,
                                           CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CUSTOM,
                                           CL_DEVICE_TYPE_ALL,
                                           CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU,
                                           CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU,
                                           1u << 10};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (cl_uint entries = 0; entries < 4; entries++)
            for (int form = 0; form < 4; form++) {
                cl_device_id d[4] = {NULL, NULL, NULL, NULL};
                cl_uint n = 77;
                cl_int error =
                    clGetDeviceIDs(p, types[t], entries, form & 1 ? d : NULL, form & 2 ? &n : NULL);
                printf("list %llx %u form %d: error %d, %u:", (unsigned long long)types[t], entries, form,
                       error, n);
                for (int i = 0; i < 4; i++)
                    d[i] ? printf(" #%zu", id_of(d[i])) : printf(" -");
                printf("\n");
            }
}

static void describe_device(cl_device_id d)
{
    for (cl_device_info what = 0x1000; what < 0x1080; what++) {
        printf("%x ", what);
        QUERY(what == CL_DEVICE_PLATFORM || what == CL_DEVICE_PARENT_DEVICE, clGetDeviceInfo, d, what);
    }
    for (cl_device_info what = 0x4030; what < 0x4100; what++)
        QUERY(0, clGetDeviceInfo, d, what);
}

static const char source[] = "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n"
                             "__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
                             "void sum(__global const int *a, __local int *l, __global int *b) {\n"
                             "  l[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  if (get_local_id(0) == 0) b[get_group_id(0)] = l[0] + l[7]; }\n";

static void describe_kernel(cl_kernel k, cl_device_id d)
{
    for (cl_kernel_info what = 0x1190; what < 0x11A0; what++)
        QUERY(what == CL_KERNEL_CONTEXT || what == CL_KERNEL_PROGRAM ? 2 : 0, clGetKernelInfo, k, what);
    for (cl_kernel_work_group_info what = 0x11B0; what < 0x11B6; what++) {
        QUERY(0, clGetKernelWorkGroupInfo, k, d, what);
        QUERY(0, clGetKernelWorkGroupInfo, k, NULL, what);
    }
}

static void describe_program(cl_context c, cl_device_id d)
{
    const char *text = source;
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    size_t sizes[MAX], bytes = 0;
    unsigned char *binary[MAX] = {NULL};
    cl_kernel k[2];

    printf("build: %d\n", clBuildProgram(p, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
    for (cl_program_info what = 0x1160; what < 0x116C; what++)
        if (what != CL_PROGRAM_BINARIES)
            QUERY(what == CL_PROGRAM_CONTEXT ? 2 : what == CL_PROGRAM_DEVICES, clGetProgramInfo, p, what);
    for (cl_program_build_info what = 0x1181; what < 0x1186; what++)
        QUERY(0, clGetProgramBuildInfo, p, d, what);
    clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &bytes);
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        binary[i] = calloc(1, sizes[i]);
    printf("binaries: %d\n", clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, binary, NULL));
    for (size_t i = 0; i < bytes / sizeof *sizes; i++) {
        show("binary", CL_SUCCESS, binary[i], sizes[i], 0);
        free(binary[i]);
    }
    printf("kernels: %d\n", clCreateKernelsInProgram(p, 2, k, NULL));
    for (int i = 0; i < 2; i++) {
        describe_kernel(k[i], d);
        clReleaseKernel(k[i]);
    }
    clReleaseProgram(p);
}

static void describe_context(cl_context c)
{
    cl_device_id d[MAX];
    size_t bytes = 0;

    for (cl_context_info what = 0x1080; what < 0x1085; what++)
        QUERY(what != CL_CONTEXT_REFERENCE_COUNT && what != CL_CONTEXT_NUM_DEVICES, clGetContextInfo, c,
              what);
    clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, d, &bytes);
    if (bytes)
        describe_program(c, d[0]);
}

static void contexts_by_type(cl_platform_id p)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ALL,
                                           CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR};
    cl_context_properties of_p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, CL_CONTEXT_PLATFORM,
                                     (cl_context_properties)p, 0};
    cl_context_properties wrong[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, 0x7777, 1, 0};
    const cl_context_properties *properties[] = {NULL, of_p, twice, wrong};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
            cl_int error = 77;
            cl_context c = clCreateContextFromType(properties[i], types[t], NULL, NULL, &error);
            printf("context of type %llx, properties %zu: error %d\n", (unsigned long long)types[t], i,
                   error);
            if (c && error == CL_SUCCESS) {
                describe_context(c);
                clReleaseContext(c);
            }
        }
}

static void sub_devices(cl_device_id d)
{
    cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_device_id sub[8];
    cl_uint n = 0;
    cl_int error = clCreateSubDevices(d, by_counts, 8, sub, &n);

    printf("sub-devices: %d, %u\n", error, n);
    for (cl_uint i = 0; error == CL_SUCCESS && i < n; i++) {
        describe_device(sub[i]);
        clReleaseDevice(sub[i]);
    }
}

int main(int argc, char **argv)
{
    cl_platform_id p;
    cl_device_id d[MAX];
    cl_uint n = 0;
    const char *variable = getenv("POCL_DEVICES");

    if (clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS)
        return 77;
    printf("before: %s\n", variable ? variable : "unset");
    device_lists(p);
    device_lists(NULL);
    variable = getenv("POCL_DEVICES");
    printf("after: %s\n", variable ? variable : "unset");
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, MAX, d, &n);
    for (cl_uint i = 0; i < n; i++) {
        describe_device(d[i]);
        sub_devices(d[i]);
    }
    contexts_by_type(p);
    cl_context c = clCreateContext(NULL, n, d, NULL, NULL, NULL);
    describe_context(c);
    clReleaseContext(c);
    fflush(stdout);
    return argc > 1 ? system(argv[1]) : 0;
}
