/* Adaptive block and ratio: examples worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../../sched/adaptive.h"

static struct cw_adaptive_part must(struct cw_adaptive *a, uint32_t d, uint64_t now)
{
    struct cw_adaptive_part p;

    assert_int_equal(cw_adaptive_next(a, d, now, &p), CW_ADAPTIVE_PART);
    return p;
}

static void must_wait(struct cw_adaptive *a, uint32_t d, uint64_t now)
{
    struct cw_adaptive_part p;

    assert_int_equal(cw_adaptive_next(a, d, now, &p), CW_ADAPTIVE_WAIT);
}

/* 160 groups, n = 16, device 0 three times as fast; 1 ns a group on it. By hand:
 *   block 1: 160/16 = 10, R = (1/2, 1/2): 5 and 5, T = 5, 15: R := (3/4, 1/4), V = 10/15
 *   block 2: 2 * 10 = 20: 15 and 5, T = 15, 15: V = 20/15, faster
 *   block 3: 40: 30 and 10, T = 30, 30: V = 40/30, the same
 *   block 4: 40 again of the remaining 90 (90 - 40 > 45)
 *   block 5: 40 of 50 would leave less than half: 50, largest remainders of 37.5 and 12.5, the tie to device
 * 0: 38 and 12 */
static void test_sync_example(void **state)
{
    static const uint64_t want[5][2] = {{5, 5}, {15, 5}, {30, 10}, {30, 10}, {38, 12}};
    const struct cw_adaptive_options o = {.mode = CW_ADAPTIVE_SYNC, .blocks_n = 16};
    struct cw_adaptive *a = cw_adaptive_create(2, &o);
    struct cw_adaptive_part p;
    uint64_t first = 0;

    (void)state;
    cw_adaptive_start(a, 160);
    for (int b = 0; b < 5; b++) {
        struct cw_adaptive_part p0 = must(a, 0, 0), p1 = must(a, 1, 0);
        assert_int_equal(p0.groups, want[b][0]);
        assert_int_equal(p1.groups, want[b][1]);
        assert_int_equal(p0.first, first);
        assert_int_equal(p1.first, first + p0.groups);
        assert_int_equal(cw_adaptive_block(a), p0.groups + p1.groups);
        first += p0.groups + p1.groups;
        cw_adaptive_report(a, 0, p0.groups);
        must_wait(a, 0, 0); /* for the other */
        cw_adaptive_report(a, 1, 3 * p1.groups);
    }
    assert_int_equal(cw_adaptive_next(a, 0, 0, &p), CW_ADAPTIVE_DONE);
    assert_true(fabs(cw_adaptive_share(a, 0) - .75) < .02);
    cw_adaptive_destroy(a);
}

/* Parts on a device that copies for each of them are long; the others' are as before. */
static void test_costs_of_one(void **state)
{
    const struct cw_adaptive_options o = {.overhead_ns = 1};
    struct cw_adaptive *a = cw_adaptive_create(2, &o);

    (void)state;
    cw_adaptive_costs(a, 1, 99);
    cw_adaptive_know(a, 0, 1000, 1001);
    cw_adaptive_know(a, 1, 1000, 1100);
    assert_true(cw_adaptive_speed(a, 1) == 1 && cw_adaptive_speed(a, 0) == 1);
    cw_adaptive_start(a, 4000);
    assert_int_equal(must(a, 0, 0).groups, 125); /* 2 / 32 of its half */
    assert_true(must(a, 1, 0).groups > 1800);    /* all that it is to have: 32 times 100 is more */
    cw_adaptive_destroy(a);
}

/* The ratio as given, in every launch, whatever was measured or is known. */
static void test_static(void **state)
{
    const struct cw_adaptive_options o = {.mode = CW_ADAPTIVE_STATIC, .ratio = (double[]){3, 1, 0}};
    struct cw_adaptive *a = cw_adaptive_create(3, &o);
    struct cw_adaptive_part p;

    (void)state;
    cw_adaptive_know(a, 1, 100, 1);
    for (int launch = 0; launch < 3; launch++) {
        cw_adaptive_start(a, 160);
        assert_int_equal(must(a, 0, 0).groups, 120);
        assert_int_equal(must(a, 1, 0).groups, 40);
        must_wait(a, 2, 0);
        cw_adaptive_report(a, 0, 10);
        must_wait(a, 0, 0);
        cw_adaptive_report(a, 1, 1000);
        assert_int_equal(cw_adaptive_next(a, 0, 0, &p), CW_ADAPTIVE_DONE);
        assert_true(fabs(cw_adaptive_share(a, 0) - .75) < 1e-9);
    }
    assert_true(fabs(cw_adaptive_speed(a, 1) - .04) < 1e-9);
    cw_adaptive_destroy(a);
}

