/* Known answers: every policy's order, device, start and finish of every task on published graphs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include "../../sched/rank.h"

#define GOLDEN "test/golden/"

static json_t *known;

static int load_known(void **state)
{
    json_error_t problem;

    (void)state;
    known = json_load_file(GOLDEN "known_answers.json", 0, &problem);
    return known ? 0 : -1;
}

static int free_known(void **state)
{
    (void)state;
    json_decref(known);
    return 0;
}

static void read_graph(const char *name, struct cw_graph **g, struct cw_platform **p)
{
    struct cw_error err = {0};
    char path[200];

    snprintf(path, sizeof path, GOLDEN "graphs/%s.json", name);
    if (cw_graph_file_read(path, g, p, &err) != CW_OK)
        fail_msg("%s", err.text);
}

static struct cw_schedule *run(const char *policy, const struct cw_graph *g, const struct cw_platform *p)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_metrics m;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK || cw_policy_run(&config, g, p, &s, &err) != CW_OK ||
        cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err) != CW_OK ||
        cw_schedule_check(s, g, p, cw_policy_sharing(&config), m.bounds.best, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    cw_metrics_finish(&m);
    return s;
}

static double at(const json_t *array, size_t k)
{
    return json_number_value(json_array_get(array, k));
}

/* "order", "proc", "ast", "aft": the form of list schedules. */
static void compare_tasks(const struct cw_schedule *s, const json_t *want)
{
    assert_int_equal(json_array_size(json_object_get(want, "order")), s->tasks);
    for (uint32_t k = 0; k < s->tasks; k++) {
        assert_int_equal(s->order[k], (uint32_t)at(json_object_get(want, "order"), k));
        assert_int_equal(s->task[k].device, (uint32_t)at(json_object_get(want, "proc"), k));
        assert_true(s->task[k].start == at(json_object_get(want, "ast"), k));
        assert_true(s->task[k].finish == at(json_object_get(want, "aft"), k));
    }
}

/* "schedule": [{task, devices, ast, aft}]: the form of schedules with shared tasks. */
static void compare_shared(const struct cw_schedule *s, const struct cw_graph *g, const json_t *want)
{
    size_t k;
    const json_t *row;

    assert_int_equal(json_array_size(want), s->tasks);
    json_array_foreach(want, k, row)
    {
        uint32_t i = (uint32_t)json_integer_value(json_object_get(row, "task"));
        const json_t *devices = json_object_get(row, "devices");
        assert_int_equal(s->task[i].parts, json_array_size(devices));
        for (uint32_t a = 0; a < s->task[i].parts; a++)
            assert_int_equal(cw_schedule_part(s, g, i, a).device, (uint32_t)at(devices, a));
        assert_true(s->task[i].start == json_number_value(json_object_get(row, "ast")));
        assert_true(s->task[i].finish == json_number_value(json_object_get(row, "aft")));
    }
}

