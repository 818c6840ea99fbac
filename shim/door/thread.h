/* thread.h - threads fit to run kernels and the vendor's compiler, and the processor time that they take. */
#ifndef CW_THREAD_H
#define CW_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a thread that no signal of the program reaches, but faults of its own: kernels may divide by zero,
 * which vendors handle, and write to memory that the program watches. It has the usual floating point
 * environment and stack. False, without a message: there can be none. Any thread. */
bool cw_thread_try(pthread_t *thread, void *(*body)(void *), void *data);

/* The same, with stack enough for the vendor's compiler to build any program that clweave-compile has built
 * (compile_area.h). */
bool cw_thread_to_compile(pthread_t *thread, void *(*body)(void *), void *data);

/* Reads the usual stack size and the number of processors; once, at the start of the process. */
void cw_thread_look(void);

/* Processors that this process may use, at its start. */
uint32_t cw_thread_processors(void);

/* Kernels keep private memory of work-items on the stack: a kernel that fits into a vendor's thread must fit
 * here. True: the calling thread has as much left. The size of a stack that the program has switched to is
 * unknown. */
bool cw_thread_is_roomy(void);

/* Processor time of the calling thread, and of the threads and processes that have worked for it, in ns; and
 * that one of these has taken `ns`. Any thread. */
double cw_thread_cpu_ns(void);
void cw_thread_cpu_adds(double ns);

/* In a loop that waits for another thread. */
static inline void cw_thread_relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

#endif
