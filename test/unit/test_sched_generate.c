/* Generated graphs have the structure that their generators state, and are the same for the same seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/bounds.h"
#include "../../sched/generate.h"

static void make(const char *name, const struct cw_generate_options *o, struct cw_graph **g,
                 struct cw_platform **p)
{
    const struct cw_generator *generator;
    struct cw_error err = {0};

    if (cw_generator_find(name, &generator, &err) != CW_OK || cw_generate(generator, o, g, p, &err) != CW_OK)
        fail_msg("%s: %s", name, err.text);
}

static uint32_t count_ends(const struct cw_graph *g, const struct cw_adjacency *side)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->tasks; i++)
        n += side->start[i] == side->start[i + 1];
    return n;
}

/* The number of tasks on the longest path. */
static uint32_t depth(const struct cw_graph *g)
{
    uint32_t level[20000], most = 0;

    assert_true(g->tasks <= 20000);
    for (uint32_t k = 0; k < g->tasks; k++) {
        uint32_t i = g->topo[k];
        level[i] = 1;
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++)
            if (level[g->pred.task[e]] >= level[i])
                level[i] = level[g->pred.task[e]] + 1;
        most = level[i] > most ? level[i] : most;
    }
    return most;
}

struct expected {
    const char *name;
    int64_t size;
    uint32_t tasks, edges, entries, exits, depth;
};

