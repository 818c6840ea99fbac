/* Costs of windows from the history: known, unknown, tried, and the loop of planning, measuring and planning
 * again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "history_keys.h"
#include "../../shim/run/planner/estimate.h"

#define CHAINS 8
#define TASKS  80

static const char *const names[] = {"home", "helper"};

static void test_rows(void **state)
{
    struct cw_history *h = cw_history_create();
    struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 2, .size = 100, .home = 0, .allowed = 2};
    struct cw_run_estimator e;
    double cost[2], error[2];

    (void)state;
    assert_true(cw_run_estimate_init(&e, h, names, (double[]){1, 3}, 2));
    cw_run_estimate_begin(&e);
    cw_run_estimate_row(&e, &launch, cost, error); /* nothing known: no trial either */
    assert_float_equal(cost[0], 20000, 0);
    assert_float_equal(cost[1], 60000, 0);
    assert_true(error[0] == cost[0] && error[1] == cost[1]);
    for (int n = 0; n < 100; n++)
        cw_history_add(h, K(1), 2, e.device[0], 100, 10000);
    cw_run_estimate_row(&e, &launch, cost, error);
    assert_float_equal(cost[1], 30000, 0);
    assert_true(error[0] == 0 && error[1] == 0); /* a trial */
    e.budget_ns = 29999;
    cw_run_estimate_row(&e, &launch, cost, error);
    assert_true(error[0] > 0 && error[0] < 1000 && error[1] == cost[1]); /* no money left */
    launch.owed = 2; /* but the trial before it could show nothing */
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 1);
    assert_true(error[0] == 0 && error[1] == 0);
    launch.owed = 1; /* on another device */
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    launch.allowed = 0;
    cw_run_estimate_row(&e, &launch, cost, error);
    assert_true(isinf(cost[1]) && error[1] == 0 && error[0] > 0);
    launch.home = 1; /* home is allowed without a bit */
    cw_run_estimate_row(&e, &launch, cost, error);
    assert_true(isinf(cost[0]) && !isinf(cost[1]));
    assert_false(cw_run_estimate_init(&e, h, names, NULL, 0));
    assert_false(cw_run_estimate_init(&e, h, names, NULL, CW_RUN_DEVICES_MAX + 1));
    assert_false(cw_run_estimate_init(&e, h, names, (double[]){1, 0}, 2));
    cw_history_destroy(h);
}

/* A device with home's name in the history is as quick as home: a trial there would show nothing new. */
static void test_like_home(void **state)
{
    struct cw_history *h = cw_history_create();
    struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 3, .size = 200, .home = 0, .allowed = 6};
    static const char *const like[] = {"gpu 132", "gpu 132", "cpu 8"};
    struct cw_run_estimator e;
    double cost[3], error[3];

    (void)state;
    assert_true(cw_run_estimate_init(&e, h, like, NULL, 3));
    cw_run_estimate_begin(&e);
    for (uint64_t shape = 1; shape < 3; shape++) /* of shape 3 its size tells */
        cw_history_add(h, K(1), shape, e.device[0], 100 * (double)shape, 10000 * (double)shape);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 2);
    launch.allowed = 2;
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    assert_float_equal(cost[0], cost[1], 0);
    launch.chained = true;
    cw_history_add(h, K(1), 3, e.chained[0], 200, 50000);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    assert_float_equal(cost[0], 50000, 0);
    assert_float_equal(cost[1], 50000, 0);
    cw_history_destroy(h);
}

/* A long launch that has home to itself is not tried where there are fewer processors; a short one is, and
 * one beside others. */
