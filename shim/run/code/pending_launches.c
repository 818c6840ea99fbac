/* pending_launches.c - see code/code.h. */
#include "code.h"
#include "../../builds/isolated_compiler.h"
#include "../core/global_lock.h"

#include <errno.h>
#include <time.h>

#define LONGEST_NS UINT64_C(60000000000) /* that the end waits: a compiler that takes longer is stuck */
#define OCCUPIED_NS                                                                                          \
    UINT64_C(10000000000) /* by then a device has other work, or runs the kernel: either may be endless */
#define LOOK_FIRST_NS 20000
#define LOOK_NS       1000000

/* By worker number: first launches inside an enqueue that runs the kernel. Locked. How far one has come is
 * not known: its event is the caller's once the call is over, and a gate that would part the two is nothing
 * for PoCL 3.1, which hangs when it opens and frees objects in use when it fails. */
static struct first {
    bool active;
    pthread_t thread;
    clockid_t clock; /* the processor time of the thread: on a busy machine a compiler may get little of it */
    uint64_t until_ns; /* on that clock */
} firsts[CW_RUN_WORKERS];

static void doze(uint64_t ns)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* A clock whose thread has ended is past every limit. */
static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) ? UINT64_MAX
                                    : (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static bool any_compiles(void)
{
    bool any = false;

    cw_run_global_lock_take();
    for (uint32_t i = 0; i < CW_RUN_WORKERS && !any; i++) {
        const struct first *f = &firsts[i];

        any = f->active && !pthread_equal(f->thread, pthread_self()) && clock_ns(f->clock) < f->until_ns;
    }
    cw_run_global_lock_give();
    return any;
}

void cw_pending_launches_stop(void)
{
    uint64_t until = cw_run_global_lock_now_ns() + LONGEST_NS;

    cw_pending_builds_forbid();
    while ((cw_pending_builds_any() || any_compiles()) && cw_run_global_lock_now_ns() < until)
        doze(LOOK_NS);
}

/* Where enqueueing runs the kernel. */
static cl_int begin_noted(const struct cw_run_instruction *i, cl_event *event)
{
    struct first *f = &firsts[i->place->worker->number], begun = {.thread = pthread_self()};
    cl_int err;

    if (!pthread_getcpuclockid(begun.thread, &begun.clock))
        begun.until_ns = clock_ns(begun.clock) + OCCUPIED_NS;
    cw_run_global_lock_take();
    begun.active = !cw_pending_builds_are_forbidden();
    *f = begun;
    cw_run_global_lock_give();
    if (!f->active)
        return CL_OUT_OF_RESOURCES;
    err = cw_run_instruction_begin(i, event);
    cw_run_global_lock_take(); /* a worker stays here when the process ends */
    f->active = false;
    cw_run_global_lock_give();
    return err;
}

/* Elsewhere: until the device has begun with the kernel, as it compiles before. */
static cl_int begin_watched(const struct cw_run_instruction *i, cl_event *event)
{
    uint64_t until = cw_run_global_lock_now_ns() + OCCUPIED_NS, ns = LOOK_FIRST_NS;
    cl_event own = NULL, *watched = event ? event : &own;
    cl_int err;

    if (!cw_pending_builds_begin())
        return CL_OUT_OF_RESOURCES;
    err = cw_run_instruction_begin(i, watched);
    if (err == CL_SUCCESS)
        cw_next.clFlush(i->place->queue);
    while (err == CL_SUCCESS && cw_query_status(*watched) > CL_RUNNING &&
           cw_run_global_lock_now_ns() < until) {
        doze(ns);
        ns = ns < LOOK_NS ? 2 * ns : LOOK_NS;
    }
    cw_pending_builds_end();
    if (own)
        cw_next.clReleaseEvent(own);
    return err;
}

cl_int cw_pending_launches_begin(const struct cw_run_instruction *i, cl_event *event)
{
    return cw_device_has(i->place->device, CW_VENDOR_IN_CALL) ? begin_noted(i, event)
                                                              : begin_watched(i, event);
}
