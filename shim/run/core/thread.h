/* thread.h - threads of run mode, and threads of the program while they do its work. */
#ifndef CW_RUN_THREAD_H
#define CW_RUN_THREAD_H

#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a thread that no signal of the program reaches, but faults of its own: kernels may divide by zero,
 * which vendors handle, and write to memory that the program watches. It has the usual floating point
 * environment and stack. False, with a message, when there can be none. Lock held. */
bool cw_run_thread_create(pthread_t *thread, void *(*body)(void *), void *data);

/* The same without a message; the caller reports a failure. Any thread. */
bool cw_run_thread_try(pthread_t *thread, void *(*body)(void *), void *data);

/* The same, with stack enough for the vendor's compiler to build any program that clweave-compile has built
 * (compile_area.h). */
bool cw_run_thread_to_compile(pthread_t *thread, void *(*body)(void *), void *data);

/* Whether this thread drives a lane. One that does ends its own process (a callback may call exit()) as no
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

/* Reads the usual stack size and the number of processors; once, at the start of the process. */
void cw_run_thread_look(void);

/* Processors that this process may use, at its start. */
uint32_t cw_run_thread_processors(void);

/* Processor time of the calling thread, and of the threads and processes that have worked for it, in ns; and
 * that one of these has taken `ns`. Any thread. */
double cw_run_thread_cpu_ns(void);
void cw_run_thread_cpu_adds(double ns);

/* In a loop that waits for another thread. */
static inline void cw_run_thread_relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Of a worker of a lane that has been left behind: does not return. Lock held. */
void cw_run_thread_park(void);

#endif
