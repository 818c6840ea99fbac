/* run_thread.c - what a thread needs to run kernels: room on its stack, the usual floating point environment, faults that
 * reach their handlers. Threads of ours are made so; threads of the program are looked at. */
#include "run_threads.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined __x86_64__
#include <xmmintrin.h>
#define USUAL_CONTROL 0x1f80u /* rounds to nearest, nothing traps, no flag is raised */
#endif

#include "../../door/log.h"
#include "../run.h"

extern void *__libc_stack_end; /* glibc's: where the first thread's stack begins */

static size_t usual_stack;
static _Thread_local uintptr_t low, high; /* this thread's stack; 0: not looked for yet */

void cw_run_threads_look(void)
{
    pthread_attr_t attr;

    if (pthread_getattr_default_np(&attr))
        return;
    pthread_attr_getstacksize(&attr, &usual_stack);
    pthread_attr_destroy(&attr);
}

static int create(pthread_t *thread, void *(*body)(void *), void *data)
{
    pthread_attr_t attr;
    fenv_t floats;
    int err;

    fegetenv(&floats); /* threads inherit it */
    fesetenv(FE_DFL_ENV);
    pthread_attr_init(&attr);
    if (usual_stack)
        pthread_attr_setstacksize(&attr, usual_stack); /* the program may want less by now */
    err = pthread_create(thread, &attr, body, data);
    pthread_attr_destroy(&attr);
    fesetenv(&floats);
    return err;
}

bool cw_run_thread(pthread_t *thread, void *(*body)(void *), void *data)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t mask, before;
    int saved = errno, err;

    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]); /* a blocked one would end the process, whatever its handler */
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    err = create(thread, body, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    if (err && !cw_run.off)
        cw_log_error("cannot start a thread; passing commands through unchanged");
    cw_run.off |= err != 0;
    return !err;
}

/* Where the stack of this thread lies. The first thread's grows, and asking for it would open a file. */
static void find_stack(void)
{
    pthread_attr_t attr;
    struct rlimit limit;
    void *address;
    size_t bytes;

    high = 1; /* there is none that we know */
    if (gettid() == getpid()) {
        if (getrlimit(RLIMIT_STACK, &limit))
            return;
        high = (uintptr_t)__libc_stack_end;
        low = limit.rlim_cur < high ? high - limit.rlim_cur : 0;
    } else if (!pthread_getattr_np(pthread_self(), &attr)) {
        if (!pthread_attr_getstack(&attr, &address, &bytes)) {
            low = (uintptr_t)address;
            high = low + bytes;
        }
        pthread_attr_destroy(&attr);
    }
}

/* Kernels keep what is private to work-items on the stack: what fits into that of a vendor's thread must fit here. A stack
 * that the program has switched to is none of those that are known. */
static bool is_roomy(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (CW_UNLIKELY(!high))
        find_stack();
    return here > low && here < high && here - low >= usual_stack / 8 * 7;
}

void cw_run_caller_enter(struct cw_run_caller *c)
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

void cw_run_caller_leave(const struct cw_run_caller *c)
{
#if defined __x86_64__
    _mm_setcsr(c->control);
#else
    fesetenv(&c->floats);
#endif
    pthread_setcancelstate(c->cancel, NULL);
}
