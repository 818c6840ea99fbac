/* The account of launches that are cut between GPUs: after losses they rest, longer each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tuning/gpu_gain.c"

#define MS 1e6

struct cw_run_state_all cw_run;

static uint64_t now_ns;

uint64_t cw_run_clock_devices_ns(void)
{
    return now_ns;
}

static int setup(void **unused)
{
    (void)unused;
    memset(&gain, 0, sizeof gain);
    memset(&spans, 0, sizeof spans);
    memset(&cw_run.counts, 0, sizeof cw_run.counts);
    cw_run.all = cw_run.chaos = false;
    now_ns = 1000;
    return 0;
}

/* How long launches rest now, ms. */
static uint64_t rest_ms(void)
{
    uint64_t begin = now_ns;

    while (cw_run_gpu_gain_rests())
        now_ns += 1000000;
    return (now_ns - begin) / 1000000;
}

static void gains_never_rest(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        cw_run_gpu_gain_cut(10 * MS, 4 * MS);
    assert_false(cw_run_gpu_gain_rests());
    assert_true(cw_run_gpu_gain_all() == 600 * MS);
}

/* A gain of single launches is none where home waits longer for the bytes. */
static void waiting_for_bytes_counts(void **unused)
{
    int n = 0;

    (void)unused;
    for (; n < 100 && !cw_run_gpu_gain_rests(); n++) {
        cw_run_gpu_gain_cut(10 * MS, 6 * MS);
        cw_run_gpu_gain_waited(9 * MS);
    }
    assert_in_range(n, 4, 6); /* 5 ms each; 20 ms, and a twentieth of their time at home */
    assert_in_range(rest_ms(), 499, 501);
}

static void rests_become_longer_until_there_are_gains(void **unused)
{
    (void)unused;
    for (uint64_t want = 500; want <= 2000; want *= 2) {
        cw_run_gpu_gain_waited(21 * MS);
        assert_in_range(rest_ms(), want - 1, want + 1);
    }
    for (int i = 0; i < 10; i++)
        cw_run_gpu_gain_cut(10 * MS, 4 * MS);
    for (int i = 0; i < 10; i++)
        cw_run_gpu_gain_waited(15 * MS);
    assert_in_range(rest_ms(), 499, 501);
}

static void losses_time_and_again_end_it(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        cw_run_gpu_gain_waited(21 * MS);
        rest_ms();
    }
    cw_run_gpu_gain_cut(1 * MS, 22 * MS);
    assert_true(cw_run_gpu_gain_rests());
    now_ns += UINT64_C(3600) * 1000000000;
    assert_true(cw_run_gpu_gain_rests());
}

/* `n` spans of 90 commands, with or without launches on other GPUs. */
static void spans_of(int n, double ns, bool helped)
{
    for (int i = 0; i < n; i++) {
        cw_run.counts.cut += helped;
        cw_run_gpu_gain_span(ns, 90);
    }
}

/* Single launches seem to gain, by an old time at home. */
static void spans_that_lose_end_it(void **unused)
{
    (void)unused;
    spans_of(3, 10 * MS, false);
    for (int i = 0; i < 100; i++)
        cw_run_gpu_gain_cut(10 * MS, 1 * MS);
    spans_of(3, 20 * MS, true);
    assert_false(cw_run_gpu_gain_rests());
    spans_of(2, 20 * MS, true);
    assert_true(cw_run_gpu_gain_rests() && cw_run_gpu_gain_harms());
}

/* Cut from the first span on, in whose time cut launches are little: one is whole, to compare. */
static void spans_of_an_odd_length_are_tried_whole(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_false(cw_run_gpu_gain_rests());
        cw_run_gpu_gain_cut(0, 2 * MS);
        spans_of(1, 20 * MS, true);
    }
    assert_true(cw_run_gpu_gain_rests());
    spans_of(2, 10 * MS, false);
    assert_false(cw_run_gpu_gain_rests());
    spans_of(3, 20 * MS, true);
    assert_true(cw_run_gpu_gain_harms());
}

/* Nearly all of their time, without a gain: other commands may wait for them. */
static void spans_of_cut_launches_that_gain_nothing_are_tried_whole(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_false(cw_run_gpu_gain_rests());
        cw_run_gpu_gain_cut(19 * MS, 18 * MS);
        spans_of(1, 20 * MS, true);
    }
    assert_true(cw_run_gpu_gain_rests());
}

static void spans_of_cut_launches_are_tried_whole_late(void **unused)
{
    int n = 0;

    (void)unused;
    cw_run.num_workers = 2;
    for (; n < 100 && !cw_run_gpu_gain_rests(); n++) {
        cw_run_gpu_gain_cut(0, 9 * MS);
        spans_of(1, 10 * MS, true);
    }
    assert_in_range(n, 20, 50);
}

static void spans_that_gain_or_are_unlike_do_not(void **unused)
{
    (void)unused;
    spans_of(3, 10 * MS, false);
    spans_of(100, 6 * MS, true);
    for (int i = 0; i < 20; i++) {
        cw_run.counts.cut++;
        cw_run_gpu_gain_span(100 * MS, 200); /* how long these take without is not known */
    }
    for (int i = 0; i < 20; i++) {
        cw_run.counts.cut++;
        cw_run_gpu_gain_launch(1e6); /* these are of as many commands, and do more */
        cw_run_gpu_gain_span(100 * MS, 90);
    }
    assert_false(cw_run_gpu_gain_rests() || cw_run_gpu_gain_harms());
}

/* Long ago gains do not pay for losses without end. */
static void old_gains_are_forgotten(void **unused)
{
    double lost = 0;

    (void)unused;
    for (int i = 0; i < 1000; i++)
        cw_run_gpu_gain_cut(10 * MS, 1 * MS); /* 9 s gained, of 10 s */
    for (; lost < 9000 && !cw_run_gpu_gain_rests(); lost += 10)
        cw_run_gpu_gain_waited(10 * MS);
    assert_in_range(lost, 2500, 2700); /* five times 520 ms */
}

static void what_is_not_known_does_not_count(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        cw_run_gpu_gain_cut(0, 100 * MS);
    assert_false(cw_run_gpu_gain_rests());
    assert_true(cw_run_gpu_gain_all() == 0);
    cw_run.all = true; /* all is managed at any cost */
    for (int i = 0; i < 100; i++)
        cw_run_gpu_gain_waited(100 * MS);
    assert_false(cw_run_gpu_gain_rests());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(gains_never_rest, setup),
        cmocka_unit_test_setup(waiting_for_bytes_counts, setup),
        cmocka_unit_test_setup(rests_become_longer_until_there_are_gains, setup),
        cmocka_unit_test_setup(losses_time_and_again_end_it, setup),
        cmocka_unit_test_setup(spans_that_lose_end_it, setup),
        cmocka_unit_test_setup(spans_of_an_odd_length_are_tried_whole, setup),
        cmocka_unit_test_setup(spans_of_cut_launches_that_gain_nothing_are_tried_whole, setup),
        cmocka_unit_test_setup(spans_of_cut_launches_are_tried_whole_late, setup),
        cmocka_unit_test_setup(spans_that_gain_or_are_unlike_do_not, setup),
        cmocka_unit_test_setup(old_gains_are_forgotten, setup),
        cmocka_unit_test_setup(what_is_not_known_does_not_count, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
