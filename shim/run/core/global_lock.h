/* global_lock.h - the lock of run mode, and the work that waits for it to be free.
 *
 * Locks: one, cw_run.lock, over all that core/types.h declares. Nothing of the vendor is called while it is
 * held but queries of an event's status and of reference counts, and retains of events: callbacks that the
 * vendor may make with a lock of its own never take this one (door/handoff.h). cw_run_global_lock_give also
 * makes the releases that had to wait for a free lock. */
#ifndef CW_RUN_GLOBAL_LOCK_H
#define CW_RUN_GLOBAL_LOCK_H

#include "types.h"

void cw_run_global_lock_take(void);

void cw_run_global_lock_give(void);
/* Waits until cw_run_global_lock_tell() is called, or for `ns` (0: for ever), or for no reason. A handler of
 * a signal may call exit() meanwhile, or jump away: other threads do not notice. Lock held, given up
 * meanwhile; `waiters` counts the caller. */
void cw_run_global_lock_wait(uint64_t ns);
void cw_run_global_lock_tell(void); /* lock held */

/* The process ends inside a call of this thread: a handler of a signal has called exit(). If it was
 * interrupted with the lock held it keeps it for ever: its own calls find the lock taken and go on,
 * all other threads stop there. True: it has it. */
bool cw_run_global_lock_keep(void);

/* The calling thread is inside a call that never goes on, and makes no call of the vendor's any more: what it
 * would hand over is left to other threads, or to the end of the process. */
void cw_run_global_lock_ends_in_call(void);
bool cw_run_global_lock_is_in_end(void); /* it has called that */

void cw_run_global_lock_give_only(void);        /* hands nothing over, wakes no worker */
void cw_run_global_lock_give_in_callback(void); /* hands nothing over: for callbacks of the vendor */
enum cw_run_garbage {
    CW_RUN_DROP_MEMORY,
    CW_RUN_DROP_SVM, /* struct cw_run_svm, which goes, too */
    CW_RUN_DROP_SAMPLER,
    CW_RUN_DROP_QUEUE,
    CW_RUN_DROP_KERNEL,
    CW_RUN_DROP_PROGRAM,
    CW_RUN_DROP_EVENT,
    CW_RUN_DROP_CONTEXT,
    CW_RUN_DROP_DEVICE,
    CW_RUN_DROP_BLOCK,
    CW_RUN_COMPLETE_EVENT
};
/* Releases `handle` (BLOCK: frees it) once the lock is free. Lock held. NULL is ignored. */
void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle);
/* The same for a user event that nothing waits for. It is set before: NVIDIA's clReleaseContext may wait for
 * one that is not. Lock held. */
void cw_run_global_lock_release_unset(void *event);
bool cw_run_global_lock_has_releases(void);

/* Time on the clock that the vendor's profiling uses. */
uint64_t cw_run_global_lock_now_ns(void);

/* The same, asked once by all callers that share `now`, 0 before: in a short call most time goes to clocks
 * and locks. */
static inline uint64_t cw_run_once_ns(uint64_t *now)
{
    return *now = *now ? *now : cw_run_global_lock_now_ns();
}

#endif
