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

/* ---- the parts that it asks */

static struct cw_cl_device device;
static struct cw_run_context_device place = {.device = &device};
static struct cw_context_devices devices = {.n = 1, .homes = 1, .device = {{.home = true}}};
static struct cw_run_context context;
static struct cw_run_queue queue, second;
static struct {
    bool awaited, paid, rests;
    bool away; /* bytes of the context */
    uint32_t commands;
    double ns;
    double home_ns, took_ns; /* of spans that were looked at */
} world;
static struct cw_run_memory memory = {.context = &context};
static struct cw_run_region region = {.root = &memory};

bool cw_run_gpu_begin_is_awaited(const struct cw_run_context *c)
{
    assert_ptr_equal(c, &context);
    return world.awaited;
}

bool cw_run_gpu_begin_paid(void)
{
    return world.paid;
}

void cw_run_gpu_begin_may_pay(void)
{
}

bool cw_run_gpu_gain_rests(void)
{
    return world.rests;
}

void cw_run_gpu_gain_looked(double home_ns, double took_ns)
{
    world.home_ns += home_ns;
    world.took_ns += took_ns;
}

double cw_run_activation_span(uint32_t *n)
{
    *n = world.commands;
    return world.ns;
}

void cw_run_activation_passed(uint64_t n, uint64_t since_ns)
{
    (void)since_ns;
    world.commands += (uint32_t)n;
}

void cw_run_reasons_passed(uint64_t commands)
{
    cw_run.counts.native[CW_RUN_R_BYPASS] += commands;
}

void cw_run_gain_spoilt(void)
{
}

bool cw_run_fault_since(enum cw_run_fault kind)
{
    return cw_run_fault_planted == kind;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return 1000;
}

void *cw_run_record_next(enum cw_run_kind kind, const void *record)
{
    assert_int_equal(kind, CW_RUN_QUEUE);
    return !record ? &queue : record == &queue && second.context ? &second : NULL;
}

struct cw_run_region *cw_run_spread_after(const struct cw_run_region *r)
{
    return r ? NULL : &region;
}

bool cw_run_spread_is_at_rest(const struct cw_run_region *r)
{
    (void)r;
    return !world.away;
}

