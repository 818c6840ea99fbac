/* thread.h - threads fit to run kernels and the vendor's compiler, and the processor time that they take. */
#ifndef CW_THREAD_H
#define CW_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

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

/* Runs a function of this library that needs more stack than a thread of the program may have left.
 *
 * A bare call into a vendor's library takes some 5 KiB, and threads of 16 KiB can make it; plans, models of
 * kernels and files take up to 60 KiB. Where they run on the program's thread and little is left of its
 * stack, the thread switches to a stack of this library: the same thread, with all that belongs to it (locks
 * that it holds, thread-local data, rounding), on other memory. */

/* Bytes that are left of the calling thread's stack; 0: it runs on one that it has switched to itself, of
 * which nothing is known (a coroutine, a signal's). The first call on a thread looks at /proc or asks the C
 * library. */
size_t cw_roomy_stack_left(void);

/* Calls work(data), which returns, and which may call this again. On the stack that there is when that is
 * long enough, or when memory for another one is out. Any thread, any lock held. */
void cw_roomy(void (*work)(void *data), void *data);

/* Limits of the process under which run mode does nothing. */

/* True when the process's address space, data or processor time is limited (ulimit -v, -d, -t). The program
 * may need all of it: threads, helper devices and a compiler take from the same amount, and LLVM aborts when
 * it gets no memory. How much the program will need cannot be known, so no amount that is left is enough. Any
 * thread; three system calls. */
bool cw_limited(void);

/* Where the end of run mode is registered, so that it comes before the ends of the vendors'
 * libraries. */

/* Called once by start(). `at_exit` is to run at exit and quick_exit, `thread_ends` when the process's first
 * thread ends. */
void cw_exit_start(void (*at_exit)(void), void (*thread_ends)(void));

/* The vendor may have woken up a part of itself: the end of run mode is to come before the handlers that it
 * has registered so far. Any thread. */
void cw_exit_register(void);

#endif
