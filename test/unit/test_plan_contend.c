/* A plan that is run at the one memory: a later task gets the bandwidth that the others leave, as on the
 * emulated board.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/plan/ddr.h"
#include "../../analyzer/plan/plan_result.h"
#include "../../sched/policy.h"

#define ALONE 1e6

enum { DEVICES = 3 }; /* a CPU, two DSPs */

struct planned {
    struct cw_platform *platform;
    struct cw_graph *graph;
    struct cw_schedule *schedule;
    struct cw_work_cost cost[3 * DEVICES];
};

/* Two tasks that no order binds and one that waits for both, on `class`; .4 of what they take they compute.
 */
static void make(struct planned *p, const char *class, const char *memory, const char *policy,
                 bool splittable)
{
    struct cw_device_spec spec[DEVICES] = {{.name = "cpu", .class_name = "cpu", .memory = "ddr"},
                                           {.name = "a", .class_name = class, .memory = "ddr"},
                                           {.name = "b", .class_name = class, .memory = memory}};
    const double cost[DEVICES] = {INFINITY, ALONE, ALONE};
    struct cw_graph_builder *b = cw_graph_builder_create(DEVICES);
    struct cw_policy_config config;
    struct cw_error err = {0};

    memset(p, 0, sizeof *p);
    assert_int_equal(cw_platform_create(spec, DEVICES, NULL, INFINITY, NULL, 0, &p->platform, &err), CW_OK);
    for (int i = 0; i < 3; i++) {
        struct cw_task_spec task = {
            .cost = cost, .name = "t", .groups = splittable ? 10 : 1, .splittable = splittable};
        assert_int_equal(cw_graph_builder_add_task(b, &task, &err), CW_OK);
        for (int d = 1; d < DEVICES; d++)
            p->cost[i * DEVICES + d] =
                (struct cw_work_cost){.in_turn_ns = ALONE, .compute_ns = .4 * ALONE, .memory_ns = .6 * ALONE};
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(cw_graph_builder_add_edge(b, i, 2, 0, &err), CW_OK);
    assert_int_equal(cw_graph_builder_finish(b, &p->graph, &err), CW_OK);
    assert_int_equal(cw_policy_parse(&config, policy, &err), CW_OK);
    assert_int_equal(cw_policy_run(&config, p->graph, p->platform, &p->schedule, &err), CW_OK);
}

static void contend(struct planned *p)
{
    struct cw_error err = {0};

    assert_int_equal(cw_plan_contend(p->schedule, p->graph, p->platform, p->cost, &err), CW_OK);
    assert_int_equal(cw_schedule_check(p->schedule, p->graph, p->platform, CW_SHARE_CLASS, 0, &err), CW_OK);
}

static void finish(struct planned *p)
{
    cw_schedule_destroy(p->schedule);
    cw_graph_destroy(p->graph);
    cw_platform_destroy(p->platform);
}

/* The memory's own answer for two of them at once. */
static double second_ends(double share)
{
    const struct cw_ddr_work w = {.compute_ns = .4 * ALONE * share, .memory_ns = .6 * ALONE * share};
    struct cw_ddr ddr = {0};

    cw_ddr_run(&ddr, 0, &w);
    return (double)cw_ddr_run(&ddr, 0, &w);
}

static void test_whole(void **state)
{
    struct planned p;
    double second = second_ends(1);

    (void)state;
    make(&p, "dsp", "ddr", "heft", false);
    assert_true(cw_schedule_makespan(p.schedule) == 2 * ALONE);
    contend(&p);
    assert_true(second > 1.4 * ALONE && second < 1.5 * ALONE);
    assert_true(fmin(p.schedule->task[0].finish, p.schedule->task[1].finish) == ALONE);
    assert_true(fmax(p.schedule->task[0].finish, p.schedule->task[1].finish) == second);
    assert_true(p.schedule->task[2].start == second);
    assert_true(p.schedule->task[2].finish == second + ALONE); /* alone */
    finish(&p);
}

/* The last task is shared, and its halves are in each other's way, too. */
static void test_parts(void **state)
{
    struct planned p;
    double whole, half;

    (void)state;
    make(&p, "dsp", "ddr", "hdgeft", true);
    assert_int_equal(p.schedule->task[2].parts, 2);
    assert_true(cw_schedule_makespan(p.schedule) == 1.5 * ALONE);
    contend(&p);
    whole = second_ends(1);
    half = second_ends(.5);
    assert_true(fabs(cw_schedule_makespan(p.schedule) - whole - half) < 2);
    finish(&p);
}

/* Other devices than DSPs, and devices with memories of their own, are as planned. */
static void test_apart(void **state)
{
    struct planned p;

    (void)state;
    make(&p, "gpu", "ddr", "heft", false);
    contend(&p);
    assert_true(cw_schedule_makespan(p.schedule) == 2 * ALONE);
    finish(&p);
    make(&p, "dsp", NULL, "heft", false);
    contend(&p);
    assert_true(cw_schedule_makespan(p.schedule) == 2 * ALONE);
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
