/* spread.c - see command_times.h. */
#include "command_times.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

struct cw_spread cw_spread_of(uint64_t *ns, size_t n)
{
    struct cw_spread s = {.count = n};

    if (!n)
        return s;
    qsort(ns, n, sizeof *ns, by_size);
    for (size_t i = 0; i < n; i++)
        s.sum += ns[i];
    s.min = ns[0];
    s.median = n % 2 ? ns[n / 2] : ns[n / 2 - 1] / 2 + ns[n / 2] / 2;
    s.p95 = ns[(n * 95 + 99) / 100 - 1];
    s.max = ns[n - 1];
    return s;
}
