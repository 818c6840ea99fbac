/* lock.h - a lock of one word, for a few instructions that never block.
 *
 * Unlike a mutex it needs no care in the child of a fork: storing 0 frees it. A thread that finds it held
 * sleeps after a few tries, so a holder that has lost its processor gets it back even from a thread of
 * real-time priority.
 */
#ifndef CW_LOCK_H
#define CW_LOCK_H

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

typedef _Atomic uint32_t cw_lock;

static inline void cw_lock_take(cw_lock *l)
{
    unsigned tries = 0;
    int saved;

    while (atomic_exchange_explicit(l, 1, memory_order_acquire))
        if (++tries > 100) {
            saved = errno;
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
            errno = saved;
        }
}

static inline void cw_lock_free(cw_lock *l)
{
    atomic_store_explicit(l, 0, memory_order_release);
}

#endif
