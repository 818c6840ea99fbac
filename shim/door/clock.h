/* clock.h - CLOCK_MONOTONIC, cheaply.
 *
 * Where the kernel itself uses the processor's time stamp counter as its clock, a thread reads the counter
 * and adds the difference to the answer that clock_gettime gave within the last millisecond (8 instead of 20
 * ns). Differs from clock_gettime by nanoseconds (half a microsecond at most, while the clock is being
 * slewed), so two readings may be out of order by that much. Elsewhere, and in the first 20 ms, clock_gettime
 * it is. Thread-safe. */
#ifndef CW_CLOCK_H
#define CW_CLOCK_H

#include <stdint.h>

#if defined __x86_64__
struct cw_clock_anchor {
    uint64_t ticks, ns, limit; /* limit: ticks for which it is good; 0 never */
};
extern __thread struct cw_clock_anchor cw_clock_anchor __attribute__((tls_model("initial-exec")));
extern uint64_t cw_clock_scale; /* ns per tick << 32; 0: not known yet */

uint64_t cw_clock_slow(void);

static inline uint64_t cw_now_ns(void)
{
    /* __rdtsc(), whose header takes longer to compile than most sources */
    uint64_t ticks = __builtin_ia32_rdtsc() - cw_clock_anchor.ticks;

    if (__builtin_expect(ticks < cw_clock_anchor.limit, 1))
        return cw_clock_anchor.ns + (ticks * __atomic_load_n(&cw_clock_scale, __ATOMIC_RELAXED) >> 32);
    return cw_clock_slow();
}
#else
uint64_t cw_clock_slow(void);

static inline uint64_t cw_now_ns(void)
{
    return cw_clock_slow();
}
#endif

/* Asks the kernel for its clock source. Once, before other threads measure. */
void cw_clock_start(void);

#endif
