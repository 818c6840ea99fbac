/* weave against all other policies: on graphs of every kind none is more than a hundredth shorter, and more
 * effort never makes a plan longer. By default a sample of the smaller graphs; ALL=1: all graphs,
 * SLICE=K/N: each N-th of them from the K-th on.
 * SLOW: ALL=1 SLICES=4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../sched/policy.h"
#include "mixed_graphs.h"

#define BEHIND 1.01 /* at most, of the makespan under any other policy */

static double length_of(const char *text, const struct cw_graph *g, const struct cw_platform *p)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_error err = {0};
    double length;

    if (cw_policy_parse(&config, text, &err) != CW_OK || cw_policy_run(&config, g, p, &s, &err) != CW_OK)
        fail_msg("%s: %s", text, err.text);
    length = cw_schedule_makespan(s);
    cw_schedule_destroy(s);
    return length;
}

static bool all_graphs(void)
{
    const char *all = getenv("ALL");

    return all && *all;
}

/* How many policies are shorter by more than what is allowed; each is printed. */
static int count_ahead(const char *graph, const struct cw_graph *g, const struct cw_platform *p,
                       double *worst)
{
    double weave = length_of("weave", g, p);
    int ahead = 0;

    for (size_t k = 0; cw_policies[k]; k++) {
        const char *name = cw_policies[k]->name;
        double other =
            length_of(strcmp(name, "exact") == 0 && !all_graphs() ? "exact:nodes=50000" : name, g, p);
        *worst = fmax(*worst, weave / other);
        if (weave <= other * BEHIND)
            continue;
        print_message("%s: weave %g, %s %g: %.1f %% behind (is it in the portfolio of policy_weave.c?)\n",
                      graph, weave, name, other, 100 * (weave / other - 1));
        ahead++;
    }
    return ahead;
}

/* Which graphs: the first, how many on, and up to how many tasks. */
static void choose_graphs(uint32_t *first, uint32_t *step, uint32_t *most)
{
    const char *slice = getenv("SLICE");

    *first = 0;
    *step = all_graphs() ? 1 : 14;
    *most = all_graphs() ? UINT32_MAX : 200;
    if (all_graphs() && slice && sscanf(slice, "%u/%u", first, step) == 2)
        --*first;
}

static void test_mixed(void **state)
{
    uint32_t first, step, most, graphs = 0;
    double worst = 0;
    int ahead = 0;

    (void)state;
    choose_graphs(&first, &step, &most);
    for (uint32_t k = first; k < MIXED_GRAPHS; k += step) {
        struct cw_graph *g;
        struct cw_platform *p;
        char text[160];
        if (mixed_graph(k, &g, &p, text, sizeof text) != 0)
            fail_msg("%s", text);
        if (g->tasks <= most) {
            ahead += count_ahead(text, g, p, &worst);
            graphs++;
        }
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    print_message("%u graphs, weave at most %.2f %% behind another policy\n", graphs, 100 * (worst - 1));
    assert_int_equal(ahead, 0);
}

static void test_golden(void **state)
{
    static const char *const names[] = {"arabnejad2014", "blockmatmul", "daoud",
                                        "heteropar",     "hsu",         "topcuoglu2002"};
    double worst = 0;
    int ahead = 0;

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct cw_graph *g;
        struct cw_platform *p;
        struct cw_error err = {0};
        char path[120];
        snprintf(path, sizeof path, "test/golden/graphs/%s.json", names[k]);
        if (cw_graph_file_read(path, &g, &p, &err) != CW_OK)
            fail_msg("%s", err.text);
        ahead += count_ahead(names[k], g, p, &worst);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    assert_int_equal(ahead, 0);
}

/* More effort is never worse, whatever may be shared: from next to none to beyond the default. */
static void test_effort(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < (all_graphs() ? 220 : 22); k++) {
        struct cw_graph *g;
        struct cw_platform *p;
        char text[160];
        double before = INFINITY;
        assert_int_equal(mixed_graph(k, &g, &p, text, sizeof text), 0);
        for (unsigned long effort = 1; g->tasks <= 200 && effort <= 3000000; effort = effort * 5 / 2 + 1) {
            char policy[60];
            double length;
            snprintf(policy, sizeof policy, "weave:effort=%lu", effort);
            length = length_of(policy, g, p);
            if (length > before)
                fail_msg("%s: %.9g with effort %lu, %.9g with less", text, length, effort, before);
            before = length;
        }
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_effort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
