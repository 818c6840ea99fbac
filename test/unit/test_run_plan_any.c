/* Plans of windows: random ones under every policy, bad ones, and without memory. */
#include "failing_alloc.h"
#include "run_window.h"
#include "../../shim/run/planner/profit.h"

/* ---- random windows */

static bool online(const struct cw_policy *policy)
{
    return strcmp(policy->name, "exact") && strcmp(policy->name, "h2gs") && strcmp(policy->name, "weave");
}

static bool same(const struct cw_run_plan *a, const struct cw_run_plan *b)
{
    return a->tasks == b->tasks && memcmp(a->order, b->order, a->tasks * sizeof *a->order) == 0 &&
           memcmp(a->device, b->device, a->tasks * sizeof *a->device) == 0 && a->plan_ns == b->plan_ns &&
           a->verdict == b->verdict && a->gain_ns == b->gain_ns;
}

static void test_random_windows(void **state)
{
    struct cw_run_plan plan = {0}, again = {0};
    uint64_t random = 20;
    uint32_t planned = 0, left = 0, shared = 0;
    struct window x;

    (void)state;
    for (size_t k = 0; cw_policies[k]; k++) {
        struct cw_run_planner *planner;
        if (!online(cw_policies[k]))
            continue;
        planner = planner_of(five_slots, 5, cw_policies[k]->name, NULL);
        for (int n = 0; n < (cw_run_planner_shares(planner) ? 600 : 60); n++) {
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
            shared += plan.shared;
        }
        cw_run_planner_destroy(planner);
    }
    print_message("%u planned, %u left, %u commands shared\n", planned, left, shared);
    assert_true(planned > 500 && left > 200 && shared > 50);
    cw_run_plan_finish(&plan);
    cw_run_plan_finish(&again);
}

/* A command on its own is planned without the policy, as the policy would have. */
static void test_single_commands(void **state)
{
    static const char *const names[] = {"heft", "dm", "dmda"};
    struct cw_run_plan plan = {0}, slow = {0};
    uint64_t random = 21;
    uint32_t moved = 0;
    struct window x;

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
        rules.always = true;
        struct cw_run_planner *planner = planner_of(five_slots, 5, names[k], &rules);
        assert_true(planner->earliest);
        for (int n = 0; n < 3000; n++) {
            make_random(&x, &random, 5);
            x.w.tasks = 1;
            planner->rules.home_separate = cw_random_below(&random, 2);
            if (x.cost[0] < INFINITY && cw_random_below(&random, 4) == 0)
                x.cost[1] = x.cost[0];
            planner->earliest = true;
            assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
            planner->earliest = false;
            assert_int_equal(cw_run_plan_make(planner, &x.w, &slow, NULL), CW_OK);
            assert_true(same(&plan, &slow));
            moved += plan.moved;
        }
        cw_run_planner_destroy(planner);
    }
    assert_in_range(moved, 1000, 8999);
    cw_run_plan_finish(&plan);
    cw_run_plan_finish(&slow);
}

