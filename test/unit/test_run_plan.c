/* Plans of windows: hand-made ones with known answers, and random ones under every policy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../shim/run_plan.h"

#include "failing_alloc.h"

#define TASKS_MAX 200
#define SLOTS_MAX 5

/* A window with room for its arrays. */
struct window {
    struct cw_run_window w;
    uint32_t pred_start[TASKS_MAX + 1], pred[4 * TASKS_MAX], home[TASKS_MAX];
    double cost[TASKS_MAX * SLOTS_MAX], error[TASKS_MAX * SLOTS_MAX], busy[SLOTS_MAX];
};

static const struct cw_run_slot two_slots[] = {{.class_name = "cpu"}, {.class_name = "dsp"}};
static const struct cw_run_slot five_slots[] = {{.class_name = "cpu", .handoff_ns = 500},
                                                {.class_name = "cpu", .handoff_ns = 5000},
                                                {.class_name = "cpu", .handoff_ns = 5000},
                                                {.class_name = "dsp", .handoff_ns = 9000},
                                                {.class_name = "gpu", .handoff_ns = 20000}};

/* `tasks` tasks of `cost` ns on each of `slots` slots; task i waits for task i - stride. stride 0: for none.
 */
static void make_chains(struct window *x, uint32_t tasks, uint32_t slots, uint32_t stride, double cost,
                        double error)
{
    uint32_t edges = 0;

    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < tasks; i++) {
        x->pred_start[i] = edges;
        if (stride && i >= stride)
            x->pred[edges++] = i - stride;
    }
    x->pred_start[tasks] = edges;
    for (uint32_t k = 0; k < tasks * slots; k++) {
        x->cost[k] = cost;
        x->error[k] = error;
    }
    x->w = (struct cw_run_window){.tasks = tasks,
                                  .pred_start = x->pred_start,
                                  .pred = x->pred,
                                  .cost_ns = x->cost,
                                  .error_ns = x->error,
                                  .home = x->home,
                                  .busy_ns = x->busy};
}

