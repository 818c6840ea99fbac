/* rank_test.c - see trace_diff.h. */
#include "trace_diff.h"

#include <math.h>

double cw_rank_test_p(const double *a, size_t n, const double *b, size_t m)
{
    double all = (double)(n + m), product = (double)n * (double)m, ranks = 0, ties = 0, off, variance;
    size_t i = 0, k = 0;

    while (i < n || k < m) {
        double value = k == m || (i < n && a[i] <= b[k]) ? a[i] : b[k], before = (double)(i + k), equal;
        size_t of_a = i;

        while (i < n && a[i] == value)
            i++;
        while (k < m && b[k] == value)
            k++;
        equal = (double)(i + k) - before;
        ranks += (double)(i - of_a) * (before + (equal + 1) / 2);
        ties += equal * equal * equal - equal;
    }
    off = fabs(ranks - (double)n * ((double)n + 1) / 2 - product / 2) - .5;
    variance = product / 12 * (all + 1 - ties / (all * (all - 1)));
    return variance > 0 && off > 0 ? erfc(off / sqrt(2 * variance)) : 1;
}

double cw_rank_test_least_p(size_t n, size_t m)
{
    double product = (double)n * (double)m;

    return erfc((product / 2 - .5) / sqrt(product / 6 * (double)(n + m + 1)));
}

/* How many pairs have b[k] <= ratio * a[i]. */
static double pairs_below(double ratio, const double *a, size_t n, const double *b, size_t m)
{
    double count = 0;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        while (k < m && b[k] <= ratio * a[i])
            k++;
        count += (double)k;
    }
    return count;
}

/* The least ratio that `rank` pairs (1 .. n * m) do not exceed. */
static double ratio_at(double rank, const double *a, size_t n, const double *b, size_t m)
{
    double low = log(b[0] / a[n - 1]) - 1e-9, high = log(b[m - 1] / a[0]) + 1e-9;

    for (int i = 0; i < 60 && high - low > 1e-12; i++) {
        double middle = (low + high) / 2;
        *(pairs_below(exp(middle), a, n, b, m) < rank ? &low : &high) = middle;
    }
    return exp(high);
}

struct cw_rank_test_ratio cw_rank_test_ratio(const double *a, size_t n, const double *b, size_t m)
{
    double pairs = (double)n * (double)m, off = 1.96 * sqrt(pairs * (double)(n + m + 1) / 12);

    return (struct cw_rank_test_ratio){
        (ratio_at(floor((pairs + 1) / 2), a, n, b, m) + ratio_at(ceil((pairs + 1) / 2), a, n, b, m)) / 2,
        ratio_at(fmax(1, floor(pairs / 2 - off)), a, n, b, m),
        ratio_at(fmin(pairs, ceil(pairs / 2 + off) + 1), a, n, b, m)};
}

void cw_rank_test_adjust(double *p, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, p[i] * (double)(n - i));
        p[i] = fmin(largest, 1);
    }
}
