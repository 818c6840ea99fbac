/* The record of a program's runs and the rule by which run mode spends time on it, with a played clock: no
 * run of a program is timed here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../analyzer/history/history_runs.h"
#include "../../sched/random.h"

#define MS 1e6

/* A program with arguments 1, as it is played: the work of a run bare and of one that begins at once, the
 * cost of beginning, and the part of its life that is no work. */
struct program {
    double bare_ns, run_ns, cost_ns, other_ns;
    uint32_t waits; /* runs at once that the builder is waited for */
};

/* Sums over the runs that were played. */
struct sums {
    uint32_t at_once, held, later;
    double bare_ns, took_ns, worst_ns; /* worst: of any prefix, took - (1 + CW_RUNS_SHARE) x bare */
};

static void play_one(struct cw_runs *r, struct program *p, struct sums *s)
{
    enum cw_runs_start how = cw_history_runs_start(r, 1, false);
    struct cw_runs_run run = {.at_once = how == CW_RUNS_TRY || how == CW_RUNS_GAINED};

    if (run.at_once) {
        run.waits = p->waits > 0;
        p->waits -= p->waits > 0;
        run.work_ns = run.waits ? p->bare_ns + p->cost_ns : p->run_ns + p->cost_ns;
        run.cost_ns = p->cost_ns;
    } else {
        run.work_ns = p->bare_ns;
    }
    run.lived_ns = run.work_ns + p->other_ns;
    cw_history_runs_add(r, 1, &run);
    s->at_once += run.at_once;
    s->held += how == CW_RUNS_HOLD;
    s->later += how == CW_RUNS_LATER;
    s->bare_ns += p->bare_ns + p->other_ns;
    s->took_ns += run.lived_ns;
    s->worst_ns = fmax(s->worst_ns, s->took_ns - (1 + CW_RUNS_SHARE) * s->bare_ns);
}

static struct sums play(struct cw_runs *r, struct program p, uint32_t runs)
{
    struct sums s = {0};

    while (runs--)
        play_one(r, &p, &s);
    return s;
}

static void test_rule(void **state)
{
    (void)state;
    assert_false(cw_history_runs_affords(0, 0, 1));
    assert_true(cw_history_runs_affords(100 * MS, 0, 4 * MS));
    assert_false(cw_history_runs_affords(100 * MS, 1 * MS, 4 * MS));
    assert_true(cw_history_runs_pays(2000 * MS, .5, 1000 * MS));
    assert_false(cw_history_runs_pays(1999 * MS, .5, 1000 * MS));
}

/* The gain comes with the third run: the first pays for the vendor's compiler, the second is its judge. */
static void test_gaining(void **state)
{
    struct cw_runs r = {0};
    struct program p = {300 * MS, 100 * MS, 3 * MS, 50 * MS, 0};
    struct sums s = play(&r, p, CW_RUNS_BARE);

    (void)state;
    assert_int_equal(s.later, CW_RUNS_BARE);
    s = play(&r, p, CW_RUNS_TRIALS);
    assert_int_equal(s.at_once, CW_RUNS_TRIALS);
    assert_int_equal(cw_history_runs_state(cw_history_runs_find(&r, 1)), CW_RUNS_GAINING);
    s = play(&r, p, 1000);
    assert_in_range(s.held, 3, 6); /* after 32 runs, 64 ... */
    assert_int_equal(s.at_once + s.held, 1000);
    p.run_ns = 900 * MS; /* the machine has changed */
    s = play(&r, p, 1000);
    assert_true(s.worst_ns <= CW_RUNS_SHARE * r.lived_ns);
    assert_true(s.at_once < 30);
}

