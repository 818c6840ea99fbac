/* Lower bounds by linear programming: known optima, never above a proven optimum or any plan, and a safe
 * bound for all duals. Skipped where the solver is not installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../analyzer/plan/lp_bound.h"
#include "../../sched/generate.h"
#include "../../sched/policy.h"
#include "../../sched/random.h"

static bool have_solver;

#define NEED_SOLVER()                                                                                        \
    if (!have_solver)                                                                                        \
    skip()

/* ---- programs */

/* min x + 2 y with x + y >= 1, y - x >= -0.5, x, y in [0, 1]: x = 0.75, y = 0.25, 1.25; duals 1.5 and 0.5. */
static void small_program(struct cw_lp *lp)
{
    uint32_t x = cw_lp_add_column(lp, 1, 0, 1), y = cw_lp_add_column(lp, 2, 0, 1);

    cw_lp_add_row(lp, 1, INFINITY);
    cw_lp_add_entry(lp, x, 1);
    cw_lp_add_entry(lp, y, 1);
    cw_lp_add_row(lp, -0.5, INFINITY);
    cw_lp_add_entry(lp, y, 1);
    cw_lp_add_entry(lp, x, -1);
    assert_false(lp->failed);
}

static void test_safe_bound(void **state)
{
    struct cw_lp lp = {0};
    uint64_t random = 5;
    double best[2] = {1.5, 0.5}, wrong_side[2] = {-3, -1}, odd[2] = {NAN, 1};

    (void)state;
    small_program(&lp);
    assert_true(fabs(cw_lp_safe_bound(&lp, best) - 1.25) < 1e-12 && cw_lp_safe_bound(&lp, best) < 1.25);
    assert_true(fabs(cw_lp_safe_bound(&lp, wrong_side)) < 1e-12);
    assert_false(cw_lp_safe_bound(&lp, odd) > 0);
    for (int k = 0; k < 100000; k++) {
        double y[2] = {cw_random_uniform(&random, -4, 4), cw_random_uniform(&random, -4, 4)};
        assert_true(cw_lp_safe_bound(&lp, y) < 1.25);
    }
    cw_lp_finish(&lp);
}

static void test_solver(void **state)
{
    struct cw_lp lp = {0};
    double dual[2];
    bool finished;

    (void)state;
    NEED_SOLVER();
    small_program(&lp);
    assert_int_equal(cw_lp_solve(&lp, 1000, dual, &finished, NULL), CW_OK);
    assert_true(finished && fabs(dual[0] - 1.5) < 1e-6 && fabs(dual[1] - 0.5) < 1e-6);
    cw_lp_finish(&lp);
}

/* ---- graphs with a known answer */

static double bound_of(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing)
{
    struct cw_lp_bound b;
    struct cw_error err = {0};

    if (cw_lp_bound_compute(g, p, sharing, 1000000, &b, &err) != CW_OK)
        fail_msg("%s", err.text);
    assert_true(b.solved && *b.reason == '\0');
    return b.bound;
}

struct task {
    double cost[3];
    bool splittable;
};

static void make(const struct task *task, uint32_t tasks, const double (*edge)[3], uint32_t edges,
                 uint32_t devices, struct cw_graph **g, struct cw_platform **p)
{
    static const char *const classes[] = {"cpu", "dsp", "dsp"};
    struct cw_graph_builder *b = cw_graph_builder_create(devices);
    struct cw_device_spec spec[3] = {{0}};

    for (uint32_t i = 0; i < tasks; i++)
        assert_int_equal(
            cw_graph_builder_add_task(
                b, &(struct cw_task_spec){.cost = task[i].cost, .splittable = task[i].splittable}, NULL),
            CW_OK);
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(
            cw_graph_builder_add_edge(b, (uint32_t)edge[e][0], (uint32_t)edge[e][1], edge[e][2], NULL),
            CW_OK);
    assert_int_equal(cw_graph_builder_finish(b, g, NULL), CW_OK);
    for (uint32_t d = 0; d < devices; d++)
        spec[d].class_name = classes[d];
    assert_int_equal(cw_platform_create(spec, devices, NULL, 1, NULL, 0, p, NULL), CW_OK);
}

