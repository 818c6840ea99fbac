/* global_lock.c - the one lock of run mode, and work that has to wait until it is free. */
#include "global_lock.h"
#include "../../door/dynamic_loader.h"
#include "../../door/lock_order.h"
#include "recount.h"
#include "state.h"
#include "thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct garbage {
    struct garbage *next;
    enum cw_run_garbage what;
    void *handle;
};

struct cw_run_state_all cw_run = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                  .timer = PTHREAD_COND_INITIALIZER,
                                  .host = {.low = 0, .high = UINTPTR_MAX}};
CW_LOCK_RANK(&cw_run.lock, RUN)

struct cw_run_account cw_run_account;

static struct garbage *garbage;

/* Test builds (-DCW_SHAKE): threads stop for a while wherever the lock changes hands, so that they meet in
 * orders that are rare otherwise (test/runmode/shake.slow.sh). */
#ifdef CW_SHAKE
#include <sched.h>
static void shake(void)
{
    static _Thread_local uint32_t random;
    int saved = errno;

    random = random ? random : (uint32_t)cw_run_global_lock_now_ns() | 1u;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    if (random % 64 == 0)
        nanosleep(&(struct timespec){.tv_nsec = random % 1000 * 1000}, NULL);
    else if (random % 4 == 0)
        sched_yield();
    errno = saved;
}
#else
#define shake() ((void)0)
#endif

/* It is held for some microseconds, and a wake-up takes ten times as long: a thread that finds it taken tries
 * for a while. */
#define TRIES 256

static _Atomic bool lasting; /* by `holder`, for ever */

static bool held_by_me(void)
{
    return pthread_equal(atomic_load_explicit(&cw_run.holder, memory_order_relaxed), pthread_self());
}

static void hold(pthread_t holder)
{
    atomic_store_explicit(&cw_run.holder, holder, memory_order_relaxed);
}

static bool is_mine(void)
{
    return CW_UNLIKELY(atomic_load_explicit(&lasting, memory_order_relaxed)) && held_by_me();
}

bool cw_run_global_lock_keep(void)
{
    if (held_by_me())
        atomic_store(&lasting, true);
    return is_mine();
}

static bool try(void)
{
    if (CW_UNLIKELY(pthread_mutex_trylock(&cw_run.lock)))
        return false;
    hold(pthread_self());
    return true;
}

/* The first try has failed. */
static __attribute__((noinline)) void lock_taken(void)
{
    for (int i = 1; i < TRIES && cw_thread_processors() >= 2 && !is_mine(); i++) {
        cw_thread_relax();
        if (try())
            return;
    }
    if (is_mine())
        return;
    pthread_mutex_lock(&cw_run.lock);
    hold(pthread_self());
    if (CW_UNLIKELY(cw_run.abandoned))
        cw_run_thread_park();
}

void cw_run_global_lock_take(void)
{
    shake();
    if (CW_UNLIKELY(!try()))
        lock_taken();
}

static void unlock(void)
{
    if (is_mine())
        return;
    hold(0);
    pthread_mutex_unlock(&cw_run.lock);
}

void cw_run_global_lock_give_only(void)
{
    unlock();
}

void cw_run_global_lock_wait(uint64_t ns)
{
    const struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    uint32_t was = atomic_load(&cw_run.done);
    int saved = errno;

    unlock();
    cw_dynamic_loader_look();
    syscall(SYS_futex, &cw_run.done, FUTEX_WAIT_PRIVATE, was, ns ? &left : NULL, NULL, 0);
    errno = saved;
    pthread_mutex_lock(&cw_run.lock);
    hold(pthread_self());
}

void cw_run_global_lock_tell(void)
{
    int saved = errno;

    atomic_fetch_add(&cw_run.done, 1);
    if (cw_run.waiters)
        syscall(SYS_futex, &cw_run.done, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    errno = saved;
}

void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle)
{
    struct garbage *g = handle ? malloc(sizeof *g) : NULL;

    if (!g)
        return; /* out of memory: the object stays */
    *g = (struct garbage){garbage, what, handle};
    garbage = g;
}