/* 95 groups, n = 10: blocks of 9, the last of 5. Regions {0, 2} and {1}. Device 0 asks first, so that its
 * region gets two blocks, of which device 2 gets the other. A device that goes leaves its block at the tail
 * of its region's queue, the last one of a region all that the region has at the tail of all. */
static void test_dispatch(void **state)
{
    const struct cw_adaptive_options o = {
        .mode = CW_ADAPTIVE_DISPATCH, .blocks_n = 10, .region = (uint32_t[]){5, 9, 5}};
    struct cw_adaptive *a = cw_adaptive_create(3, &o);
    struct cw_adaptive_part p;

    (void)state;
    for (int launch = 0; launch < 2; launch++) {
        cw_adaptive_start(a, 95);
        assert_int_equal(must(a, 0, 0).first, 0);
        assert_int_equal(must(a, 1, 0).first, 18);
        assert_int_equal(must(a, 2, 0).first, 9);
        cw_adaptive_report(a, 0, 1);
        assert_int_equal(must(a, 0, 1).first, 27); /* and 36 waits in the region */
        cw_adaptive_leave(a, 2);
        cw_adaptive_report(a, 0, 1);
        assert_int_equal(must(a, 0, 2).first, 36);
        cw_adaptive_report(a, 0, 1);
        assert_int_equal(must(a, 0, 3).first, 9);
        cw_adaptive_leave(a, 0);
        for (uint64_t first = 45; first < 90; first += 9) {
            cw_adaptive_report(a, 1, 1);
            assert_int_equal(must(a, 1, 4).first, first);
        }
        cw_adaptive_report(a, 1, 1);
        p = must(a, 1, 5);
        assert_true(p.first == 90 && p.groups == 5);
        cw_adaptive_report(a, 1, 1);
        if (launch) { /* all go: the caller has the rest */
            cw_adaptive_leave(a, 1);
            assert_true(cw_adaptive_rest(a, &p));
            cw_adaptive_rest_done(a);
        } else {
            p = must(a, 1, 6);
            cw_adaptive_report(a, 1, 1);
        }
        assert_true(p.first == 9 && p.groups == 9);
        assert_int_equal(cw_adaptive_next(a, 1, 7, &p), CW_ADAPTIVE_DONE);
    }
    cw_adaptive_destroy(a);
}

/* The caller's rest of a region that is lost afterwards is not given out again. */
static void test_dispatch_rest(void **state)
{
    const struct cw_adaptive_options o = {
        .mode = CW_ADAPTIVE_DISPATCH, .blocks_n = 4, .region = (uint32_t[]){0, 0, 1}};
    struct cw_adaptive *a = cw_adaptive_create(3, &o);
    struct cw_adaptive_part p;

    (void)state;
    cw_adaptive_start(a, 4);
    assert_int_equal(must(a, 0, 0).first, 0); /* 1 waits in its region */
    assert_true(cw_adaptive_rest(a, &p));
    assert_true(p.first == 1 && p.groups == 1);
    cw_adaptive_rest_done(a);
    cw_adaptive_lost(a, 1);
    cw_adaptive_lost(a, 0); /* 0 goes to the tail */
    for (uint64_t k = 0; k < 3; k++) {
        assert_int_equal(must(a, 2, 0).first, (k + 2) % 4 * (k < 2));
        cw_adaptive_report(a, 2, 1);
    }
    assert_int_equal(cw_adaptive_next(a, 2, 0, &p), CW_ADAPTIVE_DONE);
    cw_adaptive_destroy(a);
}

/* A larger block that is slower is halved; and one that is halved and faster, again. */
static void test_sync_sizes(void **state)
{
    /* one device; ns per group of each block */
    static const struct {
        uint64_t size, ns_per_group;
    } block[] = {{10, 10}, {20, 8}, {40, 12}, {20, 9}, {10, 9}, {10, 5}, {5, 8}, {10, 8}, {10, 8}};
    const struct cw_adaptive_options o = {.mode = CW_ADAPTIVE_SYNC, .blocks_n = 100};
    struct cw_adaptive *a = cw_adaptive_create(1, &o);

    (void)state;
    cw_adaptive_start(a, 1000);
    for (size_t b = 0; b < sizeof block / sizeof *block; b++) {
        struct cw_adaptive_part p = must(a, 0, 0);
        assert_int_equal(p.groups, block[b].size);
        cw_adaptive_report(a, 0, p.groups * block[b].ns_per_group);
    }
    cw_adaptive_destroy(a);
}