static void check(const struct task *task, uint32_t tasks, const double (*edge)[3], uint32_t edges,
                  uint32_t devices, enum cw_sharing sharing, double want)
{
    struct cw_graph *g;
    struct cw_platform *p;
    double bound;

    make(task, tasks, edge, edges, devices, &g, &p);
    bound = bound_of(g, p, sharing);
    if (!(fabs(bound - want) < 1e-6) || bound > want)
        fail_msg("the bound is %.12g, not %g", bound, want);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

static void test_by_hand(void **state)
{
    static const struct task three[3] = {{{2, 2, 0}, false}, {{2, 2, 0}, false}, {{2, 2, 0}, false}};
    static const struct task apart[2] = {{{3, INFINITY, 0}, false}, {{INFINITY, 4, 0}, false}};
    static const struct task unlike[2] = {{{1, 9, 0}, false}, {{9, 1, 0}, false}};
    static const struct task one[1] = {{{12, 6, 4}, true}};
    static const double edge[][3] = {{0, 1, 10}};

    (void)state;
    NEED_SOLVER();
    /* work of 6 on two devices: 3, though whole tasks need 4 */
    check(three, 3, NULL, 0, 2, CW_SHARE_NEVER, 3);
    /* 3, the transfer of 10, and 4: exactly what it takes */
    check(apart, 2, edge, 1, 2, CW_SHARE_NEVER, 17);
    /* apart 1 + 10 + 1, together 10: HEFT's 10 rules the parting out, and together it is 10 */
    check(unlike, 2, edge, 1, 2, CW_SHARE_NEVER, 10);
    /* 1 / (1/12 + 1/6 + 1/4), 1 / (1/6 + 1/4), and 4 */
    check(one, 1, NULL, 0, 3, CW_SHARE_ALL, 2);
    check(one, 1, NULL, 0, 3, CW_SHARE_CLASS, 2.4);
    check(one, 1, NULL, 0, 3, CW_SHARE_NEVER, 4);
}

/* ---- held against optima and plans */

static double plan(const char *text, const struct cw_graph *g, const struct cw_platform *p, bool *noted)
{
    struct cw_policy_config config;
    struct cw_schedule *s;
    double length;

    assert_int_equal(cw_policy_parse(&config, text, NULL), CW_OK);
    assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
    length = cw_schedule_makespan(s);
    *noted = *s->note != '\0';
    cw_schedule_destroy(s);
    return length;
}

/* Never above the proven optimum of whole tasks; on these graphs at least the simple bounds, in the mean
 * above them. */
static void test_below_optimum(void **state)
{
    static const double ccr[] = {0.1, 1, 5};

    (void)state;
    NEED_SOLVER();
    for (size_t k = 0; k < 3; k++) {
        double simple = 0, lp = 0;
        for (uint64_t seed = 0; seed < 50; seed++) {
            struct cw_topcuoglu o = {9, 3, 1, 3, ccr[k], 1, 50, seed};
            struct cw_graph *g;
            struct cw_platform *p;
            struct cw_bounds b;
            double best, bound;
            bool noted;
            assert_int_equal(cw_generate_topcuoglu(&o, &g, &p, NULL), CW_OK);
            best = plan("exact", g, p, &noted);
            assert_false(noted);
            bound = bound_of(g, p, CW_SHARE_NEVER);
            assert_int_equal(cw_bounds_compute(g, p, CW_SHARE_NEVER, &b, NULL), CW_OK);
            assert_true(bound <= best && bound >= b.best * (1 - 1e-9));
            simple += b.best / best / 50;
            lp += bound / best / 50;
            cw_graph_destroy(g);
            cw_platform_destroy(p);
        }
        print_message("CCR %g: %.3f of the optimum, simple bounds %.3f\n", ccr[k], lp, simple);
        assert_true(lp > simple);
    }
}

/* The published graphs, whose optima are proven. */
static void test_golden(void **state)
{
    static const struct {
        const char *graph;
        double optimum;
    } known[] = {{"topcuoglu2002", 73}, {"arabnejad2014", 113}};

    (void)state;
    NEED_SOLVER();
    for (size_t k = 0; k < 2; k++) {
        char path[100];
        struct cw_graph *g;
        struct cw_platform *p;
        double bound;
        snprintf(path, sizeof path, "test/golden/graphs/%s.json", known[k].graph);
        assert_int_equal(cw_graph_file_read(path, &g, &p, NULL), CW_OK);
        bound = bound_of(g, p, CW_SHARE_NEVER);
        print_message("%s: %.6g of %g\n", known[k].graph, bound, known[k].optimum);
        assert_true(bound <= known[k].optimum && bound > known[k].optimum / 2);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

/* Graphs with everything: memories, latencies, devices that cannot, zero costs, tasks that may be shared. */
static void random_case(uint64_t *random, struct cw_graph **g, struct cw_platform **p)
{
    static const char *const classes[] = {"cpu", "dsp"}, *const memories[] = {NULL, NULL, "ddr"};
    enum { Q = 4, N = 9 };
    struct cw_graph_builder *b = cw_graph_builder_create(Q);
    struct cw_device_spec spec[Q] = {{0}};
    double bandwidth[Q * Q], latency[Q];
    bool matrix = cw_random_below(random, 2), whole = cw_random_below(random, 2);

    for (uint32_t d = 0; d < Q; d++) {
        spec[d].class_name = classes[cw_random_below(random, 2)];
        spec[d].memory = memories[cw_random_below(random, 3)];
        latency[d] = (double)cw_random_below(random, 3);
    }
    for (uint32_t k = 0; k < Q * Q; k++)
        bandwidth[k] = cw_random_uniform(random, 0.3, 3);
    assert_int_equal(cw_platform_create(spec, Q, matrix ? bandwidth : NULL, 1, latency, 0, p, NULL), CW_OK);
    for (uint32_t i = 0; i < N; i++) {
        double cost[Q];
        for (uint32_t d = 0; d < Q; d++)
            cost[d] = cw_random_below(random, 6) ? cw_random_uniform(random, 0, 20) : INFINITY;
        cost[cw_random_below(random, Q)] = (double)cw_random_below(random, 10);
        assert_int_equal(cw_graph_builder_add_task(
                             b,
                             &(struct cw_task_spec){.cost = cost,
                                                    .groups = cw_random_below(random, 4),
                                                    .splittable = !whole && cw_random_below(random, 2)},
                             NULL),
                         CW_OK);
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = i + 1; j < N; j++)
            if (cw_random_below(random, 4) == 0)
                assert_int_equal(
                    cw_graph_builder_add_edge(b, i, j, (double)cw_random_below(random, 30), NULL), CW_OK);
    assert_int_equal(cw_graph_builder_finish(b, g, NULL), CW_OK);
}

/* No plan of any policy is below the bound for its way of sharing, and duals made up at random do not lift it
 * above. */
static void test_below_plans(void **state)
{
    static const char *const policies[] = {"exact:nodes=20000", "weave:effort=300000",
                                           "weave:cross-class,effort=300000", "hdgeft:water-filling",
                                           "hdgeft:cross-class,best-k"};
    uint64_t random = 77;
    int tight = 0;

    (void)state;
    NEED_SOLVER();
    for (int k = 0; k < 400; k++) {
        struct cw_graph *g;
        struct cw_platform *p;
        random_case(&random, &g, &p);
        for (size_t n = 0; n < sizeof policies / sizeof *policies; n++) {
            struct cw_policy_config config;
            struct cw_lp lp = {0};
            double bound, length, unit, *dual;
            bool noted;
            assert_int_equal(cw_policy_parse(&config, policies[n], NULL), CW_OK);
            length = plan(policies[n], g, p, &noted);
            if (length == 0)
                continue;
            bound = bound_of(g, p, cw_policy_sharing(&config));
            if (bound > length * (1 + 1e-12))
                fail_msg("graph %d, %s: bound %.17g, plan %.17g", k, policies[n], bound, length);
            tight += bound > length * (1 - 1e-6);
            assert_int_equal(cw_lp_bound_model(g, p, cw_policy_sharing(&config), 1000000, &lp, &unit, NULL),
                             CW_OK);
            dual = malloc(lp.rows * sizeof *dual);
            for (uint32_t i = 0; i < lp.rows; i++)
                dual[i] = cw_random_uniform(&random, 0, cw_random_below(&random, 4) ? 0.2 : 2);
            assert_true(cw_lp_safe_bound(&lp, dual) * unit <= length * (1 + 1e-12));
            free(dual);
            cw_lp_finish(&lp);
        }
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    print_message("%d bounds met by the plan\n", tight);
    assert_true(tight >= 100);
}

/* ---- in reports */

static void test_skipped(void **state)
{
    struct cw_hxdsp o = {40, 4, 10, 0.3, 1};
    struct cw_plan_bounds none = {0}, some = {.entries_max = 500}, all = {.entries_max = 1000000};
    struct cw_plan_bound bound;
    struct cw_bounds simple;
    struct cw_graph *g;
    struct cw_platform *p;

    (void)state;
    NEED_SOLVER();
    assert_int_equal(cw_generate_hxdsp(&o, &g, &p, NULL), CW_OK);
    assert_int_equal(cw_bounds_compute(g, p, CW_SHARE_CLASS, &simple, NULL), CW_OK);
    assert_int_equal(cw_plan_bound_find(&bound, &none, &simple, g, p, CW_SHARE_CLASS, NULL), CW_OK);
    assert_true(!bound.lp.solved && *bound.lp.reason && bound.best == simple.best);
    assert_int_equal(cw_plan_bound_find(&bound, &some, &simple, g, p, CW_SHARE_CLASS, NULL), CW_OK);
    assert_true(!bound.lp.solved && strstr(bound.lp.reason, "too large") && bound.best == simple.best);
    assert_int_not_equal(bound.kind, CW_BOUND_LP);
    assert_int_equal(cw_plan_bound_find(&bound, &all, &simple, g, p, CW_SHARE_CLASS, NULL), CW_OK);
    assert_true(bound.lp.solved && bound.kind == CW_BOUND_LP && bound.best > simple.best);
    assert_string_equal(cw_plan_bound_kind_name(bound.kind), "lp");
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* A graph in which nothing takes time has no program, and no crash. */
static void test_nothing(void **state)
{
    static const struct task zero[2] = {{{0, 0, 0}, false}, {{0, 0, 0}, true}};
    struct cw_lp_bound b;
    struct cw_graph *g;
    struct cw_platform *p;

    (void)state;
    make(zero, 2, NULL, 0, 2, &g, &p);
    assert_int_equal(cw_lp_bound_compute(g, p, CW_SHARE_ALL, 1000, &b, NULL), CW_OK);
    assert_true(!b.solved && *b.reason && b.bound == 0);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

int main(void)
{
    struct cw_lp lp = {0};
    double dual[2];
    bool finished;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safe_bound), cmocka_unit_test(test_solver),
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_below_optimum),
        cmocka_unit_test(test_golden),     cmocka_unit_test(test_below_plans),
        cmocka_unit_test(test_skipped),    cmocka_unit_test(test_nothing),
    };

    small_program(&lp);
    have_solver = cw_lp_solve(&lp, 1000, dual, &finished, NULL) == CW_OK;
    cw_lp_finish(&lp);
    if (!have_solver)
        print_message("libClp is not installed: most of this is skipped\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
