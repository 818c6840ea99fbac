/* whole.h - doubles as whole numbers. C defines a conversion only where the number fits (C11 6.3.1.4); these
 * are defined for all doubles. Every double that comes from a file, from a person or from a sum without a
 * bound is converted here. Pure. */
#ifndef CW_WHOLE_H
#define CW_WHOLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* `x` rounded down; 0 where it is below 0 or not a number, `most` where it is above that. */
static inline uint64_t cw_whole_from(double x, uint64_t most)
{
    return !(x > 0) ? 0 : x >= (double)most ? most : (uint64_t)x;
}

/* True for a whole number from 0 to `most`. */
static inline bool cw_whole_is(double x, double most)
{
    return x >= 0 && x <= most && x == floor(x);
}

/* A point in time `more` after `at`, rounded to the nearest; `at` where `more` is below 0 or not a number,
 * UINT64_MAX at most. */
static inline uint64_t cw_whole_later(uint64_t at, double more)
{
    return at + cw_whole_from(more + .5, UINT64_MAX - at);
}

#endif
