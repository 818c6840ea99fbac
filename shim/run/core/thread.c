/* thread.c - threads that can run kernels: room on the stack, the usual floating point environment, faults
 * that reach their handlers. Run mode's threads are made so; the program's threads are checked. */
#include "thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <xmmintrin.h>
#define USUAL_CONTROL 0x1f80u /* rounds to nearest, nothing traps, no flag is raised */
#endif

#include "../../../analyzer/compile/compile_area.h"
#include "../../door/log.h"
#include "../../door/roomy.h"
#include "state.h"

static size_t usual_stack;
static uint32_t processors;

void cw_run_thread_look(void)
{
    pthread_attr_t attr;
    cpu_set_t set;

    processors = sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
    if (pthread_getattr_default_np(&attr))
        return;
    pthread_attr_getstacksize(&attr, &usual_stack);
    pthread_attr_destroy(&attr);
}

uint32_t cw_run_thread_processors(void)
{
    return processors;
}

static _Thread_local double others_ns;

double cw_run_thread_cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) + others_ns;
}

void cw_run_thread_cpu_adds(double ns)
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

bool cw_run_thread_try(pthread_t *thread, void *(*body)(void *), void *data)
{
    return try(thread, body, data, 0);
}

bool cw_run_thread_to_compile(pthread_t *thread, void *(*body)(void *), void *data)
{
    return try(thread, body, data, 2 * CW_COMPILE_STACK);
}

bool cw_run_thread_create(pthread_t *thread, void *(*body)(void *), void *data)
{
    bool started = cw_run_thread_try(thread, body, data);

    if (!started && !cw_run.off)
        cw_log_error("cannot start a thread; passing commands through unchanged");
    cw_run.off |= !started;
    return started;
}

static _Thread_local bool is_worker;

void cw_run_thread_becomes_worker(bool is)
{
    is_worker = is;
}

void cw_run_thread_park(void)
{
    if (!is_worker)
        return;
    cw_run.holder = 0;
    pthread_mutex_unlock(&cw_run.lock);
    for (;;)
        pause();
}

/* Kernels keep private memory of work-items on the stack: a kernel that fits into a vendor's thread must fit
 * here. The size of a stack that the program has switched to is unknown. */
static bool is_roomy(void)
{
    size_t left = cw_roomy_stack_left();

    return left && left >= usual_stack / 8 * 7;
}

void cw_run_thread_caller_enter(struct cw_run_caller *c)
{
    c->roomy = is_roomy();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel);
#if defined __x86_64__ /* kernels compute there; saving everything takes ten times as long */
    c->control = _mm_getcsr();
    _mm_setcsr(USUAL_CONTROL);
#else
    fegetenv(&c->floats);
    fesetenv(FE_DFL_ENV);
#endif
}

void cw_run_thread_caller_leave(const struct cw_run_caller *c)
{
#if defined __x86_64__
    _mm_setcsr(c->control);
#else
    fesetenv(&c->floats);
#endif
    pthread_setcancelstate(c->cancel, NULL);
}
