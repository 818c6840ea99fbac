/* How a chain is run next (shim/run/groups/group_choice.c), with its surroundings played: the ways to run,
 * the kernels' times in plain order, and the history, that of a program whose processes end between
 * two chains. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/settings/options.h"
#include "../../shim/door/log.h"
#include "../../shim/run/tuning/tuning.h"
#include "../../shim/run/groups/group.h"
#include "../../shim/run/core/state.h"
#include "../../shim/run/core/thresholds.h"

enum { STEPS = 20, HELPERS = 3, HOME = HELPERS, PLAIN };

static const struct cw_run_variant variants[] = {{.family = 1, .share = 8, .helpers = true, .shared = true},
                                                 {.family = 1, .share = 4, .helpers = true, .shared = true},
                                                 {.family = 2, .share = 8, .helpers = true, .shared = true},
                                                 {.family = 0, .share = 4, .shared = true}};

static struct {
    double ns[PLAIN + 1], count[PLAIN + 1]; /* as the history has them */
    uint32_t doublings, wanted, unwanted;
    double plain_ns;
    bool measured, hopeless[PLAIN];
} world;

struct cw_run_state_all cw_run;

/* ---- played */

uint32_t cw_run_group_variant_all(void)
{
    return PLAIN;
}

const struct cw_run_variant *cw_run_group_variant(uint32_t variant)
{
    return &variants[variant];
}

void cw_run_group_variant_start(const struct cw_options *options)
{
    (void)options;
}

uint64_t cw_run_group_variant_half_bytes(void)
{
    return 1 << 20;
}

uint64_t cw_run_group_variant_band(const struct cw_run_variant *v, uint32_t workers)
{
    (void)v, (void)workers;
    return 1 << 16;
}

uint64_t cw_run_group_plan_bytes(const struct cw_run_step *s)
{
    (void)s;
    return 2 << 20; /* it does not fit */
}

double cw_run_costs_items(const struct cw_run_launch *l)
{
    return (double)l->global[0];
}

void cw_run_costs_name_launch(struct cw_run_task *t)
{
    t->launch.measure.shape = 7;
}

double cw_run_group_history_plain_ns(const struct cw_run_group *g, bool *measured)
{
    (void)g;
    *measured = world.measured;
    return world.plain_ns;
}

static void keep(uint32_t v, double ns)
{
    world.ns[v] += (ns - world.ns[v]) / (world.count[v] + 1);
    world.count[v] = fmin(world.count[v] + 1, 64);
}

bool cw_run_group_history_recall(struct cw_run_chain *c, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++) {
        c->ns[v] = world.ns[v];
        c->runs[v] = (uint32_t)world.count[v];
        c->hopeless[v] = world.hopeless[v];
    }
    c->plain_runs += (uint32_t)world.count[n];
    c->doublings += world.doublings;
    c->warm[0] = c->warm[1] = true;
    return true;
}

void cw_run_group_history_keep(struct cw_run_chain *c, uint32_t variant, double ns)
{
    (void)c;
    keep(variant, ns);
}

void cw_run_group_history_keep_warm(const struct cw_run_chain *c, bool helpers, double ns)
{
    (void)c, (void)helpers, (void)ns;
}

bool cw_run_group_history_keep_plain(struct cw_run_chain *c, double ns)
{
    (void)c;
    keep(PLAIN, ns);
    return true;
}

void cw_run_group_history_foresee(const struct cw_run_group *g, bool wanted)
{
    (void)g;
    world.wanted += wanted;
    world.unwanted += !wanted;
}

bool cw_run_group_history_expects(const struct cw_run_group *g)
{
    (void)g;
    return false;
}

bool cw_run_tile_rows_off(void)
{
    return false;
}

struct cw_run_account cw_run_account;

void cw_log(enum cw_log_level level, const char *format, ...)
{
    (void)level, (void)format;
}

/* ---- a process, with one chain */

static struct {
    struct cw_run_kernel kernel;
    struct cw_run_task task[STEPS];
    struct cw_run_group group;
} p;

static struct cw_run_chain *process(void)
{
    static uint64_t number;

    memset(&p, 0, sizeof p);
    p.kernel.key = (struct cw_key){{++number, 1}}; /* else the chain would be the one of before */
    p.group.steps = STEPS;
    for (uint32_t i = 0; i < STEPS; i++) {
        p.task[i].launch.kernel = p.group.step[i].kernel = &p.kernel;
        p.task[i].launch.global[0] = 4096;
        p.group.step[i].task = &p.task[i];
    }
    cw_run_account.learns = world.wanted = world.unwanted = 0;
    return cw_run_group_choice_of(&p.group);
}

static int begin(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    world.plain_ns = 100;
    cw_run_group_settings.on = true;
    return 0;
}

static void known(uint32_t v, double ns, double count)
{
    world.ns[v] = ns;
    world.count[v] = count;
}

