/* diff_test.c - see trace_diff.h. */
#include "trace_diff.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct cw_diff_test cw_diff_test_compare(const double *a, size_t n, const double *b, size_t m)
{
    struct cw_diff_test t = {NAN, NAN, NAN, NAN, NAN, CW_DIFF_UNTIMED};
    size_t least = n < m ? n : m;
    struct cw_rank_test_ratio ratio;

    if (!least)
        return t;
    t.verdict = CW_DIFF_FEW;
    t.change = b[m / 2] > a[n / 2] ? INFINITY : b[m / 2] < a[n / 2] ? -1 : 0; /* phases may last 0 */
    if (a[0] > 0 && b[0] > 0) {
        ratio = cw_rank_test_ratio(a, n, b, m);
        t.change = ratio.typical - 1;
        t.low = least < CW_RANK_TEST_LEAST ? NAN : ratio.low - 1;
        t.high = least < CW_RANK_TEST_LEAST ? NAN : ratio.high - 1;
    }
    if (least < CW_RANK_TEST_LEAST)
        return t;
    t.p = cw_rank_test_p(a, n, b, m);
    t.least = cw_rank_test_least_p(n, m);
    t.verdict = CW_DIFF_SAME;
    return t;
}

static int by_p(const void *a, const void *b)
{
    double x = (*(struct cw_diff_test *const *)a)->p, y = (*(struct cw_diff_test *const *)b)->p;

    return (x > y) - (x < y);
}

static bool differs(const struct cw_diff_test *t)
{
    return fabs(t->change) >= CW_DIFF_LEAST;
}

/* Of the tests that show nothing, beside `shown` that do: those that could not have. Returns how many. */
static size_t find_few(struct cw_diff_test **test, size_t made, size_t shown)
{
    size_t few = 0;

    for (size_t i = shown; i < made; i++)
        if (differs(test[i]) && test[i]->least * (double)(made - shown) >= CW_DIFF_LEVEL) {
            test[i]->verdict = CW_DIFF_FEW;
            test[i]->p = NAN;
            few++;
        }
    return few;
}

size_t cw_diff_test_judge(struct cw_diff_test **test, size_t n, double *p)
{
    size_t made = 0, shown = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(test[i]->p))
            test[made++] = test[i];
    if (made)
        qsort(test, made, sizeof *test, by_p);
    for (size_t i = 0; i < made; i++)
        p[i] = test[i]->p;
    cw_rank_test_adjust(p, made);
    for (size_t i = 0; i < made; i++) {
        test[i]->p = p[i];
        shown += p[i] < CW_DIFF_LEVEL;
        if (p[i] < CW_DIFF_LEVEL && differs(test[i]))
            test[i]->verdict = test[i]->change < 0 ? CW_DIFF_FASTER : CW_DIFF_SLOWER;
    }
    return made - find_few(test, made, shown);
}

const char *cw_diff_test_verdict(enum cw_diff_verdict verdict)
{
    static const char *const words[] = {"only in one", "no times", "too few", "same", "faster", "slower"};

    return words[verdict];
}
