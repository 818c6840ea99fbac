/* pair_ratios.c - see history.h. */
#include "history.h"

#include <math.h>
#include <stdlib.h>

#define MISSES 0.05 /* of the intervals, half of them on each side */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double cw_pair_ratios_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* The largest number of ratios that may be left out on each side: as many or fewer lie below the true
 * median with at most MISSES / 2 (the binomial distribution of n tosses). */
static size_t left_out(size_t n)
{
    double term = pow(0.5, (double)n), tail = term;
    size_t k = 0;

    while (tail <= MISSES / 2 && k < n / 2) {
        k++;
        term *= (double)(n - k + 1) / (double)k;
        tail += term;
    }
    return k ? k - 1 : 0;
}

struct cw_pair_interval cw_pair_ratios_interval(double *ratios, size_t n)
{
    double median = cw_pair_ratios_median(ratios, n);
    size_t out = left_out(n);

    return (struct cw_pair_interval){median, ratios[out], ratios[n - 1 - out]};
}