/* Home was slow, helpers are twice as quick, and their kernels are being built: nothing is settled by that,
 * and the launches stay such as may be groups. */
static void waits_for_builds(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    for (v = 0; v < HELPERS; v++)
        known(v, 50, 9);
    known(HOME, 95, 9);
    known(PLAIN, 100, 9);
    c = process();
    assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_in_range(v, 0, HELPERS - 1);
    assert_true(p.kernel.grouped);
    c->unbuilt = (1u << HELPERS) - 1;
    assert_false(cw_run_group_choice_choose(c, &p.group, c->unbuilt, &v,
                                            &why)); /* home would be slower than plain order */
    assert_string_equal(why, "the rewritten kernels are not there yet");
    assert_true(p.kernel.ungrouped == 0);
    assert_int_equal(world.unwanted, 0);
    assert_int_equal(cw_run_account.learns, 1);
    assert_true(world.count[PLAIN] == 9);
    assert_true(cw_run_group_choice_choose(cw_run_group_choice_of(&p.group), &p.group, 0, &v, &why));
    assert_in_range(v, 0, HELPERS - 1);
}

/* The same where helpers cannot run it, whatever is built: that is settled. */
static void settles_where_none_can_be_had(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    known(HOME, 95, 9);
    known(PLAIN, 100, 9);
    c = process();
    assert_false(cw_run_group_choice_choose(c, &p.group, (1u << HELPERS) - 1, &v, &why));
    assert_string_equal(why, "plain order was measured to be as quick");
    assert_true(p.kernel.ungrouped == 4096);
    assert_int_equal(world.unwanted, 1);
    assert_true(world.count[PLAIN] == 10);
    assert_false(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_string_equal(why, "launches like these are better in plain order");
}

/* All ways were slower than plain order, and the kernels of one that was never measured are being built: that
 * is settled, so that its launches may be shared. */
static void waits_for_no_other_way(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    for (v = 0; v < HELPERS; v++)
        known(v, 120, 9);
    known(PLAIN, 100, 9);
    c = process();
    c->unbuilt = 1u << HOME;
    assert_false(cw_run_group_choice_choose(c, &p.group, 1u << HOME, &v, &why));
    assert_string_equal(why, "plain order was measured to be as quick");
    assert_true(p.kernel.ungrouped == 4096);
}

/* Another way than the best is looked at; chains beside it stay groups. */
static void explores_as_groups(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    known(0, 50, 9);
    known(HOME, 95, 9);
    known(PLAIN, 100, 9);
    c = process();
    assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_int_equal(v, 2); /* the other family */
    assert_true(p.kernel.grouped);
    cw_run_account.learns = 0;
    cw_run_group_choice_ran(c, v, STEPS, 60.0 * STEPS);
    assert_int_equal(cw_run_account.learns,
                     1); /* it was slower, as was to be expected: nobody judges by this run */
    cw_run_group_choice_ran(c, 0, STEPS, 51.0 * STEPS);
    assert_int_equal(cw_run_account.learns, 1);
    cw_run_group_choice_ran(c, v, STEPS, 60.0 * STEPS);
    assert_int_equal(cw_run_account.learns, 2);
}

/* Once in a while plain order is measured though groups are quicker; that settles nothing. */
static void measures_plain_again(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    for (v = 0; v <= HOME; v++)
        known(v, 84, 64);
    known(PLAIN, 100, 1);
    world.doublings = 12;
    c = process();
    assert_false(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_string_equal(why, "plain order is measured again");
    assert_true(p.kernel.ungrouped == 0);
    assert_true(p.kernel.grouped);
    assert_int_equal(world.unwanted, 0);
    assert_int_equal(cw_run_account.learns, 1);
    assert_true(world.count[PLAIN] == 2);
    c->plain_runs = 64;
    assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
}

/* Plain order counts where this process has measured it, once: not because the history knows it. */
static void counts_what_was_measured(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v;

    (void)state;
    known(0, 50, 9);
    known(2, 50, 9);
    known(HOME, 60, 9);
    c = process();
    assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_true(world.count[PLAIN] == 0);
    world.measured = true;
    for (uint32_t i = 0; i < 3; i++)
        assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_true(world.count[PLAIN] == 1);
    assert_int_equal(c->plain_runs, 1);
}

/* The most promising way is tried first, on a few launches, and used until its gain may pay for a look at
 * another one. Nothing of that without plain order's time, which one launch shows. */
static void keeps_to_the_most_promising(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v, runs = 0;

    (void)state;
    c = process();
    assert_int_equal(cw_run_group_choice_longest(c), CW_RUN_SAMPLE);
    assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    while (v == 0 && runs < 100) {
        runs++;
        cw_run_group_choice_ran(c, v, STEPS, 50.0 * STEPS);
        assert_int_equal(cw_run_group_choice_longest(c), CW_RUN_GROUP_STEPS);
        assert_true(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    }
    assert_in_range(runs, CW_RUN_TRIAL_LOOKS, 2 * CW_RUN_TRIAL_LOOKS);
    world.plain_ns = 0;
    c = process();
    assert_false(cw_run_group_choice_choose(c, &p.group, 0, &v, &why));
    assert_string_equal(why, "nothing is known of it yet");
    assert_int_equal(cw_run_group_choice_plain(c, STEPS), 1);
}

/* The first way was slower than plain order: others wait for their turn, too. */
static void loses_seldom(void **state)
{
    const char *why;
    uint32_t v, slow = 0;

    (void)state;
    for (uint32_t runs = 0; runs < 32; runs++) {
        struct cw_run_chain *c = process();

        world.doublings += runs + 1 >= 2u << world.doublings;
        if (cw_run_group_choice_choose(c, &p.group, 0, &v, &why)) {
            cw_run_group_choice_ran(c, v, STEPS, 150.0 * STEPS);
            slow++;
        }
    }
    assert_in_range(slow, 2, 4);
}

/* One slow group may be a busy moment's: a chain that comes again in one process is measured some more. */
static void doubts_a_single_loss(void **state)
{
    struct cw_run_chain *c;
    const char *why = NULL;
    uint32_t v, slow = 0;

    (void)state;
    c = process();
    while (cw_run_group_choice_choose(c, &p.group, 0, &v, &why) && slow < 20) {
        cw_run_group_choice_ran(c, v, STEPS, 120.0 * STEPS);
        assert_ptr_equal(cw_run_group_choice_of(&p.group), c);
        slow++;
    }
    assert_int_equal(slow, CW_RUN_TRIAL_POOR);
    assert_true(p.kernel.ungrouped == 4096);
}

/* While kernels are built, launches of 10 ms together run in plain order between two looks; and a way that
 * was measured is waited for, but not one that is only looked at. */
static void looks_for_kernels(void **state)
{
    struct cw_run_chain *c;

    (void)state;
    world.plain_ns = 4e6;
    known(0, 50, 9);
    c = process();
    c->plain_ns = 4e6;
    assert_int_equal(cw_run_group_choice_plain(c, STEPS), 3);
    c->plain_ns = 1e5;
    assert_int_equal(cw_run_group_choice_plain(c, STEPS), STEPS + 1);
    assert_true(cw_run_group_choice_hopes(c, 0));
    assert_false(cw_run_group_choice_hopes(c, 2));
}

/* A program of one chain, run after run. All ways but plain order seem twice as slow as they are while its
 * first runs go on, as helpers wait for processors that others have. */
static void recovers(void **state)
{
    static const double truth[PLAIN] = {60, 62, 66, 80};
    uint32_t runs, last = 0, v;
    const char *why;

    (void)state;
    for (runs = 0; runs < 3000; runs++) {
        struct cw_run_chain *c = process();

        world.doublings += runs + 1 >= 2u << world.doublings;
        if (!cw_run_group_choice_choose(c, &p.group, 0, &v, &why))
            last = runs;
        else
            cw_run_group_choice_ran(c, v, STEPS, truth[v] * STEPS * (runs < 8 ? 2 : 1));
    }
    assert_in_range(last, 8, 300); /* 50: plain order looked better for long after that */
    assert_true(world.count[0] + world.count[1] >
                60); /* 1 is the better by a hair's breadth, and who knows */
}

/* Two chains whose keys are the same are two; a kernel more, or another number of launches, is another chain.
 */
static void tells_chains_apart(void **state)
{
    struct cw_run_chain *one, *other;

    (void)state;
    cw_identity_one_key = true;
    one = process();
    assert_ptr_equal(cw_run_group_choice_of(&p.group), one);
    p.group.steps = 3;
    other = cw_run_group_choice_of(&p.group);
    assert_ptr_not_equal(other, one);
    p.group.steps = STEPS;
    assert_ptr_equal(cw_run_group_choice_of(&p.group), one);
    p.kernel.key.half[1]++;
    assert_ptr_not_equal(cw_run_group_choice_of(&p.group), one);
    assert_ptr_not_equal(cw_run_group_choice_of(&p.group), other);
    cw_identity_one_key = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tells_chains_apart,
                               begin), /* first: later ones make more chains than are known at a time */
        cmocka_unit_test_setup(waits_for_builds, begin),
        cmocka_unit_test_setup(settles_where_none_can_be_had, begin),
        cmocka_unit_test_setup(waits_for_no_other_way, begin),
        cmocka_unit_test_setup(explores_as_groups, begin),
        cmocka_unit_test_setup(measures_plain_again, begin),
        cmocka_unit_test_setup(counts_what_was_measured, begin),
        cmocka_unit_test_setup(keeps_to_the_most_promising, begin),
        cmocka_unit_test_setup(loses_seldom, begin),
        cmocka_unit_test_setup(looks_for_kernels, begin),
        cmocka_unit_test_setup(doubts_a_single_loss, begin),
        cmocka_unit_test_setup(recovers, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
