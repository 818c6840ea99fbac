/* diff_test.h - whether the values of B differ from those of A (rank_test.h), for a table of such rows.
 *
 * Thread-safety: no state. */
#ifndef CW_DIFF_TEST_H
#define CW_DIFF_TEST_H

#include <stddef.h>

enum cw_diff_verdict {
    CW_DIFF_ALONE,   /* a side has no such commands */
    CW_DIFF_UNTIMED, /* a side has no times */
    CW_DIFF_FEW,     /* fewer than CW_RANK_TEST_LEAST on a side, or than a difference needs to show */
    CW_DIFF_SAME,    /* the test shows no difference, or the typical one is less than CW_DIFF_LEAST */
    CW_DIFF_FASTER,  /* B is */
    CW_DIFF_SLOWER
};
#define CW_DIFF_LEVEL .05 /* of adjusted p */
#define CW_DIFF_LEAST .01 /* of a time of A */

struct cw_diff_test {
    double change;    /* typical ratio of a value of B to one of A (rank_test.h), less 1; NAN: unknown */
    double low, high; /* its 95 % interval; NAN: too few values */
    double p;         /* adjusted; NAN: not tested, or CW_DIFF_FEW */
    double least;     /* the least p, not adjusted, of this number of values; NAN: not tested */
    enum cw_diff_verdict verdict;
};

/* Compares a[0 .. n - 1] and b[0 .. m - 1], ascending, at least 0. The p is not adjusted yet. */
struct cw_diff_test cw_diff_test_compare(const double *a, size_t n, const double *b, size_t m);

/* Adjusts the p of the tests that were made, for their number, and judges. A test that could not have shown
 * any difference beside the others judges nothing. Returns how many judge; `test` and `p` have room for n,
 * and `test` is reordered. */
size_t cw_diff_test_judge(struct cw_diff_test **test, size_t n, double *p);

/* "faster", "too few" and so on. */
const char *cw_diff_test_verdict(enum cw_diff_verdict verdict);

#endif
