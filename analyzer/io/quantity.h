/* quantity.h - numbers of bytes, of nanoseconds and of things as a reader likes them. */
#ifndef CW_QUANTITY_H
#define CW_QUANTITY_H

#include <stdint.h>
#include <time.h>

/* "1.5 KiB", "12 B"; "1.23 ms". At most 15 characters, in `text` of 16 bytes, which is returned. */
const char *cw_quantity_bytes(uint64_t bytes, char text[16]);
const char *cw_quantity_ns(uint64_t ns, char text[16]);

/* "1 command", "3 launches", "2 kinds of command": `noun` is one of them. In `text` of 64 bytes, which is
 * returned; CW_COUNT brings its own, which lives as long as the block around it. */
const char *cw_quantity_count(uint64_t n, const char *noun, char text[64]);
#define CW_COUNT(n, noun) cw_quantity_count(n, noun, (char[64]){0})

/* "s" or "": the ending of a verb that `n` things have as their subject ("1 wait takes", "2 waits take"). */
const char *cw_quantity_verb(uint64_t n);

/* CLOCK_MONOTONIC as one number. Thread-safe. */

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