static void test_alone(void **state)
{
    struct cw_history *h = cw_history_create();
    struct cw_run_launch_key launch = {
        .kernel = {{1, 1}}, .shape = 2, .size = 100, .allowed = 2, .alone = true};
    struct cw_run_estimator e;
    double cost[2], error[2];

    (void)state;
    assert_true(cw_run_estimate_init(&e, h, names, (double[]){1, 2}, 2));
    for (int n = 0; n < 100; n++)
        cw_history_add(h, K(1), 2, e.device[0], 100, 2e6);
    cw_run_estimate_begin(&e);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    assert_true(error[0] > 0 && error[1] > 0);
    launch.alone = false;
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 1);
    launch.alone = true;
    e.slowness[1] = 1;
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 1);
    launch.shape = 3;
    e.slowness[1] = 2;
    for (int n = 0; n < 100; n++)
        cw_history_add(h, K(1), 3, e.device[0], 100, 2e4);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 1);
    cw_history_destroy(h);
}

/* A device of one unit, not measured: as quick as home of four for one work-group, twice as slow for two. */
static void test_groups(void **state)
{
    struct cw_history *h = cw_history_create();
    struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 2, .size = 100, .allowed = 2};
    struct cw_run_estimator e;
    double cost[2], error[2];

    (void)state;
    assert_true(cw_run_estimate_init(&e, h, names, (double[]){1, 4}, 2));
    e.units[0] = 4;
    e.units[1] = 1;
    for (int n = 0; n < 100; n++)
        cw_history_add(h, K(1), 2, e.device[0], 100, 2e6);
    for (int groups = 0; groups <= 8; groups++) {
        launch.groups = groups;
        cw_run_estimate_row(&e, &launch, cost, error);
        assert_float_equal(cost[1], 2e6 * (groups && groups < 4 ? groups : 4), 1);
    }
    cw_history_destroy(h);
}

struct loop {
    struct cw_history *history;
    struct cw_run_estimator estimator;
    struct cw_run_planner *planner;
    uint32_t pred_start[TASKS + 1], pred[TASKS], trial[TASKS];
    double cost[2 * TASKS], error[2 * TASKS];
    struct cw_run_plan plan;
};

static void loop_init(struct loop *l, uint32_t chains)
{
    struct cw_plan_device devices[2] = {{.name = names[0]}, {.name = names[1]}};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_policy_config config;
    uint32_t edges = 0;

    l->history = cw_history_create();
    l->plan = (struct cw_run_plan){0};
    assert_true(cw_run_estimate_init(&l->estimator, l->history, names, NULL, 2));
    cw_policy_config_init(&config, cw_policy_find(CW_RUN_POLICY_DEFAULT));
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &l->planner, NULL), CW_OK);
    for (uint32_t i = 0; i < TASKS; i++) {
        l->pred_start[i] = edges;
        if (i >= chains)
            l->pred[edges++] = i - chains;
    }
    l->pred_start[TASKS] = edges;
}

static void loop_finish(struct loop *l)
{
    cw_run_planner_destroy(l->planner);
    cw_run_plan_finish(&l->plan);
    cw_history_destroy(l->history);
}

/* Plans one window, "runs" it (launches take home_ns and helper_ns), and tells the history. Returns how many
 * were moved. */
static uint32_t loop_step(struct loop *l, double home_ns, double helper_ns)
{
    struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 2, .size = 100, .allowed = 3};
    struct cw_run_window w = {.tasks = TASKS,
                              .pred_start = l->pred_start,
                              .pred = l->pred,
                              .cost_ns = l->cost,
                              .error_ns = l->error};

    cw_run_estimate_begin(&l->estimator);
    for (uint32_t i = 0; i < TASKS; i++)
        l->trial[i] = cw_run_estimate_row(&l->estimator, &launch, &l->cost[2 * i], &l->error[2 * i]);
    assert_int_equal(cw_run_plan_make(l->planner, &w, &l->plan, NULL), CW_OK);
    cw_run_estimate_adopt(&l->estimator, &w, l->trial, l->planner, &l->plan);
    for (uint32_t i = 0; i < TASKS; i++)
        cw_history_add(l->history, K(1), 2, l->estimator.device[l->plan.device[i]], 100,
                       l->plan.device[i] ? helper_ns : home_ns);
    return l->plan.moved;
}

