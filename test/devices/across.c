/* across.c - commands that wait for each other in turn on the CPU and on a DSP, through wait lists alone,
 * nobody waiting in between. Each kernel is launched once, so that every launch is the first of its kind.
 * Reads the result with a wait list of its own. Exit status 0 and one line when it is right; whoever starts
 * it says how long it may take. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 12
#define ITEMS   4096
#define STEPS   2000

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cl_int err_ = (call);                                                                                \
        if (err_ != CL_SUCCESS) {                                                                            \
            fprintf(stderr, "line %d: %d\n", __LINE__, (int)err_);                                           \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static char source[KERNELS * 256];

static void write_source(void)
{
    size_t used = 0;

    for (int k = 0; k < KERNELS; k++) /* long enough that the next command is enqueued before it is over */
        used += (size_t)snprintf(
            source + used, sizeof source - used,
            "kernel void k%d(global uint *x) { uint v = x[get_global_id(0)];\n"
            "for (int i = 0; i < %d; i++) v = v * 1664525u + %du; x[get_global_id(0)] = v; }\n",
            k, STEPS, k);
}

static cl_uint expected(cl_uint v)
{
    for (unsigned k = 0; k < KERNELS; k++)
        for (int i = 0; i < STEPS; i++)
            v = v * 1664525u + k;
    return v;
}

int main(void)
{
    const char *text = source;
    const size_t items = ITEMS, local = 16;
    static cl_uint x[ITEMS];
    cl_event events[KERNELS];
    cl_device_id devices[2];
    cl_command_queue queues[2];
    cl_platform_id platform;
    cl_int err;

    write_source();
    for (cl_uint i = 0; i < ITEMS; i++)
        x[i] = i;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    CHECK(err);
    for (int d = 0; d < 2; d++) {
        queues[d] = clCreateCommandQueueWithProperties(context, devices[d], NULL, &err);
        CHECK(err);
    }
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    CHECK(err);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &err);
    CHECK(err);
    for (int k = 0; k < KERNELS; k++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", k);
        cl_kernel kernel = clCreateKernel(program, name, &err);
        CHECK(err);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK(clEnqueueNDRangeKernel(queues[k % 2], kernel, 1, NULL, &items, &local, k ? 1 : 0,
                                     k ? &events[k - 1] : NULL, &events[k]));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, sizeof x, x, 1, &events[KERNELS - 1], NULL));
    for (cl_uint i = 0; i < ITEMS; i++)
        if (x[i] != expected(i)) {
            fprintf(stderr, "x[%u] is %u\n", i, x[i]);
            return 1;
        }
    for (int k = 0; k < KERNELS; k++)
        CHECK(clReleaseEvent(events[k]));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queues[0]));
    CHECK(clReleaseCommandQueue(queues[1]));
    CHECK(clReleaseContext(context));
    puts("across: OK");
    return 0;
}