static int setup(void **state)
{
    (void)state;
    memset(&cw_run, 0, sizeof cw_run);
    has_ended = false;
    memset(&world, 0, sizeof world);
    context = (struct cw_run_context){.places = &place, .devices = &devices};
    second = (struct cw_run_queue){0};
    cw_run_fault_planted = CW_RUN_FAULT_NONE;
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

/* ---- commands that pass */

static void bypass(void)
{
    queue.synchronous = false;
    windows_until_bypass(false, 100);
}

/* A call begins, and ends; the program has waited for it. */
static void call_and_wait(struct cw_run_queue *q)
{
    uint64_t calls = cw_run_passing_enter(&q->passing);

    assert_true(calls);
    cw_run_passing_leave(&q->passing);
    cw_run_bypass_waited(q, calls - 1);
    cw_run_bypass_synchronised(q);
}

static void commands_pass_in_a_bypassed_queue(void **state)
{
    (void)state;
    assert_int_equal(cw_run_passing_enter(&queue.passing), 0);
    bypass();
    assert_true(cw_run_passing_is(&queue.passing));
    assert_int_equal(context.passing, 1);
    assert_int_equal(cw_run_bypass_wanted(&queue, false), CW_RUN_R_BYPASS);
    for (int i = 0; i < 15; i++)
        call_and_wait(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    assert_int_equal(cw_run.counts.native[CW_RUN_R_BYPASS], 15);
    call_and_wait(&queue);
    assert_false(cw_run_passing_is(&queue.passing));
    assert_int_equal(context.passing, 0);
    assert_int_equal(cw_run_bypass_wanted(&queue, false), -1);
}

/* A launch that polls would not be noted, and may hold a sub-device. */
static void none_passes_beside_a_device_that_a_launch_may_hold(void **state)
{
    (void)state;
    devices.device[0].kind = CW_DEVICE_KIND_SUBDEVICE;
    bypass();
    devices.device[0].kind = (enum cw_device_kind)0;
    assert_false(cw_run_passing_is(&queue.passing));
}

/* Its first call ever meets the end: nothing of it is left in the count. */
static void a_call_that_comes_too_late_leaves_nothing(void **state)
{
    (void)state;
    bypass();
    cw_run_passing_end_early(&queue.passing);
    assert_int_equal(cw_run_passing_enter(&queue.passing), 0);
    assert_false(cw_run_passing_is_called(&queue.passing));
    assert_int_equal(atomic_load(&queue.passing.calls), 0);
}

static void a_wait_for_another_queue_ends_nothing(void **state)
{
    (void)state;
    bypass();
    second = (struct cw_run_queue){.context = &context, .managed = true, .in_order = true};
    for (int i = 0; i < 4; i++)
        cw_run_bypass_synchronised(&second);
    assert_true(cw_run_passing_is(&queue.passing));
    assert_true(context.passing >= 1 && context.passing <= 2);
}

static void none_does_beside_managed_ones(void **state)
{
    struct cw_run_task t = {0};

    (void)state;
    queue.first = &t;
    bypass();
    assert_false(cw_run_passing_is(&queue.passing));
    queue.first = NULL;
    queue.native_given = 1; /* its vendor keeps their order */
    cw_run_bypass_window(&queue, false);
    cw_run_bypass_synchronised(&queue);
    bypass();
    queue.native_known = 1;
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
}

static void another_call_keeps_it_from_resuming(void **state)
{
    uint64_t other, calls;

    (void)state;
    bypass();
    queue.bypass.rest.until = 1;
    other = cw_run_passing_enter(&queue.passing); /* under way */
    calls = cw_run_passing_enter(&queue.passing);
    assert_true(other && calls > other);
    cw_run_passing_leave(&queue.passing);
    cw_run_bypass_waited(&queue, calls - 1);
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    cw_run_passing_leave(&queue.passing); /* over, but nothing has waited since */
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    calls = atomic_load(&queue.passing.calls);
    other = cw_run_passing_enter(&queue.passing); /* meanwhile */
    cw_run_passing_leave(&queue.passing);
    cw_run_bypass_waited(&queue, calls);
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    call_and_wait(&queue);
    assert_false(cw_run_passing_is(&queue.passing));
}

static void a_native_command_keeps_it_from_resuming(void **state)
{
    (void)state;
    bypass();
    queue.bypass.rest.until = 1;
    queue.native_given = 1;
    call_and_wait(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    queue.native_known = 1;
    queue.native_calls = 1;
    call_and_wait(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    queue.native_calls = 0;
    call_and_wait(&queue);
    assert_false(cw_run_passing_is(&queue.passing));
}

static void a_transfer_that_blocks_resumes_a_quiet_queue(void **state)
{
    uint64_t calls;

    (void)state;
    bypass();
    calls = cw_run_passing_enter(&queue.passing);
    cw_run_passing_leave(&queue.passing);
    assert_int_equal(cw_run_bypass_wanted(&queue, true), CW_RUN_R_BYPASS);
    cw_run_bypass_waited(&queue, calls - 1);
    assert_int_equal(cw_run_bypass_wanted(&queue, true), -1);
    assert_false(cw_run_passing_is(&queue.passing));
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
    atomic_fetch_add(&queue.passing.calls, CW_RUN_PASSING_CALL + 1);
    cw_run_fault_planted = CW_RUN_FAULT_RESUMED;
    assert_int_equal(cw_run_bypass_wanted(&queue, true), -1);
    assert_false(cw_run_passing_is(&queue.passing));
}

/* ---- other GPUs that have not begun */

static void span(double ns, uint32_t commands)
{
    world.ns = ns;
    world.commands = commands - 1;
    call_and_wait(&queue);
}

static void make_gpus(void)
{
    world.awaited = true;
    cw_run.far_workers = 2;
    queue.synchronous = false;
    cw_run_bypass_queue_made(&queue);
    cw_run_bypass_pass(&queue);
}

static void short_commands_are_never_looked_at(void **state)
{
    (void)state;
    make_gpus();
    for (int i = 0; i < 1000; i++)
        span(8000, 34);
    assert_true(cw_run_passing_is(&queue.passing));
    for (int i = 0; i < 2; i++) /* each counts as much as all before it */
        span(1e7, 2);
    assert_false(cw_run_passing_is(&queue.passing));
}

static void looks_are_in_the_account(void **state)
{
    (void)state;
    make_gpus();
    span(1e6, 1);
    assert_false(cw_run_passing_is(&queue.passing));
    assert_true(world.home_ns == world.took_ns && world.took_ns == 1e6);
    world.ns = 1e7;
    world.commands = 4;
    cw_run_bypass_synchronised(&queue);
    assert_true(world.home_ns == 5e6 && world.took_ns == 1.1e7);
    world.rests = true;
    cw_run_bypass_synchronised(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
}

static void queues_of_a_context_resume_together(void **state)
{
    uint64_t calls;

    (void)state;
    second = queue;
    make_gpus();
    second.synchronous = false;
    cw_run_bypass_pass(&second);
    assert_int_equal(context.passing, 2);
    calls = cw_run_passing_enter(&second.passing);
    cw_run_passing_leave(&second.passing);
    span(1e7, 1);
    assert_int_equal(cw_run_bypass_wanted(&queue, false), CW_RUN_R_BYPASS);
    assert_true(cw_run_passing_is(&second.passing));
    cw_run_bypass_waited(&second, calls - 1);
    cw_run_bypass_synchronised(&second);
    cw_run_bypass_pass(&queue);
    if (cw_run_passing_is(&queue.passing))
        span(1e7, 1);
    assert_false(cw_run_passing_is(&second.passing));
    assert_int_equal(context.passing, 0);
}

static void bytes_elsewhere_keep_commands_from_passing(void **state)
{
    (void)state;
    world.away = true;
    make_gpus();
    assert_false(cw_run_passing_is(&queue.passing));
    world.away = false;
    cw_run.unfinished = 1;
    cw_run_bypass_pass(&queue);
    assert_false(cw_run_passing_is(&queue.passing));
    cw_run.unfinished = 0;
    cw_run_bypass_pass(&queue);
    assert_true(cw_run_passing_is(&queue.passing));
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
        cmocka_unit_test_setup(commands_pass_in_a_bypassed_queue, setup),
        cmocka_unit_test_setup(none_passes_beside_a_device_that_a_launch_may_hold, setup),
        cmocka_unit_test_setup(a_call_that_comes_too_late_leaves_nothing, setup),
        cmocka_unit_test_setup(a_wait_for_another_queue_ends_nothing, setup),
        cmocka_unit_test_setup(none_does_beside_managed_ones, setup),
        cmocka_unit_test_setup(another_call_keeps_it_from_resuming, setup),
        cmocka_unit_test_setup(a_native_command_keeps_it_from_resuming, setup),
        cmocka_unit_test_setup(a_transfer_that_blocks_resumes_a_quiet_queue, setup),
        cmocka_unit_test_setup(short_commands_are_never_looked_at, setup),
        cmocka_unit_test_setup(looks_are_in_the_account, setup),
        cmocka_unit_test_setup(queues_of_a_context_resume_together, setup),
        cmocka_unit_test_setup(bytes_elsewhere_keep_commands_from_passing, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