/* Eight chains and a helper as fast as home: the first window stays (nothing is known), the second one tries,
 * and from then on half of the work is moved for good. */
static void test_helper_is_found(void **state)
{
    struct loop l;

    (void)state;
    loop_init(&l, CHAINS);
    assert_int_equal(loop_step(&l, 100000, 100000), 0);
    assert_in_range(loop_step(&l, 100000, 100000), 1, TASKS / 2);
    loop_step(&l, 100000, 100000);
    for (int n = 0; n < 10; n++)
        assert_int_equal(loop_step(&l, 100000, 100000), TASKS / 2);
    loop_finish(&l);
}

/* A helper that turns out twenty times slower is left alone after some trials, which cost no more than their
 * share. */
static void test_slow_helper_is_dropped(void **state)
{
    uint32_t moved = 0;
    struct loop l;

    (void)state;
    loop_init(&l, CHAINS);
    for (int n = 0; n < 100; n++)
        moved += loop_step(&l, 100000, 2000000);
    assert_in_range(moved, 1, TASKS);
    assert_int_equal(l.plan.moved, 0);
    loop_finish(&l);
}

/* Nor is one whose bytes take too long to get there: beyond the budget, or as long as home takes. What is
 * fetched for a trial is charged. */
static void test_fetches_cost_trials(void **state)
{
    const struct cw_plan_space spaces[2] = {{.capacity = 0}, {.in = {1e6, 1, 0}, .out = {1e6, 1, 0}}};
    const struct cw_plan_device devices[2] = {{.name = names[0]}, {.name = names[1], .space = 1}};
    const struct cw_plan_piece piece = {.bytes = 1000000, .spaces = 1};
    struct cw_run_rules rules = {.spaces = 2, .space = spaces};
    struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 2, .size = 100, .allowed = 3};
    struct cw_history *h = cw_history_create();
    struct cw_run_window w = {.tasks = 1, .pred_start = (uint32_t[]){0, 0}};
    struct cw_run_travel travel = {.fetch_ns = {0, 0.9e6}};
    double cost[2], error[2], budget;
    struct cw_run_planner *planner;
    struct cw_policy_config config;
    struct cw_run_plan plan = {0};
    struct cw_run_estimator e;
    uint32_t trial;

    (void)state;
    assert_true(cw_run_estimate_init(&e, h, names, NULL, 2));
    cw_policy_config_init(&config, cw_policy_find("heft"));
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_OK);
    for (int n = 0; n < 4; n++)
        cw_history_add(h, K(1), 2, e.device[0], 100, 1e6);
    launch.travel = &travel;
    cw_history_tried(h, 4e6); /* of the first 5 ms */
    cw_run_estimate_begin(&e);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    cw_history_tried(h, -4e6);
    travel.carried_ns[1] = 10e6; /* likewise */
    cw_run_estimate_begin(&e);
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    travel.carried_ns[1] = 2e6; /* more than home takes, but its source may move as well */
    travel.fetch_ns[1] = 1e6;   /* as home takes */
    assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), CW_SCHED_NONE);
    travel.fetch_ns[1] = 0.9e6;
    trial = cw_run_estimate_row(&e, &launch, cost, error);
    assert_int_equal(trial, 1);
    w.cost_ns = cost;
    w.error_ns = error;
    w.piece_start = (uint32_t[]){0, 1};
    w.piece = &piece;
    assert_int_equal(cw_run_plan_make(planner, &w, &plan, NULL), CW_OK);
    budget = cw_history_trial_budget_ns(h);
    assert_int_equal(cw_run_estimate_adopt(&e, &w, &trial, planner, &plan), 1);
    assert_float_equal(budget - cw_history_trial_budget_ns(h), cost[1] + 2e6, 1);
    cw_run_plan_finish(&plan);
    cw_run_planner_destroy(planner);
    cw_history_destroy(h);
}

