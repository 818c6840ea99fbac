#!/bin/bash
# PoCL 3.1 (Debian 12; 6.0 and 7.1, too): clEnqueueFillImage() and a kernel write the same colour as different bytes.
#
# Guess: a fill with the colour .5 makes the pixels that write_imagef(.5) makes, as both convert by the same rules.
# Seen: in CL_UNORM_INT8 the fill writes 127, the kernel 128; of .25 63 and 64; in CL_SNORM_INT8 63 and 64; in CL_UNORM_INT16 32767 and 32768:
# the fill cuts, the kernel rounds to the nearest, as rusticl and Oclgrind do in both. Zero and one are the same.
# In the product: run mode calls the vendor's fill for a fill (shim/run/workers/execute.c), never a kernel of its own.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=3.1-3+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/pixels.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel void paint(write_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(.5f, .25f, 0, 1)); }";
    const cl_float colour[] = {.5f, .25f, 0, 1};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    const size_t origin[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    cl_uchar filled[4], painted[4];
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "paint", NULL);
    clEnqueueFillImage(queue, image, colour, origin, one, 0, NULL, NULL);
    clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, filled, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof image, &image);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, one, NULL, 0, NULL, NULL);
    clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, painted, 0, NULL, NULL);
    printf("fill: %d %d %d %d, kernel: %d %d %d %d\n", filled[0], filled[1], filled[2], filled[3], painted[0], painted[1],
           painted[2], painted[3]);
    return 0;
}
C
gcc -w "$T/pixels.c" -o "$T/pixels" -lOpenCL
seen=$("$T/pixels")
echo "PoCL $version: $seen"
[ "$seen" = "fill: 127 63 0 255, kernel: 128 64 0 255" ]
