/* Beyond the published examples, with their one bandwidth: the options of heft
 * and scls and the temporary edges of ldcp, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../sched/policy.h"

enum { TASKS = 3, DEVICES = 3 };

struct example {
    uint32_t tasks, devices;
    double cost[TASKS][DEVICES];
    double data[TASKS][TASKS]; /* what an edge carries + 1; 0: no edge */
    double bandwidth[DEVICES * DEVICES];
};

static void expect(const struct example *x, const char *policy, const uint32_t *order, uint32_t first_device)
{
    struct cw_graph_builder *b = cw_graph_builder_create(x->devices);
    struct cw_device_spec spec[DEVICES] = {{0}};
    struct cw_policy_config config;
    struct cw_error err = {0};
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_schedule *s;

    for (uint32_t i = 0; i < x->tasks; i++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = x->cost[i]}, NULL);
    for (uint32_t i = 0; i < x->tasks; i++)
        for (uint32_t j = 0; j < x->tasks; j++)
            if (x->data[i][j] > 0)
                cw_graph_builder_add_edge(b, i, j, x->data[i][j] - 1, NULL);
    assert_int_equal(cw_graph_builder_finish(b, &g, NULL), CW_OK);
    assert_int_equal(cw_platform_create(spec, x->devices, x->bandwidth, 1, NULL, 0, &p, NULL), CW_OK);
    if (cw_policy_parse(&config, policy, &err) != CW_OK || cw_policy_run(&config, g, p, &s, &err) != CW_OK ||
        cw_schedule_check(s, g, p, CW_SHARE_NEVER, 0, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    for (uint32_t k = 0; k < x->tasks; k++)
        if (s->order[k] != order[k])
            fail_msg("%s: place %u has task %u, not %u", policy, k, s->order[k], order[k]);
    if (s->task[order[0]].device != first_device)
        fail_msg("%s: task %u on %u, not %u", policy, order[0], s->task[order[0]].device, first_device);
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* Device 0 has slow links (mean 1), device 1 and 2 have faster ones (mean 5). Task 0 sends 10 and 2. On
 * device 0 it finishes at 2 and its longest transfer takes 10 (mean 6), on device 1 at 8 and 2 (1.2). */
static void test_scls_transfers(void **state)
{
    static const struct example x = {
        3, 3, {{2, 8, 20}, {5, 5, 5}, {5, 5, 5}}, {{0, 10 + 1, 2 + 1}}, {1, 1, 1, 1, 1, 9, 1, 9, 1}};
    static const uint32_t order[] = {0, 1, 2};

    (void)state;
    expect(&x, "heft", order, 0);
    expect(&x, "scls", order, 1);               /* 8 + 2 against 2 + 10 */
    expect(&x, "scls:mean-transfer", order, 0); /* 8 + 1.2 against 2 + 6 */
}

/* 1 (5) -> 0 (2), 2 (3) alone: by rank_u 1, 2, 0. rank_u + rank_d is 7 for 0 as for 1, so that 0 is the head
 * of the list, and its parent goes before it. */
static void test_scls_down_rank(void **state)
{
    static const struct example x = {3, 1, {{2}, {5}, {3}}, {{0}, {1}}, {1}};
    static const uint32_t by_up[] = {1, 2, 0}, by_both[] = {1, 0, 2};

    (void)state;
    expect(&x, "scls", by_up, 0);
    expect(&x, "scls:down-rank", by_both, 0);
}

static void test_heft_critical_child(void **state)
{
    /* nothing travels: 1 on device 0 costs 2 + 10 on the same, 2 + 1 on the other */
    static const struct example free_ride = {2, 2, {{2, 3}, {10, 1}}, {{0, 1}}, {1, 1, 1, 1}};
    /* the child ends at 13 behind device 0, at 10 behind device 1, where the task itself ends at 9 instead of
     * 2 */
    static const struct example costly = {2, 2, {{2, 9}, {20, 1}}, {{0, 10 + 1}}, {1, 1, 1, 1}};
    static const uint32_t order[] = {0, 1};

    (void)state;
    expect(&free_ride, "heft", order, 0);
    expect(&free_ride, "heft:critical-child=1", order, 1);
    expect(&free_ride, "heft:critical-child=2", order, 0);
    expect(&costly, "heft", order, 0);
    expect(&costly, "heft:critical-child=2", order, 1);
    expect(&costly, "heft:critical-child=3", order, 0);
}

/* 0 -> 1, 2 alone, ranks 10, 2, 8. Behind 0 the temporary edge to 2, which is ready, outranks the way to 1.
 */
static void test_ldcp_temporary_edges(void **state)
{
    static const struct example x = {3, 1, {{8}, {2}, {8}}, {{0, 1}}, {1}};
    static const uint32_t order[] = {0, 2, 1};

    (void)state;
    expect(&x, "ldcp", order, 0);
}

static double shared_makespan(uint32_t tasks, uint32_t devices, const double cost[][DEVICES], bool chained)
{
    struct cw_graph_builder *b = cw_graph_builder_create(devices);
    struct cw_device_spec spec[DEVICES] = {{0}};
    struct cw_policy_config config;
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_schedule *s;
    double makespan;

    for (uint32_t i = 0; i < tasks; i++) {
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost[i], .splittable = true}, NULL);
        if (i && chained)
            cw_graph_builder_add_edge(b, i - 1, i, 0, NULL);
    }
    assert_int_equal(cw_graph_builder_finish(b, &g, NULL), CW_OK);
    assert_int_equal(cw_platform_create(spec, devices, NULL, 1, NULL, 0, &p, NULL), CW_OK);
    assert_int_equal(cw_policy_parse(&config, "heft-blocks", NULL), CW_OK);
    assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
    assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_CLASS, 0, NULL), CW_OK);
    makespan = cw_schedule_makespan(s);
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return makespan;
}

/* Two in a row: 10 on device 0 and 20 on device 1 make 20/3 of both, 4 make 2. Side by side: device 1 has the
 * second task, so that none is shared; a third device joins the first task alone. A device that takes 200
 * where the task's own takes 10 saves 5 %, which is too little. */
static void test_heft_blocks(void **state)
{
    (void)state;
    assert_float_equal(shared_makespan(2, 2, (double[][DEVICES]){{10, 20}, {4, 4}}, true), 20. / 3 + 2, 1e-9);
    assert_float_equal(shared_makespan(2, 2, (double[][DEVICES]){{10, 10}, {4, 4}}, false), 10, 0);
    assert_float_equal(shared_makespan(2, 3, (double[][DEVICES]){{10, 10, 10}, {8, 8, 8}}, false), 8, 0);
    assert_float_equal(shared_makespan(1, 2, (double[][DEVICES]){{10, 200}}, false), 10, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scls_transfers), cmocka_unit_test(test_scls_down_rank),
        cmocka_unit_test(test_heft_critical_child), cmocka_unit_test(test_ldcp_temporary_edges),
        cmocka_unit_test(test_heft_blocks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