/* A kernel too long for the budget is not tried at all. */
static void test_long_kernels_are_not_tried(void **state)
{
    struct loop l;

    (void)state;
    loop_init(&l, CHAINS);
    assert_int_equal(loop_step(&l, 1e9, 1e9), 0);
    l.estimator.history = l.history;
    cw_history_tried(l.history, 1e12);
    for (int n = 0; n < 10; n++)
        assert_int_equal(loop_step(&l, 1e9, 1e9), 0);
    loop_finish(&l);
}

/* A chain that gains nowhere: nothing is planned, two launches are tried all the same, and then it stays but
 * for a look now and then. */
static void test_a_chain_is_tried(void **state)
{
    struct loop l;

    (void)state;
    loop_init(&l, 1);
    assert_int_equal(loop_step(&l, 100000, 100000), 0);
    assert_int_equal(loop_step(&l, 100000, 100000), CW_RUN_TRIALS);
    assert_false(l.plan.planned);
    for (int n = 0; n < 10; n++)
        loop_step(&l, 100000, 100000);
    assert_false(l.plan.planned);
    assert_in_range(l.plan.moved, 0, 1); /* a look whether that is still so */
    loop_finish(&l);
}

/* A chain on a helper that is ten times faster than guessed: the trials tell, and all of it moves. */
static void test_a_fast_helper_is_found_by_trials(void **state)
{
    struct loop l;

    (void)state;
    loop_init(&l, 1);
    loop_step(&l, 100000, 10000);
    assert_int_equal(loop_step(&l, 100000, 10000), CW_RUN_TRIALS);
    for (int n = 0; n < 3; n++)
        loop_step(&l, 100000, 10000);
    assert_int_equal(l.plan.moved, TASKS);
    loop_finish(&l);
}

/* One sample that a compiler has made a thousand times too long, of this shape or another: it is tried again
 * all the same. */
static void test_a_single_slow_sample_is_not_believed(void **state)
{
    for (uint64_t shape = 2; shape < 4; shape++) {
        struct cw_run_launch_key launch = {.kernel = {{1, 1}}, .shape = 2, .size = 100, .allowed = 3};
        struct cw_history *h = cw_history_create();
        struct cw_run_estimator e;
        double cost[2], error[2];

        (void)state;
        assert_true(cw_run_estimate_init(&e, h, names, NULL, 2));
        for (int n = 0; n < 100; n++)
            cw_history_add(h, K(1), 2, e.device[0], 100, 60000);
        cw_history_add(h, K(1), shape, e.device[1], 100, 84e6);
        cw_run_estimate_begin(&e);
        assert_int_equal(cw_run_estimate_row(&e, &launch, cost, error), 1);
        assert_true(cost[1] <= 1e6);
        cw_history_destroy(h);
    }
}

/* A helper that was measured while it was busy, and is not now: it is found out, and costs little where it is
 * true. */
static void test_a_busy_hour_is_forgotten(void **state)
{
    uint32_t moved = 0;
    struct loop l;

    (void)state;
    loop_init(&l, 1);
    for (int n = 0; n < 100; n++)
        cw_history_add(l.history, K(1), 2, l.estimator.device[1], 100, 150000);
    for (int n = 0; n < 100; n++)
        moved += loop_step(&l, 100000, 150000);
    assert_in_range(moved, 1, 100 * TASKS / 100);
    for (int n = 0; n < 500; n++)
        loop_step(&l, 100000, 10000);
    assert_int_equal(l.plan.moved, TASKS);
    loop_finish(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_like_home),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_helper_is_found),
        cmocka_unit_test(test_slow_helper_is_dropped),
        cmocka_unit_test(test_long_kernels_are_not_tried),
        cmocka_unit_test(test_fetches_cost_trials),
        cmocka_unit_test(test_a_chain_is_tried),
        cmocka_unit_test(test_a_fast_helper_is_found_by_trials),
        cmocka_unit_test(test_a_single_slow_sample_is_not_believed),
        cmocka_unit_test(test_a_busy_hour_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
