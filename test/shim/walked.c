/* walked.c - a program without unwind tables closes all descriptors above 2, opens files, and calls from ever
 * deeper stacks: only the program writes into its files, or closes them. Call: walked [refused]; refused: the
 * kernel reads no memory for it (process_vm_readv). */
#define _GNU_SOURCE
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

static void refuse(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(77);
}

int main(int argc, char **argv)
{
    char name[] = "/tmp/clweave-walked.XXXXXX";
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    struct stat st[FILES], now;
    int file[FILES];
    cl_int err;

    (void)argv;
    if (argc > 1)
        refuse();
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
