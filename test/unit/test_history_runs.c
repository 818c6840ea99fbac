/* The record of a program's runs: which runs begin at once, when the others begin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../shim/history/history_runs.h"

#define MS 1e6

/* What a run would do. */
static enum cw_runs_start start(const struct cw_runs *r)
{
    double after;

    return cw_history_runs_start(r, 1, true, &after);
}

static double after(const struct cw_runs *r)
{
    double ns;

    assert_int_equal(cw_history_runs_start(r, 1, true, &ns), CW_RUNS_LATER);
    return ns;
}

static bool add(struct cw_runs *r, uint64_t arguments, bool at_once, double work_ns, double cost_ns)
{
    return cw_history_runs_add(
        r, arguments,
        &(struct cw_runs_run){
            .at_once = at_once, .began = !at_once && cost_ns > 0, .work_ns = work_ns, .cost_ns = cost_ns});
}

/* `n` runs that take later_ns, or at_once_ns where they begin at once; beginning costs 2 ms. Returns how many
 * did. */
static int runs(struct cw_runs *r, int n, double later_ns, double at_once_ns)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        double needed;
        enum cw_runs_start how = cw_history_runs_start(r, 1, true, &needed);
        bool at_once = how == CW_RUNS_TRY || how == CW_RUNS_GAINED;
        bool begun = at_once || (how == CW_RUNS_LATER && later_ns >= needed);
        add(r, 1, at_once, at_once ? at_once_ns : later_ns, begun ? 2 * MS : 0);
        count += at_once;
    }
    return count;
}

static void test_first(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_true(after(&r) == CW_RUNS_FIRST_NS); /* nothing is kept */
    add(&r, 2, false, 5 * MS, 0);
    assert_true(after(&r) == CW_RUNS_TIMES * CW_RUNS_COST_NS);
}

static void test_short(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_false(cw_history_runs_is_over_before(&r, 1, after(&r)));
    assert_int_equal(runs(&r, 1000, 5 * MS, 1), 0);
    assert_true(cw_history_runs_is_over_before(&r, 1, after(&r)));
    assert_false(cw_history_runs_is_over_before(&r, 1, 9 * MS));
    assert_false(cw_history_runs_is_over_before(&r, 2, after(&r)));
    runs(&r, 20, 500 * MS, 600 * MS); /* another machine, other data */
    assert_false(cw_history_runs_is_over_before(&r, 1, CW_RUNS_TIMES * CW_RUNS_COST_NS));
}

/* Known and as before: nothing need be written. */
static void test_nothing_new(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_true(add(&r, 1, false, 2 * MS, 0));
    assert_true(add(&r, 1, false, 2 * MS, 0));
    assert_false(add(&r, 1, false, 2.2 * MS, 0));
    assert_true(add(&r, 1, false, 9 * MS, 0));
    assert_true(add(&r, 2, false, 2 * MS, 0));
    assert_false(add(&r, 1, false, 0, 0));
    assert_false(add(&r, 1, false, NAN, 0));
    assert_false(add(&r, 1, true, -1, 0));
}

static void test_gaining(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_int_equal(runs(&r, CW_RUNS_BEFORE, 500 * MS, 100 * MS), 0);
    assert_int_equal(start(&r), CW_RUNS_TRY);
    assert_int_equal(runs(&r, CW_RUNS_TRIALS, 500 * MS, 100 * MS), CW_RUNS_TRIALS);
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    assert_in_range(runs(&r, 640, 500 * MS, 100 * MS), 636, 639); /* the others look */
    /* the machine has changed */
    runs(&r, 30, 500 * MS, 2000 * MS);
    assert_int_equal(start(&r), CW_RUNS_LATER);
}

/* The first run has paid for a compiler, the second has not. */
static void test_cold(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    runs(&r, 1, 900 * MS, 1);
    assert_int_equal(runs(&r, 100, 5 * MS, 1), 0);
}

/* Tried a few times, then later and later; seldom again. */
static void test_losing(void **state)
{
    struct cw_runs r = {0};
    double before;

    (void)state;
    runs(&r, CW_RUNS_BEFORE, 300 * MS, 0);
    before = CW_RUNS_TIMES * 2 * MS;
    assert_int_equal(runs(&r, CW_RUNS_TRIALS, 300 * MS, 310 * MS), CW_RUNS_TRIALS);
    assert_true(after(&r) == CW_RUNS_SOON * before);
    assert_int_equal(runs(&r, CW_RUNS_SOON, 300 * MS, 310 * MS), 0);
    assert_int_equal(runs(&r, CW_RUNS_TRIALS, 300 * MS, 310 * MS), CW_RUNS_TRIALS);
    assert_true(after(&r) == 4 * CW_RUNS_SOON * before);
    assert_in_range(runs(&r, 10000, 300 * MS, 310 * MS), 1, 5 * CW_RUNS_TRIALS);
    assert_true(after(&r) <= CW_RUNS_SOON * before * 1024);
}

