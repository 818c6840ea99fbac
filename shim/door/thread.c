/* thread.c - threads that can run kernels and compilers: room on the stack, the usual floating point
 * environment, faults that reach their handlers. */
#include "thread.h"

#include <errno.h>
#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "../../analyzer/compile/compile_area.h"

static size_t usual_stack;
static uint32_t processors;

void cw_thread_look(void)
{
    pthread_attr_t attr;
    cpu_set_t set;

    processors = sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
    if (pthread_getattr_default_np(&attr))
        return;
    pthread_attr_getstacksize(&attr, &usual_stack);
    pthread_attr_destroy(&attr);
}

uint32_t cw_thread_processors(void)
{
    return processors;
}

static _Thread_local double others_ns;

double cw_thread_cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) + others_ns;
}

void cw_thread_cpu_adds(double ns)
{
    others_ns += ns;
}

static int create(pthread_t *thread, void *(*body)(void *), void *data, size_t least)
{
    pthread_attr_t attr;
    fenv_t floats;
    int err;

    fegetenv(&floats); /* threads inherit it */
    fesetenv(FE_DFL_ENV);
    pthread_attr_init(&attr);
    if (usual_stack || least)
        pthread_attr_setstacksize(&attr, usual_stack > least ? usual_stack : least);
    err = pthread_create(thread, &attr, body, data);
    pthread_attr_destroy(&attr);
    fesetenv(&floats);
    return err;
}

/* With a stack of `least` bytes or more. */
static bool try(pthread_t *thread, void *(*body)(void *), void *data, size_t least)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t mask, before;
    int saved = errno, err;

    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]); /* a blocked one would end the process, despite its handler */
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    err = create(thread, body, data, least);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return !err;
}

bool cw_thread_try(pthread_t *thread, void *(*body)(void *), void *data)
{
    return try(thread, body, data, 0);
}

bool cw_thread_to_compile(pthread_t *thread, void *(*body)(void *), void *data)
{
    return try(thread, body, data, 2 * CW_COMPILE_STACK);
}

bool cw_thread_is_roomy(void)
{
    size_t left = cw_roomy_stack_left();

    return left && left >= usual_stack / 8 * 7;
}
