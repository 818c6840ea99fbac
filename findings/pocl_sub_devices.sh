#!/bin/bash
# PoCL 7.1 (Debian unstable): the CPU has no sub-devices.
#
# Guess: clCreateSubDevices() divides the CPU equally and by counts, as with PoCL 3.1 (Debian 12) and 6.0 (Debian 13) on the same two processors;
# the change log names no change.
# Seen: CL_DEVICE_PARTITION_MAX_SUB_DEVICES is 0, no way to divide is listed, and clCreateSubDevices() is CL_DEVICE_PARTITION_FAILED. A program
# that leaves a processor to itself by sub-devices ends there.
# In the product: sub-devices are helpers only beside devices `basic`, where the platform has them (shim/device/context_devices.c).
# Exit 0: as described; 1: it has changed; 77: not Debian unstable, or the package has another version.
set -eu
version=7.1-9
. /etc/os-release
case ${VERSION_CODENAME:-} in sid | forky | "") ;; *) echo "not Debian unstable"; exit 77 ;; esac
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/divide.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_platform_id platform;
    cl_device_id device;
    cl_uint units, most, made = 0;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
    if (units < 2)
        return 77;
    cl_int status = clCreateSubDevices(device, equally, 0, NULL, &made);
    printf("at most %u sub-devices, equally: %d, %u made\n", most, status, made);
    return 0;
}
C
gcc -w "$T/divide.c" -o "$T/divide" -lOpenCL
seen=$(OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd "$T/divide") || exit $?
echo "PoCL $version: $seen"
[ "$seen" = "at most 0 sub-devices, equally: -18, 0 made" ]
