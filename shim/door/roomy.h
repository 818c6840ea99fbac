/* roomy.h - runs a function of this library that needs more stack than a thread of the program may have left.
 *
 * A bare call into a vendor's library takes some 5 KiB, and threads of 16 KiB can make it; plans, models of
 * kernels and files take up to 60 KiB. Where they run on the program's thread and little is left of its
 * stack, the thread switches to a stack of this library: the same thread, with all that belongs to it (locks
 * that it holds, thread-local data, rounding), on other memory. */
#ifndef CW_ROOMY_H
#define CW_ROOMY_H

#include <stddef.h>

/* Bytes that are left of the calling thread's stack; 0: it runs on one that it has switched to itself, of
 * which nothing is known (a coroutine, a signal's). The first call on a thread looks at /proc or asks the C
 * library. */
size_t cw_roomy_stack_left(void);

/* Calls work(data), which returns, and which may call this again. On the stack that there is when that is
 * long enough, or when memory for another one is out. Any thread, any lock held. */
void cw_roomy(void (*work)(void *data), void *data);

#endif