/* The builder is waited for: such runs are no judges, but not for ever. */
static void test_waiting(void **state)
{
    struct cw_runs r = {0};
    struct program p = {300 * MS, 100 * MS, 3 * MS, 50 * MS, 5};

    (void)state;
    play(&r, p, CW_RUNS_BARE + 5);
    assert_int_equal(cw_history_runs_find(&r, 1)->losses, 0);
    p.waits = 0;
    play(&r, p, CW_RUNS_TRIALS);
    assert_int_equal(cw_history_runs_state(cw_history_runs_find(&r, 1)), CW_RUNS_GAINING);
    r = (struct cw_runs){0};
    p.waits = UINT32_MAX;
    play(&r, p, 200);
    assert_true(cw_history_runs_find(&r, 1)->losses > 0);
}

/* A program that gains nothing loses little, and ever less. */
static void test_losing(void **state)
{
    struct cw_runs r = {0};
    struct program p = {200 * MS, 200 * MS, 4 * MS, 50 * MS, 0};
    struct sums first = play(&r, p, 100), next = play(&r, p, 1000);

    (void)state;
    assert_true(first.worst_ns <= 0);
    assert_true(next.took_ns - next.bare_ns < .005 * next.bare_ns);
    assert_true(next.at_once < 30);
    assert_int_equal(cw_history_runs_state(cw_history_runs_find(&r, 1)), CW_RUNS_NO_GAIN);
}

/* Whatever programs do, all their runs together are never more behind than the rule says, but for one
 * series of trials: a trial's loss is known only when it is over. */
static void test_bound(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        struct cw_runs r = {0};
        struct program p;
        struct sums s;

        p.bare_ns = exp(cw_random_uniform(&random, 0, 9)) * .1 * MS; /* .1 to 800 ms */
        p.other_ns = exp(cw_random_uniform(&random, 0, 6)) * MS;     /* 1 to 400 ms */
        p.run_ns = p.bare_ns * cw_random_uniform(&random, .3, 1.8);
        p.cost_ns = cw_random_uniform(&random, 1, 6) * MS;
        p.waits = (uint32_t)cw_random_below(&random, 20);
        s = play(&r, p, 400);
        assert_true(s.worst_ns <= CW_RUNS_TRIALS * (fmax(p.run_ns - p.bare_ns, 0) + p.cost_ns));
        if (p.run_ns > p.bare_ns)
            assert_true(s.took_ns <= 1.05 * s.bare_ns + 100 * MS);
    }
}

/* A run that takes less than beginning costs has nothing to gain. */
static void test_short(void **state)
{
    struct cw_runs r = {0};
    struct program p = {1 * MS, .1 * MS, 4 * MS, 20 * MS, 0};

    (void)state;
    assert_int_equal(play(&r, p, 1).at_once, 0);
    assert_false(cw_history_runs_is_over_before(&r, 1));
    assert_int_equal(play(&r, p, 1000).at_once, 0);
    assert_true(cw_history_runs_is_over_before(&r, 1));
    assert_false(cw_history_runs_is_over_before(&r, 2));
}

/* A long run begins in its midst; its launches' times at home tell what it would take bare. */
static void test_long(void **state)
{
    struct cw_runs r = {0};
    double not_before;
    struct cw_runs_run run = {.began = true, .work_ns = 9000 * MS, .guess_ns = 15000 * MS, .lived_ns = 1e10};

    (void)state;
    assert_true(cw_history_runs_price(&r, 1, &not_before) > CW_RUNS_ANALYSE_NS);
    assert_true(not_before == 0);
    assert_true(cw_history_runs_add(&r, 1, &run));
    assert_true(cw_history_runs_bare_ns(cw_history_runs_find(&r, 1)) == 15000 * MS);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_GAINED);
    assert_true(cw_history_runs_price(&r, 2, &not_before) < CW_RUNS_ANALYSE_NS);
    r = (struct cw_runs){0};
    run.guess_ns = 9000 * MS; /* no gain to be seen: a bare run tells */
    cw_history_runs_add(&r, 1, &run);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_HOLD);
    cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 8000 * MS, .lived_ns = 1e10});
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_TRY);
}

