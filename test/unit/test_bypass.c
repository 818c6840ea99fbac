/* Queues that bypass the planner: after how many windows without gain, and for how many synchronisations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tuning/bypass.c"

struct cw_run_state_all cw_run;
enum cw_run_fault cw_run_fault_planted;

static bool has_ended;

bool cw_run_activation_has_ended(void)
{
    return has_ended;
}

static struct cw_cl_device device;
static struct cw_run_context_device place = {.device = &device};
static struct cw_run_context context = {.places = &place};
static struct cw_run_queue queue;

static int setup(void **state)
{
    (void)state;
    memset(&cw_run, 0, sizeof cw_run);
    has_ended = false;
    cw_run.begun = true;
    queue =
        (struct cw_run_queue){.context = &context, .managed = true, .synchronous = true, .in_order = true};
    return 0;
}

static bool is_native(void)
{
    return cw_run_bypass_wanted(&queue, false) == CW_RUN_R_BYPASS;
}

/* Windows, each with a wait behind it, until the queue bypasses the planner; 0: it does not. */
static uint32_t windows_until_bypass(bool gained, uint32_t most)
{
    for (uint32_t n = 1; n <= most; n++) {
        cw_run_bypass_window(&queue, gained);
        cw_run_bypass_synchronised(&queue);
        if (is_native())
            return n;
    }
    return 0;
}

static uint32_t waits_until_managed(uint32_t most)
{
    uint32_t n = 0;

    while (is_native() && n < most) {
        cw_run_bypass_synchronised(&queue);
        n++;
    }
    return n;
}

static void eight_poor_windows_begin_it_and_then_two(void **state)
{
    (void)state;
    assert_int_equal(windows_until_bypass(false, 100), 8);
    assert_int_equal(waits_until_managed(100), 16);
    assert_int_equal(windows_until_bypass(false, 100), 2);
    assert_int_equal(waits_until_managed(100), 32);
}

static void it_lasts_twice_as_long_each_time(void **state)
{
    uint32_t last = 0;

    (void)state;
    for (int i = 0; i < 12; i++) {
        windows_until_bypass(false, 100);
        last = waits_until_managed(10000);
    }
    assert_int_equal(last, 4096);
}

static void a_gain_makes_it_short_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        windows_until_bypass(false, 100);
        waits_until_managed(100);
    }
    assert_int_equal(windows_until_bypass(true, 100), 0);
    assert_int_equal(windows_until_bypass(false, 100), 8);
    assert_int_equal(waits_until_managed(100), 16);
}

static void gains_now_and_then_keep_a_queue_managed(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(windows_until_bypass(false, 7), 0);
        cw_run_bypass_window(&queue, true);
    }
}

/* It ends when nothing of the queue is unfinished. */
static void it_ends_in_an_idle_queue_alone(void **state)
{
    (void)state;
    windows_until_bypass(false, 100);
    queue.native_given = 1;
    assert_int_equal(waits_until_managed(100), 100);
    queue.native_known = 1;
    assert_int_equal(waits_until_managed(100), 1);
}

static void a_program_that_waits_for_nothing_shows_it_later(void **state)
{
    uint32_t n = 0;

    (void)state;
    queue.synchronous = false;
    while (!is_native() && n < 1000) {
        cw_run_bypass_window(&queue, false);
        n++;
    }
    assert_int_equal(n, 64);
}

static void more_copies_of_programs_end_it(void **state)
{
    (void)state;
    windows_until_bypass(false, 100);
    cw_run.copies++;
    cw_run_bypass_synchronised(&queue);
    assert_false(is_native());
    assert_int_equal(windows_until_bypass(false, 100), 8);
    assert_int_equal(waits_until_managed(100), 16);
}

static void a_run_that_falls_behind_bypasses_for_good(void **state)
{
    (void)state;
    has_ended = true;
    cw_run_bypass_synchronised(&queue);
    assert_int_equal(waits_until_managed(100000), 100000);
}

static void nothing_does_where_all_is_managed(void **state)
{
    (void)state;
    cw_run.chaos = true;
    assert_int_equal(windows_until_bypass(false, 200), 0);
    cw_run.chaos = false;
    cw_run.eager = true;
    assert_int_equal(windows_until_bypass(false, 200), 0);
    cw_run.eager = false;
    device.pace = 2;
    assert_int_equal(windows_until_bypass(false, 200), 0);
    device.pace = 0;
    queue.managed = false;
    assert_int_equal(windows_until_bypass(false, 200), 0);
}

static void all_do_before_helpers_begin(void **state)
{
    (void)state;
    cw_run.begun = false;
    assert_int_equal(cw_run_bypass_wanted(&queue, false), CW_RUN_R_UNBEGUN);
    cw_run.holds = true;
    assert_int_equal(cw_run_bypass_wanted(&queue, false), -1);
}

static void transfers_that_block_follow_native_commands(void **state)
{
    (void)state;
    assert_int_equal(cw_run_bypass_wanted(&queue, true), -1);
    queue.native_given = 1;
    assert_int_equal(cw_run_bypass_wanted(&queue, true), CW_RUN_R_BEHIND);
    assert_int_equal(cw_run_bypass_wanted(&queue, false), -1);
}

/* The calling thread makes them, as long as nothing else of the queue is unfinished. */
static void transfers_that_block_are_made_at_once(void **state)
{
    (void)state;
    windows_until_bypass(false, 100);
    assert_int_equal(cw_run_bypass_wanted(&queue, true), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(eight_poor_windows_begin_it_and_then_two, setup),
        cmocka_unit_test_setup(it_lasts_twice_as_long_each_time, setup),
        cmocka_unit_test_setup(a_gain_makes_it_short_again, setup),
        cmocka_unit_test_setup(gains_now_and_then_keep_a_queue_managed, setup),
        cmocka_unit_test_setup(it_ends_in_an_idle_queue_alone, setup),
        cmocka_unit_test_setup(a_program_that_waits_for_nothing_shows_it_later, setup),
        cmocka_unit_test_setup(more_copies_of_programs_end_it, setup),
        cmocka_unit_test_setup(a_run_that_falls_behind_bypasses_for_good, setup),
        cmocka_unit_test_setup(nothing_does_where_all_is_managed, setup),
        cmocka_unit_test_setup(all_do_before_helpers_begin, setup),
        cmocka_unit_test_setup(transfers_that_block_follow_native_commands, setup),
        cmocka_unit_test_setup(transfers_that_block_are_made_at_once, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
