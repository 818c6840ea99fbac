/* Waits that double, turns that come ever less often, and what a trial costs. */
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

/* Counted: so many pass, and then one is due. */
static void test_counted_rests_pass(void **state)
{
    struct cw_run_trial t = {0};
    uint32_t n = 0;

    (void)state;
    assert_false(cw_run_trial_passes(&t));
    for (uint32_t want = 16; want <= 4096; want *= 2, n = 0) {
        cw_run_trial_rest(&t, CW_RUN_REST_SPANS, 0, 1);
        while (cw_run_trial_passes(&t))
            n++;
        assert_int_equal(n, want);
    }
    cw_run_trial_rest(&t, CW_RUN_REST_SPANS, 0, 1);
    assert_int_equal(t.until, 4096);
}

/* By the duration of a launch, ten seconds at most. */
static void test_rests_of_launches_follow_their_time(void **state)
{
    struct cw_run_trial t = {0};

    (void)state;
    cw_run_trial_rest(&t, CW_RUN_REST_LAUNCHES, 1000, 1e6);
    assert_int_equal(t.until, 1000 + 4000000);
    for (int i = 0; i < 20; i++)
        cw_run_trial_rest(&t, CW_RUN_REST_LAUNCHES, 0, 1e6);
    assert_int_equal(t.until, 4096 * UINT64_C(1000000));
    cw_run_trial_rest(&t, CW_RUN_REST_LAUNCHES, 0, 1e9);
    assert_int_equal(t.until, UINT64_C(8192) * 1000000);
    cw_run_trial_rest(&t, CW_RUN_REST_LAUNCHES, 0, 1e9);
    assert_int_equal(t.until, UINT64_C(10000000000));
}

/* Half of what is left in each trial: .15 s in all here. */
static void test_an_account_may_lose_its_limit(void **state)
{
    struct cw_run_trial_account a = {.home_ns = 1e9}; /* .1 s, and a twentieth */

    (void)state;
    assert_false(cw_run_trial_book(&a, -74e6));
    assert_true(cw_run_trial_book(&a, -2e6));
    assert_true(cw_run_trial_begins(&a));
    assert_false(cw_run_trial_book(&a, -36e6));
    assert_true(cw_run_trial_book(&a, -2e6));
    assert_false(cw_run_trial_begins(&a)); /* 36 ms are left, and 74 may be lost at once */
    for (int i = 0; i < 100; i++)
        assert_false(cw_run_trial_book(&a, 1e9)); /* they make up for four times as much */
    assert_false(cw_run_trial_book(&a, -674e6));
    assert_true(cw_run_trial_book(&a, -2e6));
}

static void test_the_least_of_late_grows(void **state)
{
    double least = cw_run_trial_least(0, 100);
    int n = 0;

    (void)state;
    assert_true(least == 100);
    assert_true(cw_run_trial_least(least, 50) == 50);
    for (; least < 200; n++)
        least = cw_run_trial_least(least, 200);
    assert_int_equal(n, 36);
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
        cmocka_unit_test(test_counted_rests_pass),
        cmocka_unit_test(test_rests_of_launches_follow_their_time),
        cmocka_unit_test(test_an_account_may_lose_its_limit),
        cmocka_unit_test(test_the_least_of_late_grows),
        cmocka_unit_test(test_turns_come_at_powers_of_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
