#!/bin/bash
# PoCL 3.1 (Debian 12; 6.0 and 7.1, too): a command behind a failed event has the status of CL_DEVICE_NOT_FOUND.
#
# Guess: a command that waits for a user event which is set to an error ends with that error, or with
# CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14), which clWaitForEvents() returns for it.
# Seen: clWaitForEvents() returns -14, but CL_EVENT_COMMAND_EXECUTION_STATUS of the command is -1. OpenCL asks for a number below 0, and no more.
# In the product: commands behind user events are native, so programs see the vendor's status.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=3.1-3+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export POCL_CACHE_DIR=$T OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
cat > "$T/failed.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_event user, fill;
    cl_int status = 0;
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    user = clCreateUserEvent(context, NULL);
    clEnqueueFillBuffer(queue, buffer, &status, 4, 0, 64, 1, &user, &fill);
    clSetUserEventStatus(user, CL_OUT_OF_RESOURCES);
    cl_int waited = clWaitForEvents(1, &fill);
    clGetEventInfo(fill, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("wait %d, status %d\n", waited, status);
    return 0;
}
C
gcc -w "$T/failed.c" -o "$T/failed" -lOpenCL
seen=$("$T/failed")
echo "PoCL $version: user event -5: $seen"
[ "$seen" = "wait -14, status -1" ]
