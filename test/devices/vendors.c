/* vendors.c - every platform in the loader's order, with its devices, and what NULL stands for; then one
 * kernel on the first device of each platform that has a compiler, the commands of all of them under way at
 * once. Argument: which call comes first: platforms, devices or type (clCreateContextFromType). */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { PLATFORMS = 8, ITEMS = 4096, STEPS = 6 };

static const char *const source = "kernel void scramble(global uint *x, uint n) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    if (i < n) x[i] = x[i] * 1664525u + (uint)i;\n"
                                  "}\n";

struct work {
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    cl_kernel kernel;
};

static void print_platform(cl_platform_id p)
{
    cl_device_id devices[64];
    cl_uint n = 0, gpus = 0, cpus = 0;
    char name[256] = "";

    clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 0, NULL, &gpus);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, 0, NULL, &cpus);
    printf("platform %s: %u GPUs, %u CPUs\n", name, gpus, cpus);
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 64, devices, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n; i++) {
        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        printf("  device %s\n", name);
    }
}

/* Which platform NULL leads to, by the call that `first` names. */
static void print_default(const char *first)
{
    cl_platform_id p = NULL;
    cl_device_id d = NULL;
    cl_context c = NULL;
    char name[256] = "none";

    if (!strcmp(first, "type")) {
        c = clCreateContextFromType(NULL, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, NULL);
        if (c)
            clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, &d, NULL);
    } else if (clGetDeviceIDs(NULL, CL_DEVICE_TYPE_DEFAULT, 1, &d, NULL) != CL_SUCCESS) {
        d = NULL;
    }
    if (d && clGetDeviceInfo(d, CL_DEVICE_PLATFORM, sizeof p, &p, NULL) == CL_SUCCESS)
        clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (c)
        clReleaseContext(c);
    printf("default: %s\n", name);
}

static int begin(cl_platform_id p, struct work *w)
{
    cl_uint n = ITEMS, zero = 0;
    size_t items = ITEMS;
    cl_bool compiler = CL_FALSE;
    cl_device_id d;
    cl_program program;

    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(d, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL) != CL_SUCCESS ||
        !compiler)
        return 0;
    w->context = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    w->queue = clCreateCommandQueue(w->context, d, 0, NULL); /* oclgrind's newer function calls itself */
    program = clCreateProgramWithSource(w->context, 1, (const char **)&source, NULL, NULL);
    if (clBuildProgram(program, 1, &d, NULL, NULL, NULL) != CL_SUCCESS)
        return 0;
    w->kernel = clCreateKernel(program, "scramble", NULL);
    clReleaseProgram(program);
    w->buffer = clCreateBuffer(w->context, CL_MEM_READ_WRITE, ITEMS * sizeof n, NULL, NULL);
    clSetKernelArg(w->kernel, 0, sizeof w->buffer, &w->buffer);
    clSetKernelArg(w->kernel, 1, sizeof n, &n);
    clEnqueueFillBuffer(w->queue, w->buffer, &zero, sizeof zero, 0, ITEMS * sizeof n, 0, NULL, NULL);
    for (int i = 0; i < STEPS; i++)
        if (clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &items, NULL, 0, NULL, NULL) != CL_SUCCESS)
            return 0;
    clFlush(w->queue);
    return 1;
}

static void end(struct work *w)
{
    static cl_uint x[ITEMS];
    cl_uint sum = 0;

    clEnqueueReadBuffer(w->queue, w->buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    for (int i = 0; i < ITEMS; i++)
        sum = sum * 31 + x[i];
    printf("sum %u\n", sum);
    clReleaseMemObject(w->buffer);
    clReleaseKernel(w->kernel);
    clReleaseCommandQueue(w->queue);
    clReleaseContext(w->context);
}

int main(int argc, char **argv)
{
    cl_platform_id platforms[PLATFORMS];
    struct work work[PLATFORMS];
    int works[PLATFORMS];
    cl_uint n = 0;

    if (argc > 1 && strcmp(argv[1], "platforms") != 0)
        print_default(argv[1]);
    clGetPlatformIDs(PLATFORMS, platforms, &n);
    for (cl_uint i = 0; i < n; i++)
        print_platform(platforms[i]);
    print_default("devices");
    for (cl_uint i = 0; i < n; i++)
        works[i] = begin(platforms[i], &work[i]);
    for (cl_uint i = 0; i < n; i++)
        if (works[i])
            end(&work[i]);
    return 0;
}
