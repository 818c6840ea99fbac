#!/bin/bash
# PoCL 3.1 (Debian 12): of two -cl-std the first holds, of two definitions of a macro the last.
#
# Guess: options that contradict each other are read as compilers read them, the last one holds: "-cl-std=CL1.2 -cl-std=CL3.0" builds OpenCL C 3.0.
# Seen: the first -cl-std holds, with PoCL 3.1, whichever it is. A macro has its last value. (PoCL 6.0 and 7.1 refuse such a build;
# rusticl takes the last one.)
# In the product: macros that the source tests, __OPENCL_C_VERSION__ among them, are asked of the vendor under these very options
# (analyzer/kernels/models/program_models.c), so models and rewritten kernels are those of the language that PoCL takes.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=3.1-3+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/language.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *source = "kernel void ask(global int *a) { a[0] = __OPENCL_C_VERSION__; a[1] = X; }";
    const size_t one = 1;
    cl_int seen[2] = {0, 0};
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof seen, NULL, NULL);
    for (int i = 1; i < argc; i++) {
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
        clBuildProgram(program, 1, &device, argv[i], NULL, NULL);
        cl_kernel kernel = clCreateKernel(program, "ask", NULL);
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL);
        printf("%d X=%d; ", seen[0], seen[1]);
    }
    return 0;
}
C
gcc -w "$T/language.c" -o "$T/language" -lOpenCL
seen=$("$T/language" "-DX=1 -DX=2 -cl-std=CL1.2 -cl-std=CL3.0" "-DX=2 -DX=1 -cl-std=CL3.0 -cl-std=CL1.2" 2> /dev/null)
echo "PoCL $version: 1.2 then 3.0, 3.0 then 1.2: $seen"
[ "$seen" = "120 X=2; 300 X=1; " ]
