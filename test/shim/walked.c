/* walked.c - a program without unwind tables closes all descriptors above 2, opens files, and calls from ever
 * deeper stacks: only the program writes into its files, or closes them. */
#define _GNU_SOURCE
#include <CL/cl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 64, DEPTH = 32, PAGES = 8 * 1024 };

static cl_command_queue queue;
static cl_mem buffer;

static void check(cl_int err)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL error %d\n", err);
    exit(1);
}

/* Each level has pages of its own. */
static __attribute__((noinline)) void write_below(int depth)
{
    volatile char pages[PAGES];
    cl_int word = depth;

    pages[0] = 0;
    check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    if (depth)
        write_below(depth - 1);
    pages[1] = 0;
}

int main(void)
{
    char name[] = "/tmp/clweave-walked.XXXXXX";
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    struct stat st[FILES], now;
    int file[FILES];
    cl_int err;

    check(clGetPlatformIDs(1, &platform, NULL));
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &err);
    write_below(0);
    closefrom(3);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "/tmp/clweave-walked.XXXXXX");
        file[i] = mkstemp(name);
        unlink(name);
        fstat(file[i], &st[i]);
    }
    write_below(DEPTH);
    for (int i = 0; i < FILES; i++)
        if (fstat(file[i], &now) != 0 || now.st_ino != st[i].st_ino || now.st_size)
            printf("file %d has changed\n", i);
    check(clReleaseMemObject(buffer));
    check(clReleaseCommandQueue(queue));
    check(clReleaseContext(context));
    printf("done\n");
    return 0;
}
