/* Plans of windows: hand-made ones with known answers. */
#include "run_window.h"

/* One plan by a planner of its own; the caller finishes it. */
static struct cw_run_plan plan_once(const struct cw_plan_device *devices, uint32_t count, const char *policy,
                                    const struct window *x)
{
    struct cw_run_planner *planner = planner_of(devices, count, policy, NULL);
    struct cw_run_plan plan = {0};
    struct cw_error err = {0};

    if (cw_run_plan_make(planner, &x->w, &plan, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    cw_run_planner_destroy(planner);
    return plan;
}

static void expect(struct cw_run_plan *plan, const struct window *x, const struct cw_plan_device *devices,
                   uint32_t count, enum cw_run_verdict verdict, uint32_t moved)
{
    check_plan(plan, x, devices, count, 8000);
    if (plan->verdict != verdict || plan->moved != moved)
        fail_msg("verdict \"%s\", %u moved; expected \"%s\", %u", cw_run_plan_verdict_string(plan->verdict),
                 plan->moved, cw_run_plan_verdict_string(verdict), moved);
    cw_run_plan_finish(plan);
}

static void test_chain_stays_home(void **state)
{
    static const char *const policies[] = {"heft", "dm", "dmda", "ws", "eager", "peft", "hdgeft"};
    struct window x;

    (void)state;
    make_chains(&x, 100, 2, 1, 100000, 0);
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        struct cw_run_plan plan = plan_once(two_slots, 2, policies[k], &x);
        expect(&plan, &x, two_slots, 2, CW_RUN_NO_SPACE, 0);
    }
}

static void test_eight_chains_use_both(void **state)
{
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 80, 2, 8, 100000, 0);
    plan = plan_once(two_slots, 2, CW_RUN_POLICY_DEFAULT, &x);
    assert_float_equal(plan.home_ns, 8e6, 0);
    assert_true(plan.plan_ns <= 4.2e6);
    assert_true(plan.reordered == 0 || plan.planned);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 40);
}

/* The same eight chains, but the costs are known no better than noise: half of the certain gain is gone at 25
 * %, all of it at 50 %. */
static void test_noise_brings_no_profit(void **state)
{
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 80, 2, 8, 100000, 5000);
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 40);
    make_chains(&x, 80, 2, 8, 100000, 50000);
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_SPACE, 0);
    /* a chain on devices that seem to differ by less than they scatter */
    make_chains(&x, 80, 2, 1, 100000, 4000);
    for (uint32_t i = 0; i < 80; i++)
        x.cost[2 * i + 1] = 90000;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_SPACE, 0);
    memset(x.error, 0, sizeof x.error);
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 80);
}

/* Small dependent kernels go to the device that answers fastest, large ones stay where they run fastest. */
static void test_small_kernels_go_where_answers_are_fast(void **state)
{
    static const struct cw_plan_device devices[] = {{.name = "pthread", .handoff_ns = 56000},
                                                    {.name = "basic", .handoff_ns = 1000}};
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 50, 2, 1, 500, 0);
    plan = plan_once(devices, 2, "heft", &x);
    assert_true(plan.home_ns / plan.plan_ns > 10);
    expect(&plan, &x, devices, 2, CW_RUN_GAIN, 50);
    for (uint32_t i = 0; i < 50; i++)
        x.cost[2 * i] = 1000000, x.cost[2 * i + 1] = 1900000;
    plan = plan_once(devices, 2, "heft", &x);
    expect(&plan, &x, devices, 2, CW_RUN_NO_SPACE, 0);
}

static void test_handoff_eats_the_gain(void **state)
{
    static const struct cw_plan_device devices[] = {{.handoff_ns = 0}, {.handoff_ns = 85000}};
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 10, 2, 0, 10000, 0); /* ten independent tasks of 10 us; elsewhere each takes 95 us */
    plan = plan_once(devices, 2, "heft", &x);
    assert_true(plan.verdict == CW_RUN_NO_SPACE || plan.verdict == CW_RUN_SMALL_GAIN);
    expect(&plan, &x, devices, 2, plan.verdict, 0);
    make_chains(&x, 10, 2, 0, 1000000, 0);
    plan = plan_once(devices, 2, "heft", &x);
    expect(&plan, &x, devices, 2, CW_RUN_GAIN, 5);
}

static void test_busy_slots(void **state)
{
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 10, 2, 1, 100000, 0);
    x.busy[0] = 5e6; /* home works until 5 ms: the chain gains by running beside that */
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 10);
    x.busy[0] = 0;
    x.busy[1] = 5e6;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_SPACE, 0);
}

static void test_pinned_and_homes(void **state)
{
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 8, 2, 0, 1000000, 0);
    for (uint32_t i = 0; i < 8; i++)
        x.cost[2 * i + 1] = INFINITY;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_HOME_ONLY, 0);
    make_chains(&x, 8, 2, 0, 1000000, 0);
    for (uint32_t i = 0; i < 8; i++)
        x.home[i] = 1;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 4);
    for (uint32_t i = 0; i < 8; i++)
        x.cost[2 * i] = INFINITY;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_HOME_ONLY, 0);
}

