/* strangers.c - a context of the CPU alone, a program that is built for every device of the platform: an
 * error, as the specification says, and built for its own device afterwards. */
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_platform_id platform;
    cl_device_id devices[16];
    cl_uint count = 0;
    const char *source = "kernel void set(global uint *x) { x[get_global_id(0)] = 1; }";
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count);
    cl_context context = clCreateContext(NULL, 1, devices, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_int all = clBuildProgram(program, count, devices, NULL, NULL, NULL);
    cl_int own = clBuildProgram(program, 1, devices, NULL, NULL, NULL);
    printf("%u devices: all %d, own %d\n", count, all, own);
    return !(count == 5 && all == CL_INVALID_DEVICE && own == CL_SUCCESS);
}
