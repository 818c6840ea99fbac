/* operations.c - on the platform hxdsp-operations a kernel takes what its operations say: n multiply-adds for
 * each of 1024 work-items at 8 per ns, and not more than four other operations beside each at 30 per ns;
 * 229.3 ns a work-item; 8 bytes of global memory at 0.2963 per ns. Natively (the first launches) and managed.
 */
#include <CL/cl.h>
#include <stdio.h>

static const char source[] = "__kernel void fold(__global float *restrict a, int n) {\n"
                             "    float x = a[get_global_id(0)];\n"
                             "    for (int k = 0; k < n; k++) x = fma(x, 0.5f, 1.0f);\n"
                             "    a[get_global_id(0)] = x; }\n";

int main(void)
{
    static const int lengths[] = {1000, 10000, 1000, 10000, 30000};
    size_t items = 1024, local = 64;
    const char *text = source;
    cl_platform_id p;
    cl_device_id d;
    cl_int error = 0;
    int failures = 0;

    if (clGetPlatformIDs(1, &p, NULL) || clGetDeviceIDs(p, CL_DEVICE_TYPE_ACCELERATOR, 1, &d, NULL))
        return fprintf(stderr, "there is no DSP\n"), 1;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &error);
    cl_command_queue q = clCreateCommandQueueWithProperties(
        c, d, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, &error);
    cl_program program = clCreateProgramWithSource(c, 1, &text, NULL, &error);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL))
        return fprintf(stderr, "the program does not build\n"), 1;
    cl_kernel k = clCreateKernel(program, "fold", &error);
    cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, items * 4, NULL, &error);
    clSetKernelArg(k, 0, sizeof a, &a);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double n = lengths[i], least = 1024 * (229.3 + 8 / .2963 + n / 8),
               most = least + 1024 * (4 * (n + 2) / 30), took;
        cl_ulong start = 0, end = 0;
        cl_event e;
        clSetKernelArg(k, 1, sizeof lengths[i], &lengths[i]);
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &local, 0, NULL, &e) || clFinish(q))
            return fprintf(stderr, "the launch fails\n"), 1;
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        clReleaseEvent(e);
        took = (double)(end - start);
        printf("%6d multiply-adds: %.0f ns, from %.0f to %.0f\n", lengths[i], took, least, most);
        failures += took < least * .999 || took > most * 1.001;
    }
    return failures != 0;
}
