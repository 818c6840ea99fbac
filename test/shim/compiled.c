/* compiled - a program whose compiler says something about a build that succeeds, with a kernel that takes
 * local memory. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source =
        "#warning said by the source\n"
        "kernel void spread(global int *a, int n) { local int l[64]; l[get_local_id(0)] = n;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = l[63 - get_local_id(0)]; }";
    const size_t global = 64, local = 64;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
    cl_ulong bytes = 0;
    cl_int n = 7;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    kernel = clCreateKernel(program, "spread", NULL);
    buffer = clCreateBuffer(context, 0, 256, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    printf("%llu\n", (unsigned long long)bytes);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) || clFinish(queue);
}
