/* Plans of windows over several memories: transfers are charged, by every policy; with one memory nothing
 * differs. */
#include "far_window.h"

/* ---- one memory */

static uint64_t mix(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t k = 0; k < n; k++)
        digest = (digest ^ b[k]) * UINT64_C(0x100000001b3);
    return digest;
}

static uint64_t mix_plan(uint64_t digest, const struct cw_run_plan *plan)
{
    digest = mix(digest, plan->order, plan->tasks * sizeof *plan->order);
    digest = mix(digest, plan->device, plan->tasks * sizeof *plan->device);
    digest = mix(digest, plan->parts, plan->tasks * sizeof *plan->parts);
    return mix(digest, &plan->verdict, sizeof plan->verdict);
}

/* Of the plans of random windows, with the profit test and without. space: memories on which no device works,
 * or NULL. */
static uint64_t digest_of(const char *policy, const struct cw_plan_space *space)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_plan plan = {0};
    static double bytes[4 * TASKS_MAX];
    uint64_t random = 22, digest = UINT64_C(0xcbf29ce484222325);
    struct window x;

    for (size_t e = 0; e < sizeof bytes / sizeof *bytes; e++)
        bytes[e] = 1e6;
    for (int n = 0; n < 80; n++) {
        struct cw_run_planner *planner;

        rules.always = n & 1;
        rules.spaces = space ? 3 : 0;
        rules.space = space;
        planner = planner_of(five_slots, 5, policy, &rules);
        make_random(&x, &random, 5);
        if (space)
            x.w.pred_bytes = bytes;
        assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
        check_plan(&plan, &x, five_slots, 5, 8000);
        digest = mix_plan(digest, &plan);
        cw_run_planner_destroy(planner);
    }
    cw_run_plan_finish(&plan);
    return digest;
}

static const struct {
    const char *policy;
    uint64_t digest;
} golden[] = {{"heft", UINT64_C(0xf1e5689206589c59)},   {"dmda", UINT64_C(0x538d655f62a1c27d)},
              {"peft", UINT64_C(0x3d75860cb4e1b6aa)},   {"cpop", UINT64_C(0x15c714404b36ea7e)},
              {"hdgeft", UINT64_C(0x8babfaa94bdfccfa)}, {"dscls", UINT64_C(0xc7076db7a6e0fe9f)},
              {"ws", UINT64_C(0xdf49694c04f008d8)},     {"dls", UINT64_C(0x6d001c9762978d9d)}};

/* The same orders and devices as those of a planner that knows of no memories (their digests). */
static void test_one_memory(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * (sizeof golden / sizeof *golden); k++) {
        uint64_t digest = digest_of(golden[k / 2].policy, k & 1 ? three_spaces : NULL);

        if (digest != golden[k / 2].digest)
            fail_msg("{\"%s\", UINT64_C(0x%016llx)}", golden[k / 2].policy, (unsigned long long)digest);
    }
}

/* ---- several memories */

/* One launch, twice as fast on a far device, with 1 MB of input at the host: a short one stays, a long one
 * moves; one whose input lies on the far device moves even when it is short. */
static void test_short_stays_long_moves(void **state)
{
    static const struct {
        double cost, bytes;
        uint64_t spaces;
        uint32_t moved;
    } cases[] = {{300000, MB, HOST, 0},  {1000000, MB, HOST, 1},
                 {100000, MB, FAR_1, 1}, {100000, MB, FAR_1 | HOST, 1},
                 {100000, 0, HOST, 1},   {1000000, 100 * MB, HOST, 0},
                 {100000, MB, 0, 1}};
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int always = 0; always < 2; always++) {
                make_far(&f, 1, 0, cases[i].cost, 2, cases[i].bytes, cases[i].spaces);
                if (moved_by(aware[k], always, &f, NULL) != cases[i].moved)
                    fail_msg("%s, case %zu, always %d: %u moved", aware[k], i, always, 1 - cases[i].moved);
            }
}

/* A chain of ten launches of 100 us with 1 MB between them stays where its data are: at home, or on the far
 * device where they lie. Even at the same speed going there would take 220 us. */
static void test_chain_stays_with_its_data(void **state)
{
    struct cw_run_plan plan = {0};
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++)
        for (int always = 0; always < 2; always++) {
            make_far(&f, 10, 1, 100000, 1, MB, HOST);
            assert_int_equal(moved_by(aware[k], always, &f, NULL), 0);
            make_far(&f, 10, 1, 100000, 1, MB, FAR_2);
            assert_int_equal(moved_by(aware[k], always, &f, &plan), 10);
            for (uint32_t i = 0; i < 10; i++)
                assert_int_equal(plan.device[i], 2);
            assert_float_equal(plan.plan_ns, 1e6, 0);
            assert_float_equal(plan.home_ns, 1e6 + 8000 + 220000, 0);
        }
    cw_run_plan_finish(&plan);
}

/* A command waits for one that may run at home only, and is ten times as fast on the other device. On one
 * memory it moves; on two it stays, unless its data are few. Also where waking another device takes no time.
 * */
