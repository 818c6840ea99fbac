/* Dynamic policies against schedules worked out by hand, and plans whose devices are busy at first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/policy.h"

struct example {
    struct cw_graph *graph;
    struct cw_platform *platform;
};

/* A CPU (device 0) and a GPU on memories of their own, bandwidth 1; ranks 13.5, 3.5, 4.5, 6:
 *
 *        0 (4, 2)          0 -> 1 carries 1, 0 -> 2 carries 6
 *       /        \         3 stands alone
 *   1 (6, 1)   2 (5, 4)    3 (3, 9)
 */
static int make_example(void **state)
{
    static struct example e;
    static const double cost[4][2] = {{4, 2}, {6, 1}, {5, 4}, {3, 9}};
    struct cw_graph_builder *b = cw_graph_builder_create(2);

    for (uint32_t i = 0; i < 4; i++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost[i]}, NULL);
    cw_graph_builder_add_edge(b, 0, 1, 1, NULL);
    cw_graph_builder_add_edge(b, 0, 2, 6, NULL);
    *state = &e;
    if (cw_graph_builder_finish(b, &e.graph, NULL) != CW_OK)
        return -1;
    return cw_platform_create((struct cw_device_spec[]){{.class_name = "cpu"}, {.class_name = "gpu"}}, 2,
                              NULL, 1, NULL, 0, &e.platform, NULL);
}

static int drop_example(void **state)
{
    struct example *e = *state;

    cw_graph_destroy(e->graph);
    cw_platform_destroy(e->platform);
    return 0;
}

