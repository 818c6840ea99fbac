/* The validator of schedules can say no: one planted fault after the other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/metrics.h"
#include "../../sched/policy.h"

static struct cw_schedule *run(const char *text, const struct cw_graph *g, const struct cw_platform *p)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, text, &err) != CW_OK || cw_policy_run(&config, g, p, &s, &err) != CW_OK)
        fail_msg("%s: %s", text, err.text);
    return s;
}

struct fault {
    const char *what;
    void (*plant)(struct cw_schedule *s);
};

static void late_order(struct cw_schedule *s)
{
    s->order[1] = s->order[0];
}
static void unplaced(struct cw_schedule *s)
{
    s->task[3].parts = 0;
}
static void missing(struct cw_schedule *s)
{
    s->placed--;
}
static void too_early(struct cw_schedule *s)
{
    s->task[10].start -= 2;
    s->task[10].finish -= 2;
    for (uint32_t k = 0; k < 4; k++) {
        s->part[s->task[10].first_part + k].start -= 2;
        s->part[s->task[10].first_part + k].finish -= 2;
    }
}
static void too_short(struct cw_schedule *s)
{
    s->task[2].finish -= 1;
}
static void two_at_once(struct cw_schedule *s)
{
    s->task[4].device = s->task[5].device;
}
static void no_number(struct cw_schedule *s)
{
    s->task[4].start = NAN;
}
static void never(struct cw_schedule *s)
{
    s->task[4].finish = INFINITY;
}
static void wrong_device(struct cw_schedule *s)
{
    s->task[4].device = 99;
}
static void half_done(struct cw_schedule *s)
{
    s->part[s->task[10].first_part].share /= 2;
}
static void same_device(struct cw_schedule *s)
{
    s->part[s->task[10].first_part].device = s->part[s->task[10].first_part + 1].device;
}
static void unlike(struct cw_schedule *s)
{
    s->part[s->task[10].first_part].device = 0;
}
static void lost_groups(struct cw_schedule *s)
{
    s->part[s->task[10].first_part + 1].first_group++;
}
static void no_share(struct cw_schedule *s)
{
    s->part[s->task[10].first_part].share = 0;
}
static void other_times(struct cw_schedule *s)
{
    s->task[10].finish += 1;
}
static void wild_parts(struct cw_schedule *s)
{
    s->task[10].first_part += 1000;
}

/* The matrix product of test/golden/known_answers.json: 2 splits, 8 products, 1 merge on a CPU and 4 DSPs. */
static void matrix_product(struct cw_graph **g, struct cw_platform **p)
{
    static const double costs[3][5] = {{90, 30, 30, 30, 30}, {60, 20, 20, 20, 20}, {45, 15, 15, 15, 15}};
    struct cw_device_spec spec[5] = {{.class_name = "cpu"},
                                     {.class_name = "dsp"},
                                     {.class_name = "dsp"},
                                     {.class_name = "dsp"},
                                     {.class_name = "dsp"}};
    struct cw_graph_builder *b = cw_graph_builder_create(5);

    assert_int_equal(cw_platform_create(spec, 5, NULL, 1, NULL, 0, p, NULL), CW_OK);
    for (uint32_t i = 0; i < 11; i++)
        cw_graph_builder_add_task(b,
                                  &(struct cw_task_spec){.cost = costs[i < 2    ? 0
                                                                       : i < 10 ? 1
                                                                                : 2],
                                                         .groups = 64,
                                                         .splittable = true},
                                  NULL);
    for (uint32_t i = 2; i < 10; i++) {
        cw_graph_builder_add_edge(b, 0, i, 1, NULL);
        cw_graph_builder_add_edge(b, 1, i, 1, NULL);
        cw_graph_builder_add_edge(b, i, 10, 1, NULL);
    }
    assert_int_equal(cw_graph_builder_finish(b, g, NULL), CW_OK);
}

static void test_validator_finds_faults(void **state)
{
    static const struct fault faults[] = {{"a task twice in the order", late_order},
                                          {"a task not placed", unplaced},
                                          {"a task missing from the order", missing},
                                          {"data not there yet", too_early},
                                          {"a task cut short", too_short},
                                          {"two tasks on one device", two_at_once},
                                          {"a start that is no number", no_number},
                                          {"an endless task", never},
                                          {"an unknown device", wrong_device},
                                          {"shares that do not add up", half_done},
                                          {"two parts on one device", same_device},
                                          {"parts on unlike devices", unlike},
                                          {"work-groups left out", lost_groups},
                                          {"an empty part", no_share},
                                          {"times that are not the parts'", other_times},
                                          {"parts that do not exist", wild_parts}};
    struct cw_graph *g;
    struct cw_platform *p;

    (void)state;
    matrix_product(&g, &p);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        struct cw_schedule *s = run("hdgeft", g, p);
        struct cw_error err = {0};
        faults[k].plant(s);
        if (cw_schedule_check(s, g, p, CW_SHARE_CLASS, 0, &err) == CW_OK)
            fail_msg("not noticed: %s", faults[k].what);
        print_message("%s -> %s\n", faults[k].what, err.text);
        cw_schedule_destroy(s);
    }
    { /* a good one is too good for a higher bound, and not allowed at all where nothing may be shared */
        struct cw_schedule *s = run("hdgeft", g, p);
        assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_CLASS, 75.75, NULL), CW_OK);
        assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_CLASS, 75.76, NULL), CW_ERR_INVALID);
        assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_NEVER, 0, NULL), CW_ERR_INVALID);
        cw_schedule_destroy(s);
        struct cw_error err = {0};
        s = run("hdgeft:cross-class", g, p);
        assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_CLASS, 0, &err), CW_ERR_INVALID);
        assert_non_null(strstr(err.text, "between unlike devices"));
        cw_schedule_destroy(s);
    }
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_validator_finds_faults)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