/* A program so long that helpers would begin in the midst of it, where they have lost, does without; one that
 * has become far longer does not. */
static void test_losing_long(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_int_equal(runs(&r, 2 + CW_RUNS_TRIALS, 2500 * MS, 2800 * MS), CW_RUNS_TRIALS);
    for (int i = 1; i < CW_RUNS_SOON; i++) {
        assert_true(after(&r) > 3000 * MS);
        assert_false(cw_history_runs_is_over_before(&r, 1, after(&r)));
        assert_int_equal(runs(&r, 1, 2500 * MS, 1), 0);
    }
    assert_true(after(&r) <= 5000 * MS);
    assert_int_equal(runs(&r, 1, 2500 * MS, 1), 0);
    assert_int_equal(start(&r), CW_RUNS_TRY);
}

/* A program so long that helpers begin later is held back once before the trials, and before a small gain is
 * believed. */
static void test_held(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    add(&r, 1, false, 900 * MS, 2 * MS); /* builds lie in it: nobody is held against that */
    assert_int_equal(start(&r), CW_RUNS_HOLD);
    assert_true(cw_history_runs_usual_ns(&r, 1) == 0);
    add(&r, 1, false, 500 * MS, 0);
    assert_true(cw_history_runs_usual_ns(&r, 1) == 500 * MS);
    for (int i = 0; i < CW_RUNS_TRIALS; i++) {
        assert_int_equal(start(&r), CW_RUNS_TRY);
        add(&r, 1, true, 450 * MS, 2 * MS);
    }
    assert_int_equal(start(&r), CW_RUNS_HOLD);
    add(&r, 1, false, 440 * MS, 0);
    assert_int_equal(start(&r), CW_RUNS_LATER);
    /* longer than it was by far: another program */
    add(&r, 1, false, 4000 * MS, 2 * MS);
    assert_int_equal(start(&r), CW_RUNS_HOLD);
}

/* Short runs try when kept builds have saved what is missing, and go on where that gains half of what
 * beginning costs. */
static void test_saved(void **state)
{
    struct cw_runs_run never = {.work_ns = 3 * MS}, kept = {.work_ns = 3 * MS, .saved_ns = 20 * MS};
    struct cw_runs r = {0};

    (void)state;
    for (int i = 0; i < CW_RUNS_BEFORE + 1; i++) {
        cw_history_runs_add(&r, 1, &never);
        assert_int_equal(start(&r), CW_RUNS_LATER);
    }
    assert_true(cw_history_runs_add(&r, 1, &kept)); /* written, as it makes a difference */
    for (int i = 0; i < CW_RUNS_TRIALS; i++) {
        assert_int_equal(start(&r), CW_RUNS_TRY);
        cw_history_runs_add(
            &r, 1,
            &(struct cw_runs_run){
                .at_once = true, .work_ns = 1.5 * MS, .cost_ns = 2 * MS, .saved_ns = 20 * MS});
    }
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    for (int late = 0; late < 2; late++) { /* a gain, but less than half of what beginning takes */
        r = (struct cw_runs){0};
        for (int i = 0; i < CW_RUNS_BEFORE; i++)
            cw_history_runs_add(&r, 1, &kept);
        for (int i = 0; i < CW_RUNS_TRIALS; i++)
            add(&r, 1, true, (late ? 2.5 : 1.9) * MS, 2 * MS);
        assert_int_equal(start(&r), late ? CW_RUNS_LATER : CW_RUNS_GAINED);
    }
    for (int i = 0; i < 4 * CW_RUNS_SOON; i++) { /* much later than others */
        assert_int_equal(start(&r), CW_RUNS_LATER);
        cw_history_runs_add(&r, 1, &kept);
    }
    assert_int_equal(start(&r), CW_RUNS_TRY);
    r = (struct cw_runs){0};
    for (int i = 0; i < 9; i++) /* nothing that could be gained */
        cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 0.5 * MS, .saved_ns = 200 * MS});
    assert_int_equal(start(&r), CW_RUNS_LATER);
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 1, .saved_ns = -1}));
}

