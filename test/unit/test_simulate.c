/* Schedules in a world that is not as planned: by hand for links, noise and deaths; and on random graphs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../sched/generate.h"
#include "../../sched/policy.h"
#include "../../sched/simulate.h"

struct world {
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_schedule *s;
};

static void plan(struct world *w, const char *policy)
{
    struct cw_policy_config config;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK ||
        cw_policy_run(&config, w->g, w->p, &w->s, &err) != CW_OK)
        fail_msg("%s", err.text);
}

static void finish(struct world *w)
{
    cw_schedule_destroy(w->s);
    cw_graph_destroy(w->g);
    cw_platform_destroy(w->p);
}

static struct cw_simulate_result simulate(const struct world *w, struct cw_simulate_options o)
{
    struct cw_simulate_result r;
    struct cw_error err = {0};

    if (cw_simulate(w->s, w->g, w->p, &o, &r, NULL, &err) != CW_OK)
        fail_msg("%s", err.text);
    return r;
}

static struct cw_simulate_result simulate_policy(const struct world *w, const char *policy,
                                                 struct cw_simulate_options o, enum cw_status *status)
{
    struct cw_policy_config config;
    struct cw_simulate_result r;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK)
        fail_msg("%s", err.text);
    *status = cw_simulate_policy(&config, w->s, w->g, w->p, &o, &r, &err);
    if (*status != CW_OK && *status != CW_ERR_INFEASIBLE)
        fail_msg("%s: %s", policy, err.text);
    return r;
}

/* One task on device 0, then two on device 1 (they cannot run elsewhere) that each need 10 units over a link
 * of rate 1. */
static void make_fan(struct world *w, bool second_runs_both)
{
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    double first[] = {5, second_runs_both ? 50 : INFINITY}, others[] = {second_runs_both ? 40 : INFINITY, 3};

    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = first}, NULL);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = others}, NULL);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = others}, NULL);
    cw_graph_builder_add_edge(b, 0, 1, 10, NULL);
    cw_graph_builder_add_edge(b, 0, 2, 10, NULL);
    assert_int_equal(cw_graph_builder_finish(b, &w->g, NULL), CW_OK);
    assert_int_equal(cw_platform_create((struct cw_device_spec[]){{.name = "a"}, {.name = "b"}}, 2, NULL, 1,
                                        NULL, 0, &w->p, NULL),
                     CW_OK);
    plan(w, "heft");
}

static void links_carry_one_at_a_time(void **state)
{
    struct world w;
    struct cw_simulate_result r;
    enum cw_status status;

    (void)state;
    make_fan(&w, false);
    r = simulate(&w, (struct cw_simulate_options){.noise = 0});
    assert_true(r.makespan == cw_schedule_makespan(w.s) && r.makespan == 21); /* 5 + 10 + 3 + 3 */
    assert_true(r.waited == 0 && r.failures == 0 && r.moved == 0);
    r = simulate(&w, (struct cw_simulate_options){.contention = true});
    assert_true(r.makespan == 28 && r.waited == 10); /* 5 + 10 + 10 + 3 */
    r = simulate_policy(&w, "dm", (struct cw_simulate_options){.contention = true}, &status);
    assert_true(status == CW_OK && r.makespan == 28 && r.waited == 10);
    finish(&w);
}

/* Device 1 dies at a random time: whatever it had not finished runs on device 0, 40 each. */
static void the_dead_do_not_finish(void **state)
{
    struct world w;
    int moved[3] = {0}, impossible = 0;

    (void)state;
    make_fan(&w, true);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct cw_simulate_options o = {.mtbf = 60, .seed = seed};
        struct cw_simulate_result r;
        double end[3];
        if (cw_simulate(w.s, w.g, w.p, &o, &r, end, NULL) == CW_ERR_INFEASIBLE) {
            impossible++;
            continue;
        }
        assert_in_range(r.moved, 0, 3);
        if (r.failures == 0)
            assert_true(r.makespan == cw_schedule_makespan(w.s) && r.moved == 0 && r.lost == 0);
        moved[r.moved > 2 ? 2 : r.moved]++;
        assert_true(end[1] >= end[0] && end[2] >= end[0]);
    }
    print_message("moved 0: %d, 1: %d, more: %d, impossible: %d\n", moved[0], moved[1], moved[2], impossible);
    assert_true(moved[0] > 50 && moved[1] + moved[2] > 10 && impossible > 5);
    finish(&w);
}

/* On random graphs: nothing starts before its predecessors are done, the same seed gives the same, more
 * trouble never less. */
static void random_worlds(void **state)
{
    static const char *const policies[] = {"heft", "cpop", "hdgeft", "dmda", "eager"};
    double spread = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct cw_hxdsp o = {.tasks = 60, .dsps = 3, .out_degree = 4, .ccr = 0.5, .seed = seed};
        struct cw_topcuoglu u = {.tasks = 60,
                                 .devices = 4,
                                 .shape = 1,
                                 .out_degree = 3,
                                 .ccr = 2,
                                 .heterogeneity = 1,
                                 .mean_cost = 10,
                                 .seed = seed};
        struct world w;
        double end[60];
        struct cw_simulate_result a, b;
        struct cw_simulate_options x = {.noise = .3, .contention = true, .mtbf = 4000, .seed = seed};

        assert_int_equal(seed % 2 ? cw_generate_hxdsp(&o, &w.g, &w.p, NULL)
                                  : cw_generate_topcuoglu(&u, &w.g, &w.p, NULL),
                         CW_OK);
        plan(&w, policies[seed % 5]);
        a = simulate(&w, (struct cw_simulate_options){.seed = seed});
        if (a.makespan > cw_schedule_makespan(w.s) * (1 + 1e-12))
            fail_msg("%s, seed %u: %.17g, planned %.17g", policies[seed % 5], (unsigned)seed, a.makespan,
                     cw_schedule_makespan(w.s));
        b = simulate(&w, (struct cw_simulate_options){.contention = true});
        assert_true(b.makespan >= a.makespan);
        b = simulate(&w, (struct cw_simulate_options){.noise = .3, .seed = seed});
        spread += fabs(b.makespan / a.makespan - 1);
        assert_true(b.makespan > .7 * a.makespan - 1e-9 && b.makespan < 1.3 * a.makespan + 1e-9);
        if (cw_simulate(w.s, w.g, w.p, &x, &a, end, NULL) == CW_OK) {
            for (uint32_t i = 0; i < w.g->tasks; i++)
                for (uint32_t e = w.g->pred.start[i]; e < w.g->pred.start[i + 1]; e++)
                    assert_true(end[i] >= end[w.g->pred.task[e]]);
            b = simulate(&w, x);
            assert_memory_equal(&a, &b, sizeof a);
        }
        finish(&w);
    }
    assert_true(spread > 1); /* noise shows: a per cent in the mean at least */
}

