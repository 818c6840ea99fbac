/* Commands that are held while helpers have not begun: after how many launches, and how long a queue is left
 * alone after a hold in which hardly anything waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/windows/hold.c"

struct cw_run_state_all cw_run;
struct cw_dispatch cw_next;

/* ---- played */

static bool is_complete; /* the launch that is watched */
static double each_ns;   /* of a launch at home */

static cl_int played_status(cl_event event, cl_event_info name, size_t size, void *value, size_t *bytes)
{
    (void)event, (void)name, (void)bytes;
    assert_int_equal(size, sizeof(cl_int));
    *(cl_int *)value = is_complete ? CL_COMPLETE : CL_QUEUED;
    return CL_SUCCESS;
}

void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle)
{
    (void)what, (void)handle;
}

bool cw_run_activation_may_begin(void)
{
    return true;
}

void cw_run_activation_waiting(double ns)
{
    (void)ns;
}

double cw_run_costs_home_ns(const struct cw_run_launch *l)
{
    (void)l;
    return each_ns;
}

bool cw_device_clock_is_virtual(void)
{
    return false;
}

bool cw_run_program_models_are_made(void)
{
    return false;
}

/* ---- not called here */

double cw_run_costs_transfer_ns(const struct cw_run_task *t)
{
    (void)t;
    fail();
    return 0;
}

double cw_run_costs_least_ns(const struct cw_run_task *t)
{
    (void)t;
    fail();
    return 0;
}

double cw_run_perf_model_earlier_ns(struct cw_run_task *t)
{
    (void)t;
    fail();
    return 0;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    fail();
    return 0;
}

void cw_run_global_lock_kick_all(void)
{
    fail();
}

void cw_run_global_lock_wait(uint64_t ns)
{
    (void)ns;
    fail();
}

void cw_run_loop_staff(void)
{
    fail();
}

void cw_run_window_tell_of_models(void)
{
    fail();
}

void cw_run_worker_take_ready(void)
{
    fail();
}

/* ---- a queue */

static struct cw_run_queue queue;
static struct cw_run_kernel kernel;

static int setup(void **state)
{
    (void)state;
    memset(&cw_run, 0, sizeof cw_run);
    queue = (struct cw_run_queue){.managed = true};
    cw_next.clGetEventInfo = played_status;
    is_complete = false;
    each_ns = 1e6;
    return 0;
}

/* Launches until commands are held; 0: they are not. */
static uint32_t launches_until_hold(uint32_t most)
{
    for (uint32_t n = 0; n < most; n++) {
        bool watched = cw_run_hold_watches(&queue);

        if (cw_run.holds)
            return n;
        cw_run_hold_launched(&queue, watched ? (cl_event)&queue : NULL);
    }
    return 0;
}

/* The window of held commands has `count` launches, and the program waits for it. */
static void hold_ends_with(uint32_t count)
{
    struct cw_run_task t = {.work = CW_RUN_LAUNCH, .launch.kernel = &kernel};

    cw_run_hold_tell(&t, count);
    cw_run_hold_synchronised(&queue);
    assert_false(cw_run.holds);
}

static void wait_times(uint32_t n)
{
    while (n--)
        cw_run_hold_synchronised(&queue);
}

/* ---- the cases */

static void three_launches_behind_one_that_runs_begin_it(void **state)
{
    (void)state;
    assert_int_equal(launches_until_hold(100), 3);
}

static void launches_that_are_over_do_not(void **state)
{
    (void)state;
    is_complete = true;
    assert_int_equal(launches_until_hold(100), 0);
}

static void waits_between_them_do_not(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(launches_until_hold(2), 0);
        cw_run_hold_synchronised(&queue);
    }
}

static void a_hold_of_much_work_comes_again(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(launches_until_hold(100), 3);
        hold_ends_with(30);
    }
}

static void a_hold_of_little_work_leaves_the_queue_alone(void **state)
{
    (void)state;
    launches_until_hold(100);
    hold_ends_with(29);
    for (uint32_t rest = 16; rest <= 128; rest *= 2) {
        wait_times(rest - 1);
        assert_int_equal(launches_until_hold(100), 64); /* of the last of them */
        hold_ends_with(2);
    }
    wait_times(256);
    assert_int_equal(launches_until_hold(100), 3);
}

static void much_work_makes_rests_short_again(void **state)
{
    (void)state;
    for (uint32_t rest = 16; rest <= 64; rest *= 2) {
        launches_until_hold(100);
        hold_ends_with(2);
        wait_times(rest);
    }
    launches_until_hold(100);
    hold_ends_with(30);
    assert_int_equal(launches_until_hold(100), 3);
    hold_ends_with(2);
    wait_times(16);
    assert_int_equal(launches_until_hold(100), 3);
}

static void rests_end(void **state)
{
    (void)state;
    for (int i = 0; i < 14; i++) {
        launches_until_hold(100);
        hold_ends_with(2);
        wait_times(4096);
        assert_int_equal(launches_until_hold(100), 3);
    }
}

static void nothing_is_held_where_it_would_be_in_vain(void **state)
{
    (void)state;
    cw_run.begun = true;
    assert_int_equal(launches_until_hold(100), 0);
    cw_run.begun = false;
    queue.synchronous = true;
    assert_int_equal(launches_until_hold(100), 0);
    queue.synchronous = queue.managed = false;
    assert_int_equal(launches_until_hold(100), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_launches_behind_one_that_runs_begin_it, setup),
        cmocka_unit_test_setup(launches_that_are_over_do_not, setup),
        cmocka_unit_test_setup(waits_between_them_do_not, setup),
        cmocka_unit_test_setup(a_hold_of_much_work_comes_again, setup),
        cmocka_unit_test_setup(a_hold_of_little_work_leaves_the_queue_alone, setup),
        cmocka_unit_test_setup(much_work_makes_rests_short_again, setup),
        cmocka_unit_test_setup(rests_end, setup),
        cmocka_unit_test_setup(nothing_is_held_where_it_would_be_in_vain, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
