/* For which bytes the program's own device waits for helpers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/memory/spread.c"

enum { BYTES = 1000, HOME = 1, HELPER = 2 };

struct cw_run_state_all cw_run;

/* ---- played */

bool cw_run_fault_since(enum cw_run_fault kind)
{
    (void)kind;
    return false;
}

/* ---- not called here */

#define NOT_CALLED(type, name, parameters, value)                                                            \
    type name parameters                                                                                     \
    {                                                                                                        \
        fail();                                                                                              \
        return value;                                                                                        \
    }
#define UNUSED __attribute__((unused))

NOT_CALLED(bool, cw_run_fault_now, (UNUSED enum cw_run_fault kind), false)
NOT_CALLED(bool, cw_run_native_use_is_over, (UNUSED const struct cw_run_region *r), false)
NOT_CALLED(bool, cw_run_native_use_lets,
           (UNUSED const struct cw_run_region *r, UNUSED const struct cw_run_task *t), false)
NOT_CALLED(bool, cw_run_spread_bring,
           (UNUSED const struct cw_run_task *t, UNUSED struct cw_run_region *r, UNUSED uint64_t low,
            UNUSED uint64_t high, UNUSED uint32_t memory),
           false)
NOT_CALLED(bool, cw_run_spread_keep_only,
           (UNUSED struct cw_run_spread * s, UNUSED uint64_t low, UNUSED uint64_t high, UNUSED uint64_t keep),
           false)
NOT_CALLED(bool, cw_run_spread_make_replicas, (UNUSED struct cw_run_task * t), false)
NOT_CALLED(bool, cw_run_spread_may_be_here, (UNUSED const struct cw_run_task *t), false)
NOT_CALLED(bool, cw_run_spread_may_claim, (UNUSED const struct cw_run_task *t), false)
NOT_CALLED(struct cw_run_spread *, cw_run_spread_of, (UNUSED struct cw_run_region * r), NULL)
NOT_CALLED(void, cw_run_spread_ahead_behind, (UNUSED const struct cw_run_task *t), )
NOT_CALLED(void, cw_run_spread_ahead_forget, (UNUSED struct cw_run_task * t), )
NOT_CALLED(void, cw_run_spread_claim, (UNUSED struct cw_run_task * t), )
NOT_CALLED(void, cw_run_spread_copies_are, (UNUSED enum cw_move_why why), )
NOT_CALLED(void, cw_run_spread_copies_serve, (UNUSED uint64_t command), )
NOT_CALLED(void, cw_run_spread_cover, (UNUSED struct cw_run_task * t), )
NOT_CALLED(void, cw_run_spread_release, (UNUSED struct cw_run_task * t), )
NOT_CALLED(void, cw_run_spread_uncover, (UNUSED struct cw_run_task * t), )
NOT_CALLED(void, cw_run_spread_wait, (void), )

/* ---- a command that reads bytes 100 to 900 of a buffer, and memory of the program's own */

static struct cw_run_spread spread;
static struct cw_run_memory root;
static struct cw_run_region buffer = {.root = &root, .spread = &spread}, host;
static struct cw_run_access access[] = {{.region = &host, .high = BYTES, .write = true},
                                        {.region = &buffer, .low = 100, .high = 900}};
static struct cw_run_task task = {.work = CW_RUN_LAUNCH, .accesses = {.of = access, .n = 2}};

/* All bytes are there, and [low, high) are in `where`, and nowhere else. */
static void are(uint64_t everywhere, uint64_t low, uint64_t high, uint64_t where)
{
    cw_extents_finish(&spread.valid);
    assert_true(cw_extents_init(&spread.valid, BYTES, everywhere));
    assert_true(cw_extents_reserve(&spread.valid, 1));
    cw_extents_change(&spread.valid, low, high, 0, where);
}

static void waits_for_what_helpers_alone_have(void **unused)
{
    const uint64_t home = 1 << HOME, helper = 1 << HELPER, hosts = 1 << CW_MEMORY_HOST;

    (void)unused;
    are(home, 300, 400, helper);
    assert_true(cw_run_spread_is_with_others(&task, HOME));
    are(home, 300, 400, helper | home);
    assert_false(cw_run_spread_is_with_others(&task, HOME));
    are(home, 900, BYTES, helper); /* which the command does not use */
    assert_false(cw_run_spread_is_with_others(&task, HOME));
    are(home, 300, 400, hosts); /* as the program has written them there */
    assert_false(cw_run_spread_is_with_others(&task, HOME));
    are(home, 300, 400, 0); /* lost */
    assert_false(cw_run_spread_is_with_others(&task, HOME));
    are(hosts | helper, 300, 400, hosts);
    assert_false(cw_run_spread_is_with_others(&task, HOME));
    are(hosts, 890, BYTES, helper);
    assert_true(cw_run_spread_is_with_others(&task, HOME));
}

/* Its memory of its own is in no list. */
static void lacks_what_is_elsewhere(void **unused)
{
    (void)unused;
    cw_run.workers[0].memory = HOME;
    are(1 << HOME, 900, BYTES, 1 << HELPER);
    assert_false(cw_run_spread_lacks(&task));
    are(1 << HOME, 100, 101, 1 << HELPER);
    assert_true(cw_run_spread_lacks(&task));
}

/* Copies for a part count for its launch, those in front of a native command for that one. */
static void serves_a_command_of_the_program(void **unused)
{
    struct cw_run_task whole = {.order.recorded = 7}, home = {.work = CW_RUN_HOME};
    struct cw_run_tiles x = {.whole = &whole};
    struct cw_run_task part = {.work = CW_RUN_LAUNCH, .launch.part.of = &x};

    (void)unused;
    assert_int_equal(recorded(&whole), 7);
    assert_int_equal(recorded(&part), 7);
    home.order.recorded = 8;
    assert_int_equal(recorded(&home), 8); /* the program's own: of a map */
    home = (struct cw_run_task){.work = CW_RUN_HOME, .home = {.n = 1, .serves = 9}};
    assert_int_equal(recorded(&home), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_what_helpers_alone_have),
        cmocka_unit_test(lacks_what_is_elsewhere),
        cmocka_unit_test(serves_a_command_of_the_program),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    cw_extents_finish(&spread.valid);
    return failed;
}