/* One launch of 1 ms that both may share: each sets up for 100 us, then half of the rest. */
static void test_shared_launch(void **state)
{
    static const struct cw_plan_device devices[] = {
        {.class_name = "dsp", .set_up_ns = 100000, .handoff_ns = 1000},
        {.class_name = "dsp", .set_up_ns = 100000, .handoff_ns = 1000}};
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 1, 2, 0, 1000000, 0);
    x.groups[0] = 10;
    plan = plan_once(devices, 2, "hdgeft", &x);
    assert_int_equal(plan.parts[0], 2);
    assert_int_equal(plan.part[plan.first_part[0] + 1].first_group, 5);
    assert_float_equal(plan.plan_ns, 551000, 1);
    expect(&plan, &x, devices, 2, CW_RUN_GAIN, 1);
    plan = plan_once(devices, 2, "heft", &x); /* shares nothing */
    expect(&plan, &x, devices, 2, CW_RUN_NO_SPACE, 0);
    x.groups[0] = 1;
    plan = plan_once(devices, 2, "hdgeft", &x);
    expect(&plan, &x, devices, 2, CW_RUN_NO_SPACE, 0);
    x.groups[0] = 10;
    x.cost[0] = x.cost[1] = 101000; /* setting up is most of it */
    plan = plan_once(devices, 2, "hdgeft", &x);
    assert_int_equal(plan.shared, 0);
    expect(&plan, &x, devices, 2, plan.verdict, 0);
}

static void test_commands_skip_the_test(void **state)
{
    static const char *const policies[] = {"chaos", "random", "dsp-only"};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_planner *planner;
    struct cw_run_plan plan = {0};
    struct window x;

    (void)state;
    make_chains(&x, 60, 2, 4, 1000, 0);
    for (size_t k = 0; k < 3; k++) {
        plan = plan_once(two_slots, 2, policies[k], &x);
        assert_true(plan.moved > 0);
        assert_true(k != 0 || plan.reordered > 0);
        assert_true(k != 2 || plan.moved == 60);
        expect(&plan, &x, two_slots, 2, CW_RUN_ASKED, plan.moved);
    }
    rules.always = true;
    planner = planner_of(two_slots, 2, "heft", &rules);
    make_chains(&x, 60, 2, 4, 100, 50);
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
    expect(&plan, &x, two_slots, 2, CW_RUN_ASKED, plan.moved);
    cw_run_planner_destroy(planner);
}

/* The devices of a plan are those of the policy on the same graph, as `clweave replay` runs it. */
static void test_same_objects_as_replay(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_policy_config config;
    struct cw_platform *platform;
    struct cw_schedule *s;
    struct cw_run_plan plan;
    struct cw_graph *g;
    struct window x;

    (void)state;
    make_chains(&x, 60, 2, 3, 100000, 0);
    for (uint32_t i = 0; i < 60; i++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = x.cost}, NULL);
    for (uint32_t i = 3; i < 60; i++)
        cw_graph_builder_add_edge(b, i - 3, i, 0, NULL);
    assert_int_equal(cw_graph_builder_finish(b, &g, NULL), CW_OK);
    assert_int_equal(
        cw_platform_create((struct cw_device_spec[2]){{0}}, 2, NULL, INFINITY, NULL, 8000, &platform, NULL),
        CW_OK);
    for (size_t k = 0; k < 3; k++) {
        const char *name = ((const char *[]){"heft", "dmda", "chaos"})[k];
        cw_policy_config_init(&config, cw_policy_find(name));
        assert_int_equal(cw_policy_run(&config, g, platform, &s, NULL), CW_OK);
        plan = plan_once(two_slots, 2, name, &x);
        assert_true(plan.planned);
        for (uint32_t i = 0; i < 60; i++)
            assert_int_equal(plan.device[i], s->task[i].device);
        cw_run_plan_finish(&plan);
        cw_schedule_destroy(s);
    }
    cw_graph_destroy(g);
    cw_platform_destroy(platform);
}

/* Helpers on the cores that home uses too: four independent commands go to both helpers and none stays at
 * home, but what may not leave home stays. */
static void test_home_apart(void **state)
{
    static const struct cw_plan_device devices[3] = {{0}};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_plan plan = {0};
    struct cw_run_planner *planner;
    struct window x;

    (void)state;
    rules.home_separate = true;
    planner = planner_of(devices, 3, CW_RUN_POLICY_DEFAULT, &rules);
    make_chains(&x, 5, 3, 0, 1000000, 0);
    x.cost[3 * 4 + 1] = x.cost[3 * 4 + 2] = INFINITY;
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
    assert_float_equal(plan.plan_ns, 2e6, 0);
    assert_int_equal(plan.device[4], 0);
    expect(&plan, &x, devices, 3, CW_RUN_GAIN, 4);
    make_chains(&x, 5, 3, 1, 1000000, 0); /* a chain of which every part must leave gains nothing */
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
    expect(&plan, &x, devices, 3, CW_RUN_NO_SPACE, 0);
    cw_run_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_stays_home),
        cmocka_unit_test(test_eight_chains_use_both),
        cmocka_unit_test(test_noise_brings_no_profit),
        cmocka_unit_test(test_small_kernels_go_where_answers_are_fast),
        cmocka_unit_test(test_handoff_eats_the_gain),
        cmocka_unit_test(test_busy_slots),
        cmocka_unit_test(test_pinned_and_homes),
        cmocka_unit_test(test_shared_launch),
        cmocka_unit_test(test_commands_skip_the_test),
        cmocka_unit_test(test_home_apart),
        cmocka_unit_test(test_same_objects_as_replay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
