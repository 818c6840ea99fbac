/* ends_inside.c - a program whose handler of SIGALRM calls exit(3), with commands under way, whose events
 * nothing has asked for, and non-blocking reads. Exit status 0: no signal has come. */
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, ROUNDS = 20 };

static void alarmed(int sig)
{
    (void)sig;
    exit(3);
}

static void check(cl_int err, int line)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "ends_inside.c:%d: OpenCL error %d\n", line, err);
    exit(1);
}
#define CHECK(err) check(err, __LINE__)

static const char *source = "kernel void advance(global int *a, int v) { size_t i = get_global_id(0); a[i] = a[i] * 3 + v; }";

int main(void)
{
    static int host[ROUNDS][N];
    size_t global = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_event launched[ROUNDS], read;
    cl_int err, zero = 0, status;

    signal(SIGALRM, alarmed);
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "advance", &err);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host[0], NULL, &err);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host[0], NULL, &err);
    CHECK(clEnqueueFillBuffer(queue, a, &zero, sizeof zero, 0, sizeof host[0], 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof host[0], 0, NULL, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(clSetKernelArg(kernel, 1, sizeof i, &i));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &launched[i]));
        CHECK(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, sizeof host[i], host[i], 0, NULL, &read));
        CHECK(clReleaseEvent(read));
        if (i % 5 == 4)
            CHECK(clFinish(queue));
        CHECK(clGetEventInfo(launched[i / 2], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    }
    CHECK(clWaitForEvents(1, &launched[ROUNDS - 1]));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    return 0;
}
