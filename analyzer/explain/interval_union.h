/* interval_union.h - how long at least one of several things went on. */
#ifndef CW_INTERVAL_UNION_H
#define CW_INTERVAL_UNION_H

#include <stddef.h>
#include <stdint.h>

struct cw_interval {
    int64_t begin, end; /* end >= begin */
};

/* The length of the union of v[0 .. n-1], which it sorts. O(n log n), O(n) where they are in order. */
uint64_t cw_interval_union(struct cw_interval *v, size_t n);

#endif