/* 100 groups, n = 4, a share of a fiftieth: 0.5 of 25 groups goes to the larger remainder; of a block in
 * which it gets none it keeps its ratio, and gets one group of the next. */
static void test_sync_starves_nobody(void **state)
{
    const struct cw_adaptive_options o = {
        .mode = CW_ADAPTIVE_SYNC, .blocks_n = 10, .ratio = (double[]){99, 1}};
    struct cw_adaptive *a = cw_adaptive_create(2, &o);

    (void)state;
    cw_adaptive_start(a, 100);
    assert_int_equal(must(a, 0, 0).groups, 10);
    must_wait(a, 1, 0);
    cw_adaptive_report(a, 0, 10);
    assert_true(fabs(cw_adaptive_share(a, 1) - .01) < 1e-12);
    assert_int_equal(must(a, 0, 0).groups, 19);
    assert_int_equal(must(a, 1, 0).groups, 1);
    cw_adaptive_report(a, 0, 19);
    cw_adaptive_report(a, 1, 1);
    assert_true(fabs(cw_adaptive_share(a, 1) - .5) < 1e-12);
    cw_adaptive_destroy(a);
}

/* 1000 groups, n = 10, known speeds 4 : 1 groups a ns. By hand, device 0 at time 0: of 1000 it deserves 800;
 * half is 400, at most 2/10 of 800: 160. Device 1 then: rest 840, free at 0, device 0 at 40: all end at (840
 * + 160) / 5 = 200, so it deserves 200; at most 2/10 of 200: 40. */
static void test_async_example(void **state)
{
    const struct cw_adaptive_options o = {.blocks_n = 10};
    struct cw_adaptive *a = cw_adaptive_create(2, &o);
    struct cw_adaptive_part p;

    (void)state;
    cw_adaptive_know(a, 0, 400, 100);
    cw_adaptive_know(a, 1, 100, 100);
    assert_true(fabs(cw_adaptive_share(a, 0) - .8) < 1e-12);
    cw_adaptive_start(a, 1000);
    p = must(a, 0, 0);
    assert_int_equal(p.first, 0);
    assert_int_equal(p.groups, 160);
    p = must(a, 1, 0);
    assert_int_equal(p.first, 700); /* behind 7/8 of 800 */
    assert_int_equal(p.groups, 40);
    cw_adaptive_report(a, 0, 40);
    assert_int_equal(must(a, 0, 40).groups, 160); /* deserves 640 of the 800 */
    cw_adaptive_destroy(a);
}

/* A part is long enough to be worth its overhead: at 1 group a ns and 10 ns a part, 320; what is to be left
 * is half of that at least, so less than 320 is one part. */
static void test_async_overhead(void **state)
{
    const struct cw_adaptive_options o = {.overhead_ns = 10, .blocks_n = 1000};
    struct cw_adaptive *a = cw_adaptive_create(1, &o);

    (void)state;
    cw_adaptive_know(a, 0, 1000, 1010);
    cw_adaptive_start(a, 900);
    assert_int_equal(must(a, 0, 0).groups, 320);
    cw_adaptive_report(a, 0, 330);
    assert_int_equal(must(a, 0, 330).groups, 290);
    cw_adaptive_report(a, 0, 300);
    assert_int_equal(must(a, 0, 630).groups, 290);
    cw_adaptive_destroy(a);
}

/* Everybody goes: what is left is one part after another for whoever asks for the rest. */
/* One group takes 10 ns, a part 10 more. A part of 4 groups that takes 150 ns more has been held up by
 * something: the second such part in a row counts, and so does the first that is long. */
static void test_async_held_up(void **state)
{
    const struct cw_adaptive_options o = {.mode = CW_ADAPTIVE_ASYNC, .overhead_ns = 10};
    struct cw_adaptive *a = cw_adaptive_create(2, &o);

    (void)state;
    cw_adaptive_know(a, 0, 100, 1010);
    cw_adaptive_know(a, 0, 4, 200);
    assert_true(fabs(cw_adaptive_speed(a, 0) - .1) < .001);
    cw_adaptive_know(a, 0, 4, 200);
    assert_true(cw_adaptive_speed(a, 0) < .1);
    cw_adaptive_know(a, 1, 100, 1010);
    cw_adaptive_know(a, 1, 100, 3010);
    assert_true(cw_adaptive_speed(a, 1) < .04);
    cw_adaptive_destroy(a);
}

