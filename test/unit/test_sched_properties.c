/* Properties of every policy on every graph: thousands of random graphs with every feature that a graph
 * can have. (That the validator, which says so, can say no, is test_sched_check's
 * business.) ALL=1: six times as many.
 * SLOW: ALL=1 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/generate.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include "../../sched/random.h"

enum { GRAPHS = 2000, RUNS_PER_GRAPH = 8, TASKS_MAX = 28, DEVICES_MAX = 6 };

static double random_cost(uint64_t *random, unsigned kind)
{
    switch (kind) {
    case 0:
        return (double)cw_random_below(random, 6); /* many ties, zeros */
    case 1:
        return (double)cw_random_below(random, 100) / 10; /* tenths are not exact */
    default:
        return cw_random_uniform(random, 0, 50);
    }
}

static void random_platform(uint64_t *random, struct cw_platform **p)
{
    static const char *const classes[] = {"cpu", "dsp", "gpu"}, *const memories[] = {NULL, "ddr", "far"};
    struct cw_device_spec spec[DEVICES_MAX] = {{0}};
    double bandwidth[DEVICES_MAX * DEVICES_MAX], latency[DEVICES_MAX * DEVICES_MAX];
    uint32_t q = 1 + (uint32_t)cw_random_below(random, DEVICES_MAX);
    bool matrix = cw_random_below(random, 2), late = cw_random_below(random, 2),
         pairs = cw_random_below(random, 2);

    for (uint32_t d = 0; d < q; d++) {
        spec[d].class_name = classes[cw_random_below(random, 3)];
        spec[d].memory = memories[cw_random_below(random, 3)];
    }
    for (uint32_t k = 0; k < q * q; k++)
        latency[k] = late ? (double)cw_random_below(random, 4) : 0;
    for (uint32_t k = 0; k < q * q; k++)
        bandwidth[k] = cw_random_below(random, 10) ? cw_random_uniform(random, 0.2, 5) : INFINITY;
    assert_int_equal(pairs ? cw_platform_create_pairs(spec, q, matrix ? bandwidth : NULL, 1, latency, p, NULL)
                           : cw_platform_create(spec, q, matrix ? bandwidth : NULL, 1, latency, 0, p, NULL),
                     CW_OK);
}

