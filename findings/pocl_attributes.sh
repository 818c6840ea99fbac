#!/bin/bash
# PoCL 3.1 (Debian 12; 6.0 and 7.1, too): CL_KERNEL_ATTRIBUTES has the attribute's keyword, and blanks.
#
# Guess: the text is what stands inside of __attribute__((...)), without blanks, as clGetKernelInfo() of OpenCL 3.0 says: "reqd_work_group_size(8,1,1)".
# Seen: "__attribute__((reqd_work_group_size(8, 1, 1 )))", and two attributes are spelt in two ways. A program that looks for the specified text
# finds none, and takes the kernel for one without a demanded size.
# In the product: the size comes from CL_KERNEL_COMPILE_WORK_GROUP_SIZE (shim/run/models/acceptance.c), or from clang's reading of the source.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=3.1-3+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/attributes.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel __attribute__((reqd_work_group_size(8,1,1))) void a(global int *o) { o[0] = 1; }"
                         " kernel __attribute__((work_group_size_hint(4,2,1))) __attribute__((vec_type_hint(float4))) void b(global int *o) { o[0] = 1; }";
    char text[1024];
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    for (int i = 0; i < 2; i++) {
        clGetKernelInfo(clCreateKernel(program, i ? "b" : "a", NULL), CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL);
        printf("%s;", text);
    }
    return 0;
}
C
gcc -w "$T/attributes.c" -o "$T/attributes" -lOpenCL
seen=$("$T/attributes")
echo "PoCL $version: $seen"
[ "$seen" = "__attribute__((reqd_work_group_size(8, 1, 1 )));__attribute__((work_group_size_hint(4, 2, 1 ))) __attribute__ ((vec_type_hint (float4)));" ]
