#!/bin/bash
# PoCL 6.0 (Debian 13): CL_KERNEL_LOCAL_MEM_SIZE is 0 for all kernels.
#
# Guess: the query counts what the kernel declares and what clSetKernelArg() has given, as with PoCL 3.1 (Debian 12) and 7.1.
# Seen: with PoCL 6.0 it is 0 before and after the arguments, and after a launch; PoCL 3.1 and 7.1 say 64 and 256 bytes here. A program that
# fits its work-groups to the local memory that is left believes that all of it is.
# In the product: shim/run/models/acceptance.c asks whether the vendor will take a launch; with PoCL 6.0 it sees the arguments alone, and a
# launch that asks for too much ends there as it does bare.
# Exit 0: as described; 1: it has changed; 77: not Debian 13, or no package can be installed.
set -eu
version=6.0-6
. /etc/os-release
[ "${VERSION_CODENAME:-}" = trixie ] || { echo "not Debian 13"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/local.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel void declares(global int *o) { local int l[16]; size_t i = get_local_id(0); l[i] = i;"
                         " barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[15 - i]; }"
                         " kernel void takes(global int *o, local int *l) { size_t i = get_local_id(0); l[i] = i;"
                         " barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[15 - i]; }";
    const size_t items = 16;
    cl_ulong bytes[2] = {9, 9};
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, i ? "takes" : "declares", NULL);
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        if (i)
            clSetKernelArg(kernel, 1, 256, NULL);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
        clFinish(queue);
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes[i], &bytes[i], NULL);
    }
    printf("declared 64: %lu, given 256: %lu\n", (unsigned long)bytes[0], (unsigned long)bytes[1]);
    return 0;
}
C
gcc -w "$T/local.c" -o "$T/local" -lOpenCL
seen=$("$T/local")
echo "PoCL $version: $seen"
[ "$seen" = "declared 64: 0, given 256: 0" ]
