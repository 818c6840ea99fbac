/* The same seed gives the same schedule on every machine, with every compiler and number of threads: a digest
 * of the order, device, start and finish (every bit) of each policy's schedules of many graphs, and of their
 * runs in a disorderly world, against digests written down here. Costs are whole numbers, so that
 * libm's rounding does not matter.
 *
 * A policy that is changed on purpose changes its line: the test prints the new one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/policy.h"
#include "../../sched/random.h"
#include "../../sched/simulate.h"

enum { GRAPHS = 40 };

static uint64_t mix(uint64_t digest, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t k = 0; k < n; k++)
        digest = (digest ^ b[k]) * UINT64_C(0x100000001b3);
    return digest;
}

static uint64_t mix_schedule(uint64_t digest, const struct cw_schedule *s)
{
    digest = mix(digest, s->order, s->tasks * sizeof *s->order);
    for (uint32_t i = 0; i < s->tasks; i++) {
        digest = mix(digest, &s->task[i].start, sizeof s->task[i].start);
        digest = mix(digest, &s->task[i].finish, sizeof s->task[i].finish);
        digest = mix(digest, &s->task[i].device, sizeof s->task[i].device);
        digest = mix(digest, &s->task[i].parts, sizeof s->task[i].parts);
    }
    return digest;
}

/* 1 to 40 tasks on 1 to 5 devices, with ties, shared memories and tasks that may be shared. */
static void make(uint64_t seed, struct cw_graph **g, struct cw_platform **p)
{
    static const char *const classes[] = {"cpu", "dsp", "dsp", "gpu", "dsp"}, *const memories[] = {
                                                                                  NULL, "ddr", "ddr", NULL,
                                                                                  "far"};
    uint64_t random = seed;
    uint32_t q = 1 + (uint32_t)cw_random_below(&random, 5), n = 1 + (uint32_t)cw_random_below(&random, 40);
    struct cw_device_spec spec[5] = {{0}};
    struct cw_graph_builder *b = cw_graph_builder_create(q);

    for (uint32_t d = 0; d < q; d++)
        spec[d] = (struct cw_device_spec){.class_name = classes[d], .memory = memories[d]};
    assert_int_equal(cw_platform_create(spec, q, NULL, 4, NULL, 1, p, NULL), CW_OK);
    for (uint32_t i = 0; i < n; i++) {
        double cost[5];
        for (uint32_t d = 0; d < q; d++)
            cost[d] = (double)(1 + cw_random_below(&random, 30));
        cw_graph_builder_add_task(
            b, &(struct cw_task_spec){.cost = cost, .groups = 8, .splittable = cw_random_below(&random, 2)},
            NULL);
        for (uint32_t j = 0; j < i; j++)
            if (cw_random_below(&random, i) < 2)
                cw_graph_builder_add_edge(b, j, i, (double)cw_random_below(&random, 60), NULL);
    }
    assert_int_equal(cw_graph_builder_finish(b, g, NULL), CW_OK);
}

/* The policy on all graphs, and its plans in a world of noise and shared links. */
static uint64_t digest_of(const struct cw_policy *policy)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        struct cw_simulate_options world = {.noise = 0.5, .contention = true, .seed = seed};
        struct cw_simulate_result r;
        struct cw_policy_config config;
        struct cw_schedule *s;
        struct cw_graph *g;
        struct cw_platform *p;

        make(seed, &g, &p);
        cw_policy_config_init(&config, policy);
        config.seed = seed;
        config.options.nodes = 2000;
        assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
        assert_int_equal(cw_simulate_policy(&config, s, g, p, &world, &r, NULL), CW_OK);
        digest = mix_schedule(digest, s);
        digest = mix(digest, &r.makespan, sizeof r.makespan);
        digest = mix(digest, &r.waited, sizeof r.waited);
        cw_schedule_destroy(s);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    return digest;
}

static const struct {
    const char *policy;
    uint64_t digest;
} known[] = {
#include "test_sched_same.inc"
};

static void test_same(void **state)
{
    size_t n = 0;
    int differ = 0;

    (void)state;
    for (size_t k = 0; cw_policies[k]; k++) {
        uint64_t digest = digest_of(cw_policies[k]);
        for (n = 0; n < sizeof known / sizeof *known && strcmp(known[n].policy, cw_policies[k]->name) != 0;)
            n++;
        if (n < sizeof known / sizeof *known && known[n].digest == digest)
            continue;
        printf("    {\"%s\", UINT64_C(0x%016llx)},\n", cw_policies[k]->name, (unsigned long long)digest);
        differ += n < sizeof known / sizeof *known; /* a new policy need not be here */
    }
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
