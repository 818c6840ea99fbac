/* radix.h - many numbers in ascending order, byte by byte, the lowest first (Knuth, The Art of Computer
 * Programming 3, 5.2.5).
 *
 * Bytes that all numbers share cost a look only. Pure. */
#ifndef CW_RADIX_H
#define CW_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* Sorts a[n]; scratch[n] is overwritten. O(n) for each byte that differs. Thread-safe, cannot fail. */
void cw_radix_sort(uint64_t *a, uint64_t *scratch, size_t n);

#endif
