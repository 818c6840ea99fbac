/* dynamic_loader.h - calls from constructors and destructors of libraries, within dlopen() and dlclose().
 *
 * Such a thread holds the dynamic loader's lock. A thread that loads code, or that runs a vendor's compiler,
 * needs that lock, too: no thread may wait for it while the first one waits. So such work has a thread of its
 * own, which the library leaves to itself as soon as a thread that waits is found inside the loader. Work
 * begins when its thread has had the lock; work that has not begun holds no lock of the vendor's. */
#ifndef CW_DYNAMIC_LOADER_H
#define CW_DYNAMIC_LOADER_H

#include <stdbool.h>
#include <stdint.h>

/* Prepares the walk of stacks: it loads a library, which must not happen for the first time while another
 * thread is inside the dynamic loader. `sleep`: the futex on which threads of the mode sleep until others
 * have done something. Once, at the start of a mode. */
void cw_dynamic_loader_start(_Atomic uint32_t *sleep);

/* True if the calling thread is inside the dynamic loader, in a constructor or a destructor. Walks the stack:
 * some microseconds. On a stack that the thread has switched to it sees that one alone. Any thread. */
bool cw_dynamic_loader_is_here(void);

/* A thread that is inside it begins, or ends, to wait for other threads. */
void cw_dynamic_loader_waits(bool begins);

/* A thread waits so: until its wait ends, no other thread can load code. Any thread. */
bool cw_dynamic_loader_is_waited_in(void);

/* Work of a thread of this library that may need the loader's lock. The thread calls pass() before, and
 * ends() behind it; the thread that has called begin() awaits it. */
struct cw_loader_work {
    unsigned looks; /* the number of the latest look when it began */
    bool passed, over, left;
};

/* Changes the futex and wakes the threads that sleep on it, which then look where they are. */
void cw_dynamic_loader_begin(struct cw_loader_work *w);

/* Takes the loader's lock, and gives it back. False: the work has been left, and is not to begin. */
bool cw_dynamic_loader_pass(struct cw_loader_work *w);

/* False: the work has been left, and `w` is this thread's. Otherwise it is the other one's. */
bool cw_dynamic_loader_ends(struct cw_loader_work *w);

/* Waits for its end. False: it is left to its thread, as a thread that waits for others is inside the loader,
 * or as the loader's lock was taken for a second (a thread inside it may wait for a callback). */
bool cw_dynamic_loader_await(struct cw_loader_work *w);

/* Called by each thread before it sleeps on the futex, after it has read its value, by those that ask for
 * states, and before waits for threads that may await work: where the caller is inside the loader, the work
 * that is under way is left. Looks only while there is such work. Holds no lock. */
void cw_dynamic_loader_look(void);

#endif
