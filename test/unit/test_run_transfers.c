/* Transfers of windows over several memories: the numbers that are charged. */
#include "far_window.h"

/* Two tasks, of which each may run on one device only, at home there. */
static double pair_ns(uint32_t from, uint32_t to, double bytes, const struct cw_plan_space *space)
{
    struct cw_run_planner *planner = far_planner("heft", false, space);
    struct cw_run_plan plan = {0};
    struct far_window f;
    double ns;

    make_far(&f, 2, 1, 1000, 1, bytes, 0);
    for (uint32_t p = 0; p < 3; p++) {
        f.x.cost[p] = p == from ? 1000 : INFINITY;
        f.x.cost[3 + p] = p == to ? 1000 : INFINITY;
    }
    f.x.home[0] = from;
    f.x.home[1] = to;
    assert_int_equal(cw_run_plan_make(planner, &f.x.w, &plan, NULL), CW_OK);
    ns = plan.plan_ns - 2000;
    cw_run_plan_finish(&plan);
    cw_run_planner_destroy(planner);
    return ns;
}

static void test_ways(void **state)
{
    static const struct cw_plan_space uneven[] = {{.capacity = 0},
                                                  {.in = {1000, 10, 0}, .out = {2000, 5, 0}},
                                                  {.in = {3000, 2, 0}, .out = {4000, INFINITY, 0}}};

    (void)state;
    assert_float_equal(pair_ns(0, 0, 1e6, uneven), 0, 0);
    assert_float_equal(pair_ns(0, 1, 1e6, uneven), 8000 + 1000 + 100000, 1e-3);
    assert_float_equal(pair_ns(1, 0, 1e6, uneven), 8000 + 2000 + 200000, 1e-3);
    assert_float_equal(pair_ns(1, 2, 1e6, uneven), 8000 + 2000 + 200000 + 3000 + 500000, 1e-3);
    assert_float_equal(pair_ns(2, 1, 1e6, uneven), 8000 + 4000 + 1000 + 100000, 1e-3);
    assert_float_equal(pair_ns(2, 1, 0, uneven), 8000, 0); /* nothing travels */
}

/* What the host reads has to come back: a launch whose 1 MB of output is read moves only when it saves
 * more. */
static void test_host_reads_are_charged(void **state)
{
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++) {
        for (uint32_t i = 0; i < 2; i++) {
            make_far(&f, 2, 1, i ? 400000 : 700000, 2, MB, 0);
            f.x.cost[3] = 1000;
            f.x.cost[4] = f.x.cost[5] = INFINITY;
            /* cpop gives the critical path to the one device that can run all of it */
            assert_int_equal(moved_by(aware[k], false, &f, NULL), strcmp(aware[k], "cpop") ? 1 - i : 0);
        }
    }
}

/* A fetch counts in full unless three launches profit by it. */
static void test_fetches_for_many_launches(void **state)
{
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++)
        for (uint32_t launches = 0; launches < 12; launches++) {
            make_far(&f, 1, 0, 300000, 2, MB, HOST);
            f.piece[0].launches = launches;
            assert_int_equal(moved_by(aware[k], launches & 1, &f, NULL), launches >= CW_RUN_PLAN_FETCH_OFTEN);
        }
}

/* Doing nothing at its best, moved work at its worst: with an error of half its time a fetch is charged twice
 * for what moves, and costs home nothing. */
static void test_uncertain_links(void **state)
{
    static const struct cw_plan_link link = {20000, 5, .5};
    struct cw_plan_space space[3] = {{.capacity = 0}, {.in = link, .out = link}, {.in = link, .out = link}};
    struct cw_run_planner *planner = far_planner("heft", false, space);
    struct cw_run_plan plan = {0};
    struct far_window f;

    (void)state;
    make_far(&f, 1, 0, 1000000, 2, MB, HOST);
    assert_int_equal(cw_run_plan_make(planner, &f.x.w, &plan, NULL), CW_OK);
    assert_float_equal(plan.plan_ns, 500000 + 8000 + 220000, 0);
    assert_float_equal(plan.gain_ns, 1e6 - (500000 + 8000 + 440000), 0);
    make_far(&f, 1, 0, 1000000, 2, MB, FAR_1);
    f.x.cost[1] = 900000;
    assert_int_equal(cw_run_plan_make(planner, &f.x.w, &plan, NULL), CW_OK);
    assert_float_equal(plan.home_ns, 1e6 + 8000 + 220000, 0);
    assert_float_equal(plan.gain_ns, 1e6 + 8000 - 900000, 0);
    cw_run_plan_finish(&plan);
    cw_run_planner_destroy(planner);
}

