/* fork_threads - forks after its first calls; every child makes threads that all call at once, and the thread
 * that forked after them. usage: fork_threads CHILDREN THREADS COMMANDS */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_command_queue queue;
static cl_mem buffer;
static int commands;
static pthread_barrier_t start;

static void *work(void *arg)
{
    if (!arg)
        pthread_barrier_wait(&start);
    for (int i = 0; i < commands; i++)
        if (clEnqueueFillBuffer(queue, buffer, "x", 1, 0, 64, 0, NULL, NULL))
            _exit(3);
    return NULL;
}

static void child(int threads)
{
    pthread_t id[64];

    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&id[i], NULL, work, NULL))
            _exit(4);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    work(&start);
    exit(0);
}

int main(int argc, char **argv)
{
    int children = argc > 3 ? atoi(argv[1]) : 1, threads = argc > 3 ? atoi(argv[2]) : 2, status, bad = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;

    commands = argc > 3 ? atoi(argv[3]) : 1;
    if (threads > 64 || clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    buffer = clCreateBuffer(context, 0, 64, NULL, NULL);
    work(&start);
    for (int i = 0; i < children; i++) {
        if (fork() == 0)
            child(threads);
        if (wait(&status) < 0 || status)
            bad++;
    }
    return bad ? 2 : 0;
}
