/* habits - a program with bad habits, each of which a report is to name: clFinish between launches and before
 * a blocking read, work-groups of one item, a wait across queues and a poll without a flush. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel void grow(global int *a) { a[get_global_id(0)]++; }";
    const size_t global = 64, one = 1;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[2];
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
    cl_event event;
    int out[64] = {0};

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    kernel = clCreateKernel(program, "grow", NULL);
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    for (int i = 0; i < 10; i++) {
        clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &global, i % 2 ? &one : NULL, 0, NULL, NULL);
        clFinish(queues[0]);
    }
    clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &global, NULL, 0, NULL, &event);
    clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &global, NULL, 1, &event, NULL);
    clFinish(queues[1]);
    clReleaseEvent(event);
    clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &global, NULL, 0, NULL, &event);
    for (cl_int status = CL_QUEUED; status > CL_COMPLETE;) /* PoCL begins without a flush */
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queues[0]);
    clReleaseCommandQueue(queues[1]);
    clReleaseContext(context);
    printf("%d\n", out[0]);
    return 0;
}
