/* spread.h - how a set of times is spread: its smallest, middle and largest. */
#ifndef CW_SPREAD_H
#define CW_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct cw_spread {
    uint64_t count;
    uint64_t sum, min, median, p95,
        max; /* ns; all 0 without times. p95: 95 % of the times are at most that */
};

/* The spread of ns[0 .. n-1], which it sorts. O(n log n). */
struct cw_spread cw_spread_of(uint64_t *ns, size_t n);

#endif
