/* unloaded.c - a program that loads its OpenCL library itself, as modules of other languages do, and unloads
 * it: after it has waited for everything, and, at last, while commands are under way. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 1024

static struct functions {
#define FUNCTIONS(X)                                                                                         \
    X(clGetPlatformIDs)                                                                                      \
    X(clGetDeviceIDs)                                                                                        \
    X(clCreateContext)                                                                                       \
    X(clCreateCommandQueueWithProperties) X(clCreateProgramWithSource) X(clBuildProgram) X(clCreateKernel)   \
        X(clCreateBuffer) X(clSetKernelArg) X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer)
#define X(name) __typeof__(&name) name;
    FUNCTIONS(X)
#undef X
} cl;

static void *load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        puts("no OpenCL library");
        exit(77);
    }
#define X(name) *(void **)&cl.name = dlsym(library, #name);
    FUNCTIONS(X)
#undef X
    return library;
}

static void check(cl_int err, int line)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "unloaded.c:%d: OpenCL error %d\n", line, err);
    exit(1);
}
#define CHECK(err) check(err, __LINE__)

static void once(int rounds, int reads)
{
    static const char *source = "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }";
    static int host[WORDS];
    void *library = load();
    size_t global = WORDS, local = 64;
    unsigned hash = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;

    CHECK(cl.clGetPlatformIDs(1, &platform, NULL));
    CHECK(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = cl.clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_program program = cl.clCreateProgramWithSource(context, 1, &source, NULL, &err);
    CHECK(cl.clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = cl.clCreateKernel(program, "add", &err);
    cl_mem x[4];
    for (int i = 0; i < 4; i++)
        x[i] = cl.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof host, host, &err);
    for (int i = 0; i < rounds; i++) {
        CHECK(cl.clSetKernelArg(kernel, 0, sizeof x[0], &x[i % 4]));
        CHECK(cl.clSetKernelArg(kernel, 1, sizeof i, &i));
        CHECK(cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    for (int i = 0; reads && i < 4; i++) {
        CHECK(cl.clEnqueueReadBuffer(queue, x[i], CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
        for (int k = 0; k < WORDS; k++)
            hash = hash * 31 + (unsigned)host[k];
    }
    printf("unloaded: %08x, closed %d\n", hash, dlclose(library));
    fflush(stdout);
}

int main(void)
{
    once(200, 1);
    once(300, 1);
    once(300, 0);
    return 0;
}
