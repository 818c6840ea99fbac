/* rank_test.h - whether two sets of times differ: the rank-sum test of Wilcoxon, Mann and Whitney, two-sided,
 * and Holm's correction for many of them.
 *
 * It asks nothing of the distributions, so first launches that take long do not decide. Times of one run are
 * not independent of each other: a small p says that these two runs differ, not that all runs do.
 *
 * Thread-safety: no state. */
#ifndef CW_RANK_TEST_H
#define CW_RANK_TEST_H

#include <stddef.h>

/* Fewer values on a side are not tested. */
enum { CW_RANK_TEST_LEAST = 4 };

/* The p of a[0 .. n - 1] and b[0 .. m - 1], both ascending, n and m at least 1: by the normal approximation
 * with correction for ties and continuity. 1 when all values are equal. O(n + m). */
double cw_rank_test_p(const double *a, size_t n, const double *b, size_t m);

/* The least p that n and m values can have: those of one side are all below those of the other. */
double cw_rank_test_least_p(size_t n, size_t m);

/* The ratios b[k] / a[i] of all pairs have a median, the typical ratio (the estimate of Hodges and Lehmann
 * that belongs to this test), and an interval that holds the true one with 95 %, by the normal approximation.
 * All values above 0, ascending, n and m at least 1. O((n + m) log of the precision). */
struct cw_rank_test_ratio {
    double typical, low, high;
};
struct cw_rank_test_ratio cw_rank_test_ratio(const double *a, size_t n, const double *b, size_t m);

/* Replaces p[0 .. n - 1], ascending, by Holm's adjusted values: those below a level differ at that level,
 * all of them together. */
void cw_rank_test_adjust(double *p, size_t n);

#endif
