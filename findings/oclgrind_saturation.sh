#!/bin/bash
# Oclgrind 21.10 (Debian 12): saturated sums and products of longs are wrong at the ends of the range.
#
# Guess: a simulator that exists to check kernels computes the integer functions of OpenCL C exactly, for all types.
# Seen: add_sat(LONG_MIN, LONG_MIN) is 0, sub_sat(0, LONG_MIN) is LONG_MIN, and mad_sat(1, -1, 0) is LONG_MIN, where -1 needs no saturation.
# All other functions and types are right at all pairs of such values (and all of them with PoCL 3.1, on the same machine).
# In the product: no result is compared with Oclgrind's; test/realapps/oclgrind.slow.sh compares Oclgrind with itself.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=21.10-3
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "oclgrind=$version" > /dev/null 2>&1 ||
    { echo "no package oclgrind=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/ends.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char source[] =
    "kernel void ends(global const long *a, global long *out) {\n"
    "    out[0] = add_sat(a[0], a[0]); out[1] = sub_sat(a[1], a[0]); out[2] = mad_sat(a[2], a[3], a[1]);\n"
    "    out[3] = add_sat((int)a[4], (int)a[4]); out[4] = hadd(a[0], a[0]);\n"
    "}\n";

int main(void)
{
    const cl_long in[] = {CL_LONG_MIN, 0, 1, -1, CL_INT_MIN};
    cl_long out[5];
    const char *text = source;
    cl_platform_id platform;
    cl_device_id device;
    const size_t one = 1;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "ends", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, (void *)in, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < 5; i++)
        printf("%lld ", (long long)out[i]);
    return 0;
}
C
gcc -w "$T/ends.c" -o "$T/ends" -lOpenCL
seen=$(oclgrind "$T/ends")
echo "Oclgrind $version: $seen"
[ "$seen" = "0 -9223372036854775808 -9223372036854775808 -2147483648 -9223372036854775808 " ]