/* hscgs is scls where planning takes too long for a search, and shortens plans where it does not. */
static void test_bounded_search(void **state)
{
    static const double planning_ns[] = {1e9, 500, 0};
    struct cw_run_plan plan = {0}, list = {0};
    uint32_t shorter[3] = {0};
    struct window x;

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
        rules.always = true;
        rules.planning_ns = planning_ns[k];
        struct cw_run_planner *scls = planner_of(five_slots, 5, "scls", &rules),
                              *hscgs = planner_of(five_slots, 5, "hscgs", &rules);
        uint64_t random = 22;

        for (int n = 0; n < 60; n++) {
            make_random(&x, &random, 5);
            x.w.tasks = x.w.tasks < 8 ? x.w.tasks : 8; /* in larger ones few genomes are better */
            for (uint32_t c = 0; c < x.w.tasks * 5; c++)
                x.cost[c] *= 100;
            assert_int_equal(cw_run_plan_make(scls, &x.w, &list, NULL), CW_OK);
            assert_int_equal(cw_run_plan_make(hscgs, &x.w, &plan, NULL), CW_OK);
            assert_true(k > 0 || same(&plan, &list));
            assert_true(plan.plan_ns <= list.plan_ns);
            shorter[k] += plan.plan_ns < list.plan_ns;
        }
        cw_run_planner_destroy(scls);
        cw_run_planner_destroy(hscgs);
    }
    print_message("shorter plans: %u, %u, %u\n", shorter[0], shorter[1], shorter[2]);
    assert_true(shorter[0] == 0 && shorter[1] > 0 && shorter[2] >= shorter[1]);
    cw_run_plan_finish(&plan);
    cw_run_plan_finish(&list);
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
    struct cw_plan_space spaces[2] = {{.capacity = 0}, {.in = {0, INFINITY, 0}, .out = {5, 1, 0}}};
    struct cw_plan_device devices[2] = {{0}};
    struct cw_run_planner *planner;
    struct cw_policy_config config;

    (void)state;
    cw_policy_config_init(&config, cw_policy_find("exact"));
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_UNSUPPORTED);
    assert_null(planner);
    cw_policy_config_init(&config, cw_policy_find("heft"));
    assert_int_equal(cw_run_planner_create(devices, 0, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    devices[1].handoff_ns = -1;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    devices[1].handoff_ns = 0;
    rules.wake_ns = NAN;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    rules.wake_ns = 0;
    devices[1].space = 1;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    rules.spaces = 2;
    rules.space = spaces;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_OK);
    cw_run_planner_destroy(planner);
    spaces[1].out.bytes_per_ns = 0;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    spaces[1].out = (struct cw_plan_link){5, 1, INFINITY};
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
    spaces[1].out.error_share = 0;
    rules.spaces = CW_RUN_PLAN_SPACES + 1;
    assert_int_equal(cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL), CW_ERR_INVALID);
}

/* space: NULL, or the second device is on a memory of its own. */
static enum cw_status everything(const char *policy, const struct window *x,
                                 const struct cw_plan_space *space, struct cw_run_plan *plan)
{
    const struct cw_plan_device devices[] = {two_slots[0], {.class_name = "dsp", .space = space ? 1 : 0}};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_planner *planner = NULL;
    struct cw_policy_config config;
    enum cw_status status;

    cw_policy_config_init(&config, cw_policy_find(policy));
    rules.spaces = 2;
    rules.space = space;
    status = cw_run_planner_create(devices, 2, &rules, &config, &planner, NULL);
    if (status == CW_OK)
        status = cw_run_plan_make(planner, &x->w, plan, NULL);
    cw_run_planner_destroy(planner);
    return status;
}

/* Every allocation fails in turn: no leak, and either no plan or one that does nothing. */
static void test_every_allocation(void **state)
{
    static const char *const policies[] = {"heft", "dmda", "eager", "chaos", "heft"};
    static const struct cw_plan_space spaces[2] = {{.capacity = 0}, {.in = {1, 1, 0}, .out = {1, 1, 0}}};
    static const struct cw_plan_piece pieces[30] = {{.bytes = 1000, .spaces = 1},
                                                    {.bytes = 1000, .spaces = 2}};
    static uint32_t piece_start[31];
    long failures = 0;
    struct window x;

    (void)state;
    make_chains(&x, 30, 2, 3, 100000, 0);
    for (uint32_t i = 0; i <= 30; i++)
        piece_start[i] = i;
    for (size_t k = 0; REPLACED && k < 5; k++) {
        struct cw_run_plan plan = {0};
        enum cw_status status;
        bool planned = false;
        x.w.piece_start = k == 4 ? piece_start : NULL;
        x.w.piece = pieces;
        for (long n = 0; !planned; n++) {
            live = 0;
            countdown = n;
            counting = true;
            status = everything(policies[k], &x, k == 4 ? spaces : NULL, &plan);
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
        cmocka_unit_test(test_random_windows), cmocka_unit_test(test_single_commands),
        cmocka_unit_test(test_bounded_search), cmocka_unit_test(test_bad_windows),
        cmocka_unit_test(test_bad_planners),   cmocka_unit_test(test_every_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