void cw_run_global_lock_release_unset(void *event)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event); /* last in, first out */
    cw_run_global_lock_release_later(CW_RUN_COMPLETE_EVENT, event);
}

static _Thread_local bool ends_in_call;

void cw_run_global_lock_ends_in_call(void)
{
    ends_in_call = true;
}

bool cw_run_global_lock_is_in_end(void)
{
    return ends_in_call;
}

bool cw_run_global_lock_has_releases(void)
{
    return garbage && !ends_in_call;
}

static void release(const struct garbage *g)
{
    struct cw_run_svm *svm;

    switch (g->what) {
    case CW_RUN_DROP_MEMORY:
        cw_next.clReleaseMemObject(g->handle);
        break;
    case CW_RUN_DROP_SVM:
        svm = g->handle;
        if (svm->pointer)
            cw_next.clSVMFree(svm->context, svm->pointer);
        free(svm);
        break;
    case CW_RUN_DROP_SAMPLER:
        cw_next.clReleaseSampler(g->handle);
        break;
    case CW_RUN_DROP_QUEUE:
        cw_next.clReleaseCommandQueue(g->handle);
        break;
    case CW_RUN_DROP_KERNEL:
        cw_next.clReleaseKernel(g->handle);
        break;
    case CW_RUN_DROP_PROGRAM:
        cw_next.clReleaseProgram(g->handle);
        break;
    case CW_RUN_DROP_EVENT:
        cw_next.clReleaseEvent(g->handle);
        break;
    case CW_RUN_DROP_CONTEXT:
        cw_next.clReleaseContext(g->handle);
        break;
    case CW_RUN_DROP_DEVICE:
        cw_context_devices_let_go(g->handle);
        break;
    case CW_RUN_DROP_BLOCK:
        free(g->handle);
        break;
    case CW_RUN_COMPLETE_EVENT:
        cw_next.clSetUserEventStatus(g->handle, CL_COMPLETE);
        break;
    }
}

static void release_all(struct garbage *g)
{
    while (g) {
        struct garbage *next = g->next;
        release(g);
        free(g);
        g = next;
    }
    cw_run_recount_ends();
}

static __attribute__((noinline)) void unlock_and_release(void)
{
    struct garbage *g = garbage;

    garbage = NULL;
    if (g)
        cw_run_recount_begins(); /* that they are not ours any more is noted already */
    unlock();
    shake();
    if (g)
        release_all(g);
}

/* The worker of the first task of the list, which takes all of it; NULL: the list is empty. */
static const struct cw_run_worker *of_list(void)
{
    const struct cw_run_task *first = cw_run.became_ready;

    return first ? &cw_run.workers[first->links.done->at.worker] : NULL;
}

void cw_run_global_lock_kick_all(void)
{
    const struct cw_run_worker *first = of_list();
    /* a thread of that worker which is awake may be far from its loop: in a compiler, or a vendor's call */
    bool timer = first && (first->busy || first->quit || !first->asleep);

    for (uint32_t i = 0; i < cw_run.num_workers && (cw_run.ready_count || cw_run.wanted); i++) {
        struct cw_run_worker *l = &cw_run.workers[i];

        if (!(cw_run_has_work(l) || l == first) || l->busy || l->quit)
            continue;
        timer |= !l->has_thread;
        if (l->asleep)
            pthread_cond_signal(&l->wake);
        l->asleep = false;
    }
    cw_run.timer_wanted |= timer;
    if (cw_run.timer_wanted && (cw_run.timer_asleep || timer))
        pthread_cond_signal(&cw_run.timer);
}

void cw_run_global_lock_give(void)
{
    cw_run_global_lock_kick();
    if (CW_UNLIKELY(cw_run_global_lock_has_releases())) {
        unlock_and_release();
    } else {
        unlock();
        shake();
    }
}

void cw_run_global_lock_give_in_callback(void)
{
    if (cw_run.retire_first) {
        cw_run.timer_wanted = true; /* run mode's own threads complete events */
        cw_run_global_lock_tell();
    }
    cw_run_global_lock_kick();
    unlock();
    shake();
}

uint64_t cw_run_global_lock_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t); /* the clock of PoCL's profiling */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
