/* Multi-level dispatch, simulated: every result once, under all failures; the formula; trees against one
 * master.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/dispatch.h"
#include "../../sched/random.h"

static const struct cw_dispatch_options plain = {CW_DISPATCH_DEFAULTS, .workers = 64, .fan_out = 8,
                                                 .tasks = 4000,        .task_s = 0.1, .detect_s = 0.05};

static struct cw_dispatch_result run(const struct cw_dispatch_options *o)
{
    struct cw_dispatch_result r;
    struct cw_error err = {0};

    if (cw_dispatch_run(o, &r, &err) != CW_OK)
        fail_msg("workers %u levels %u fan-out %u tasks %u seed %llu: %s", o->workers, o->levels, o->fan_out,
                 o->tasks, (unsigned long long)o->seed, err.text);
    if (r.once != o->tasks)
        fail_msg("workers %u levels %u fan-out %u tasks %u seed %llu: %u results", o->workers, o->levels,
                 o->fan_out, o->tasks, (unsigned long long)o->seed, r.once);
    return r;
}

/* One worker does one task after the other: the time can be said exactly. */
static void test_one_worker(void **state)
{
    struct cw_dispatch_options o = plain;
    struct cw_dispatch_result r;

    (void)state;
    o.workers = 1;
    o.tasks = 10;
    o.block = 2;
    o.spread = 0;
    r = run(&o);
    /* a request, then five blocks: there, served, back, run; and the last report there and served */
    assert_true(fabs(r.seconds - (6 * 2e-4 + 5 * (1e-4 + 0.2))) < 1e-9);
    assert_true(r.messages == 6 && r.stale == 0 && r.lost_s == 0);
}

/* Without failures: nothing is lost or repeated; the formula is near; the same seed is the same. */
static void test_formula(void **state)
{
    static const uint32_t workers[] = {8, 64, 500, 2000, 8000};

    (void)state;
    for (size_t k = 0; k < 5; k++)
        for (uint32_t levels = 1; levels <= 3; levels++) {
            struct cw_dispatch_options o = plain;
            struct cw_dispatch_result r, again;
            o.workers = workers[k];
            o.levels = levels;
            o.fan_out = 16;
            o.tasks = 40 * o.workers;
            r = run(&o);
            again = run(&o);
            assert_memory_equal(&r, &again, sizeof r);
            assert_true(r.repeated == 0 && r.stale == 0 && r.lost_s == 0);
            print_message("%5u workers, %u levels: %9.1f tasks/s, formula %9.1f, busiest master %.2f\n",
                          o.workers, levels, r.throughput, r.formula, r.busiest);
            assert_true(fabs(r.throughput / r.formula - 1) < 0.15);
        }
}

/* Workers, regional masters and the global one die at random, in trees of any shape: each result is taken
 * once. */
static void test_failures(void **state)
{
    uint64_t random = 9;
    uint32_t workers = 0, masters = 0, globals = 0, hard = 0;
    uint64_t stale = 0;

    (void)state;
    for (uint64_t k = 0; k < 1500; k++) {
        struct cw_dispatch_options o = plain;
        struct cw_dispatch_result r;
        o.seed = k;
        o.workers = 1 + (uint32_t)cw_random_below(&random, 60);
        o.levels = 1 + (uint32_t)cw_random_below(&random, 4);
        o.fan_out = 2 + (uint32_t)cw_random_below(&random, 6);
        o.tasks = 1 + (uint32_t)cw_random_below(&random, 1500);
        o.block = 1 + (uint32_t)cw_random_below(&random, 5);
        o.spread = cw_random_uniform(&random, 0, 1);
        o.worker_mtbf_s = cw_random_below(&random, 3) ? cw_random_uniform(&random, 3, 60) : 0;
        o.master_mtbf_s = cw_random_below(&random, 3) ? cw_random_uniform(&random, 2, 60) : 0;
        o.detect_s = cw_random_uniform(&random, 0, 0.5);
        o.message_s = cw_random_below(&random, 2) ? 1e-4 : 2e-2; /* also where messages wait long */
        r = run(&o);
        workers += r.worker_failures;
        masters += r.master_failures;
        globals += r.global_failures;
        stale += r.stale;
        hard += r.master_failures > 3;
    }
    print_message("%u workers, %u masters, %u of them global, died; %llu stale messages\n", workers, masters,
                  globals, (unsigned long long)stale);
    assert_true(workers > 3000 && masters > 1500 && globals > 300 && stale > 300 && hard > 100);
}

/* A single master does what its messages allow and no more; a tree goes on. */
static void test_saturation(void **state)
{
    struct cw_dispatch_options o = plain;
    struct cw_dispatch_result one, tree;

    (void)state;
    o.workers = 20000;
    o.tasks = 10 * o.workers;
    one = run(&o);
    o.levels = 2;
    o.fan_out = 141;
    tree = run(&o);
    assert_true(one.throughput < 1.02 / o.message_s && one.busiest > 0.95 && one.idle > 0.9);
    assert_true(tree.throughput > 10 * one.throughput && tree.idle < 0.35);
}

static void test_bad(void **state)
{
    struct cw_dispatch_options o = plain;
    struct cw_dispatch_result r;
    struct cw_error err = {0};

    (void)state;
    o.workers = 0;
    assert_int_equal(cw_dispatch_run(&o, &r, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "workers"));
    o = plain;
    o.message_s = NAN;
    assert_int_equal(cw_dispatch_run(&o, &r, NULL), CW_ERR_INVALID);
    o = plain;
    o.worker_mtbf_s = 1e-4;
    o.detect_s = 0;
    assert_int_equal(cw_dispatch_run(&o, &r, NULL), CW_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_worker), cmocka_unit_test(test_formula),
                                       cmocka_unit_test(test_failures), cmocka_unit_test(test_saturation),
                                       cmocka_unit_test(test_bad)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
