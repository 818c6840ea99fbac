#!/bin/bash
# PoCL 7.1 (Debian unstable): clFinish() returns before callbacks of the queue's commands have been called.
#
# Guess: a callback for CL_COMPLETE has returned when clFinish() returns, and runs on the thread that has run the command, as with PoCL
# 3.1 (Debian 12) and 6.0 (Debian 13); programs that read after clFinish() what a callback writes are right there.
# Seen: PoCL 7.1 calls back on a thread of its own. clFinish() returns while the callback still runs, and callbacks of commands that other
# threads complete come in another order. OpenCL promises neither.
# In the product: clweave's own callbacks are called before clFinish() returns; test/releases compares `order` without its callbacks.
# Exit 0: as described; 1: it has changed; 77: not Debian unstable, or the package has another version.
set -eu
version=7.1-9
. /etc/os-release
case ${VERSION_CODENAME:-} in sid | forky | "") ;; *) echo "not Debian unstable"; exit 77 ;; esac
apt-get -qq install -y --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev opencl-c-headers "pocl-opencl-icd=$version" > /dev/null 2>&1 ||
    { echo "no package pocl-opencl-icd=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/finish.c" <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_t of_command, of_callback;
static atomic_bool returned;

static void command(void *unused)
{
    (void)unused;
    of_command = pthread_self();
    usleep(20000); /* the callback is there before the command ends */
}

static void CL_CALLBACK complete(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    of_callback = pthread_self();
    usleep(100000);
    returned = true;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_event event;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    clEnqueueNativeKernel(queue, command, NULL, 0, 0, NULL, NULL, 0, NULL, &event);
    clSetEventCallback(event, CL_COMPLETE, complete, NULL);
    clFinish(queue);
    printf("clFinish returned %s the callback, ", returned ? "after" : "before");
    while (!returned)
        usleep(1000);
    printf("which ran on %s thread\n", pthread_equal(of_command, of_callback) ? "the command's" : "another");
    return 0;
}
C
gcc -w "$T/finish.c" -o "$T/finish" -lOpenCL
echo "PoCL $version"
seen=$(OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd "$T/finish")
echo "$seen"
[ "$seen" = "clFinish returned before the callback, which ran on another thread" ]
