/* pair_ratios.h - what interleaved timings of two configurations say: the median of the pairs' ratios, and
 * how sure it is. Pure; any thread. */
#ifndef CW_PAIR_RATIOS_H
#define CW_PAIR_RATIOS_H

#include <stddef.h>

struct cw_pair_interval {
    double median, low, high;
};

/* Of ratios[0 .. n - 1], n > 0, which this sorts: the median, and the order statistics around it that cover
 * the true median with 95 % whatever the distribution; with fewer than 6 ratios the extremes, which cover
 * it with 1 - 2^(1 - n). */
struct cw_pair_interval cw_pair_ratios_interval(double *ratios, size_t n);

/* Of values[0 .. n - 1], n > 0, which this sorts. */
double cw_pair_ratios_median(double *values, size_t n);

#endif