static void test_edges(void **state)
{
    static const struct cw_plan_device one[] = {{.class_name = "cpu"}, {.class_name = "gpu"}};
    static const struct cw_plan_device two[] = {{.class_name = "cpu"}, {.class_name = "gpu", .space = 1}};
    static const struct {
        const struct cw_plan_device *devices;
        double bytes;
        uint32_t moved;
        double plan_ns; /* but for wake_ns */
    } cases[] = {{one, 1e9, 1, 110000}, {two, 1e9, 0, 1010000}, {two, 1e6, 1, 330000}, {two, 0, 1, 110000}};
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct window x;

    (void)state;
    make_chains(&x, 2, 2, 1, 10000, 0);
    x.cost[1] = INFINITY;
    x.cost[2] = 1000000, x.cost[3] = 100000;
    rules.spaces = 2;
    rules.space = three_spaces;
    for (size_t k = 0; k < 4 * AWARE; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct cw_run_planner *planner;
            struct cw_run_plan plan = {0};

            if (!strcmp(aware[k / 4], "cpop")) /* all of the critical path runs where all of it can run */
                continue;
            rules.always = k & 1; /* then it is the policy that knows */
            rules.wake_ns = k & 2 ? 0 : 8000;
            planner = planner_of(cases[i].devices, 2, aware[k / 4], &rules);
            x.w.pred_bytes = &cases[i].bytes;
            assert_int_equal(cw_run_plan_make(planner, &x.w, &plan, NULL), CW_OK);
            assert_int_equal(plan.moved, cases[i].moved);
            assert_float_equal(plan.plan_ns, cases[i].plan_ns + (cases[i].moved ? rules.wake_ns : 0), 1);
            cw_run_plan_finish(&plan);
            cw_run_planner_destroy(planner);
        }
}

/* Far devices of half the home's speed. Eight independent launches of 10 ms: home and both far ones share
 * the work 4 : 2 : 2 while an input takes 1 ms, and nothing moves when it takes 80 ms. A single launch,
 * and a chain, never move. Plans are never longer than doing nothing. */
static void test_half_speed(void **state)
{
    static const struct {
        uint32_t tasks, stride;
        double bytes;
        uint32_t moved;
    } cases[] = {{8, 0, 5 * MB, 4}, {8, 0, 400 * MB, 0}, {1, 0, 0, 0}, {8, 1, 0, 0}, {8, 4, 5 * MB, 4}};
    struct cw_run_plan plan = {0};
    struct far_window f;

    (void)state;
    for (size_t k = 0; k < AWARE; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            make_far(&f, cases[i].tasks, cases[i].stride, 1e7, .5, cases[i].bytes, HOST);
            assert_int_equal(moved_by(aware[k], false, &f, &plan), cases[i].moved);
            assert_true(plan.plan_ns <= plan.home_ns);
        }
    cw_run_plan_finish(&plan);
}

/* ---- every policy */

static void make_random_far(struct far_window *f, uint64_t *random)
{
    uint32_t tasks;

    make_random(&f->x, random, 3);
    tasks = f->x.w.tasks;
    for (uint32_t i = 0; i < tasks; i++) {
        f->piece_start[i] = i;
        f->piece[i] =
            (struct cw_plan_piece){.root = i,
                                   .bytes = cw_random_below(random, 3) ? 0 : cw_random_below(random, 1000000),
                                   .spaces = cw_random_below(random, 8),
                                   .launches = (uint32_t)cw_random_below(random, 6)};
    }
    f->piece_start[tasks] = tasks;
    for (uint32_t e = 0; e < f->x.pred_start[tasks]; e++)
        f->pred_bytes[e] = cw_random_below(random, 2) ? 0 : (double)cw_random_below(random, 1000000);
    f->x.w.pred_bytes = f->pred_bytes;
    f->x.w.piece_start = f->piece_start;
    f->x.w.piece = f->piece;
}

/* No task starts before its bytes can be there. */
static void check_bytes(const struct cw_run_plan *plan, const struct far_window *f)
{
    const struct cw_run_window *w = &f->x.w;

    for (uint32_t i = 0; i < w->tasks; i++) {
        const struct cw_plan_piece *piece = &f->piece[i];
        double bytes = (double)piece->bytes / (piece->launches >= 3 ? piece->launches : 1);
        uint32_t to = plan->device[i];

        if (plan->parts[i] > 1)
            continue;
        if (bytes > 0 && piece->spaces && !(piece->spaces >> to & 1))
            assert_true(plan->start_ns[i] >= 20000 + bytes / 5);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
            if (f->pred_bytes[e] > 0 && plan->parts[w->pred[e]] == 1 && plan->device[w->pred[e]] != to)
                assert_true(plan->start_ns[i] >=
                            plan->finish_ns[w->pred[e]] + 20000 + f->pred_bytes[e] / 5 - 1e-3);
    }
}

static void test_random_windows(void **state)
{
    struct cw_run_plan plan = {0};
    uint64_t random = 23;
    uint32_t planned = 0;
    struct far_window f;

    (void)state;
    for (size_t k = 0; cw_policies[k]; k++)
        for (int n = 0; n < 40 && cw_policy_check_online(cw_policies[k], NULL) == CW_OK; n++) {
            struct cw_run_planner *planner = far_planner(cw_policies[k]->name, n & 1, three_spaces);

            make_random_far(&f, &random);
            assert_int_equal(cw_run_plan_make(planner, &f.x.w, &plan, NULL), CW_OK);
            assert_int_not_equal(plan.verdict, CW_RUN_FAILED);
            check_plan(&plan, &f.x, far_slots, 3, 8000);
            check_bytes(&plan, &f);
            planned += plan.planned;
            cw_run_planner_destroy(planner);
        }
    assert_true(planned > 400);
    cw_run_plan_finish(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_memory),
        cmocka_unit_test(test_short_stays_long_moves),
        cmocka_unit_test(test_chain_stays_with_its_data),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_half_speed),
        cmocka_unit_test(test_random_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
