/* Doubles as whole numbers: every double has an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../sched/whole.h"

static void numbers_that_fit_are_cut(void **state)
{
    (void)state;
    assert_int_equal(cw_whole_from(0, 10), 0);
    assert_int_equal(cw_whole_from(9.99, 10), 9);
    assert_int_equal(cw_whole_from(10, 10), 10);
    assert_int_equal(cw_whole_from(0x1p63, UINT64_MAX), UINT64_C(1) << 63);
    assert_int_equal(cw_whole_later(5, 2.5), 8);
}

static void others_are_the_nearest_that_fits(void **state)
{
    (void)state;
    assert_int_equal(cw_whole_from(3e22, UINT32_MAX), UINT32_MAX);
    assert_int_equal(cw_whole_from(0x1p64, UINT64_MAX), UINT64_MAX);
    assert_int_equal(cw_whole_from(INFINITY, 7), 7);
    assert_int_equal(cw_whole_from(-1e300, 7), 0);
    assert_int_equal(cw_whole_from(NAN, 7), 0);
    assert_int_equal(cw_whole_from(5, 0), 0);
    assert_int_equal(cw_whole_later(5, NAN), 5);
    assert_int_equal(cw_whole_later(5, -9), 5);
    assert_int_equal(cw_whole_later(UINT64_MAX - 1, 1e30), UINT64_MAX);
}

static void whole_numbers_are_told(void **state)
{
    (void)state;
    assert_true(cw_whole_is(0, 0) && cw_whole_is(3, 3) && cw_whole_is(0x1p53, 0x1p53));
    assert_false(cw_whole_is(-1, 5) || cw_whole_is(.5, 5) || cw_whole_is(6, 5));
    assert_false(cw_whole_is(NAN, 5) || cw_whole_is(INFINITY, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_that_fit_are_cut),
                                       cmocka_unit_test(others_are_the_nearest_that_fits),
                                       cmocka_unit_test(whole_numbers_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