/* Runs that build are no judges, however long they take; but not for ever. */
static void test_learning(void **state)
{
    const struct cw_runs_run learns = {
        .at_once = true, .learns = true, .work_ns = 900 * MS, .cost_ns = 2 * MS};
    struct cw_runs r = {0};

    (void)state;
    runs(&r, CW_RUNS_BEFORE, 500 * MS, 0);
    for (int i = 0; i < CW_RUNS_LEARNING; i++) {
        assert_int_equal(start(&r), CW_RUNS_TRY);
        cw_history_runs_add(&r, 1, &learns);
    }
    for (int i = 0; i < CW_RUNS_TRIALS; i++)
        add(&r, 1, true, 100 * MS, 2 * MS);
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    cw_history_runs_add(&r, 1, &learns);
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    r = (struct cw_runs){0};
    runs(&r, CW_RUNS_BEFORE, 500 * MS, 0);
    for (int i = 0; i < CW_RUNS_TRIALS * (CW_RUNS_LEARNING + 1); i++)
        cw_history_runs_add(&r, 1, &learns);
    assert_int_equal(start(&r), CW_RUNS_LATER);
}

/* Marks of the quickest run without helpers. */
static void test_behind(void **state)
{
    struct cw_runs_run never = {.work_ns = 500 * MS, .at_ns = {[1] = 100 * MS, [2] = 300 * MS}};
    struct cw_runs r = {0};

    (void)state;
    assert_false(cw_history_runs_is_behind(&r, 1, 1, 900 * MS));
    cw_history_runs_add(&r, 1, &never);
    assert_false(cw_history_runs_is_behind(&r, 1, 0, 900 * MS)); /* it did not pass there */
    assert_false(cw_history_runs_is_behind(&r, 1, 1, 120 * MS)); /* 4 % of all */
    assert_true(cw_history_runs_is_behind(&r, 1, 1, 130 * MS));
    assert_false(cw_history_runs_is_behind(&r, 1, 2, 329 * MS)); /* less than 10 % */
    assert_true(cw_history_runs_is_behind(&r, 1, 2, 331 * MS));
    assert_false(cw_history_runs_is_behind(&r, 1, CW_RUNS_MARKS, 900 * MS));
    assert_false(cw_history_runs_is_behind(&r, 2, 1, 900 * MS));
    never.work_ns = 600 * MS; /* disturbed */
    never.at_ns[1] = 200 * MS;
    cw_history_runs_add(&r, 1, &never);
    assert_true(cw_history_runs_is_behind(&r, 1, 1, 130 * MS));
    for (int i = 0; i < CW_RUNS_TRIALS; i++)
        add(&r, 1, true, 100 * MS, 2 * MS);
    assert_false(cw_history_runs_is_behind(&r, 1, 1, 220 * MS)); /* a quarter of what is gained otherwise */
    assert_true(cw_history_runs_is_behind(&r, 1, 1, 230 * MS));
}

/* One run that takes ten times as long says nothing of the others; many do. */
static void test_disturbed(void **state)
{
    struct cw_runs r = {0};
    int late = 0;

    (void)state;
    runs(&r, CW_RUNS_BEFORE, 500 * MS, 0);
    for (int i = 0; i < CW_RUNS_TRIALS; i++)
        add(&r, 1, true, 200 * MS, 2 * MS);
    add(&r, 1, true, 5000 * MS, 2 * MS);
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    while (start(&r) != CW_RUNS_LATER && late++ < 20)
        add(&r, 1, true, 5000 * MS, 2 * MS);
    assert_in_range(late, 2, 8);
}

/* Short runs are behind at first by what beginning costs. */
static void test_behind_by_beginning(void **state)
{
    struct cw_runs_run never = {.work_ns = 30 * MS, .at_ns = {[0] = 1 * MS}},
                       trial = {.at_once = true, .work_ns = 30 * MS, .cost_ns = 3 * MS};
    struct cw_runs r = {0};

    (void)state;
    cw_history_runs_add(&r, 1, &never);
    cw_history_runs_add(&r, 1, &trial);
    assert_false(cw_history_runs_is_behind(&r, 1, 0, 5.4 * MS));
    assert_true(cw_history_runs_is_behind(&r, 1, 0, 5.6 * MS));
}

