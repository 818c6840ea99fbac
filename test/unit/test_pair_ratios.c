/* Medians of ratios and their intervals: the same as test/bench/ratios.py gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../analyzer/history/history.h"

/* Of the numbers 1 to n, in falling order. */
static void order_statistics(void **state)
{
    static const struct {
        size_t n;
        double median, low, high;
    } of[] = {{1, 1, 1, 1}, {2, 1.5, 1, 2}, {5, 3, 1, 5},    {6, 3.5, 1, 6},
              {9, 5, 2, 8}, {17, 9, 5, 13}, {25, 13, 8, 18}, {100, 50.5, 40, 61}};
    double values[100];

    (void)state;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct cw_pair_interval got;

        for (size_t i = 0; i < of[k].n; i++)
            values[i] = (double)(of[k].n - i);
        got = cw_pair_ratios_interval(values, of[k].n);
        assert_true(got.median == of[k].median && got.low == of[k].low && got.high == of[k].high);
        assert_true(cw_pair_ratios_median(values, of[k].n) == of[k].median);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(order_statistics)};

    return cmocka_run_group_tests(all, NULL, NULL);
}