static struct cw_run_planner *planner_of(const struct cw_run_slot *slots, uint32_t count, const char *policy,
                                         const struct cw_run_rules *rules)
{
    struct cw_run_rules usual = CW_RUN_RULES_DEFAULT;
    struct cw_policy_config config;
    struct cw_run_planner *planner;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK ||
        cw_run_planner_create(slots, count, rules ? rules : &usual, &config, &planner, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    return planner;
}

/* One plan by a planner of its own; the caller finishes it. */
static struct cw_run_plan plan_once(const struct cw_run_slot *slots, uint32_t count, const char *policy,
                                    const struct window *x)
{
    struct cw_run_planner *planner = planner_of(slots, count, policy, NULL);
    struct cw_run_plan plan = {0};
    struct cw_error err = {0};

    if (cw_run_plan_make(planner, &x->w, &plan, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    cw_run_planner_destroy(planner);
    return plan;
}

/* ---- what a plan must be, whatever the policy */

static void check_plan(const struct cw_run_plan *plan, const struct window *x,
                       const struct cw_run_slot *slots, uint32_t count, double wake)
{
    const struct cw_run_window *w = &x->w;
    double avail[SLOTS_MAX], last = 0;
    uint32_t at[TASKS_MAX], moved = 0;

    memcpy(avail, x->busy, sizeof avail);
    memset(at, 0xff, sizeof at);
    assert_int_equal(plan->tasks, w->tasks);
    for (uint32_t k = 0; k < w->tasks; k++) {
        uint32_t i = plan->order[k], p = plan->slot[i];
        assert_true(i < w->tasks && at[i] == UINT32_MAX && p < count);
        at[i] = k;
        assert_false(isinf(w->cost_ns[i * count + p]));
        assert_true(plan->start_ns[i] >= avail[p]);
        assert_float_equal(plan->finish_ns[i],
                           plan->start_ns[i] + w->cost_ns[i * count + p] + slots[p].handoff_ns, 1e-3);
        avail[p] = plan->finish_ns[i];
        last = fmax(last, avail[p]);
        moved += p != x->home[i];
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++) {
            uint32_t j = w->pred[e];
            assert_true(at[j] != UINT32_MAX);
            assert_true(plan->start_ns[i] >= plan->finish_ns[j] + (plan->slot[j] == p ? 0 : wake));
        }
    }
    assert_float_equal(plan->plan_ns, last, 1e-3);
    assert_int_equal(plan->moved, moved);
    assert_true(plan->planned ||
                (plan->moved == 0 && plan->reordered == 0 && plan->plan_ns == plan->home_ns));
    assert_true(plan->verdict != CW_RUN_GAIN || plan->plan_ns < plan->home_ns);
    assert_true(*plan->reason);
}

static void expect(struct cw_run_plan *plan, const struct window *x, const struct cw_run_slot *slots,
                   uint32_t count, enum cw_run_verdict verdict, uint32_t moved)
{
    check_plan(plan, x, slots, count, 8000);
    if (plan->verdict != verdict || plan->moved != moved)
        fail_msg("verdict \"%s\", %u moved; expected \"%s\", %u", plan->reason, plan->moved,
                 cw_run_verdict_string(verdict), moved);
    cw_run_plan_finish(plan);
}

/* ---- known answers */

static void test_chain_stays_home(void **state)
{
    static const char *const policies[] = {"heft", "dm", "dmda", "ws", "eager", "peft", "hdgeft"};
    struct window x;

    (void)state;
    make_chains(&x, 100, 2, 1, 100000, 0);
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        struct cw_run_plan plan = plan_once(two_slots, 2, policies[k], &x);
        expect(&plan, &x, two_slots, 2, CW_RUN_NO_ROOM, 0);
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
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_ROOM, 0);
    /* a chain on slots that seem to differ by less than they scatter */
    make_chains(&x, 80, 2, 1, 100000, 4000);
    for (uint32_t i = 0; i < 80; i++)
        x.cost[2 * i + 1] = 90000;
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_ROOM, 0);
    memset(x.error, 0, sizeof x.error);
    plan = plan_once(two_slots, 2, "heft", &x);
    expect(&plan, &x, two_slots, 2, CW_RUN_GAIN, 80);
}

/* Small dependent kernels go to the slot that answers fastest, large ones stay where they run fastest. */
static void test_small_kernels_go_where_answers_are_fast(void **state)
{
    static const struct cw_run_slot slots[] = {{.name = "pthread", .handoff_ns = 56000},
                                               {.name = "basic", .handoff_ns = 1000}};
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 50, 2, 1, 500, 0);
    plan = plan_once(slots, 2, "heft", &x);
    assert_true(plan.home_ns / plan.plan_ns > 10);
    expect(&plan, &x, slots, 2, CW_RUN_GAIN, 50);
    for (uint32_t i = 0; i < 50; i++)
        x.cost[2 * i] = 1000000, x.cost[2 * i + 1] = 1900000;
    plan = plan_once(slots, 2, "heft", &x);
    expect(&plan, &x, slots, 2, CW_RUN_NO_ROOM, 0);
}

