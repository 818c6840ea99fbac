/* Adaptive block and ratio: simulations in exact virtual time against the best static split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adaptive_machine.h"

static void test_best_is_best(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct machine m = {.devices = 2 + (uint32_t)cw_random_below(&random, 3),
                            .overhead_ns = i % 2 ? 5000 : 0};
        uint64_t groups = 1 + cw_random_below(&random, 40);
        for (uint32_t d = 0; d < m.devices; d++)
            m.speed[d] = cw_random_uniform(&random, 1, 20) * 1e-4;
        assert_true(fabs(best_static(&m, groups) - try_all(&m, 0, groups, INFINITY)) < 1e-6);
    }
}

static const double ratios[][5] = {{1, 1},
                                   {1, 2},
                                   {1, 3.7},
                                   {1, 20},
                                   {20, 1},
                                   {1, 1, 1},
                                   {1, 5, 20},
                                   {20, 3, 1, 9},
                                   {1, 1, 1, 1, 1},
                                   {1, 20, 20, 20, 20},
                                   {1, 2, 4, 10, 20},
                                   {1.1, 1, 1, 1, 1}};

static struct machine machine_of(const double *ratio)
{
    struct machine m = {0};

    for (; m.devices < 5 && ratio[m.devices] > 0; m.devices++)
        m.speed[m.devices] = ratio[m.devices] * 1e-4;
    return m;
}

/* From the second launch on 95 % of the best static split, the first 85 %; whoever asks first. */
static void test_speed(void **state)
{
    double worst_first = 1, worst_later = 1;

    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (uint64_t groups = 1000; groups <= 16000; groups = groups * 2 + 17)
            for (uint64_t seed = 0; seed < 10; seed++) {
                struct machine m = machine_of(ratios[i]);
                struct cw_adaptive *a;
                double best;
                m.random = seed;
                m.overhead_ns = seed % 2 ? 5000 : 0; /* a group takes 0.5 to 10 us */
                best = best_static(&m, groups);
                a = cw_adaptive_create(m.devices,
                                       &(struct cw_adaptive_options){.overhead_ns = m.overhead_ns});
                for (int k = 0; k < 4; k++) {
                    double share = best / launch(a, &m, groups).ns;
                    if (k == 0 && share < worst_first)
                        worst_first = share;
                    if (k > 0 && share < worst_later)
                        worst_later = share;
                    if (share < (k ? .95 : .85))
                        fprintf(stderr, "machine %zu, %llu groups, seed %llu, launch %d: %.3f\n", i,
                                (unsigned long long)groups, (unsigned long long)seed, k, share);
                }
                cw_adaptive_destroy(a);
            }
    printf("of the best static split: first launch %.3f, later ones %.3f\n", worst_first, worst_later);
    assert_true(worst_first >= .85);
    assert_true(worst_later >= .95);
}

/* Few groups: what is learnt makes the second launch as good as the best split, even where a device should do
 * nothing. */
static void test_few_groups(void **state)
{
    double worst = 1;

    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (uint64_t groups = 1; groups <= 300; groups += 1 + groups / 8) {
            struct machine m = machine_of(ratios[i]);
            struct cw_adaptive *a = cw_adaptive_create(m.devices, NULL);
            double share = 0;
            launch(a, &m, 1000);
            for (int k = 0; k < 2; k++)
                share = best_static(&m, groups) / launch(a, &m, groups).ns;
            if (share < .95)
                fprintf(stderr, "machine %zu, %llu groups: %.3f\n", i, (unsigned long long)groups, share);
            worst = share < worst ? share : worst;
            cw_adaptive_destroy(a);
        }
    printf("few groups: %.3f\n", worst);
    assert_true(worst >= .9);
}

/* Whatever devices do, in whatever order: launch() checks that each group is done once. Devices that die,
 * report nothing, change; parts that cost; ratios by hand, also of 0. */
static void test_all_once(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < 24000; i++) {
        struct machine m = {.devices = 1 + (uint32_t)cw_random_below(&random, MOST),
                            .random = cw_random_next(&random)};
        static const uint32_t region[MOST] = {0, 7, 0, 7, 7, 3, 0, 3};
        static const enum cw_adaptive_mode modes[] = {CW_ADAPTIVE_ASYNC, CW_ADAPTIVE_SYNC, CW_ADAPTIVE_ASYNC,
                                                      CW_ADAPTIVE_DISPATCH};
        double ratio[MOST];
        struct cw_adaptive_options o = {.mode = modes[i % 4],
                                        .region = i % 8 == 3 ? NULL : region,
                                        .blocks_n = (uint32_t)cw_random_below(&random, 70),
                                        .ratio = i % 3 ? ratio : NULL};
        struct cw_adaptive *a;
        for (uint32_t d = 0; d < m.devices; d++) {
            m.speed[d] = cw_random_uniform(&random, 1, 20) * (i % 5 ? 1e-4 : 1);
            ratio[d] = d && cw_random_below(&random, 4) == 0 ? 0 : cw_random_uniform(&random, .1, 10);
        }
        m.overhead_ns = i % 4 ? 0 : 3000;
        m.unmeasured = i % 7 == 0;
        m.changing = (uint32_t)cw_random_below(&random, m.devices);
        m.change_ns = cw_random_uniform(&random, 0, 1e6);
        m.speed_then = m.speed[m.changing] * cw_random_uniform(&random, .05, 20);
        o.overhead_ns = i % 8 ? 0 : m.overhead_ns;
        if (m.devices > 1 && i % 11 == 0) {
            m.dying =
                2 + (uint32_t)cw_random_below(&random, m.devices - 1); /* never device 0, which has a ratio */
            m.dies_at = 1 + (uint32_t)cw_random_below(&random, 5);
        }
        a = cw_adaptive_create(m.devices, &o);
        for (int k = 0; k < 3; k++)
            launch(a, &m, 1 + cw_random_below(&random, k == 1 ? 3 : 700));
        cw_adaptive_destroy(a);
    }
}