/* Runs that wait for the builder are no judges of the gain; what they lose is to be earned all the same. */
static void test_lost_waiting(void **state)
{
    struct cw_runs r = {0};
    struct cw_runs_run bare = {.work_ns = 8000 * MS, .lived_ns = 9000 * MS};
    struct cw_runs_run waiting = {.at_once = true, .waits = true, .work_ns = 10000 * MS, .lived_ns = 11e9};
    double not_before;

    (void)state;
    cw_history_runs_add(&r, 1, &bare);
    cw_history_runs_add(&r, 1, &bare);
    assert_true(cw_history_runs_price(&r, 1, &not_before) < 20 * MS);
    cw_history_runs_add(&r, 1, &waiting);
    assert_true(cw_history_runs_price(&r, 1, &not_before) > 1900 * MS);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_LATER);
    for (int i = 0; i < 10; i++)
        cw_history_runs_add(&r, 1, &bare);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_TRY); /* 4 % of them cover it */
}

/* The one bare run of a long program may have paid for the vendor's compiler: a gain is measured against two.
 */
static void test_second_bare(void **state)
{
    struct cw_runs r = {0};
    struct cw_runs_run began = {.began = true, .work_ns = 9000 * MS, .guess_ns = 9000 * MS, .lived_ns = 1e10};
    struct cw_runs_run bare = {.work_ns = 1500 * MS, .lived_ns = 1e10};
    struct cw_runs_run with = {.at_once = true, .work_ns = 1200 * MS, .lived_ns = 1e10};

    (void)state;
    cw_history_runs_add(&r, 1, &began);
    cw_history_runs_add(&r, 1, &bare);
    for (uint32_t i = 0; i < CW_RUNS_TRIALS; i++) {
        assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_TRY);
        cw_history_runs_add(&r, 1, &with);
    }
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_HOLD);
    bare.work_ns = 1150 * MS;
    cw_history_runs_add(&r, 1, &bare);
    assert_int_equal(cw_history_runs_state(cw_history_runs_find(&r, 1)), CW_RUNS_NO_GAIN);
}

/* After a loss a run begins in its midst only when it is far longer than those that lost. */
static void test_lost_before(void **state)
{
    struct cw_runs r = {0};
    struct program p = {200 * MS, 300 * MS, 4 * MS, 50 * MS, 0};
    double not_before;

    (void)state;
    play(&r, p, CW_RUNS_BARE + CW_RUNS_TRIALS);
    cw_history_runs_price(&r, 1, &not_before);
    assert_true(not_before == 400 * MS);
    assert_true(cw_history_runs_is_over_before(&r, 1));
}

static void test_behind(void **state)
{
    struct cw_runs r = {0};
    struct cw_runs_run run = {.work_ns = 100 * MS, .lived_ns = 100 * MS, .at_ns = {10 * MS, 20 * MS}};

    (void)state;
    cw_history_runs_add(&r, 1, &run);
    assert_false(cw_history_runs_is_behind(&r, 1, 0, 12 * MS)); /* the cost of beginning is granted */
    assert_true(cw_history_runs_is_behind(&r, 1, 0, 30 * MS));
    assert_false(cw_history_runs_is_behind(&r, 1, 1, 21 * MS));
    assert_false(cw_history_runs_is_behind(&r, 1, 2, 1000 * MS)); /* no such mark */
    assert_false(cw_history_runs_is_behind(&r, 1, CW_RUNS_MARKS, 1000 * MS));
    assert_false(cw_history_runs_is_behind(&r, 2, 0, 1000 * MS));
}