static void test_handoff_eats_the_gain(void **state)
{
    static const struct cw_run_slot slots[] = {{.handoff_ns = 0}, {.handoff_ns = 50000}};
    struct cw_run_plan plan;
    struct window x;

    (void)state;
    make_chains(&x, 10, 2, 0, 10000, 0); /* ten independent tasks of 10 us; elsewhere each takes 60 us */
    plan = plan_once(slots, 2, "heft", &x);
    assert_true(plan.verdict == CW_RUN_NO_ROOM || plan.verdict == CW_RUN_SMALL_GAIN);
    expect(&plan, &x, slots, 2, plan.verdict, 0);
    make_chains(&x, 10, 2, 0, 1000000, 0);
    plan = plan_once(slots, 2, "heft", &x);
    expect(&plan, &x, slots, 2, CW_RUN_GAIN, 5);
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
    expect(&plan, &x, two_slots, 2, CW_RUN_NO_ROOM, 0);
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

/* ---- random windows */

static void make_random(struct window *x, uint64_t *random, uint32_t slots)
{
    uint32_t tasks = 1 + (uint32_t)cw_random_below(random, TASKS_MAX), edges = 0;
    double scatter = cw_random_below(random, 2) ? 2000 : 200000;

    make_chains(x, tasks, slots, 0, 0, 0);
    for (uint32_t i = 0; i < tasks; i++) {
        double base = cw_random_uniform(random, 0, 300000);
        x->home[i] = (uint32_t)cw_random_below(random, 2);
        x->pred_start[i] = edges;
        for (uint64_t n = i ? cw_random_below(random, 4) : 0; n > 0; n--)
            x->pred[edges++] = (uint32_t)cw_random_below(random, i); /* the same one twice is allowed */
        for (uint32_t p = 0; p < slots; p++) {
            x->cost[i * slots + p] =
                cw_random_below(random, 20) ? base * cw_random_uniform(random, 0.5, 3) : 0;
            x->error[i * slots + p] = cw_random_uniform(random, 0, scatter);
            if (p != x->home[i] && cw_random_below(random, 5) == 0)
                x->cost[i * slots + p] = INFINITY;
        }
    }
    x->pred_start[tasks] = edges;
    for (uint32_t p = 0; p < slots; p++)
        x->busy[p] = cw_random_below(random, 2) ? cw_random_uniform(random, 0, 1e6) : 0;
    x->w.seed = cw_random_next(random);
}

static bool online(const struct cw_policy *policy)
{
    return strcmp(policy->name, "exact") && strcmp(policy->name, "hscgs") && strcmp(policy->name, "h2gs") &&
           strcmp(policy->name, "weave");
}

static bool same(const struct cw_run_plan *a, const struct cw_run_plan *b)
{
    return a->tasks == b->tasks && memcmp(a->order, b->order, a->tasks * sizeof *a->order) == 0 &&
           memcmp(a->slot, b->slot, a->tasks * sizeof *a->slot) == 0 && a->plan_ns == b->plan_ns &&
           strcmp(a->reason, b->reason) == 0;
}

static void test_random_windows(void **state)
{
    struct cw_run_plan plan = {0}, again = {0};
    uint64_t random = 20;
    uint32_t planned = 0, left = 0;
    struct window x;

    (void)state;
    for (size_t k = 0; cw_policies[k]; k++) {
        struct cw_run_planner *planner;
        if (!online(cw_policies[k]))
            continue;
        planner = planner_of(five_slots, 5, cw_policies[k]->name, NULL);
        for (int n = 0; n < 60; n++) {
            struct cw_error err = {0};
            make_random(&x, &random, 5);
            if (cw_run_plan_make(planner, &x.w, &plan, &err) != CW_OK)
                fail_msg("%s: %s", cw_policies[k]->name, err.text);
            check_plan(&plan, &x, five_slots, 5, 8000);
            assert_int_equal(cw_run_plan_make(planner, &x.w, &again, NULL), CW_OK);
            assert_true(same(&plan, &again));
            assert_int_not_equal(plan.verdict, CW_RUN_FAILED);
            planned += plan.planned;
            left += !plan.planned;
        }
        cw_run_planner_destroy(planner);
    }
    print_message("%u planned, %u left\n", planned, left);
    assert_true(planned > 500 && left > 200);
    cw_run_plan_finish(&plan);
    cw_run_plan_finish(&again);
}

/* The slots of a plan are those of the policy on the same graph, as `clweave replay` runs it. */
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
            assert_int_equal(plan.slot[i], s->task[i].device);
        cw_run_plan_finish(&plan);
        cw_schedule_destroy(s);
    }
    cw_graph_destroy(g);
    cw_platform_destroy(platform);
}

/* ---- bad input, no memory */

static void refused(const struct window *x, const char *word)
{
    struct cw_run_planner *planner = planner_of(two_slots, 2, "heft", NULL);
    struct cw_run_plan plan = {0};
    struct cw_error err = {0};

    assert_int_equal(cw_run_plan_make(planner, &x->w, &plan, &err), CW_ERR_INVALID);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" lacks \"%s\"", err.text, word);
    cw_run_planner_destroy(planner);
    cw_run_plan_finish(&plan);
}

