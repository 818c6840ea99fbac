/* kept - builds a program and prints the answers to all queries of it and of its kernels, and the results of
 * its other uses. The answers must be the same when an earlier run has kept the build. An argument: its build
 * options; "none": NULL. */
#include "common.h"

#include <stdlib.h>

static const char source[] =
    "#ifndef FACTOR\n"
    "#define FACTOR 3\n"
    "#endif\n"
    "#ifndef ATTRIBUTES\n"
    "#define ATTRIBUTES\n"
    "#endif\n"
    "__kernel ATTRIBUTES void first(__global int *x, __local int *l, const int n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    l[get_local_id(0)] = x[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x[i] = l[7 - get_local_id(0)] + n;\n"
    "}\n"
    "__kernel void second(__global int *x, float f) { x[get_global_id(0)] *= (int)(f * FACTOR); }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static cl_uint of_context(void)
{
    cl_uint n = 0;

    APP_CHECK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

static void bytes(const char *what, cl_int err, const unsigned char *value, size_t n)
{
    unsigned hash = 2166136261u;

    for (size_t i = 0; err == CL_SUCCESS && i < n; i++)
        hash = (hash ^ value[i]) * 16777619u;
    printf("%s %d %zu %08x\n", what, err, n, hash);
}

#define ASK(what, call)                                                                                      \
    do {                                                                                                     \
        static unsigned char value[4096];                                                                    \
        size_t n = 0;                                                                                        \
        cl_int e = call;                                                                                     \
        bytes(what, e, value, n);                                                                            \
    } while (0)

static void ask_program(cl_program program)
{
    static const cl_program_build_info built[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS,
                                                  CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE};
    static cl_uint least = UINT32_MAX; /* before any command: the vendor releases their memory late, too */

    for (size_t i = 0; i < sizeof built / sizeof *built; i++)
        ASK("build", clGetProgramBuildInfo(program, device, built[i], sizeof value, value, &n));
    ASK("number", clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof value, value, &n));
    ASK("names", clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof value, value, &n));
    ASK("source", clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof value, value, &n));
    ASK("little room", clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 1, value, &n));
    ASK("no device", clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof value, value, &n));
    RM_WAIT(of_context() <= least);
    least = of_context();
    printf("references %u, of the context %u\n", rm_references(program), least);
}

static void ask_kernel(cl_program program, cl_kernel kernel)
{
    cl_program its = NULL;
    cl_uint count = 0;

    APP_CHECK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof its, &its, NULL));
    APP_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    printf("kernel of %s program, %u arguments\n", its == program ? "its" : "another", count);
    ASK("name", clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof value, value, &n));
    ASK("attributes", clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof value, value, &n));
    for (cl_uint i = 0; i < count; i++)
        ASK("argument", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof value, value, &n));
    ASK("size",
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof value, value, &n));
    ASK("local", clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof value, value, &n));
}

static void launch(cl_kernel first, cl_kernel second)
{
    int x[64], n = 5;
    size_t items = 64, group = 8;
    float f = 1.5f;
    cl_int err;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof x, NULL, &err);

    for (int i = 0; i < 64; i++)
        x[i] = i * i;
    APP_CHECK(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    APP_CHECK(clSetKernelArg(first, 0, sizeof m, &m));
    APP_CHECK(clSetKernelArg(first, 1, 8 * sizeof(int), NULL));
    APP_CHECK(clSetKernelArg(first, 2, sizeof n, &n));
    APP_CHECK(clSetKernelArg(second, 0, sizeof m, &m));
    APP_CHECK(clSetKernelArg(second, 1, sizeof f, &f));
    for (int i = 0; i < 5; i++) {
        APP_CHECK(clEnqueueNDRangeKernel(queue, first, 1, NULL, &items, &group, 0, NULL, NULL));
        APP_CHECK(clEnqueueNDRangeKernel(queue, second, 1, NULL, &items, NULL, 0, NULL, NULL));
    }
    APP_CHECK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    bytes("result", CL_SUCCESS, (const unsigned char *)x, sizeof x);
    APP_CHECK(clReleaseMemObject(m));
}

/* What a stand-in could not do. */
static void use_binary(cl_program program)
{
    unsigned char *binary;
    const unsigned char *given;
    size_t size = 0;
    cl_program other;
    cl_kernel kernel;
    cl_int err, status;

    APP_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    given = binary = malloc(size);
    APP_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    other = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(other, 0, NULL, "", NULL, NULL));
    kernel = clCreateKernel(other, "second", &err);
    printf("binary: %s bytes, kernel %d\n", size > 1000 ? "some" : "few", err);
    APP_CHECK(clReleaseKernel(kernel));
    APP_CHECK(clReleaseProgram(other));
    free(binary);
}

static void build_again(cl_program program)
{
    cl_kernel kernel[2];
    cl_program linked;
    cl_int err;

    printf("built again: %d\n", clBuildProgram(program, 0, NULL, "-DFACTOR=5", NULL, NULL));
    kernel[0] = clCreateKernel(program, "first", &err);
    kernel[1] = clCreateKernel(program, "second", &err);
    launch(kernel[0], kernel[1]);
    APP_CHECK(clReleaseKernel(kernel[0]));
    APP_CHECK(clReleaseKernel(kernel[1]));
    linked = clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &err);
    printf("linked %s %d\n", linked ? "yes" : "no", err);
    RM_WAIT(rm_references(program) == 1); /* as below */
    err = clCompileProgram(program, 1, &device, "-DFACTOR=7", 0, NULL, NULL, NULL, NULL);
    printf("compiled %d\n", err);
}

int main(int argc, char **argv)
{
    const char *text = source, *options = argc > 1 ? argv[1] : "-DFACTOR=3";
    cl_platform_id platform;
    cl_kernel kernel[2], third;
    cl_program program;
    cl_uint n = 0;
    cl_int err;

    APP_CHECK(clGetPlatformIDs(1, &platform, NULL));
    APP_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    APP_CHECK(clBuildProgram(program, 1, &device, strcmp(options, "none") ? options : NULL, NULL, NULL));
    ask_program(program);
    printf("unknown kernel %d\n", clCreateKernel(program, "third", &err) || err);
    APP_CHECK(clCreateKernelsInProgram(program, 2, kernel, &n));
    printf("%u kernels, references %u\n", n, rm_references(program));
    for (cl_uint i = 0; i < n; i++)
        ask_kernel(program, kernel[i]);
    launch(kernel[0], kernel[1]);
    third = clCloneKernel(kernel[1], &err);
    printf("clone %d, references %u\n", err, rm_references(program));
    ask_kernel(program, third);
    printf("built again with kernels: %d\n", clBuildProgram(program, 0, NULL, "-DFACTOR=5", NULL, NULL));
    APP_CHECK(clReleaseKernel(third));
    use_binary(program);
    ask_program(program);
    launch(kernel[0], kernel[1]);
    APP_CHECK(clReleaseProgram(program)); /* the kernels keep it */
    ask_kernel(program, kernel[0]);
    printf("references %u\n", rm_references(program));
    APP_CHECK(clRetainProgram(program));
    APP_CHECK(clReleaseKernel(kernel[0]));
    APP_CHECK(clReleaseKernel(kernel[1]));
    RM_WAIT(rm_references(program) == 1); /* the vendor releases late: vendor/kernels_let_go_late */
    printf("references %u\n", rm_references(program));
    build_again(program);
    APP_CHECK(clReleaseProgram(program));
    APP_CHECK(clReleaseCommandQueue(queue));
    APP_CHECK(clReleaseContext(context));
    return 0;
}
