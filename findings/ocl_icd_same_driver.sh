#!/bin/bash
# ocl-icd 2.3.1 (Debian 12): a driver that two .icd files name is two platforms, with one handle.
#
# Guess: a driver named by two files, once by its name and once by its path, as a system's package and an own installation do, is one platform,
# since the library is loaded once; or it is two platforms with handles of their own.
# Seen: clGetPlatformIDs() returns the same handle twice. A program that counts devices over all platforms counts each one twice, and work that is
# shared out over "all devices" goes to one device in two halves.
# In the product: records are by handle, so such a platform is one; `clweave devices` lists its devices twice, as the loader shows them.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=2.3.1-1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev opencl-c-headers pocl-opencl-icd "ocl-icd-libopencl1=$version" \
    "ocl-icd-opencl-dev=$version" > /dev/null 2>&1 || { echo "no package ocl-icd-libopencl1=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/count.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_uint platforms, devices, sum = 0;
    cl_platform_id platform[8];

    clGetPlatformIDs(8, platform, &platforms);
    for (cl_uint i = 0; i < platforms; i++) {
        clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
        sum += devices;
    }
    printf("%u platforms, %s, %u devices\n", platforms, platforms == 2 && platform[0] == platform[1] ? "one handle" : "own handles", sum);
    return 0;
}
C
gcc -w "$T/count.c" -o "$T/count" -lOpenCL
mkdir "$T/vendors"
echo libpocl.so.2 > "$T/vendors/system.icd"
ldconfig -p | awk '$1 == "libpocl.so.2" { print $NF; exit }' > "$T/vendors/own.icd"
seen=$(OCL_ICD_VENDORS=$T/vendors POCL_DEVICES=pthread "$T/count")
echo "ocl-icd $version: $seen"
[ "$seen" = "2 platforms, one handle, 2 devices" ]