/* Forty tasks of 10 on a or 12 on b whose lengths turn out to be anything up to twice that: whoever takes the
 * next task when idle is done earlier than a plan that gave out all of them. */
static void the_dynamic_see_what_happened(void **state)
{
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    double cost[] = {10, 12};
    struct world w;
    double follow = 0, decide = 0;
    int late = 0;

    (void)state;
    for (int k = 0; k < 40; k++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost}, NULL);
    for (uint32_t k = 2; k < 40; k++)
        cw_graph_builder_add_edge(b, k % 2, k, 0, NULL);
    assert_int_equal(cw_graph_builder_finish(b, &w.g, NULL), CW_OK);
    assert_int_equal(cw_platform_create((struct cw_device_spec[]){{.name = "a"}, {.name = "b"}}, 2, NULL, 1,
                                        NULL, 0, &w.p, NULL),
                     CW_OK);
    plan(&w, "eager");
    for (uint64_t seed = 0; seed < 50; seed++) {
        enum cw_status status;
        struct cw_simulate_options o = {.noise = .9, .seed = seed};
        double here = simulate(&w, o).makespan;
        decide += simulate_policy(&w, "eager", o, &status).makespan;
        assert_int_equal(status, CW_OK);
        late += here > cw_schedule_makespan(w.s);
        follow += here;
    }
    print_message("longer than planned %d of 50; deciding then %.3f of following\n", late, decide / follow);
    assert_true(late > 25 && decide < 0.97 * follow);
    finish(&w);
}

/* Every dynamic policy: in an orderly world what was planned, to the bit; else everything runs once, after
 * its predecessors, or the reason is told; the same again is the same. */
static void dynamic_worlds(void **state)
{
    uint32_t moved = 0, impossible = 0, dynamic = 0;

    (void)state;
    for (size_t k = 0; cw_policies[k]; k++)
        for (uint64_t seed = 1; seed <= 30 && cw_policies[k]->dynamic; seed++) {
            struct cw_hxdsp o = {.tasks = 60, .dsps = 3, .out_degree = 4, .ccr = 0.5, .seed = seed};
            struct cw_simulate_options trouble = {
                .noise = .5, .contention = true, .mtbf = 3000, .seed = seed};
            struct cw_simulate_result a, again;
            enum cw_status status, same;
            struct world w;

            dynamic++;
            assert_int_equal(cw_generate_hxdsp(&o, &w.g, &w.p, NULL), CW_OK);
            plan(&w, cw_policies[k]->name);
            a = simulate_policy(&w, cw_policies[k]->name, (struct cw_simulate_options){.seed = seed},
                                &status);
            assert_true(status == CW_OK && a.makespan == cw_schedule_makespan(w.s) &&
                        a.planned == a.makespan);
            assert_true(a.moved == 0 && a.failures == 0 && a.waited == 0 && a.lost == 0);
            a = simulate_policy(&w, cw_policies[k]->name, trouble, &status);
            again = simulate_policy(&w, cw_policies[k]->name, trouble, &same);
            assert_int_equal(status, same);
            impossible += status != CW_OK;
            if (status == CW_OK) {
                assert_memory_equal(&a, &again, sizeof a);
                assert_true(a.failures == 0 || a.makespan > 0);
                assert_true(a.failures > 0 || (a.moved == 0 && a.lost == 0));
                moved += a.moved;
            }
            finish(&w);
        }
    print_message("%u runs, %u tasks moved, %u impossible\n", dynamic, moved, impossible);
    assert_true(dynamic >= 9 * 30 && moved > 50 && impossible > 5 && impossible < dynamic / 2);
}

static void bad_input(void **state)
{
    struct world w;
    struct cw_simulate_result r;

    (void)state;
    make_fan(&w, false);
    assert_int_equal(cw_simulate(w.s, w.g, w.p, &(struct cw_simulate_options){.noise = 1}, &r, NULL, NULL),
                     CW_ERR_INVALID);
    assert_int_equal(cw_simulate(w.s, w.g, w.p, &(struct cw_simulate_options){.mtbf = -1}, &r, NULL, NULL),
                     CW_ERR_INVALID);
    assert_int_equal(cw_simulate(w.s, w.g, w.p, &(struct cw_simulate_options){.mtbf = NAN}, &r, NULL, NULL),
                     CW_ERR_INVALID);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_carry_one_at_a_time),
        cmocka_unit_test(the_dead_do_not_finish),
        cmocka_unit_test(random_worlds),
        cmocka_unit_test(the_dynamic_see_what_happened),
        cmocka_unit_test(dynamic_worlds),
        cmocka_unit_test(bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
