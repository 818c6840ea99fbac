/* random.h - random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014).
 *
 * State is one 64-bit number, the seed; any seed is good. Not for secrets. Thread-safety: one state, one
 * thread. */
#ifndef CW_RANDOM_H
#define CW_RANDOM_H

#include <stdint.h>

/* The next 64 random bits. */
static inline uint64_t cw_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform over 0 .. n - 1; n >= 1. Each equally likely (values beyond the last whole multiple of n are drawn
 * again). */
static inline uint64_t cw_random_below(uint64_t *state, uint64_t n)
{
    uint64_t limit = -n % n, x; /* 2^64 mod n */

    do
        x = cw_random_next(state);
    while (x < limit);
    return x % n;
}

/* Uniform over [low, high), 53 bits. */
static inline double cw_random_uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(cw_random_next(state) >> 11) * 0x1p-53;
}

#endif
