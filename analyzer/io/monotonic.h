/* monotonic.h - CLOCK_MONOTONIC as one number. Thread-safe. */
#ifndef CW_MONOTONIC_H
#define CW_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t cw_monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double cw_monotonic_s(void)
{
    return (double)cw_monotonic_ns() / 1e9;
}

#endif
