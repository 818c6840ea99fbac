/* harmed.c - a program to whose log something is done while it runs, for harmed.sh.
 *
 * usage: harmed SIGNALS COMMAND END [COUNT]
 *   SIGNALS  how the program treats SIGBUS: plain, blocked, handler, ignored (from the beginning),
 * late-blocked, late-handler (when it has enqueued half of its commands) COMMAND  given to the shell when
 * half of the commands are enqueued END      return; own (the program reads behind the end of a mapped file
 * of its own); raise, sent (SIGBUS) COUNT    commands per half and thread (3000) A handler counts and leaves
 * by siglongjmp. Prints what a program without a recorder prints. */
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;
static const char *signals, *command;
static size_t count = 3000;
static pthread_barrier_t half, harmed;
static sigjmp_buf back;
static volatile sig_atomic_t handled, expected;

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "harmed: %s: %d\n", what, status);
    exit(99);
}

static void on_sigbus(int sig)
{
    (void)sig;
    if (!expected)
        _exit(98); /* of none of the program's own accesses */
    handled++;
    siglongjmp(back, 1);
}

static void treat(const char *when)
{
    struct sigaction own = {.sa_handler = on_sigbus}, ignored = {.sa_handler = SIG_IGN};
    size_t n = strlen(when);
    sigset_t all;

    if (strncmp(signals, when, n) || (!*when && !strncmp(signals, "late-", 5)))
        return;
    sigfillset(&all);
    if (!strcmp(signals + n, "blocked"))
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    if (!strcmp(signals + n, "handler"))
        sigaction(SIGBUS, &own, NULL);
    if (!strcmp(signals + n, "ignored"))
        sigaction(SIGBUS, &ignored, NULL);
}

static void enqueue(cl_kernel kernel)
{
    const size_t global = 64;
    char host[64];

    for (size_t i = 0; i < count; i++) {
        must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
        if (i % 100 == 0)
            must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
    }
}

static void *work(void *unused)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);

    (void)unused;
    must(status, "clCreateKernel");
    enqueue(kernel);
    treat("late-");
    pthread_barrier_wait(&half);
    pthread_barrier_wait(&harmed);
    enqueue(kernel);
    return NULL;
}

static void set_up(void)
{
    static const char *source = "kernel void k(global int *a) { }";
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_int status;

    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    must(status, "clCreateCommandQueueWithProperties");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    must(status, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
    must(status, "clCreateBuffer");
}

static void read_behind_the_end(void)
{
    char name[] = "/tmp/harmed-XXXXXX";
    int fd = mkstemp(name);
    volatile char *map = ftruncate(fd, 4096) ? NULL : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    unlink(name);
    if (ftruncate(fd, 0))
        exit(97);
    printf("%d\n", map[17]);
}

static void end(const char *how)
{
    expected = 1;
    if (sigsetjmp(back, 1))
        printf("the program's handler was called\n");
    else if (!strcmp(how, "own"))
        read_behind_the_end();
    else if (!strcmp(how, "raise"))
        raise(SIGBUS);
    else if (!strcmp(how, "sent"))
        kill(getpid(), SIGBUS);
}

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 300000000};
    pthread_t threads[2];

    if (argc < 4)
        return 96;
    signals = argv[1];
    command = argv[2];
    if (argc > 4)
        count = strtoul(argv[4], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_barrier_init(&half, NULL, 3);
    pthread_barrier_init(&harmed, NULL, 3);
    treat("");
    set_up();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 95;
    pthread_barrier_wait(&half);
    treat("late-");
    if (!strncmp(signals, "late-", 5))
        nanosleep(&pause, NULL); /* the recorder looks at the program's signals every 10 ms */
    if (system(command))
        return 94;
    pthread_barrier_wait(&harmed);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("all commands enqueued\n");
    end(argv[3]);
    printf("the end\n");
    return 0;
}
