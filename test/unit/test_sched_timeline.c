/* The timeline against a plain array of busy minutes: every answer must be the same after any series of
 * changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../sched/timeline.h"

enum { MINUTES = 300, PLACED = 200 };

struct slot {
    int start, end;
};

static bool idle_between(const bool *busy, int start, int end)
{
    for (int m = start; m < end; m++)
        if (busy[m])
            return false;
    return true;
}

static int fit(const bool *busy, int ready, int length)
{
    int s = ready;

    while (!idle_between(busy, s, s + length))
        s++;
    return s;
}

static int since(const bool *busy, int end)
{
    int s = end;

    while (s > 0 && !busy[s - 1])
        s--;
    return s;
}

static void compare(const struct cw_timeline *t, const bool *busy, uint64_t *random)
{
    int ready = (int)cw_random_below(random, MINUTES), length = (int)cw_random_below(random, 20);

    assert_true(cw_timeline_first_fit(t, ready, length) == fit(busy, ready, length));
    assert_true(cw_timeline_is_idle(t, ready, ready + length) == idle_between(busy, ready, ready + length));
    if (ready > 0)
        assert_true(cw_timeline_idle_since(t, ready) == since(busy, ready));
}

static void mark(bool *busy, struct slot s, bool value)
{
    for (int m = s.start; m < s.end; m++)
        busy[m] = value;
}

static void test_against_minutes(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int round = 0; round < 400; round++) {
        bool busy[4 * MINUTES] = {false};
        struct slot slot[PLACED];
        struct cw_timeline t;
        int n = 0;
        cw_timeline_init(&t);
        for (int step = 0; step < 300; step++) {
            if (n < PLACED && cw_random_below(&random, 3)) {
                int ready = (int)cw_random_below(&random, MINUTES),
                    length = (int)cw_random_below(&random, 12);
                struct slot s = {(int)cw_timeline_first_fit(&t, ready, length), 0};
                s.end = s.start + length;
                assert_true(cw_timeline_place(&t, s.start, s.end));
                mark(busy, s, true);
                slot[n++] = s;
            } else if (n > 0) {
                int k = (int)cw_random_below(&random, (uint64_t)n);
                assert_true(cw_timeline_remove(&t, slot[k].start, slot[k].end));
                mark(busy, slot[k], false);
                slot[k] = slot[--n];
            }
            compare(&t, busy, &random);
        }
        cw_timeline_finish(&t);
    }
}

static void test_refuses_busy(void **state)
{
    struct cw_timeline t;

    (void)state;
    cw_timeline_init(&t);
    assert_true(cw_timeline_place(&t, 10, 20));
    assert_false(cw_timeline_place(&t, 19, 30));
    assert_false(cw_timeline_place(&t, 5, 11));
    assert_false(cw_timeline_place(&t, 12, 13));
    assert_true(cw_timeline_place(&t, 0, 10));
    assert_true(cw_timeline_place(&t, 15, 15)); /* takes no time */
    assert_true(cw_timeline_first_fit(&t, 0, 0.5) == 20);
    cw_timeline_finish(&t);
}

/* 0.1 + 0.2 > 0.3 in doubles: a fit must never reach into what follows. */
static void test_rounding(void **state)
{
    uint64_t random = 3;
    struct cw_timeline t;

    (void)state;
    cw_timeline_init(&t);
    for (int k = 0; k < 20000; k++) {
        double length = (double)(1 + cw_random_below(&random, 30)) / 10;
        double start = cw_timeline_first_fit(&t, (double)cw_random_below(&random, 5000) / 10, length);
        assert_true(cw_timeline_place(&t, start, start + length));
    }
    cw_timeline_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_minutes),
        cmocka_unit_test(test_refuses_busy),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
