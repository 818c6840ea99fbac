/* killed.c - enqueues from two threads and ends in the way that its first argument names, for killed.sh.
 *
 * usage: killed HOW COUNTERS COUNT [LIMIT_KIB | COUNTERS]
 *   HOW       return, exit, _exit, quick_exit, abort, sigterm, forever (until killed), fork, threads (COUNT
 *             short-lived ones that share a kernel), exec (begins again as "return" with other counters)
 *   COUNTERS  a file of uint64_t, one per thread: how many of its enqueues have returned. It is our own
 *             shared mapping, so it survives whatever ends us, like the log should
 *   COUNT     enqueues per thread (forever: ignored)
 *   LIMIT_KIB RLIMIT_FSIZE to set first
 * Command number i of thread k has global size i + 1 and global offset k: what is lost shows as a gap. */
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 8

static _Atomic uint64_t *counters;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffers[2];
static uint64_t count;

static void fail(const char *what, long code)
{
    fprintf(stderr, "killed: %s: %ld\n", what, code);
    _exit(99);
}

static void enqueue(size_t slot, cl_kernel kernel, uint64_t until)
{
    cl_int status;
    size_t size, offset = slot;

    while (counters[slot] < until) {
        size = counters[slot] + 1;
        status = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[size & 1]);
        if (status == CL_SUCCESS)
            status = clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &size, NULL, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            fail("enqueue", status);
        counters[slot]++;
    }
}

static void *run(void *slot)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);

    if (status != CL_SUCCESS)
        fail("clCreateKernel", status);
    enqueue((size_t)(uintptr_t)slot, kernel, count);
    return NULL;
}

static void set_up(void)
{
    static const char *source = "kernel void k(global int *a) { }";
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_int status;
    int i;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        fail("no device", 0);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    if (status != CL_SUCCESS || clBuildProgram(program, 1, &device, "", NULL, NULL))
        fail("clBuildProgram", status);
    for (i = 0; i < 2; i++)
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
}

/* Slots 4 to 6: children of a process that is in the middle of enqueueing, on objects that they inherited. */
static void fork_children(void)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    pid_t child[2];
    int i, ended;

    enqueue(3, kernel, count / 2);
    for (i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i])
            continue;
        enqueue((size_t)(4 + i), kernel, count); /* with an argument and a delta chain of the parent */
        if (i && !fork()) {
            enqueue(6, kernel, count);
            _exit(0);
        }
        while (i && wait(NULL) > 0)
            ;
        if (i)
            exit(0); /* the parent's exit handlers run here too */
        _exit(0);
    }
    enqueue(3, kernel, count);
    for (i = 0; i < 2; i++)
        if (waitpid(child[i], &ended, 0) < 0 || ended)
            fail("a child failed", ended);
}

static cl_kernel shared;

static void *run_shortly(void *slot)
{
    enqueue((size_t)(uintptr_t)slot, shared, counters[(uintptr_t)slot] + 3);
    return NULL;
}

static void short_threads(void)
{
    pthread_t threads[3];
    cl_int status;
    uint64_t round;
    int i;

    shared = clCreateKernel(program, "k", &status);
    buffers[1] = buffers[0]; /* setting one kernel's argument from many threads is no race then */
    for (round = 0; round < count; round++) {
        for (i = 0; i < 3; i++)
            if (pthread_create(&threads[i], NULL, run_shortly, (void *)(uintptr_t)i))
                fail("pthread_create", i);
        for (i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
}

static void end(const char *how)
{
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "quick_exit"))
        quick_exit(0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "sigterm"))
        raise(SIGTERM);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int fd, i;

    if (argc < 4)
        fail("arguments", argc);
    fd = open(argv[2], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, SLOTS * sizeof *counters))
        fail(argv[2], 0);
    counters = mmap(NULL, SLOTS * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    count = strcmp(argv[1], "forever") ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
    if (argc > 4 && strcmp(argv[1], "exec")) {
        struct rlimit limit = {strtoull(argv[4], NULL, 10) << 10, strtoull(argv[4], NULL, 10) << 10};

        setrlimit(RLIMIT_FSIZE, &limit);
    }
    set_up();
    if (!strcmp(argv[1], "threads")) {
        short_threads();
        return 0;
    }
    for (i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
            fail("pthread_create", i);
    if (!strcmp(argv[1], "fork"))
        fork_children();
    for (i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (!strcmp(argv[1], "exec"))
        execl(argv[0], argv[0], "return", argv[4], argv[3], NULL);
    end(argv[1]);
    return 0;
}