/* Groups of twice the work: the devices' ratio stays, their speeds in groups are half. */
static void test_resize(void **state)
{
    struct cw_adaptive *a = cw_adaptive_create(2, NULL);

    (void)state;
    cw_adaptive_know(a, 0, 100, 1000);
    cw_adaptive_know(a, 0, 100, 1000);
    cw_adaptive_know(a, 1, 300, 1000);
    cw_adaptive_resize(a, 2);
    assert_true(fabs(cw_adaptive_speed(a, 0) - .05) < 1e-9);
    assert_true(fabs(cw_adaptive_speed(a, 1) - .15) < 1e-9);
    assert_true(fabs(cw_adaptive_share(a, 1) - .75) < 1e-9);
    cw_adaptive_know(a, 0, 50, 1000); /* in the new groups it is as quick as before */
    assert_true(fabs(cw_adaptive_speed(a, 0) - .05) < 1e-9);
    cw_adaptive_destroy(a);
}

/* A device that leaves before anything has begun does not make the others look late: each gets its half. */
static void test_left_out(void **state)
{
    struct cw_adaptive *a = cw_adaptive_create(3, &(struct cw_adaptive_options){.overhead_ns = 50000});
    struct cw_adaptive_part p;

    (void)state;
    for (uint32_t d = 0; d < 3; d++)
        cw_adaptive_know(a, d, 1000, 350000);
    cw_adaptive_start(a, 1000);
    cw_adaptive_leave(a, 0);
    assert_int_equal(cw_adaptive_next(a, 1, 0, &p), CW_ADAPTIVE_PART);
    assert_in_range(p.groups, 400, 600);
    assert_int_equal(cw_adaptive_next(a, 2, 60000, &p), CW_ADAPTIVE_PART);
    assert_in_range(p.groups, 400, 600);
    cw_adaptive_destroy(a);
}

/* Four parts end at once, and all is reported before anybody asks: each gets half of a quarter of the rest,
 * whoever asks first. */
static void test_reported_at_once(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 4; first++) {
        struct cw_adaptive *a =
            cw_adaptive_create(4, &(struct cw_adaptive_options){.overhead_ns = 10, .blocks_n = 4});

        for (uint32_t d = 0; d < 4; d++)
            cw_adaptive_know(a, d, 1000, 1000010);
        cw_adaptive_start(a, 400);
        for (uint32_t d = 0; d < 4; d++)
            assert_in_range(must(a, d, 0).groups, 45, 55);
        for (uint32_t d = 0; d < 4; d++)
            cw_adaptive_report(a, d, 50010);
        for (uint32_t k = 0; k < 4; k++)
            /* 25, or all 37 that are left of its stretch */
            assert_in_range(must(a, (first + k) % 4, 50010).groups, 20, 38);
        cw_adaptive_destroy(a);
    }
}

static void test_rest(void **state)
{
    struct cw_adaptive *a = cw_adaptive_create(2, NULL);
    struct cw_adaptive_part p, q;
    uint64_t sum = 0;

    (void)state;
    cw_adaptive_start(a, 100);
    must(a, 0, 0);
    p = must(a, 1, 0);
    cw_adaptive_report(a, 1, 10);
    q = must(a, 1, 10);
    cw_adaptive_leave(a, 1);
    must_wait(a, 1, 10);
    cw_adaptive_lost(a, 0);
    cw_adaptive_report(a, 0, 5); /* too late: it counts for nothing */
    sum = p.groups;
    while (cw_adaptive_rest(a, &p)) {
        assert_false(cw_adaptive_rest(a, &q));
        sum += p.groups;
        cw_adaptive_rest_done(a);
    }
    assert_int_equal(sum, 100);
    assert_int_equal(cw_adaptive_next(a, 1, 20, &p), CW_ADAPTIVE_DONE);
    cw_adaptive_start(a, 10); /* who left is back, who is lost is not */
    must_wait(a, 0, 30);
    must(a, 1, 30);
    cw_adaptive_destroy(a);
}

