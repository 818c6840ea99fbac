/* lock_order.h - the order of the mutexes of shim/ (lock_order.inc), checked in builds with -DCW_LOCK_ORDER
 * (make SAN=thread, make LOCK_ORDER=1): a thread that takes one out of order, or calls the vendor with one
 * held that excludes it, ends the process with a message. In other builds nothing here makes code.
 *
 * The linker leads calls of pthread_mutex_lock() and the like to the check. A mutex that is in no row is none
 * of this folder's. */
#ifndef CW_LOCK_ORDER_H
#define CW_LOCK_ORDER_H

#include <pthread.h>

struct cw_dispatch;

enum cw_lock_rank {
    CW_LOCK_NO_RANK,
#define X(rank, name, calls) CW_LOCK_##rank,
#include "lock_order.inc"
    CW_LOCK_RANKS
};

#ifdef CW_LOCK_ORDER
/* Any thread; again without effect. Weak: unit tests are linked without the check. */
void cw_lock_order_add(const pthread_mutex_t *mutex, enum cw_lock_rank rank) __attribute__((weak));
/* Puts the check before the functions of `vendor`, but that by which its module is known. Once. */
void cw_lock_order_watch(struct cw_dispatch *vendor);
/* At file scope, beside the definition of a mutex; `mutex` is its address. */
#define CW_LOCK_RANK(mutex, rank)                                                                            \
    __attribute__((constructor)) static void add_rank_##rank(void)                                           \
    {                                                                                                        \
        if (cw_lock_order_add)                                                                               \
            cw_lock_order_add(mutex, CW_LOCK_##rank);                                                        \
    }
#else
#define cw_lock_order_add(mutex, rank) ((void)0)
#define cw_lock_order_watch(vendor)    ((void)0)
#define CW_LOCK_RANK(mutex, rank)
#endif

#endif
