/* radix.c - sorts numbers by their bytes. */
#include "groups_order.h"

#include <string.h>

enum { BYTES = 8, VALUES = 256 };

void cw_radix_sort(uint64_t *a, uint64_t *scratch, size_t n)
{
    size_t count[BYTES][VALUES] = {{0}};
    uint64_t *from = a, *to = scratch;

    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++)
            count[b][a[i] >> (8 * b) & (VALUES - 1)]++;
    for (int b = 0; b < BYTES && n; b++) {
        size_t *at = count[b], before = 0;
        uint64_t *was = from;

        if (at[a[0] >> (8 * b) & (VALUES - 1)] == n)
            continue;
        for (int v = 0; v < VALUES; v++) {
            size_t here = at[v];
            at[v] = before;
            before += here;
        }
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> (8 * b) & (VALUES - 1)]++] = from[i];
        from = to;
        to = was;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}