static void test_ratio_text(void **state)
{
    static const char *const bad[] = {"",  ":",   "1:",  ":1",  "1:-1", "a",   "1:b",
                                      "0", "0:0", "inf", "1,2", "nan",  "1::2"};
    double ratio[CW_ADAPTIVE_DEVICES];
    struct cw_error err = {0};
    char text[400] = "1";
    uint32_t n;

    (void)state;
    assert_int_equal(cw_adaptive_read_ratio("3:1:0.5:0", ratio, &n, &err), CW_OK);
    assert_int_equal(n, 4);
    assert_true(ratio[0] == 3 && ratio[1] == 1 && ratio[2] == .5 && ratio[3] == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct cw_error){0};
        assert_int_equal(cw_adaptive_read_ratio(bad[i], ratio, &n, &err), CW_ERR_INVALID);
    }
    for (int i = 0; i < CW_ADAPTIVE_DEVICES; i++)
        strcat(text, ":1");
    assert_int_equal(cw_adaptive_read_ratio(text, ratio, &n, &err), CW_ERR_INVALID);
    text[strlen(text) - 2] = '\0';
    assert_int_equal(cw_adaptive_read_ratio(text, ratio, &n, &err), CW_OK);
    assert_null(cw_adaptive_create(0, NULL));
    assert_null(cw_adaptive_create(CW_ADAPTIVE_DEVICES + 1, NULL));
}

/* A device that was measured once, when others used the machine: a group took a million times as long as one
 * of the other. When it would have had no part of two launches it is asked by one group; at once if only
 * another run has measured it. */
static void test_asked_again(void **state)
{
    for (int told = 0; told < 2; told++) {
        struct cw_adaptive *a = cw_adaptive_create(2, NULL);
        uint32_t launches = 0;

        (void)state;
        cw_adaptive_start(a, 100);
        (void)must(a, 0, 0);
        (void)must(a, 1, 0);
        cw_adaptive_report(a, 0, 1);
        if (!told)
            cw_adaptive_report(a, 1, 1000000); /* others used the machine */
        else
            cw_adaptive_know(a, 1, 1, 1e6);
        for (bool asked = false; !asked && launches < 10; launches++) {
            struct cw_adaptive_part p;

            cw_adaptive_start(a, 100);
            asked = cw_adaptive_next(a, 1, 0, &p) == CW_ADAPTIVE_PART;
            assert_true(!asked || p.groups == 1);
            while (cw_adaptive_next(a, 0, 0, &p) == CW_ADAPTIVE_PART)
                cw_adaptive_report(a, 0, p.groups);
            if (asked)
                cw_adaptive_report(a, 1, 1); /* as quick as the other */
        }
        assert_int_equal(launches, told ? 1 : 2);
        assert_true(fabs(cw_adaptive_share(a, 1) - .5) < .1);
        cw_adaptive_destroy(a);
    }
}

/* The same where the caller leaves it out: after 2, 4, 8 ... launches its speed is not known any more. A
 * question that takes as long as 3 launches, of which the others would have needed one, is repeated after 2 /
 * .03 of them. */
static void test_passed(void **state)
{
    struct cw_adaptive *a = cw_adaptive_create(2, NULL);
    uint32_t want[] = {2, 4, 8, 66, 132, 256, 256};

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct cw_adaptive_part p;

        cw_adaptive_start(a, 100);
        p = must(a, 0, 0);
        (void)must(a, 1, 0);
        cw_adaptive_report(a, 0, p.groups);
        cw_adaptive_report(a, 1, i == 3 ? 300 : 10);
        while (cw_adaptive_next(a, 0, 0, &p) == CW_ADAPTIVE_PART)
            cw_adaptive_report(a, 0, p.groups);
        for (uint32_t n = 0; n < want[i]; n++) {
            assert_true(cw_adaptive_speed(a, 1) > 0);
            cw_adaptive_pass(a, 1);
        }
        assert_true(cw_adaptive_speed(a, 1) == 0);
        assert_true(cw_adaptive_speed(a, 0) > 0);
    }
    cw_adaptive_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_example),
        cmocka_unit_test(test_costs_of_one),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_dispatch_rest),
        cmocka_unit_test(test_sync_sizes),
        cmocka_unit_test(test_sync_starves_nobody),
        cmocka_unit_test(test_async_example),
        cmocka_unit_test(test_async_overhead),
        cmocka_unit_test(test_async_held_up),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_reported_at_once),
        cmocka_unit_test(test_ratio_text),
        cmocka_unit_test(test_asked_again),
        cmocka_unit_test(test_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
