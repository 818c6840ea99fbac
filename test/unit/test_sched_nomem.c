/* Every allocation of planning fails in turn: the answer is CW_ERR_NOMEM, nothing leaks, nothing crashes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../analyzer/plan/lp_bound.h"
#include "../../sched/adaptive.h"
#include "../../sched/generate.h"
#include "../../sched/groups.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include "../../sched/simulate.h"

#include "failing_alloc.h"

/* Everything from a generator to the figures; whatever was made is unmade again. */
static enum cw_status plan(const char *policy)
{
    struct cw_hxdsp o = {.tasks = 24, .dsps = 3, .out_degree = 6, .ccr = 0.2, .seed = 5};
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_graph *g = NULL;
    struct cw_platform *p = NULL;
    struct cw_metrics m = {0};
    struct cw_error err = {0};
    enum cw_status status = cw_generate_hxdsp(&o, &g, &p, &err);

    if (status == CW_OK)
        status = cw_policy_parse(&config, policy, &err);
    if (status == CW_OK)
        status = cw_policy_run(&config, g, p, &s, &err);
    if (status == CW_OK)
        status = cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err);
    if (status == CW_OK)
        status = cw_schedule_check(s, g, p, cw_policy_sharing(&config), m.bounds.best, &err);
    if (status == CW_OK)
        status = cw_simulate_policy(&config, s, g, p,
                                    &(struct cw_simulate_options){.noise = .1, .contention = true},
                                    &(struct cw_simulate_result){0}, &err);
    cw_metrics_finish(&m);
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return status;
}

static enum cw_status generate(const char *name)
{
    const struct cw_generator *generator;
    struct cw_graph *g = NULL;
    struct cw_platform *p = NULL;
    struct cw_error err = {0};
    enum cw_status status = cw_generator_find(name, &generator, &err);

    if (status == CW_OK)
        status = cw_generate(generator, &cw_generate_defaults, &g, &p, &err);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return status;
}

/* The program behind the bound of linear programming, up to the solver. */
static enum cw_status program(const char *name)
{
    struct cw_hxdsp o = {.tasks = 12, .dsps = 2, .out_degree = 4, .ccr = 0.2, .seed = 5};
    struct cw_graph *g = NULL;
    struct cw_platform *p = NULL;
    struct cw_lp lp = {0};
    double unit, dual[1000] = {0};
    enum cw_status status = cw_generate_hxdsp(&o, &g, &p, NULL);

    (void)name;
    if (status == CW_OK)
        status = cw_lp_bound_model(g, p, CW_SHARE_CLASS, 10000, &lp, &unit, NULL);
    if (status == CW_OK && isinf(cw_lp_safe_bound(&lp, dual)))
        status = CW_ERR_NOMEM;
    cw_lp_finish(&lp);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return status;
}

/* Priority groups over three steps of a stencil and one that does not fit their coordinates. */
static enum cw_status groups(const char *name)
{
    enum { TILES = 9 };
    struct cw_groups_access access[3][2 * TILES], small[1] = {{0, 500, true}};
    struct cw_groups_step step[4] = {{.tiles = 1, .accesses = 1, .access = small}};
    struct cw_groups_options o = {.workers = 2,
                                  .cache_bytes = 2000,
                                  .seed = (uint64_t)(name[0] == 's'),
                                  .reuse = name[0] == 'b' ? 9 : 0};
    struct cw_groups g;
    enum cw_status status;

    for (uint64_t s = 0; s < 3; s++) {
        step[s + 1] = (struct cw_groups_step){.tiles = TILES, .accesses = 2, .access = access[s]};
        if (name[0] == 'g')
            step[s + 1].grid[0] = step[s + 1].grid[1] = 3, step[s + 1].grid[2] = 1;
        for (uint64_t i = 0; i < TILES; i++) {
            access[s][2 * i] = (struct cw_groups_access){s % 2 * 1000 + (i ? i - 1 : i) * 100,
                                                         s % 2 * 1000 + (i + 2) * 100, false};
            access[s][2 * i + 1] = (struct cw_groups_access){(s + 1) % 2 * 1000 + i * 100,
                                                             (s + 1) % 2 * 1000 + (i + 1) * 100, true};
        }
    }
    status = cw_groups_make(step, 4, &o, &g, NULL);
    cw_groups_finish(&g);
    return status;
}

/* A controller whose blocks masters hand out. */
static enum cw_status dispatch(const char *name)
{
    struct cw_adaptive *a = cw_adaptive_create(
        9, &(struct cw_adaptive_options){.mode = CW_ADAPTIVE_DISPATCH,
                                         .region = (uint32_t[]){1, 2, 3, 4, 5, 6, 7, 8, 8}});

    (void)name;
    cw_adaptive_destroy(a);
    return a ? CW_OK : CW_ERR_NOMEM;
}

static void check(enum cw_status (*plan)(const char *name), const char *policy)
{
    enum cw_status status = CW_ERR_NOMEM;
    long n;

    for (n = 0; status != CW_OK; n++) {
        live = 0;
        countdown = n;
        counting = true;
        status = plan(policy);
        counting = false;
        if (live != 0 || (status != CW_OK && status != CW_ERR_NOMEM))
            fail_msg("%s, allocation %ld: status %d, %ld blocks left", policy, n, status, live);
    }
    print_message("%s: %ld allocations\n", policy, n - 1);
    assert_true(n > 20);
}

static void test_every_allocation(void **state)
{
    (void)state;
    for (size_t k = 0; cw_policies[k]; k++)
        check(plan, cw_policies[k]->name);
    check(plan, "hdgeft:guard,best-k,cross-class,water-filling");
    check(plan, "heft:critical-child=2");
    check(program, "linear program");
    check(groups, "priority groups");
    check(groups, "shuffled groups");
    check(groups, "bounded groups");
    check(groups, "groups of a grid");
    check(dispatch, "dispatch");
    for (size_t k = 0; cw_generators[k]; k++)
        check(generate, cw_generators[k]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};

    if (!REPLACED) {
        puts("the sanitizer replaces the allocator");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