/* Plans with devices busy until busy[0] and busy[1]; the caller finishes the plan. */
static void run(struct example *e, const char *policy, const double *busy, uint64_t seed,
                struct cw_plan *plan)
{
    struct cw_policy_config config;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK ||
        cw_plan_init(plan, e->graph, e->platform, &err) != CW_OK ||
        cw_plan_occupy(plan, 0, busy[0], &err) != CW_OK || cw_plan_occupy(plan, 1, busy[1], &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    plan->seed = seed;
    if (config.policy->plan(plan, &config.options, &err) != CW_OK ||
        cw_schedule_check(plan->schedule, e->graph, e->platform, CW_SHARE_NEVER, 0, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
}

struct answer {
    const char *policy;
    double busy[2];
    uint32_t device[4];
    double start[4];
};

static void test_by_hand(void **state)
{
    static const struct answer answers[] = {
        /* at 0: task 0 to the GPU (2 against 4), 3 to the CPU (3 against 11); at 2: 1 to the GPU (3 against
         * 9), 2 to the GPU behind it (7 against 8, or 13 with the transfer) */
        {"dm", {0, 0}, {1, 1, 1, 0}, {0, 2, 3, 0}},
        {"dmda", {0, 0}, {1, 1, 1, 0}, {0, 2, 3, 0}},
        /* task 2 has the higher rank */
        {"dscls", {0, 0}, {1, 1, 1, 0}, {0, 6, 2, 0}},
        /* 0 and 3 to the CPU; at 4: 1 to the GPU (7 against 13); 2 to the GPU (11 against 12), but it waits
         * for its data until 10 and ends at 14: dmda knows */
        {"dm", {0, 6}, {0, 1, 1, 0}, {0, 6, 10, 4}},
        {"dmda", {0, 6}, {0, 1, 0, 0}, {0, 6, 7, 4}},
        /* task 3 has waited since 0 and comes before 1 and 2 by rank, too */
        {"gpu-only", {0, 0}, {1, 1, 1, 1}, {0, 15, 11, 2}},
        {"cpu-only", {0, 0}, {0, 0, 0, 0}, {0, 12, 7, 4}},
        {"cpu-only", {5, 0}, {0, 0, 0, 0}, {5, 17, 12, 9}},
        /* at 0 the GPU is idle and takes 0, at 1 the CPU 3, at 2 the GPU 2, at 4 the CPU 1 */
        {"eager", {1, 0}, {1, 0, 1, 0}, {0, 4, 2, 1}},
        /* 0 dealt to the CPU, 3 to the GPU; the CPU releases 1 and 2 at 4 and takes 1; the GPU steals 2 at 9
         * and waits for its data until 10 */
        {"ws", {0, 0}, {0, 0, 1, 1}, {0, 4, 10, 0}},
        /* the same from 6 on; now the GPU is idle already when 2 appears */
        {"ws", {6, 0}, {0, 0, 1, 1}, {6, 10, 16, 0}},
    };

    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++) {
        const struct answer *a = &answers[k];
        struct cw_plan plan;
        run(*state, a->policy, a->busy, 0, &plan);
        for (uint32_t i = 0; i < 4; i++) {
            const struct cw_placement *t = &plan.schedule->task[i];
            if (t->device != a->device[i] || t->start != a->start[i])
                fail_msg("%s, busy until %g and %g: task %u on %u from %g", a->policy, a->busy[0], a->busy[1],
                         i, t->device, t->start);
        }
        cw_plan_finish(&plan);
    }
}

/* Without a DSP, dsp-only says that it went elsewhere. */
static void test_no_such_class(void **state)
{
    static const double idle[2];
    struct cw_plan plan;

    run(*state, "dsp-only", idle, 0, &plan);
    assert_non_null(strstr(plan.schedule->note, "4 tasks that no device of class dsp can run"));
    cw_plan_finish(&plan);
    run(*state, "cpu-only", idle, 0, &plan);
    assert_string_equal(plan.schedule->note, "");
    cw_plan_finish(&plan);
}

/* The seed decides, and nothing else does: over 64 seeds random policies give several plans, each again for
 * its seed. */
static void test_seeds(void **state)
{
    static const char *const policies[] = {"random", "chaos", "eager"};
    static const double idle[2];

    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        double seen[64];
        int distinct = 0;
        for (uint64_t seed = 0; seed < 64; seed++) {
            struct cw_plan a, b;
            int known = 0;
            run(*state, policies[k], idle, seed, &a);
            run(*state, policies[k], idle, seed, &b);
            for (uint32_t i = 0; i < 4; i++)
                assert_true(a.schedule->task[i].start == b.schedule->task[i].start &&
                            a.schedule->task[i].device == b.schedule->task[i].device);
            seen[seed] = cw_schedule_makespan(a.schedule);
            for (uint64_t before = 0; before < seed; before++)
                known |= seen[before] == seen[seed];
            distinct += !known;
            cw_plan_finish(&a);
            cw_plan_finish(&b);
        }
        print_message("%s: %d makespans\n", policies[k], distinct);
        assert_true(distinct >= 2);
    }
}

static void test_occupy(void **state)
{
    struct example *e = *state;
    struct cw_choice first = {.device = 0, .start = 2, .finish = 6};
    struct cw_plan plan;

    assert_int_equal(cw_plan_init(&plan, e->graph, e->platform, NULL), CW_OK);
    assert_int_equal(cw_plan_place(&plan, 0, &first, NULL), CW_OK);
    assert_int_equal(cw_plan_occupy(&plan, 0, 3, NULL), CW_ERR_INVALID); /* the task begins at 2 */
    assert_int_equal(cw_plan_occupy(&plan, 0, 2, NULL), CW_OK);
    assert_int_equal(cw_plan_occupy(&plan, 1, -1, NULL), CW_ERR_INVALID);
    assert_int_equal(cw_plan_occupy(&plan, 1, NAN, NULL), CW_ERR_INVALID);
    assert_int_equal(cw_plan_occupy(&plan, 1, INFINITY, NULL), CW_ERR_INVALID);
    cw_plan_finish(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_no_such_class),
                                       cmocka_unit_test(test_seeds), cmocka_unit_test(test_occupy)};

    return cmocka_run_group_tests(tests, make_example, drop_example);
}