/* Helpers had nothing to do: that was no gain, however short the run was by chance. */
static void test_idle(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    cw_history_runs_add_idle(&r, 1);
    assert_int_equal(r.count, 0);
    runs(&r, CW_RUNS_BEFORE, 300 * MS, 0);
    assert_int_equal(start(&r), CW_RUNS_TRY);
    cw_history_runs_add_idle(&r, 1);
    assert_int_equal(runs(&r, CW_RUNS_SOON, 300 * MS, 100 * MS), 0);
    assert_int_equal(start(&r), CW_RUNS_TRY);
    assert_int_equal(runs(&r, CW_RUNS_TRIALS + 1, 300 * MS, 100 * MS), CW_RUNS_TRIALS + 1);
    assert_int_equal(start(&r), CW_RUNS_GAINED);
    cw_history_runs_add_idle(&r, 1);
    assert_int_equal(start(&r), CW_RUNS_LATER);
}

/* A trial waits until all runs of the program have lived for long enough to pay for its builds; so does one
 * after trials that were not allowed to build and have shown no gain. A trial for other arguments, whose
 * builds may be there, does not. */
static void test_budget(void **state)
{
    struct cw_runs_run never = {.work_ns = 300 * MS, .lived_ns = 500 * MS};
    struct cw_runs_run owes = {.at_once = true,
                               .work_ns = 310 * MS,
                               .lived_ns = 500 * MS,
                               .cost_ns = 2 * MS,
                               .owed_ns = CW_RUNS_BUILD_NS};
    struct cw_runs r = {0};
    double ns;
    int n = 0;

    (void)state;
    for (; cw_history_runs_start(&r, 1, false, &ns) == CW_RUNS_LATER && n < 100; n++)
        assert_true(cw_history_runs_add(&r, 1, &never)); /* written, as each counts */
    assert_int_equal(n, (int)(CW_RUNS_LEARN * CW_RUNS_BUILD_NS / never.lived_ns));
    assert_int_equal(cw_history_runs_start(&r, 1, false, &ns), CW_RUNS_TRY);
    for (int i = 0; i < CW_RUNS_TRIALS; i++) {
        assert_int_equal(cw_history_runs_start(&r, 1, false, &ns), CW_RUNS_TRY);
        owes.learnt_ns = i ? 0 : CW_RUNS_BUILD_NS;
        cw_history_runs_add(&r, 1, &owes);
    }
    /* the same again, which lives CW_RUNS_LEARN times what was spent and what is owed; time spent on learning
     * is not life */
    for (n = 0; cw_history_runs_start(&r, 1, false, &ns) == CW_RUNS_LATER && n < 100; n++)
        cw_history_runs_add(&r, 1, &never);
    assert_true(r.lived_ns - r.learnt_ns >= CW_RUNS_LEARN * 2 * CW_RUNS_BUILD_NS);
    assert_true(r.lived_ns - r.learnt_ns < CW_RUNS_LEARN * 2 * CW_RUNS_BUILD_NS + 2 * never.lived_ns);
    assert_int_equal(cw_history_runs_start(&r, 1, false, &ns),
                     CW_RUNS_TRY); /* and no loss that one must wait for */
    r.lived_ns = r.learnt_ns;
    assert_int_equal(cw_history_runs_start(&r, 1, false, &ns), CW_RUNS_LATER);
    assert_int_equal(cw_history_runs_start(&r, 1, true, &ns), CW_RUNS_TRY);
    for (int i = 0; i < CW_RUNS_BEFORE; i++)
        cw_history_runs_add(&r, 2, &(struct cw_runs_run){.work_ns = 300 * MS});
    assert_int_equal(cw_history_runs_start(&r, 2, false, &ns), CW_RUNS_TRY);
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 1, .lived_ns = NAN}));
}

static void test_bounded(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    for (uint64_t k = 1; k <= 1000; k++) {
        add(&r, 1, false, 2 * MS, 0); /* used each time: it stays */
        add(&r, k + 1, false, 2 * MS, 0);
        assert_in_range(r.count, 2, CW_RUNS_ARGUMENTS);
    }
    assert_int_equal(r.count, CW_RUNS_ARGUMENTS);
    assert_false(add(&r, 1, false, 2 * MS, 0));
    assert_false(add(&r, 1001, false, 2 * MS, 0) && r.entry[0].arguments != 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first),
                                       cmocka_unit_test(test_short),
                                       cmocka_unit_test(test_nothing_new),
                                       cmocka_unit_test(test_gaining),
                                       cmocka_unit_test(test_cold),
                                       cmocka_unit_test(test_losing),
                                       cmocka_unit_test(test_losing_long),
                                       cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_learning),
                                       cmocka_unit_test(test_saved),
                                       cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_behind),
                                       cmocka_unit_test(test_behind_by_beginning),
                                       cmocka_unit_test(test_disturbed),
                                       cmocka_unit_test(test_bounded),
                                       cmocka_unit_test(test_idle)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