static void test_bad_windows(void **state)
{
    struct window x;

    (void)state;
    make_chains(&x, 4, 2, 1, 1, 0);
    x.w.tasks = 0;
    refused(&x, "empty");
    make_chains(&x, 4, 2, 1, 1, 0);
    x.pred[1] = 2;
    refused(&x, "later");
    make_chains(&x, 4, 2, 1, 1, 0);
    x.cost[0] = INFINITY;
    refused(&x, "home");
    x.cost[0] = 1;
    x.home[1] = 2;
    refused(&x, "home");
    make_chains(&x, 4, 2, 1, 1, 0);
    x.cost[3] = NAN;
    refused(&x, "number");
    x.cost[3] = -1;
    refused(&x, "negative");
    make_chains(&x, 4, 2, 1, 1, NAN);
    refused(&x, "number");
    make_chains(&x, 4, 2, 1, 1, 0);
    x.busy[1] = INFINITY;
    refused(&x, "busy");
}

static void test_bad_planners(void **state)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_slot slots[2] = {{0}};
    struct cw_run_planner *planner;
    struct cw_policy_config config;

    (void)state;
    cw_policy_config_init(&config, cw_policy_find("exact"));
    assert_int_equal(cw_run_planner_create(slots, 2, &rules, &config, &planner, NULL), CW_ERR_UNSUPPORTED);
    assert_null(planner);
    cw_policy_config_init(&config, cw_policy_find("weave"));
    assert_int_equal(cw_run_planner_create(slots, 2, &rules, &config, &planner, NULL), CW_ERR_UNSUPPORTED);
    cw_policy_config_init(&config, cw_policy_find("heft"));
    assert_int_equal(cw_run_planner_create(slots, 0, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    slots[1].handoff_ns = -1;
    assert_int_equal(cw_run_planner_create(slots, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    slots[1].handoff_ns = 0;
    rules.wake_ns = NAN;
    assert_int_equal(cw_run_planner_create(slots, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
}

static enum cw_status everything(const char *policy, const struct window *x, struct cw_run_plan *plan)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_planner *planner = NULL;
    struct cw_policy_config config;
    enum cw_status status;

    cw_policy_config_init(&config, cw_policy_find(policy));
    status = cw_run_planner_create(two_slots, 2, &rules, &config, &planner, NULL);
    if (status == CW_OK)
        status = cw_run_plan_make(planner, &x->w, plan, NULL);
    cw_run_planner_destroy(planner);
    return status;
}

/* Every allocation fails in turn: no leak, and either no plan or one that does nothing. */
static void test_every_allocation(void **state)
{
    static const char *const policies[] = {"heft", "dmda", "eager", "chaos"};
    long failures = 0;
    struct window x;

    (void)state;
    make_chains(&x, 30, 2, 3, 100000, 0);
    for (size_t k = 0; REPLACED && k < 4; k++) {
        struct cw_run_plan plan = {0};
        enum cw_status status;
        bool planned = false;
        for (long n = 0; !planned; n++) {
            live = 0;
            countdown = n;
            counting = true;
            status = everything(policies[k], &x, &plan);
            counting = false;
            planned = status == CW_OK && plan.planned;
            if (status == CW_OK)
                check_plan(&plan, &x, two_slots, 2, 8000);
            failures += status == CW_OK && plan.verdict == CW_RUN_FAILED;
            assert_true(status == CW_OK || status == CW_ERR_NOMEM);
            counting = true;
            countdown = -1;
            cw_run_plan_finish(&plan);
            counting = false;
            assert_int_equal(live, 0);
        }
    }
    assert_true(!REPLACED || failures > 20);
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
        cmocka_unit_test(test_commands_skip_the_test),
        cmocka_unit_test(test_random_windows),
        cmocka_unit_test(test_same_objects_as_replay),
        cmocka_unit_test(test_bad_windows),
        cmocka_unit_test(test_bad_planners),
        cmocka_unit_test(test_every_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
