/* first_calls.c - a forked child asks for devices before its parent has; then many threads at once, as the
 * first thing that happens there; then a child of a process that has devices. Usage: first_calls DEVICES -
 * how many devices every one of them must see. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, MAX = 64 };

static cl_uint expected;
static pthread_barrier_t start;

/* 0: sees what it must. */
static int look(int what)
{
    cl_platform_id p;
    cl_device_id d[MAX];
    cl_uint n = 0, in_context = 0;
    char name[256];
    cl_context c;

    if (clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS)
        return 1;
    if (what & 1) {
        cl_context_properties of[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, 0};
        c = clCreateContextFromType(of, CL_DEVICE_TYPE_ALL, NULL, NULL, NULL);
        if (!c ||
            clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof in_context, &in_context, NULL) != CL_SUCCESS ||
            in_context != expected)
            return 2;
        clReleaseContext(c);
    }
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, MAX, d, &n) != CL_SUCCESS || n != expected)
        return 3;
    for (cl_uint i = 0; i < n; i++)
        if (clGetDeviceInfo(d[i], CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
            !strncmp(name, "basic", 5))
            return 4;
    return 0;
}

static void *thread(void *data)
{
    pthread_barrier_wait(&start);
    return (void *)(long)look((int)(long)data);
}

/* A child that looks, too; returns its result, 9 for one that hangs. */
static int child(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(200);
        _exit(look(1));
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 9;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    int bad = 0, result;

    if (argc < 2)
        return 2;
    expected = (cl_uint)atoi(argv[1]);
    if ((result = child())) /* it is the child that starts PoCL */
        bad += !!fprintf(stderr, "a child before the first call: %d\n", result);
    pthread_barrier_init(&start, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, thread, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *r;
        pthread_join(t[i], &r);
        if (r)
            bad += !!fprintf(stderr, "thread %d: %ld\n", i, (long)r);
    }
    if ((result = child()))
        bad += !!fprintf(stderr, "a child after the first call: %d\n", result);
    return bad != 0;
}
