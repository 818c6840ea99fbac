/* platforms - prints how many OpenCL platforms there are, from N threads that all make their first call at
 * once.
 *
 *   platforms linked|LIBRARY|module:FILE [threads] [fork|child]
 *
 * linked: the program's own reference (needs LD_PRELOAD or linking); LIBRARY: by dlopen; module:FILE: by a
 * module that is dlopened RTLD_LOCAL and linked to libOpenCL, as Python's are. fork: the child asks too, once
 * before and once after the parent's first call. child: execs `env` after the first call. */
#include "../../shim/door/dispatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef MODULE
cl_int count_platforms(cl_uint n, cl_platform_id *p, cl_uint *num)
{
    return clGetPlatformIDs(n, p, num);
}
#else

#pragma weak clGetPlatformIDs
static __typeof__(&clGetPlatformIDs) get;
static pthread_barrier_t start;
static cl_uint want;

static void *ask(void *arg)
{
    cl_uint n = 99;
    (void)arg;
    pthread_barrier_wait(&start);
    errno = 4242;
    cl_int e = get(0, NULL, &n);
    if (errno != 4242 && getenv("CHECK_ERRNO"))
        fprintf(stderr, "errno changed to %d\n", errno), exit(3);
    return (void *)(uintptr_t)(e ? 1000 : n);
}

static cl_uint ask_all(int threads)
{
    pthread_t t[64];
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, ask, NULL);
    for (int i = 0; i < threads; i++) {
        void *n;
        pthread_join(t[i], &n);
        if (i && (uintptr_t)n != want)
            fprintf(stderr, "threads disagree: %u and %u\n", want, (unsigned)(uintptr_t)n), exit(1);
        want = (cl_uint)(uintptr_t)n;
    }
    return want;
}

static void in_child(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(ask_all(1) == 1 ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    if (status)
        fprintf(stderr, "the child's call failed\n"), exit(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "linked", *then = argc > 3 ? argv[3] : "";
    bool module = !strncmp(how, "module:", 7);
    if (!strcmp(how, "linked")) {
        get = clGetPlatformIDs;
    } else {
        void *l = dlopen(module ? how + 7 : how, RTLD_NOW | RTLD_LOCAL);
        if (!l)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        *(void **)&get = dlsym(l, module ? "count_platforms" : "clGetPlatformIDs");
    }
    if (!get)
        return fprintf(stderr, "no clGetPlatformIDs\n"), 1;
    if (!strcmp(then, "fork"))
        in_child();
    printf("%u platforms\n", ask_all(argc > 2 ? atoi(argv[2]) : 1));
    if (!strcmp(then, "fork"))
        in_child();
    fflush(stdout);
    if (!strcmp(then, "child"))
        execlp("env", "env", (char *)NULL);
    return 0;
}
#endif
