/* Exact ranks: ties that doubles would break, costs that no scale makes whole, sums that must not overflow;
 * and the order of tasks whose ranks tie along an edge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../sched/policy.h"
#include "../../sched/random.h"
#include "../../sched/rank.h"
#include "../../sched/list_plan.h"

static struct cw_platform *devices(uint32_t q, double bandwidth)
{
    struct cw_device_spec *spec = calloc(q, sizeof *spec);
    struct cw_platform *p = NULL;

    assert_int_equal(cw_platform_create(spec, q, NULL, bandwidth, NULL, 0, &p, NULL), CW_OK);
    free(spec);
    return p;
}

static void add(struct cw_graph_builder *b, uint32_t q, double cost)
{
    double costs[64];

    for (uint32_t d = 0; d < q; d++)
        costs[d] = cost;
    assert_int_equal(cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = costs}, NULL), CW_OK);
}

static struct cw_graph *finish(struct cw_graph_builder *b)
{
    struct cw_graph *g;

    assert_int_equal(cw_graph_builder_finish(b, &g, NULL), CW_OK);
    return g;
}

/* 0.1 + 0.2 is 0.3 here: tasks 0 -> 1 cost 0.1 and 0.2, task 2 costs 0.3. */
static void test_tenths(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_platform *p = devices(2, 1);
    struct cw_graph *g;
    struct cw_ranks r;

    (void)state;
    add(b, 2, 0.1);
    add(b, 2, 0.2);
    add(b, 2, 0.3);
    cw_graph_builder_add_edge(b, 0, 1, 0, NULL);
    g = finish(b);
    assert_true(0.1 + 0.2 != 0.3);
    assert_int_equal(cw_ranks_init(&r, g, p, true, NULL), CW_OK);
    assert_true(r.exact && r.up[0] == r.up[2] && r.down[1] == r.mean[0]);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* Means of thirds and halves: 10/3 + 10/3 + 10/3 is 10, with different devices missing. */
static void test_means(void **state)
{
    static const double thirds[3] = {1, 2, 7}, halves[3] = {3, INFINITY, 2},
                        whole[3] = {INFINITY, 15, INFINITY};
    struct cw_graph_builder *b = cw_graph_builder_create(3);
    struct cw_platform *p = devices(3, 1);
    struct cw_graph *g;
    struct cw_ranks r;

    (void)state;
    for (int k = 0; k < 3; k++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = thirds}, NULL);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = halves}, NULL);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = halves}, NULL);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = whole}, NULL);
    for (uint32_t k = 0; k < 4; k++)
        cw_graph_builder_add_edge(b, k, k + 1, 0, NULL);
    g = finish(b);
    assert_int_equal(cw_ranks_init(&r, g, p, false, NULL), CW_OK);
    assert_true(r.exact && r.up[0] == r.up[5] && r.up[0] == (int64_t)(15 * r.scale));
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* Costs from 10^-200 to 10^300: no overflow, and the largest still within a part in 10^12. */
static void test_wild_costs(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_platform *p = devices(2, 3);
    struct cw_graph *g;
    struct cw_ranks r;
    double sum = 0;

    (void)state;
    for (int k = -200; k <= 300; k++) {
        add(b, 2, pow(10, k) * M_PI);
        sum += pow(10, k) * M_PI;
        if (k > -200)
            cw_graph_builder_add_edge(b, (uint32_t)(k + 199), (uint32_t)(k + 200), 1e7 * M_E, NULL);
    }
    g = finish(b);
    assert_int_equal(cw_ranks_init(&r, g, p, true, NULL), CW_OK);
    assert_false(r.exact);
    assert_true(r.up[0] > 0 && r.up[0] < (int64_t)1 << 62 &&
                fabs((double)r.up[0] / r.scale / sum - 1) < 1e-12);
    for (uint32_t i = 0; i < g->tasks; i++)
        assert_true(r.up[i] + r.down[i] <= r.up[0]);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* Every count of devices from 1 to 64 occurs: their common multiple passes 2^64. */
static void test_many_counts(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(64);
    struct cw_platform *p = devices(64, 1);
    struct cw_graph *g;
    struct cw_ranks r;

    (void)state;
    for (uint32_t n = 1; n <= 64; n++) {
        double costs[64];
        for (uint32_t d = 0; d < 64; d++)
            costs[d] = d < n ? d + 1 : INFINITY;
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = costs}, NULL);
    }
    g = finish(b);
    assert_int_equal(cw_ranks_init(&r, g, p, false, NULL), CW_OK);
    assert_false(r.exact);
    for (uint32_t i = 0; i < 64; i++)
        assert_true(fabs((double)r.up[i] / r.scale - (i + 2) / 2.0) < 1e-9);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