/* Tasks in a random order of ids, so that ids are not topological. */
static void random_graph(uint64_t *random, const struct cw_platform *p, struct cw_graph **g)
{
    static const uint64_t groups[] = {0, 0, 1, 2, 3, 7, 64, 1000};
    uint32_t n = 1 + (uint32_t)cw_random_below(random, TASKS_MAX), id[TASKS_MAX];
    struct cw_graph_builder *b = cw_graph_builder_create(p->devices);
    unsigned kind = (unsigned)cw_random_below(random, 3), density = (unsigned)cw_random_below(random, 12);
    struct cw_error err = {0};

    assert_non_null(b);
    for (uint32_t i = 0; i < n; i++) {
        double cost[DEVICES_MAX];
        for (uint32_t d = 0; d < p->devices; d++)
            cost[d] = cw_random_below(random, 8) ? random_cost(random, kind) : INFINITY;
        cost[cw_random_below(random, p->devices)] = random_cost(random, kind);
        assert_int_equal(
            cw_graph_builder_add_task(b,
                                      &(struct cw_task_spec){.cost = cost,
                                                             .groups = groups[cw_random_below(random, 8)],
                                                             .splittable = cw_random_below(random, 3) > 0},
                                      &err),
            CW_OK);
        id[i] = i;
    }
    for (uint32_t i = n; i-- > 1;) {
        uint32_t k = (uint32_t)cw_random_below(random, i + 1), t = id[i];
        id[i] = id[k];
        id[k] = t;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (cw_random_below(random, 12) < density)
                assert_int_equal(cw_graph_builder_add_edge(b, id[i], id[j], random_cost(random, kind), &err),
                                 CW_OK);
    if (cw_graph_builder_finish(b, g, &err) != CW_OK)
        fail_msg("%s", err.text);
}

/* A random policy with random values of a third of its options. */
static void random_policy(uint64_t *random, char *text, size_t size)
{
#define FLAG(name)   "%s" name
#define SWITCH(name) "%s" name "=off"
#define COUNT(name)  "%s" name "=3"
#define NUMBER(name) "%s" name "=0.5"
#define SHARE(name)  "%s" name "=0.5"
    const struct cw_policy *policy;
    size_t k = 0;

    while (cw_policies[k])
        k++;
    policy = cw_policies[cw_random_below(random, k)];
    snprintf(text, size, "%s", policy->name);
#define CW_POLICY_OPTION(field, kind, initial, name, argument, help)                                         \
    if ((policy->takes & CW_TAKES(field)) && cw_random_below(random, 3) == 0)                                \
        snprintf(text + strlen(text), size - strlen(text), kind(name), strchr(text, ':') ? "," : ":");
#include "../../sched/policy_options.inc"
#undef CW_POLICY_OPTION
    if (policy->takes & CW_TAKES(nodes)) /* its default is worth seconds */
        snprintf(text, size, "%s:nodes=%u", policy->name, 1 + (unsigned)cw_random_below(random, 300));
    if ((policy->takes & CW_TAKES(effort)) &&
        !strstr(text, "effort")) /* likewise, though it is a millisecond */
        snprintf(text + strlen(text), size - strlen(text), "%seffort=%u", strchr(text, ':') ? "," : ":",
                 1 + (unsigned)cw_random_below(random, 50000));
}

static struct cw_schedule *run(const char *text, const struct cw_graph *g, const struct cw_platform *p,
                               double *bound)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_metrics m;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, text, &err) != CW_OK || cw_policy_run(&config, g, p, &s, &err) != CW_OK ||
        cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err) != CW_OK ||
        cw_schedule_check(s, g, p, cw_policy_sharing(&config), m.bounds.best, &err) != CW_OK)
        fail_msg("%s: %s", text, err.text);
    for (uint32_t d = 0; d < p->devices; d++)
        assert_true(m.utilisation[d] <= 1 + 1e-9);
    *bound = m.bounds.best;
    cw_metrics_finish(&m);
    return s;
}

static size_t index_of(const char *policy)
{
    size_t k = 0;

    while (strcmp(cw_policies[k]->name, policy) != 0)
        k++;
    return k;
}

static void assert_same(const struct cw_schedule *a, const struct cw_schedule *b)
{
    assert_memory_equal(a->order, b->order, a->tasks * sizeof *a->order);
    assert_int_equal(a->parts, b->parts);
    for (uint32_t i = 0; i < a->tasks; i++)
        assert_true(a->task[i].start == b->task[i].start && a->task[i].finish == b->task[i].finish &&
                    a->task[i].device == b->task[i].device && a->task[i].parts == b->task[i].parts);
}

static bool has_cpu(const struct cw_platform *p)
{
    for (uint32_t d = 0; d < p->devices; d++)
        if (strcmp(p->device[d].class_name, "cpu") == 0)
            return true;
    return false;
}

/* hdgeft starts from HEFT's schedule (but for ties between a CPU and others); guarded, it may only get
 * better. */
static void check_guard(const struct cw_graph *g, const struct cw_platform *p)
{
    double bound;
    struct cw_schedule *plain, *guarded;

    if (has_cpu(p))
        return;
    plain = run("heft", g, p, &bound);
    guarded = run("hdgeft:guard", g, p, &bound);
    assert_true(cw_schedule_makespan(guarded) <= cw_schedule_makespan(plain));
    cw_schedule_destroy(plain);
    cw_schedule_destroy(guarded);
}

/* weave is never longer than HEFT, whatever it may share. */
static void check_weave(uint64_t *random, const struct cw_graph *g, const struct cw_platform *p)
{
    static const char *const weaves[] = {"weave:effort=1", "weave:effort=20000",
                                         "weave:cross-class,effort=20000", "weave:overhead=1,effort=20000"};
    double bound;
    struct cw_schedule *heft = run("heft", g, p, &bound);
    struct cw_schedule *weave = run(weaves[cw_random_below(random, 4)], g, p, &bound);

    assert_true(cw_schedule_makespan(weave) <= cw_schedule_makespan(heft));
    cw_schedule_destroy(heft);
    cw_schedule_destroy(weave);
}