/* Each way carries its bytes one after the other: launches that are quick on far devices, but whose inputs
 * take 4 ms each, cannot be done there before all these have arrived. */
static void test_ways_are_shared(void **state)
{
    struct cw_run_plan plan = {0};
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++) {
        make_far(&f, 20, 0, 4e6, 8, 20 * MB, HOST);
        moved_by(aware[k], true, &f, &plan);
        assert_true(plan.moved >= 4 && plan.plan_ns >= plan.moved / 2 * 4e6);
        make_far(&f, 20, 0, 1000, 1, 20 * MB, FAR_1);
        moved_by(aware[k], false, &f, &plan);
        assert_true(plan.home_ns >= 20 * 4e6); /* the way out of one memory */
    }
    cw_run_plan_finish(&plan);
}

/* The home device on a memory of its own, and none on the host's. */
static void test_far_home(void **state)
{
    static const struct cw_plan_device devices[] = {{.class_name = "gpu", .space = 1},
                                                    {.class_name = "gpu", .space = 2}};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_planner *planner;
    struct cw_plan_piece piece = {.bytes = 1000000, .spaces = HOST};
    struct cw_run_plan plan = {0};
    struct window x;

    (void)state;
    rules.spaces = 3;
    rules.space = three_spaces;
    planner = planner_of(devices, 2, "heft", &rules);
    make_chains(&x, 1, 2, 0, 100000, 0);
    x.w.piece_start = (const uint32_t[]){0, 1};
    x.w.piece = &piece;
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
    assert_int_equal(plan.moved, 0);
    assert_float_equal(plan.plan_ns, 100000 + 8000 + 220000, 0);
    piece.spaces = FAR_2;
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
    assert_int_equal(plan.moved, 1);
    assert_float_equal(plan.home_ns, 100000 + 8000 + 440000, 0);
    piece.spaces = 8;
    assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_ERR_INVALID);
    cw_run_plan_finish(&plan);
    cw_run_planner_destroy(planner);
}

static void test_space_and_fetches(void **state)
{
    static const struct cw_plan_piece piece[] = {
        {1, 600000, 600000, HOST, 1}, {1, 600000, 100000, FAR_1, 1}, {2, 600000, 0, 0, 1}};
    static const struct cw_plan_piece both = {3, 100000, 100000, HOST | FAR_1, 1};
    struct cw_run_planner *planner = far_planner("heft", false, three_spaces);

    (void)state;
    assert_int_equal(cw_run_planner_holds(planner, piece, 2), 7); /* one buffer, in two pieces */
    assert_int_equal(cw_run_planner_holds(planner, piece, 3), 3); /* 1.2 MB do not fit into far 2 */
    assert_int_equal(cw_run_planner_holds(planner, piece, 0), 7);
    assert_float_equal(cw_run_planner_fetch_ns(planner, piece, 3, 0), 40000, 0);
    assert_float_equal(cw_run_planner_fetch_ns(planner, piece, 3, 1), 140000, 0);
    assert_float_equal(cw_run_planner_fetch_ns(planner, piece, 3, 2), 140000 + 80000, 0);
    assert_float_equal(cw_run_planner_fetch_ns(planner, &both, 1, 2), 40000, 0); /* the nearest has it */
    assert_float_equal(cw_run_planner_return_ns(planner, MB, 1), 220000, 0);
    assert_float_equal(cw_run_planner_return_ns(planner, MB, 0), 0, 0);
    assert_float_equal(cw_run_planner_return_ns(planner, 0, 1), 0, 0);
    cw_run_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_host_reads_are_charged),
        cmocka_unit_test(test_fetches_for_many_launches),
        cmocka_unit_test(test_uncertain_links),
        cmocka_unit_test(test_ways_are_shared),
        cmocka_unit_test(test_far_home),
        cmocka_unit_test(test_space_and_fetches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
