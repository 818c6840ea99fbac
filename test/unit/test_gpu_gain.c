/* The account of launches that are cut between GPUs: after losses they rest, longer each time, and the
 * program is never behind by more than the limit. The clock is the test's. */
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

static bool pays_trials;

bool cw_run_gpu_begin_learns_all(void)
{
    return pays_trials;
}

static int setup(void **unused)
{
    (void)unused;
    memset(&gain, 0, sizeof gain);
    memset(&spans, 0, sizeof spans);
    memset(&cw_run.counts, 0, sizeof cw_run.counts);
    cw_run.all = cw_run.chaos = pays_trials = false;
    now_ns = 1000;
    return 0;
}

/* A launch that is cut, as many of its shape before. */
static void cut(double home_ns, double took_ns)
{
    cw_run_gpu_gain_cut(home_ns, took_ns, 100);
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
        cut(10 * MS, 4 * MS);
    assert_false(cw_run_gpu_gain_rests());
    assert_true(cw_run_gpu_gain_all() == 600 * MS);
}

/* A gain of single launches is none where home waits longer for the bytes. */
static void waiting_for_bytes_counts(void **unused)
{
    int n = 0;

    (void)unused;
    for (; n < 100 && !cw_run_gpu_gain_rests(); n++) {
        cut(10 * MS, 6 * MS);
        cw_run_gpu_gain_waited(9 * MS);
    }
    assert_in_range(n, 10, 12); /* 5 ms each; half of .1 s, and of a twentieth of their time at home */
    assert_in_range(rest_ms(), 499, 501);
}

static void lose_a_trial(void)
{
    for (int i = 0; i < 1000 && !cw_run_gpu_gain_rests(); i++)
        cw_run_gpu_gain_waited(1 * MS);
}

static void rests_become_longer_until_there_are_gains(void **unused)
{
    (void)unused;
    for (uint64_t want = 500; want <= 2000; want *= 2) {
        lose_a_trial();
        assert_in_range(rest_ms(), want - 1, want + 1);
    }
    for (int i = 0; i < 40; i++)
        cut(10 * MS, 4 * MS);
    lose_a_trial();
    assert_in_range(rest_ms(), 499, 501);
}

static void losses_time_and_again_end_it(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        now_ns += UINT64_C(3600) * 1000000000;
        assert_false(cw_run_gpu_gain_rests());
        lose_a_trial();
    }
    now_ns += UINT64_C(3600) * 1000000000;
    assert_true(cw_run_gpu_gain_rests());
    assert_true(gain.account.gained_ns > -100 * MS);
}

static void a_loss_that_is_more_than_what_is_left_is_the_last(void **unused)
{
    (void)unused;
    cut(1 * MS, 61 * MS);
    now_ns += UINT64_C(3600) * 1000000000;
    assert_true(cw_run_gpu_gain_rests());
}

/* Helpers that lose mostly, by little each time, for an hour of trials and rests: at no moment is more lost
 * than .1 s and a twentieth of the time at home. */
static void a_program_is_never_behind_by_more_than_the_limit(void **unused)
{
    uint32_t lot = 1;
    double behind = 0, home = 0;

    (void)unused;
    for (int i = 0; i < 1000000; i++) {
        lot = lot * 1664525 + 1013904223;
        now_ns += 4000000;
        if (cw_run_gpu_gain_rests())
            continue;
        home += 2 * MS;
        if (lot >> 30) {
            behind += lot >> 28 & 1 ? 1 * MS : 0;
            cut(2 * MS, lot >> 28 & 1 ? 3 * MS : 2 * MS);
        } else {
            behind += 1 * MS;
            cut(2 * MS, 2 * MS);
            cw_run_gpu_gain_waited(1 * MS);
        }
        assert_true(behind <= 100 * MS + home / 20);
    }
    assert_true(behind > 50 * MS);
}

/* The first launches of a shape count, but where the user asks for all trials. */
static void first_launches_are_trials(void **unused)
{
    (void)unused;
    cw_run_gpu_gain_cut(1 * MS, 61 * MS, 0);
    assert_true(cw_run_gpu_gain_rests());
    setup(NULL);
    pays_trials = true;
    for (uint64_t before = 0; before < 2; before++)
        cw_run_gpu_gain_cut(1 * MS, 61 * MS, before);
    assert_false(cw_run_gpu_gain_rests());
    cw_run_gpu_gain_cut(1 * MS, 61 * MS, 2); /* their repetition is not paid for */
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

/* Single launches seem to gain, by an old time at home: whole spans stand in the account in place of them. */
static void spans_that_lose_end_it(void **unused)
{
    int n = 0;

    (void)unused;
    spans_of(3, 10 * MS, false);
    for (; n < 100 && !cw_run_gpu_gain_rests(); n++) {
        cut(10 * MS, 1 * MS);
        spans_of(1, 20 * MS, true);
    }
    assert_in_range(n, 5, 6); /* 10 ms each */
    assert_true(cw_run_gpu_gain_harms());
}

/* Cut from the first span on, in whose time cut launches are little: one is whole, to compare. */
static void spans_of_an_odd_length_are_tried_whole(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_false(cw_run_gpu_gain_rests());
        cut(0, 2 * MS);
        spans_of(1, 20 * MS, true);
    }
    assert_true(cw_run_gpu_gain_rests());
    spans_of(2, 10 * MS, false);
    assert_false(cw_run_gpu_gain_rests());
    spans_of(6, 20 * MS, true);
    assert_true(cw_run_gpu_gain_harms());
}

/* Nearly all of their time, without a gain: other commands may wait for them. */
static void spans_of_cut_launches_that_gain_nothing_are_tried_whole(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_false(cw_run_gpu_gain_rests());
        cut(19 * MS, 18 * MS);
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
        cut(0, 9 * MS);
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
        cut(10 * MS, 1 * MS); /* 9 s gained, of 10 s */
    for (; lost < 9000 && !cw_run_gpu_gain_rests(); lost += 10)
        cw_run_gpu_gain_waited(10 * MS);
    assert_in_range(lost, 2650, 2750); /* four times .6 s, and half of it */
}

static void what_is_not_known_does_not_count(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        cut(0, 100 * MS);
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
        cmocka_unit_test_setup(a_loss_that_is_more_than_what_is_left_is_the_last, setup),
        cmocka_unit_test_setup(a_program_is_never_behind_by_more_than_the_limit, setup),
        cmocka_unit_test_setup(first_launches_are_trials, setup),
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