/* A genetic search is never behind the list scheduler that it starts from, whatever its seed and options. */
static void check_genetic(uint64_t *random, const struct cw_graph *g, const struct cw_platform *p)
{
    static const char *const searches[][2] = {
        {"hscgs", "scls"}, {"h2gs", "ldcp"}, {"hscgs:generations=5,population=3", "scls"}};
    size_t k = cw_random_below(random, 3);
    double bound;
    struct cw_schedule *search = run(searches[k][0], g, p, &bound), *list = run(searches[k][1], g, p, &bound);

    assert_true(cw_schedule_makespan(search) <= cw_schedule_makespan(list));
    cw_schedule_destroy(search);
    cw_schedule_destroy(list);
}

/* Some tasks are placed already, as when the graph grows while its beginning runs: they stay, the rest is
 * planned. */
static void check_partial(uint64_t *random, const struct cw_graph *g, const struct cw_platform *p)
{
    uint32_t before = (uint32_t)cw_random_below(random, g->tasks);
    char text[200];
    struct cw_policy_config config;
    struct cw_error err = {0};
    struct cw_plan plan;
    struct cw_placement kept[TASKS_MAX];

    random_policy(random, text, sizeof text);
    assert_int_equal(cw_policy_parse(&config, text, &err), CW_OK);
    assert_int_equal(cw_plan_init(&plan, g, p, &err), CW_OK);
    assert_int_equal(cw_plan_place_in_order(&plan, g->topo, before, &err), CW_OK);
    memcpy(kept, plan.schedule->task, g->tasks * sizeof *kept);
    if (config.policy->plan(&plan, &config.options, &err) != CW_OK ||
        cw_schedule_check(plan.schedule, g, p, cw_policy_sharing(&config), 0, &err) != CW_OK)
        fail_msg("%s behind %u tasks: %s", text, before, err.text);
    for (uint32_t k = 0; k < before; k++)
        assert_memory_equal(&kept[g->topo[k]], &plan.schedule->task[g->topo[k]], sizeof *kept);
    cw_plan_finish(&plan);
}

/* weave tries all others on so small graphs but those that draw devices or give up. */
static void check_portfolio(int graph, const double *makespan)
{
    for (size_t n = 0; cw_policies[n]; n++) {
        const char *name = cw_policies[n]->name;
        if (strcmp(name, "random") != 0 && strcmp(name, "chaos") != 0 && strcmp(name, "exact") != 0 &&
            makespan[index_of("weave")] > makespan[n])
            fail_msg("graph %d: weave %.17g, %s %.17g (is it in the portfolio of policy_weave.c?)", graph,
                     makespan[index_of("weave")], name, makespan[n]);
    }
}

/* exact is no longer than any other that leaves tasks whole, where it finishes its search; HSCGS and H2GS are
 * no longer than what they start from. */