static void test_all_free(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(1);
    struct cw_platform *p = devices(1, 1);
    struct cw_policy_config config;
    struct cw_schedule *s;
    struct cw_graph *g;

    (void)state;
    add(b, 1, 0);
    add(b, 1, 0);
    g = finish(b);
    for (size_t k = 0; cw_policies[k]; k++) {
        cw_policy_config_init(&config, cw_policies[k]);
        assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
        assert_true(cw_schedule_makespan(s) == 0);
        assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_NEVER, 0, NULL), CW_OK);
        cw_schedule_destroy(s);
    }
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* 5 -> 4 -> ... -> 0, all free: all ranks tie, ids run against the edges, yet parents come first. */
static void test_ties_along_edges(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(1);
    struct cw_platform *p = devices(1, 1);
    struct cw_graph *g;
    struct cw_ranks r;
    uint32_t order[6];

    (void)state;
    for (uint32_t k = 0; k < 6; k++)
        add(b, 1, 0);
    for (uint32_t k = 5; k > 0; k--)
        cw_graph_builder_add_edge(b, k, k - 1, 0, NULL);
    g = finish(b);
    assert_int_equal(cw_ranks_init(&r, g, p, false, NULL), CW_OK);
    assert_int_equal(cw_ready_list_order(g, r.up, order, NULL), CW_OK);
    for (uint32_t k = 0; k < 6; k++)
        assert_int_equal(order[k], 5 - k);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* A diamond of equal tasks on equal devices: the critical path goes by the lower id, to the lower device. */
static void test_critical_path_ties(void **state)
{
    static const uint32_t wanted[] = {0, 1, 3};
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_platform *p = devices(2, 1);
    struct cw_policy_config config;
    struct cw_schedule *s;
    struct cw_graph *g;
    struct cw_ranks r;
    uint32_t path[4];

    (void)state;
    for (uint32_t k = 0; k < 4; k++)
        add(b, 2, 5);
    cw_graph_builder_add_edge(b, 0, 1, 1, NULL);
    cw_graph_builder_add_edge(b, 0, 2, 1, NULL);
    cw_graph_builder_add_edge(b, 1, 3, 1, NULL);
    cw_graph_builder_add_edge(b, 2, 3, 1, NULL);
    g = finish(b);
    assert_int_equal(cw_ranks_init(&r, g, p, true, NULL), CW_OK);
    assert_int_equal(cw_ranks_critical_path(&r, path), 3);
    assert_memory_equal(path, wanted, sizeof wanted);
    assert_int_equal(cw_policy_parse(&config, "cpop", NULL), CW_OK);
    assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
    assert_int_equal(s->task[0].device, 0);
    assert_int_equal(s->task[1].device, 0);
    assert_int_equal(s->task[3].device, 0);
    cw_schedule_destroy(s);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* The builder's own checks, which files cannot reach. */
static void test_builder(void **state)
{
    double costs[2] = {1, NAN};
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_graph *g;
    struct cw_plan plan;
    struct cw_platform *p = devices(3, 1);

    (void)state;
    assert_null(cw_graph_builder_create(0));
    assert_int_equal(cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = costs}, NULL),
                     CW_ERR_INVALID);
    assert_int_equal(cw_graph_builder_add_edge(b, 0, 1, INFINITY, NULL), CW_ERR_INVALID);
    assert_int_equal(cw_graph_builder_add_edge(b, 0, 1, NAN, NULL), CW_ERR_INVALID);
    costs[1] = 2;
    assert_int_equal(cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = costs}, NULL), CW_OK);
    g = finish(b);
    assert_int_equal(cw_plan_init(&plan, g, p, NULL),
                     CW_ERR_INVALID); /* costs for 2 devices, platform of 3 */
    cw_plan_finish(&plan);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tenths),           cmocka_unit_test(test_means),
        cmocka_unit_test(test_wild_costs),       cmocka_unit_test(test_all_free),
        cmocka_unit_test(test_ties_along_edges), cmocka_unit_test(test_many_counts),
        cmocka_unit_test(test_builder),          cmocka_unit_test(test_critical_path_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
