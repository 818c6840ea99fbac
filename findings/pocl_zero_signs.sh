#!/bin/bash
# PoCL 3.1 (Debian 12; 6.0 and 7.1, too): sinpi(1) is -0, sinpi(-1) is 0, cospi(.5) is -0, tanpi(1) is 0.
#
# Guess: the zeros of these functions have the signs that OpenCL C 3.0, section 7.5.1, gives: sinpi(n) +0 and sinpi(-n) -0 for n > 0, cospi(n + 1/2)
# +0, tanpi(n) -0 for odd n > 0. That is what these functions are there for, beside sin(M_PI_F * x).
# Seen: all four have the other sign, so that 1 / sinpi(1) is minus infinity. rusticl has the specified ones.
# In the product: kernels with such functions are not of the exact class, so their launches stay on devices of one vendor, which have the same
# bits; tiles call the same functions.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=3.1-3+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/zeros.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel void zeros(global float *a) { a[0] = sinpi(a[0]); a[1] = sinpi(a[1]); a[2] = cospi(a[2]); a[3] = tanpi(a[3]); }";
    cl_float x[] = {1, -1, .5f, 1};
    const size_t one = 1;
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "zeros", NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    printf("%g %g %g %g\n", x[0], x[1], x[2], x[3]);
    return 0;
}
C
gcc -w "$T/zeros.c" -o "$T/zeros" -lOpenCL
seen=$("$T/zeros")
echo "PoCL $version: sinpi(1), sinpi(-1), cospi(.5), tanpi(1): $seen"
[ "$seen" = "-0 0 -0 0" ]
