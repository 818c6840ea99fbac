/* Waits that double, and turns that come ever less often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../shim/run/core/trial.h"

static void test_waits_double_up_to_the_most(void **state)
{
    static const double expected[] = {16, 32, 64, 100, 100};
    double wait = 0;

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        wait = cw_run_trial_longer(wait, 16, 100);
        assert_true(wait == expected[i]);
    }
}

/* A limit that has become lower, as what is waited for takes less, holds at once. */
static void test_the_limit_may_move(void **state)
{
    (void)state;
    assert_true(cw_run_trial_longer(1000, 4, 500) == 500);
    assert_true(cw_run_trial_longer(0, 4, 2) == 2);
}

static void test_waits_halve_down_to_one(void **state)
{
    (void)state;
    assert_int_equal(cw_run_trial_shorter(16), 8);
    assert_int_equal(cw_run_trial_shorter(3), 1);
    assert_int_equal(cw_run_trial_shorter(1), 1);
}

/* What another process makes: after half a second, one, two, and so on without an end. */
static void test_results_are_sought_ever_less_often(void **state)
{
    struct cw_run_trial seek = {0};
    uint64_t now = 1000, wait = 500000000;

    (void)state;
    assert_true(cw_run_trial_seeks(&seek, now));
    for (int i = 0; i < 20; i++, wait *= 2) {
        assert_false(cw_run_trial_seeks(&seek, now));
        now += wait - 1;
        assert_false(cw_run_trial_seeks(&seek, now));
        assert_true(cw_run_trial_seeks(&seek, ++now));
    }
}

static void test_turns_come_at_powers_of_two(void **state)
{
    uint32_t turns = 0;

    (void)state;
    for (uint32_t n = 1; n <= 4096; n++)
        turns += cw_run_trial_is_turn(n, 16);
    assert_int_equal(turns, 9); /* 16, 32 ... 4096 */
    assert_false(cw_run_trial_is_turn(8, 16));
    assert_false(cw_run_trial_is_turn(48, 16));
    assert_true(cw_run_trial_is_turn(64, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_double_up_to_the_most),
        cmocka_unit_test(test_the_limit_may_move),
        cmocka_unit_test(test_waits_halve_down_to_one),
        cmocka_unit_test(test_results_are_sought_ever_less_often),
        cmocka_unit_test(test_turns_come_at_powers_of_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