static void test_known_answers(void **state)
{
    const char *graph, *label;
    json_t *entry, *want;
    int compared = 0, whole = 0;

    (void)state;
    json_object_foreach(known, graph, entry)
    {
        struct cw_graph *g;
        struct cw_platform *p;
        if (*graph == '_')
            continue;
        read_graph(graph, &g, &p);
        json_object_foreach(json_object_get(entry, "policies"), label, want)
        {
            struct cw_schedule *s;
            char name[100];
            snprintf(name, sizeof name, "%s", label);
            name[strcspn(name, ":")] = '\0';
            if (!cw_policy_find(name))
                fail_msg("%s: there is no policy %s", graph, name);
            whole += json_object_get(want, "order") || json_object_get(want, "schedule");
            print_message("%s %s\n", graph, label);
            s = run(label, g, p);
            assert_true(cw_schedule_makespan(s) == json_number_value(json_object_get(want, "makespan")));
            if (json_object_get(want, "order"))
                compare_tasks(s, want);
            if (json_object_get(want, "schedule"))
                compare_shared(s, g, json_object_get(want, "schedule"));
            cw_schedule_destroy(s);
            compared++;
        }
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    assert_true(whole >= 57); /* of heft on blockmatmul only the makespan is given */
    assert_true(compared >= 58); /* eleven policies on five graphs, heft and two hdgeft on blockmatmul */
}

static void test_ranks(void **state)
{
    const char *graph;
    json_t *entry;

    (void)state;
    json_object_foreach(known, graph, entry)
    {
        const json_t *want = json_object_get(entry, "rank_u");
        struct cw_ranks r;
        struct cw_graph *g;
        struct cw_platform *p;
        if (!want)
            continue;
        read_graph(graph, &g, &p);
        assert_int_equal(cw_ranks_init(&r, g, p, false, NULL), CW_OK);
        assert_true(r.exact);
        for (uint32_t i = 0; i < g->tasks; i++)
            assert_true(fabs((double)r.up[i] / r.scale - at(want, i)) < 1e-6);
        cw_ranks_finish(&r);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

/* The published figures of the HEFT paper's example (figures 2 to 4, table 1). */
static void test_heft_paper(void **state)
{
    static const uint32_t path_wanted[] = {0, 1, 8, 9};
    uint32_t path[10];
    struct cw_ranks r;
    struct cw_metrics m;
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_schedule *s;

    (void)state;
    read_graph("topcuoglu2002", &g, &p);
    assert_int_equal(cw_ranks_init(&r, g, p, true, NULL), CW_OK);
    assert_true(r.up[2] == r.up[3] && (double)r.up[2] / r.scale == 80);
    assert_int_equal(cw_ranks_critical_path(&r, path), 4);
    assert_memory_equal(path, path_wanted, sizeof path_wanted);
    s = run("heft", g, p);
    assert_int_equal(cw_metrics_init(&m, g, p, s, CW_SHARE_NEVER, NULL), CW_OK);
    assert_true(m.makespan == 80 && m.nsl == 80.0 / 54 && m.speedup == 127.0 / 80 &&
                m.efficiency == m.speedup / 3);
    assert_true(m.bounds.best <= 73 && m.bounds.oct >= m.bounds.critical_path); /* 73 is the proven optimum */
    cw_metrics_finish(&m);
    cw_schedule_destroy(s);
    cw_ranks_finish(&r);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* No bound may exceed a proven optimum. */
static void test_bounds_below_optimum(void **state)
{
    const char *graph;
    json_t *entry;
    int compared = 0;

    (void)state;
    json_object_foreach(known, graph, entry)
    {
        const json_t *optimum = json_object_get(entry, "optimal");
        struct cw_bounds b;
        struct cw_graph *g;
        struct cw_platform *p;
        if (!json_is_true(json_object_get(entry, "optimal_proven")))
            continue;
        read_graph(graph, &g, &p);
        assert_int_equal(cw_bounds_compute(g, p, CW_SHARE_NEVER, &b, NULL), CW_OK);
        print_message("%s: CP_MIN %g, OCT %g, area %g, optimum %g\n", graph, b.critical_path, b.oct, b.area,
                      json_number_value(optimum));
        assert_true(b.best <= json_number_value(optimum) && b.best > json_number_value(optimum) / 4);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
        compared++;
    }
    assert_true(compared >= 5);
}

/* The branch and bound finds the proven optima, proves them again, and is done in a moment. */
static void test_exact(void **state)
{
    const char *graph;
    json_t *entry;
    int compared = 0;

    (void)state;
    json_object_foreach(known, graph, entry)
    {
        struct cw_schedule *s;
        struct cw_graph *g;
        struct cw_platform *p;
        if (!json_is_true(json_object_get(entry, "optimal_proven")))
            continue;
        read_graph(graph, &g, &p);
        s = run("exact", g, p);
        assert_string_equal(s->note, "");
        assert_true(cw_schedule_makespan(s) == json_number_value(json_object_get(entry, "optimal")));
        cw_schedule_destroy(s);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
        compared++;
    }
    assert_true(compared >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_heft_paper),    cmocka_unit_test(test_bounds_below_optimum),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, load_known, free_known);
}