/* A device that has died gets nothing any more, and its share is the others'. */
static void test_death(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++)
        for (uint32_t at = 1; at < 12; at++) {
            struct machine m = machine_of((double[5]){1, 1, 2});
            struct cw_adaptive *a = cw_adaptive_create(
                3, &(struct cw_adaptive_options){.mode = mode ? CW_ADAPTIVE_SYNC : CW_ADAPTIVE_ASYNC});
            struct result r;
            m.dying = 3;
            m.dies_at = at;
            r = launch(a, &m, 4000);
            if (cw_adaptive_is_lost(a, 2)) {
                assert_true(cw_adaptive_share(a, 2) == 0);
                assert_true(fabs(cw_adaptive_share(a, 0) - .5) < .1);
                assert_int_equal(launch(a, &m, 4000).groups[2], 0);
            }
            (void)r;
            cw_adaptive_destroy(a);
        }
}

/* A device changes its speed in the middle of a launch: the fifth part that it takes from then on, at the
 * latest, is of the new share. What the launch takes, against one in which all is known before. */
static void test_recovery(void **state)
{
    static const double by[] = {.05, .1, .3, .5, 2, 4, 20};
    double worst[2] = {1, 1};
    uint32_t latest = 0;

    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (size_t k = 0; k < sizeof by / sizeof *by; k++)
            for (uint32_t d = 0; d < 4; d++) {
                struct machine m = machine_of(ratios[i]);
                struct cw_adaptive_options o = {.mode = d / 2 ? CW_ADAPTIVE_SYNC : CW_ADAPTIVE_ASYNC};
                struct cw_adaptive *a = cw_adaptive_create(m.devices, &o);
                double all = 0, then = 0, before, fluid;
                struct result r;
                launch(a, &m, 8000);
                before = launch(a, &m, 8000).ns;
                m.changing = d % 2;
                m.change_ns = before / 2;
                m.speed_then = m.speed[d % 2] * by[k];
                for (uint32_t e = 0; e < m.devices; e++) {
                    all += m.speed[e];
                    then += e == m.changing ? m.speed_then : m.speed[e];
                }
                fluid = m.change_ns + (8000 - all * m.change_ns) / then;
                r = launch(a, &m, 8000);
                latest = r.late > latest ? r.late : latest;
                worst[d / 2] = fluid / r.ns < worst[d / 2] ? fluid / r.ns : worst[d / 2];
                cw_adaptive_destroy(a);
            }
    printf("a change midway: the share is wrong for at most %u parts; async %.3f, sync %.3f of what could be "
           "had\n",
           latest, worst[0], worst[1]);
    assert_true(latest < 5);
    assert_true(worst[0] > .5);
}

/* A device is slow for one launch, so that it has no part of the next ones: after a few of them it has its
 * share again. One that stays slow costs the others a few percent by being asked. */
static void test_slow_once(void **state)
{
    double worst = 1, last = 1;

    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (double by = .3; by > 1e-3; by *= .1)
            for (int stays = 0; stays < 2; stays++) {
                struct machine m = machine_of(ratios[i]);
                struct cw_adaptive *a = cw_adaptive_create(m.devices, NULL);
                double own = m.speed[1], share = 0, best, ns = 0;
                launch(a, &m, 1000);
                m.speed[1] = own * by;
                launch(a, &m, 1000);
                m.speed[1] = stays ? own * by : own;
                best = best_static(&m, 1000);
                for (int k = 0; k < 300; k++) {
                    double took = launch(a, &m, 1000).ns;
                    ns += took;
                    share = k < 12 ? best / took : share;
                }
                if (!stays && share < .95)
                    fprintf(stderr, "machine %zu, slow by %g: %.3f\n", i, by, share);
                if (stays && 300 * best / ns < .95)
                    fprintf(stderr, "machine %zu, slow by %g for ever: %.3f\n", i, by, 300 * best / ns);
                last = !stays && share < last ? share : last;
                worst = stays && 300 * best / ns < worst ? 300 * best / ns : worst;
                cw_adaptive_destroy(a);
            }
    printf(
        "slow once: %.3f of the best static split 12 launches later; slow for ever: %.3f over 300 launches\n",
        last, worst);
    assert_true(last >= .95);
    assert_true(worst >= .95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_is_best), cmocka_unit_test(test_all_once),
        cmocka_unit_test(test_death),        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_few_groups),   cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_slow_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
