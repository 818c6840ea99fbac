/* thread.c - see core/thread.h. */
#include "thread.h"

#include <unistd.h>
#if defined __x86_64__
#include <xmmintrin.h>
#define USUAL_CONTROL 0x1f80u /* rounds to nearest, nothing traps, no flag is raised */
#endif

#include "../../door/log.h"
#include "state.h"

bool cw_run_thread_create(pthread_t *thread, void *(*body)(void *), void *data)
{
    bool started = cw_thread_try(thread, body, data);

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

void cw_run_thread_caller_enter(struct cw_run_caller *c)
{
    c->roomy = cw_thread_is_roomy();
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
