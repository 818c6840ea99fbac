/* interval_union.c - see explain.h. */
#include "explain.h"

#include <stdlib.h>

static int by_begin(const void *a, const void *b)
{
    const struct cw_interval *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

uint64_t cw_interval_union(struct cw_interval *v, size_t n)
{
    int64_t reached = INT64_MIN;
    uint64_t sum = 0;
    size_t i = 1;

    while (i < n && v[i - 1].begin <= v[i].begin)
        i++;
    if (i < n)
        qsort(v, n, sizeof *v, by_begin);
    for (i = 0; i < n; i++) {
        int64_t from = v[i].begin > reached ? v[i].begin : reached;
        if (v[i].end > from)
            sum += (uint64_t)(v[i].end - from);
        reached = v[i].end > reached ? v[i].end : reached;
    }
    return sum;
}
