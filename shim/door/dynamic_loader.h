/* dynamic_loader.h - calls from constructors and destructors of libraries, within dlopen() and dlclose().
 *
 * Such a thread holds the dynamic loader's lock. A thread that loads code, or that runs a vendor's compiler
 * for the first time, needs that lock, too: the caller must not wait for it. */
#ifndef CW_DYNAMIC_LOADER_H
#define CW_DYNAMIC_LOADER_H

#include <stdbool.h>

/* Prepares the walk of stacks: it loads a library, which must not happen for the first time while another
 * thread is inside the dynamic loader. Once, at the start of a mode. */
void cw_dynamic_loader_start(void);

/* True if the calling thread is inside the dynamic loader, in a constructor or a destructor. Walks the stack:
 * some microseconds. On a stack that the thread has switched to it sees that one alone. Any thread. */
bool cw_dynamic_loader_is_here(void);

/* A thread that is inside it begins, or ends, to wait for other threads. */
void cw_dynamic_loader_waits(bool begins);

/* A thread waits so: until its wait ends, no other thread can load code. Any thread. */
bool cw_dynamic_loader_is_waited_in(void);

#endif