/* Marks of bare runs that are forgotten are forgotten with them: the program has changed. */
static void test_behind_forgotten(void **state)
{
    struct cw_runs r = {0};
    struct cw_runs_run bare = {.work_ns = 100 * MS, .lived_ns = 100 * MS, .at_ns = {10 * MS, 20 * MS}};
    struct cw_runs_run began = {.began = true, .work_ns = 9e9, .guess_ns = 15e9, .lived_ns = 1e10};

    (void)state;
    cw_history_runs_add(&r, 1, &bare);
    cw_history_runs_add(&r, 1, &bare);
    cw_history_runs_add(&r, 1, &began);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_GAINED);
    assert_false(cw_history_runs_is_behind(&r, 1, 0, 1000 * MS));
}

static void test_marks(void **state)
{
    uint32_t next = 0, passed = 0;

    (void)state;
    assert_int_equal(cw_history_runs_mark(15, &next), CW_RUNS_MARKS);
    assert_int_equal(next, 16);
    for (uint32_t n = 16; n < 1 << 17; n++) { /* each mark once, in order, where the one before said */
        bool due = n == next;
        uint32_t k = cw_history_runs_mark(n, &next);

        assert_true(k == (due ? passed : passed - 1) || (passed == CW_RUNS_MARKS && k == passed));
        passed += due;
        assert_true(next > n);
    }
    assert_int_equal(passed, CW_RUNS_MARKS);
    assert_int_equal(next, UINT32_MAX);
    assert_int_equal(cw_history_runs_mark(UINT32_MAX, &next), CW_RUNS_MARKS);
}

/* Helpers had nothing to do: no gain, at any time taken. */
static void test_idle(void **state)
{
    struct cw_runs r = {0};
    struct program p = {300 * MS, 100 * MS, 3 * MS, 50 * MS, 0};

    (void)state;
    play(&r, p, CW_RUNS_BARE);
    assert_int_equal(cw_history_runs_start(&r, 1, false), CW_RUNS_TRY);
    cw_history_runs_add(&r, 1, &(struct cw_runs_run){.at_once = true, .idle = true, .lived_ns = 350 * MS});
    assert_int_equal(cw_history_runs_state(cw_history_runs_find(&r, 1)), CW_RUNS_NO_GAIN);
}

static void test_nonsense(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 0}));
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = NAN}));
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = -1, .at_once = true}));
    assert_false(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 1, .lived_ns = INFINITY}));
    assert_int_equal(r.count, 0);
}

/* Known, short and as before: nothing need be written. */
static void test_nothing_new(void **state)
{
    struct cw_runs r = {0};
    const struct cw_runs_run run = {.work_ns = 2 * MS, .lived_ns = 20 * MS};

    (void)state;
    assert_true(cw_history_runs_add(&r, 1, &run));
    assert_true(cw_history_runs_add(&r, 1, &run));
    assert_false(cw_history_runs_add(&r, 1, &run));
    assert_true(cw_history_runs_add(&r, 1, &(struct cw_runs_run){.work_ns = 9 * MS}));
    assert_true(cw_history_runs_add(&r, 2, &run));
}

static void test_bounded(void **state)
{
    struct cw_runs r = {0};

    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        cw_history_runs_add(&r, i, &(struct cw_runs_run){.work_ns = 2 * MS});
    assert_int_equal(r.count, CW_RUNS_ARGUMENTS);
    assert_non_null(cw_history_runs_find(&r, 100));
    assert_null(cw_history_runs_find(&r, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),        cmocka_unit_test(test_gaining),
        cmocka_unit_test(test_waiting),     cmocka_unit_test(test_losing),
        cmocka_unit_test(test_bound),       cmocka_unit_test(test_short),
        cmocka_unit_test(test_long),        cmocka_unit_test(test_lost_before),
        cmocka_unit_test(test_behind),      cmocka_unit_test(test_behind_forgotten),
        cmocka_unit_test(test_marks),       cmocka_unit_test(test_lost_waiting),
        cmocka_unit_test(test_second_bare), cmocka_unit_test(test_idle),
        cmocka_unit_test(test_nonsense),    cmocka_unit_test(test_nothing_new),
        cmocka_unit_test(test_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
