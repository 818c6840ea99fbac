/* Plans of windows over several memories: transfers are charged, by every policy; with one memory nothing
 * differs. */
#include "run_window.h"

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
    digest = mix(digest, plan->slot, plan->tasks * sizeof *plan->slot);
    digest = mix(digest, plan->parts, plan->tasks * sizeof *plan->parts);
    return mix(digest, &plan->verdict, sizeof plan->verdict);
}

/* Of the plans of random windows, with the profit test and without. */
static uint64_t digest_of(const char *policy)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_run_plan plan = {0};
    uint64_t random = 22, digest = UINT64_C(0xcbf29ce484222325);
    struct window x;

    for (int n = 0; n < 80; n++) {
        struct cw_run_planner *planner;

        rules.always = n & 1;
        planner = planner_of(five_slots, 5, policy, &rules);
        make_random(&x, &random, 5);
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
    for (size_t k = 0; k < sizeof golden / sizeof *golden; k++) {
        uint64_t digest = digest_of(golden[k].policy);

        if (digest != golden[k].digest)
            fail_msg("{\"%s\", UINT64_C(0x%016llx)}", golden[k].policy, (unsigned long long)digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
