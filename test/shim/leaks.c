/* leaks - makes objects, keeps some of them, and prints of each kind how many it made and how many it
 * kept: "buffer 3 2"; and how many events it asked for and did not use.
 *
 *   leaks [used]   with "used" it also uses objects behind their release: a buffer as an argument, a
 *                  kernel, a program, an event; others keep the vendor's alive. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source = "kernel void first(global int *a) { a[get_global_id(0)]++; }\n"
                            "kernel void second(global int *a) { a[get_global_id(0)]--; }\n";
static const size_t global = 64;

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void launch(cl_kernel kernel, cl_mem buffer, cl_uint waits, const cl_event *list, cl_event *event)
{
    if (clSetKernelArg(kernel, 0, sizeof buffer, &buffer) ||
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, waits, list, event))
        puts("a launch failed");
}

static void use_released(void)
{
    const cl_buffer_region region = {0, 128};
    cl_kernel kernel = clCreateKernel(program, "first", NULL), other;
    cl_mem parent = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL), part;
    cl_event gate = clCreateUserEvent(context, NULL), event, last;

    part = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    launch(kernel, parent, 1, &gate, &event);
    clReleaseMemObject(parent);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL); /* its argument is gone */
    clReleaseKernel(kernel);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clReleaseEvent(event);
    clEnqueueMarkerWithWaitList(queue, 1, &event, &last);
    clReleaseProgram(program);
    other = clCreateKernel(program, "second", NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clWaitForEvents(1, &last);
    clReleaseEvent(last);
    clReleaseEvent(gate);
    clReleaseKernel(other);
    clReleaseMemObject(part);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_kernel kernels[3];
    cl_mem buffers[5];
    cl_event events[12], user[3];

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    for (int i = 0; i < 3; i++)
        kernels[i] = clCreateKernel(program, i % 2 ? "second" : "first", NULL);
    for (int i = 0; i < 5; i++)
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1000, NULL, NULL);
    for (int i = 0; i < 3; i++)
        user[i] = clCreateUserEvent(context, NULL);
    clSetUserEventStatus(user[0], CL_COMPLETE);
    clSetUserEventStatus(user[1], CL_COMPLETE);
    for (int i = 0; i < 12; i++)
        launch(kernels[i % 3], buffers[0], i ? 0 : 2, i ? NULL : user, &events[i]);
    clWaitForEvents(4, events); /* the other eight, and user event 2, are for nothing */
    clFinish(queue);
    clRetainMemObject(buffers[1]);
    for (int i = 0; i < 3; i++) /* buffers 1, of two references, 3 and 4 are kept */
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernels[0]); /* two are kept */
    for (int i = 0; i < 7; i++)  /* five are kept */
        clReleaseEvent(events[i]);
    clReleaseEvent(user[0]);
    if (argc > 1 && !strcmp(argv[1], "used"))
        use_released();
    clReleaseCommandQueue(queue);
    puts("context 1 1\nqueue 1 0\nbuffer 5 3\nprogram 1 1\nkernel 3 2\nevent 12 5\nuser event 3 2\nunused 9");
    return 0;
}
