/* passing.h - queues whose commands pass: the vendor gets them with no lock, record or mark.
 *
 * A queue that is bypassed (tuning/bypass.c) passes as long as nothing of it is managed. One word says so,
 * and counts the calls that enqueue: so a thread that has waited for the queue sees whether another call came
 * meanwhile. Only where none has are the commands of all of them known to be over, and tracking may resume.
 *
 * Any thread, without the lock, unless said. */
#ifndef CW_RUN_PASSING_H
#define CW_RUN_PASSING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CW_RUN_PASSING      (UINT64_C(1) << 63) /* of cw_run_passing.calls: it passes */
#define CW_RUN_PASSING_CALL UINT64_C(0x10000)   /* ... one call that has begun; the bits below: under way */

struct cw_run_passing {
    _Atomic uint64_t calls;
    _Atomic uint64_t over;       /* the value of `calls` up to which all commands are over */
    _Atomic uint32_t waits;      /* for the queue, since the latest that took the lock */
    _Atomic uint64_t full_ns;    /* ... which was then; set with the lock */
    _Atomic uint64_t since_ns;   /* of the first call of a span that is measured; 0: none yet, UINT64_MAX: the
                                  span is not */
    _Atomic uint64_t first;      /* `calls` when that span began */
    atomic_bool makes_transfers; /* threads make those that block, while nothing is under way */
    uint64_t counted;            /* calls that the summary and the account have; lock */
    uint32_t full;               /* waits that took the lock; lock */
};

static inline bool cw_run_passing_is(const struct cw_run_passing *p)
{
    return atomic_load_explicit(&p->calls, memory_order_acquire) & CW_RUN_PASSING;
}

/* No call is under way, and all commands are over. */
static inline bool cw_run_passing_is_quiet(const struct cw_run_passing *p)
{
    return atomic_load(&p->calls) == atomic_load_explicit(&p->over, memory_order_acquire);
}

/* A call is under way. */
static inline bool cw_run_passing_is_called(const struct cw_run_passing *p)
{
    return atomic_load(&p->calls) & (CW_RUN_PASSING_CALL - 1);
}

/* A call that enqueues begins. Returns `calls` with it; 0: the queue does not pass. */
static inline uint64_t cw_run_passing_enter(struct cw_run_passing *p)
{
    uint64_t calls = atomic_load(&p->calls);

    while (calls & CW_RUN_PASSING)
        if (atomic_compare_exchange_weak(&p->calls, &calls, calls + CW_RUN_PASSING_CALL + 1))
            return calls + CW_RUN_PASSING_CALL + 1;
    return 0;
}

static inline void cw_run_passing_leave(struct cw_run_passing *p)
{
    atomic_fetch_sub_explicit(&p->calls, 1, memory_order_release);
}

/* The next span is measured, or is not. */
static inline void cw_run_passing_measure(struct cw_run_passing *p, bool wanted)
{
    atomic_store_explicit(&p->first, atomic_load(&p->calls), memory_order_relaxed);
    atomic_store_explicit(&p->since_ns, wanted ? 0 : UINT64_MAX, memory_order_relaxed);
}

/* The program has waited for all commands of the calls up to `calls`. Where other calls were under way then,
 * that says nothing. */
static inline void cw_run_passing_waited(struct cw_run_passing *p, uint64_t calls)
{
    if (!(calls & (CW_RUN_PASSING_CALL - 1)))
        atomic_store_explicit(&p->over, calls, memory_order_release);
}

/* A wait for the queue: true where it takes the lock, as its span was measured. Else the next span is,
 * where the latest such wait was before `old_ns`. */
static inline bool cw_run_passing_wait_is_full(struct cw_run_passing *p, uint64_t old_ns)
{
    if (atomic_load_explicit(&p->since_ns, memory_order_relaxed) != UINT64_MAX)
        return true;
    atomic_fetch_add_explicit(&p->waits, 1, memory_order_relaxed);
    if (atomic_load_explicit(&p->full_ns, memory_order_relaxed) < old_ns)
        cw_run_passing_measure(p, true);
    return false;
}

/* Lock held. `known`: all commands of the queue are over. */
static inline void cw_run_passing_begin(struct cw_run_passing *p, bool known, bool makes_transfers)
{
    uint64_t calls = atomic_load(&p->calls) | CW_RUN_PASSING;

    atomic_store(&p->makes_transfers, makes_transfers);
    atomic_store(&p->over, known ? calls : 0);
    cw_run_passing_measure(p, true);
    atomic_fetch_or(&p->calls, CW_RUN_PASSING);
}

/* Lock held. False: a call has come, and the queue passes as before. */
static inline bool cw_run_passing_end(struct cw_run_passing *p)
{
    uint64_t calls = atomic_load(&p->over);

    return atomic_compare_exchange_strong(&p->calls, &calls, calls & ~CW_RUN_PASSING);
}

/* Ends it though commands may be under way: a planted fault. */
static inline void cw_run_passing_end_early(struct cw_run_passing *p)
{
    atomic_fetch_and(&p->calls, ~CW_RUN_PASSING);
}

/* Calls that have not been counted yet; they count from here on. Lock held. */
static inline uint64_t cw_run_passing_count(struct cw_run_passing *p)
{
    uint64_t calls = (atomic_load(&p->calls) & ~CW_RUN_PASSING) / CW_RUN_PASSING_CALL, more;

    more = calls - p->counted;
    p->counted += more;
    return more;
}

/* Above 0, no command passes: user events of the program that are not set, as what they hold is remembered
 * (tasks/dependence.c), and contexts in which kernels may watch memory for what others write. */
extern atomic_uint cw_run_passing_held;

#endif
