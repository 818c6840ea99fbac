/* thread.h - threads of run mode, and threads of the program while they do its work. */
#ifndef CW_RUN_THREAD_H
#define CW_RUN_THREAD_H

#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../door/thread.h"

/* Like cw_thread_try() (door/thread.h), with a message when there can be none. Lock held. */
bool cw_run_thread_create(pthread_t *thread, void *(*body)(void *), void *data);

/* Whether this thread drives a worker. One that does ends its own process (a callback may call exit()) as no
 * worker. */
void cw_run_thread_becomes_worker(bool is);

/* A thread of the program inside a call in which it may wait or run commands. */
struct cw_run_caller {
    bool roomy; /* its stack is as good as a vendor's thread: it may run kernels */
    int cancel;
#if defined __x86_64__
    unsigned control;
#else
    fenv_t floats;
#endif
};
/* Between the two it cannot be cancelled, as it would take the lock with it, and kernels neither see how it
 * rounds and traps, nor raise its flags. */
void cw_run_thread_caller_enter(struct cw_run_caller *c);
void cw_run_thread_caller_leave(const struct cw_run_caller *c);

/* Of the thread of a worker that has been left behind: does not return. Lock held. */
void cw_run_thread_park(void);

#endif
