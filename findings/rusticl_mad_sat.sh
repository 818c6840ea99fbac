#!/bin/bash
# rusticl of Mesa 26.2.6 (Debian unstable): mad_sat() of longs saturates where nothing overflows.
#
# Guess: mad_sat(a, b, c) of longs is a * b + c where that fits, as it is with PoCL; libclc, whose function it is, is what Mesa's drivers share.
# Seen: mad_sat(0, -1, 0) is LONG_MIN with rusticl, as is mad_sat(x, y, z) for many small numbers with a negative one among x and y; all other
# integer functions and types are right at the ends of their ranges. Debian's libclc is the one without Mesa's changes, of which rusticl warns.
# In the product: rusticl's commands are native, and its devices help no other vendor's.
# Exit 0: as described; 1: it has changed; 77: not Debian unstable, or the package has another version.
set -eu
version=26.2.6-1
. /etc/os-release
case ${VERSION_CODENAME:-} in sid | forky | "") ;; *) echo "not Debian unstable"; exit 77 ;; esac
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "mesa-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package mesa-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export RUSTICL_ENABLE=llvmpipe OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd XDG_CACHE_HOME=$T
cat > "$T/mad.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const char *source = "kernel void mad(global const long *a, global long *out) { out[0] = mad_sat(a[0], a[1], a[0]);"
                         " out[1] = mad_sat((int)a[0], (int)a[1], (int)a[0]); out[2] = add_sat(a[0], a[1]); }";
    cl_long in[] = {0, -1}, out[3] = {9, 9, 9};
    cl_platform_id platform;
    cl_device_id device;
    const size_t one = 1;

    clGetPlatformIDs(1, &platform, NULL);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "mad", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%lld %lld %lld\n", (long long)out[0], (long long)out[1], (long long)out[2]);
    return 0;
}
C
gcc -w "$T/mad.c" -o "$T/mad" -lOpenCL
seen=$("$T/mad" 2> /dev/null) || exit $?
echo "rusticl $version: mad_sat(0, -1, 0) of longs, of ints, add_sat(0, -1): $seen"
[ "$seen" = "-9223372036854775808 0 -1" ]
