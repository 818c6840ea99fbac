/* test_rank_test.c - the rank-sum test against values worked out by hand, ratios against all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../analyzer/explain/trace_diff.h"

static void near(double got, double wanted, double error)
{
    if (!(fabs(got - wanted) <= error))
        fail_msg("%.9g, not %.9g", got, wanted);
}

/* U = 16, mean 8, variance 12: z = 7.5 / sqrt 12. Then one pair in the other order: U = 15. */
static void test_apart(void **state)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, mixed_a[] = {1, 2, 3, 5}, mixed_b[] = {4, 6, 7, 8};

    (void)state;
    near(cw_rank_test_p(a, 4, b, 4), .030383, 1e-6);
    near(cw_rank_test_p(b, 4, a, 4), .030383, 1e-6);
    near(cw_rank_test_p(mixed_a, 4, mixed_b, 4), erfc(6.5 / sqrt(24)), 1e-12);
}

/* Ranks 2, 2, 5 and 2, 5, 5: U = 3, mean 4.5, variance 9 / 12 * (7 - 48 / 30). */
static void test_ties(void **state)
{
    const double a[] = {1, 1, 2}, b[] = {1, 2, 2}, same[] = {3, 3, 3, 3};

    (void)state;
    near(cw_rank_test_p(a, 3, b, 3), erfc(1 / sqrt(2 * 4.05)), 1e-12);
    near(cw_rank_test_p(same, 4, same, 4), 1, 0);
    near(cw_rank_test_p(a, 3, a, 3), 1, 0);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of all pairs' ratios, and of the interval that it lies in it. */
static void test_ratio(void **state)
{
    enum { MOST = 12 };
    double a[MOST], b[MOST], all[MOST * MOST];

    (void)state;
    srand(7);
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + (size_t)rand() % MOST, m = 1 + (size_t)rand() % MOST, pairs = 0;
        struct cw_rank_test_ratio r;
        for (size_t i = 0; i < n; i++)
            a[i] = 1 + rand() % 50;
        for (size_t i = 0; i < m; i++)
            b[i] = 1 + rand() % 80;
        qsort(a, n, sizeof *a, ascending);
        qsort(b, m, sizeof *b, ascending);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < m; k++)
                all[pairs++] = b[k] / a[i];
        qsort(all, pairs, sizeof *all, ascending);
        r = cw_rank_test_ratio(a, n, b, m);
        near(r.typical, (all[(pairs - 1) / 2] + all[pairs / 2]) / 2, 1e-6);
        assert_true(r.low <= r.typical && r.typical <= r.high);
        assert_true(r.low >= all[0] - 1e-6 && r.high <= all[pairs - 1] + 1e-6);
    }
}

/* Of data without a difference about 5 % have p below .05, and about 95 % of the intervals hold 1. */
static void test_level(void **state)
{
    double a[20], b[30];
    int small = 0, inside = 0;

    (void)state;
    srand(11);
    for (int round = 0; round < 2000; round++) {
        struct cw_rank_test_ratio r;
        for (size_t i = 0; i < 20; i++)
            a[i] = 100 + rand() % 10000;
        for (size_t i = 0; i < 30; i++)
            b[i] = 100 + rand() % 10000;
        qsort(a, 20, sizeof *a, ascending);
        qsort(b, 30, sizeof *b, ascending);
        small += cw_rank_test_p(a, 20, b, 30) < .05;
        r = cw_rank_test_ratio(a, 20, b, 30);
        inside += r.low <= 1 && 1 <= r.high;
    }
    if (small < 60 || small > 140 || inside < 1860 || inside > 1960)
        fail_msg("%d of 2000 p are below .05, %d of 2000 intervals hold 1", small, inside);
}

static void test_adjust(void **state)
{
    double p[] = {.01, .015, .2, .9}, one[] = {.04};

    (void)state;
    cw_rank_test_adjust(p, 4);
    near(p[0], .04, 1e-12);
    near(p[1], .045, 1e-12);
    near(p[2], .4, 1e-12);
    near(p[3], .9, 1e-12);
    cw_rank_test_adjust(one, 1);
    near(one[0], .04, 1e-12);
    cw_rank_test_adjust(one, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apart), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_ratio), cmocka_unit_test(test_level),
                                       cmocka_unit_test(test_adjust)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