static void test_structure(void **state)
{
    /* fft: 2m - 1 + m log2 m tasks, 2m - 2 + 2 m log2 m edges; gauss: (m^2 + m - 2) / 2; cholesky: t + t (t -
     * 1) + t (t - 1) (t - 2) / 6; lu: t + t (t - 1) + (t - 1) t (2t - 1) / 6; the depths: 1 + 2 log2 m, 2 (m
     * - 1), 3t - 2 */
    static const struct expected all[] = {
        {"fft", 1, 1, 0, 1, 1, 1},
        {"fft", 2, 5, 6, 1, 2, 3},
        {"fft", 4, 15, 22, 1, 4, 5},
        {"fft", 32, 223, 382, 1, 32, 11},
        {"gauss", 2, 2, 1, 1, 1, 2},
        {"gauss", 5, 14, 19, 1, 1, 8},
        {"gauss", 20, 209, 379, 1, 1, 38},
        {"cholesky", 1, 1, 0, 1, 1, 1},
        {"cholesky", 2, 4, 3, 1, 1, 4},
        {"cholesky", 4, 20, 30, 1, 1, 10},
        {"cholesky", 8, 120, 252, 1, 1, 22},
        {"lu", 1, 1, 0, 1, 1, 1},
        {"lu", 2, 5, 5, 1, 1, 4},
        {"lu", 4, 30, 54, 1, 1, 10},
        {"blockmatmul", 2, 11, 24, 2, 1, 3},
        {"mapreduce", 4, 9, 8, 4, 1, 3},
        {"featurefusion", 4, 7, 7, 4, 1, 4},
        {"stencil", 4, 16, 30, 4, 4, 4},
    };

    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const struct expected *x = &all[k];
        struct cw_generate_options o = cw_generate_defaults;
        struct cw_graph *g;
        struct cw_platform *p;
        o.size = x->size;
        make(x->name, &o, &g, &p);
        if (g->tasks != x->tasks || g->edges != x->edges || count_ends(g, &g->pred) != x->entries ||
            count_ends(g, &g->succ) != x->exits || depth(g) != x->depth)
            fail_msg("%s %lld: %u tasks, %u edges, %u entries, %u exits, depth %u", x->name,
                     (long long)x->size, g->tasks, g->edges, count_ends(g, &g->pred), count_ends(g, &g->succ),
                     depth(g));
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

static bool same(const struct cw_graph *a, const struct cw_graph *b)
{
    return a->tasks == b->tasks && a->edges == b->edges &&
           memcmp(a->cost, b->cost, (size_t)a->tasks * a->devices * sizeof *a->cost) == 0 &&
           memcmp(a->succ.task, b->succ.task, a->edges * sizeof *a->succ.task) == 0 &&
           memcmp(a->succ.data, b->succ.data, a->edges * sizeof *a->succ.data) == 0;
}

/* Same seed, same graph; another seed, another graph where something is drawn; costs within their range. */
static void test_seeds(void **state)
{
    (void)state;
    for (size_t k = 0; cw_generators[k]; k++) {
        struct cw_generate_options o = cw_generate_defaults, other;
        bool board = cw_generators[k]->takes & CW_GENERATES(dsps);
        struct cw_graph *a, *b, *c;
        struct cw_platform *pa, *pb, *pc;
        o.seed = 7;
        other = o;
        other.seed = 8;
        make(cw_generators[k]->name, &o, &a, &pa);
        make(cw_generators[k]->name, &o, &b, &pb);
        make(cw_generators[k]->name, &other, &c, &pc);
        assert_true(same(a, b));
        assert_true(same(a, c) == (board && strcmp(cw_generators[k]->name, "hxdsp") != 0));
        assert_int_equal(pa->devices, board ? 5 : 4);
        cw_graph_destroy(a);
        cw_graph_destroy(b);
        cw_graph_destroy(c);
        cw_platform_destroy(pa);
        cw_platform_destroy(pb);
        cw_platform_destroy(pc);
    }
}

/* hscgs: rates within 1 .. rate_range, the same both ways; costs within a factor of speed_range. */
static void test_hscgs(void **state)
{
    struct cw_generate_options o = cw_generate_defaults;
    struct cw_graph *g;
    struct cw_platform *p;
    double most = 0;

    (void)state;
    o.rate_range = 15;
    make("hscgs", &o, &g, &p);
    for (uint32_t m = 0; m < 4; m++)
        for (uint32_t n = 0; n < 4; n++)
            if (m != n) {
                assert_true(p->bandwidth[m * 4 + n] == p->bandwidth[n * 4 + m]);
                assert_true(p->bandwidth[m * 4 + n] >= 1 && p->bandwidth[m * 4 + n] <= 15);
            }
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t d = 0; d < 4; d++)
            most = fmax(most, cw_graph_cost(g, i, d) / cw_graph_min_cost(g, i));
    assert_true(most > 2 && most <= 4);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

static void refused(const char *name, struct cw_generate_options o, const char *why)
{
    const struct cw_generator *generator;
    struct cw_error err = {0};
    struct cw_graph *g;
    struct cw_platform *p;

    assert_int_equal(cw_generator_find(name, &generator, NULL), CW_OK);
    assert_int_equal(cw_generate(generator, &o, &g, &p, &err), CW_ERR_INVALID);
    assert_true(g == NULL && p == NULL);
    if (!strstr(err.text, why))
        fail_msg("%s, not %s", err.text, why);
}

static void test_refusals(void **state)
{
    struct cw_generate_options o = cw_generate_defaults;
    const struct cw_generator *generator;

    (void)state;
    o.size = 6;
    refused("fft", o, "power of 2");
    o.size = 1;
    refused("gauss", o, "at least 2");
    o.size = 0;
    refused("stencil", o, "size is 0; it must be from 1");
    refused("hxdsp", o, "no option \"size\"");
    o = cw_generate_defaults;
    o.ccr = NAN;
    refused("lu", o, "ccr is nan");
    o = cw_generate_defaults;
    o.heterogeneity = 2.5;
    refused("topcuoglu", o, "heterogeneity is 2.5");
    o = cw_generate_defaults;
    o.steps = 5;
    refused("lu", o, "no option \"steps\"");
    o = cw_generate_defaults;
    o.size = 2000;
    refused("blockmatmul", o, "at most 1024");
    assert_int_equal(cw_generator_find("nothing", &generator, NULL), CW_ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_structure), cmocka_unit_test(test_seeds),
                                       cmocka_unit_test(test_hscgs), cmocka_unit_test(test_refusals)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