static void test_orderings(void **state)
{
    uint64_t random = 71993;
    int proven = 0, shorter = 0, improved = 0;

    (void)state;
    for (int k = 0; k < 400; k++) {
        struct cw_platform *p;
        struct cw_graph *g;
        double bound, makespan[64];
        random_platform(&random, &p);
        random_graph(&random, p, &g);
        for (size_t n = 0; cw_policies[n]; n++) {
            bool exact = strcmp(cw_policies[n]->name, "exact") == 0,
                 weave = strcmp(cw_policies[n]->name, "weave") == 0;
            struct cw_schedule *s = run(exact   ? "exact:nodes=3000"
                                        : weave ? "weave:effort=100000"
                                                : cw_policies[n]->name,
                                        g, p, &bound);
            makespan[n] = cw_schedule_makespan(s);
            if (exact && *s->note)
                makespan[n] = 0;
            cw_schedule_destroy(s);
        }
        for (size_t n = 0; cw_policies[n]; n++) {
            double exact = makespan[index_of("exact")];
            if (!cw_policies[n]->sharing && exact > makespan[n] * (1 + 1e-9))
                fail_msg("graph %d: exact %g, %s %g", k, exact, cw_policies[n]->name, makespan[n]);
            shorter += exact > 0 && exact < makespan[n] * (1 - 1e-9);
        }
        proven += makespan[index_of("exact")] > 0;
        improved += makespan[index_of("hscgs")] < makespan[index_of("scls")];
        assert_true(makespan[index_of("hscgs")] <= makespan[index_of("scls")]);
        assert_true(makespan[index_of("h2gs")] <= makespan[index_of("ldcp")]);
        check_portfolio(k, makespan);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    print_message("exact proved %d of 400, was shorter %d times; HSCGS improved %d\n", proven, shorter,
                  improved);
    assert_true(proven >= 150 && shorter >= 400 && improved >= 50);
}

/* Twelve tasks on three devices are proven within the default limit, which stands for about a second. */
static void test_exact_proves(void **state)
{
    static const double ccr[] = {0.1, 0.1, 1, 1, 1, 5};

    (void)state;
    for (size_t k = 0; k < sizeof ccr / sizeof *ccr; k++) {
        struct cw_topcuoglu o = {12, 3, 1, 4, ccr[k], 1, 50, k};
        struct cw_platform *p;
        struct cw_graph *g;
        struct cw_schedule *s;
        double bound;
        assert_int_equal(cw_generate_topcuoglu(&o, &g, &p, NULL), CW_OK);
        s = run("exact", g, p, &bound);
        assert_string_equal(s->note, "");
        cw_schedule_destroy(s);
        s = run("exact:nodes=10", g, p, &bound);
        assert_non_null(strstr(s->note, "gave up after 10 placements"));
        cw_schedule_destroy(s);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

/* Alike devices spare exact much of the search and none of the quality: making them differ by a trillionth
 * changes nothing. */
static void test_exact_twins(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct cw_hxdsp o = {8, 3, 2, 0.3, seed};
        struct cw_platform *p;
        struct cw_graph *g;
        struct cw_schedule *alike, *unlike;
        double bound;
        assert_int_equal(cw_generate_hxdsp(&o, &g, &p, NULL), CW_OK);
        alike = run("exact", g, p, &bound);
        for (uint32_t i = 0; i < g->tasks; i++)
            for (uint32_t d = 2; d < g->devices; d++)
                g->cost[i * g->devices + d] *= 1 + d * 1e-12;
        unlike = run("exact", g, p, &bound);
        assert_string_equal(alike->note, "");
        assert_string_equal(unlike->note, "");
        assert_true(fabs(cw_schedule_makespan(alike) / cw_schedule_makespan(unlike) - 1) < 1e-9);
        cw_schedule_destroy(alike);
        cw_schedule_destroy(unlike);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

static void test_random_cases(void **state)
{
    uint64_t random = 20021;
    int cases = 0, shared = 0, tight = 0;

    (void)state;
    for (int k = 0; k < (getenv("ALL") ? 6 * GRAPHS : GRAPHS); k++) {
        struct cw_platform *p;
        struct cw_graph *g;
        random_platform(&random, &p);
        random_graph(&random, p, &g);
        for (int r = 0; r < RUNS_PER_GRAPH; r++) {
            char text[200];
            double bound;
            struct cw_schedule *s, *again;
            random_policy(&random, text, sizeof text);
            s = run(text, g, p, &bound);
            if (r == 0) { /* the same again is the same */
                again = run(text, g, p, &bound);
                assert_same(s, again);
                cw_schedule_destroy(again);
            }
            shared += s->parts > 0;
            tight += cw_schedule_makespan(s) <= bound * (1 + 1e-9);
            cases++;
            cw_schedule_destroy(s);
        }
        check_guard(g, p);
        check_partial(&random, g, p);
        if (k % 4 == 0)
            check_weave(&random, g, p);
        if (k % 4 == 1)
            check_genetic(&random, g, p);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    print_message("%d cases, %d with shared tasks, %d at the lower bound\n", cases, shared, tight);
    assert_true(cases >= 8 * GRAPHS && shared >= 500 && tight >= 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_orderings),
        cmocka_unit_test(test_exact_proves),
        cmocka_unit_test(test_exact_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
