/* exit.c - handlers of the end of the process, registered again and again. */
#include "thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_REGISTRATIONS 1024

static void (*end)(void), (*first_ends)(void);

void cw_exit_start(void (*at_exit)(void), void (*thread_ends)(void))
{
    end = at_exit;
    first_ends = thread_ends;
}

/* glibc's: `function` runs when the calling thread ends, and at the start of exit() when that thread calls
 * it. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library);
extern void *__dso_handle;

static void main_ends(void *unused)
{
    (void)unused;
    first_ends(); /* it need not be exit() that ends this thread */
}

/* exit() runs the destructors of its thread's variables before any handler. So a compiler that still works
 * for us on another thread is waited for before the variables are gone that it has made since our last
 * registration. */
static void register_first(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    if (gettid() == getpid() && !atomic_flag_test_and_set(&done))
        __cxa_thread_atexit_impl(main_ends, NULL, &__dso_handle);
}

/* For other threads that call exit(), and quick_exit(). Handlers run in reverse order of registration, and
 * vendors register theirs as they wake up piece by piece. */
void cw_exit_register(void)
{
    static _Atomic unsigned count;
    int saved = errno;

    register_first();
    if (atomic_fetch_add(&count, 1) < MAX_REGISTRATIONS) {
        atexit(end);
        at_quick_exit(end);
    }
    errno = saved;
}
