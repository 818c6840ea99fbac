/* Launches that are left in the queue of their GPU: how long after which plans, and which launches. Time and
 * the work-items of a launch are the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tuning/left.c"

#define MEAN_NS  1e6
#define FIRST_NS ((uint64_t)(CW_RUN_TRIAL_TIMES * MEAN_NS))

struct cw_run_state_all cw_run;

static struct {
    uint64_t now;
    double items;
} played;

uint64_t cw_run_global_lock_now_ns(void)
{
    return played.now;
}

double cw_run_costs_items(const struct cw_run_launch *l)
{
    (void)l;
    return played.items;
}

static double saved_ns;
static bool begun;

void cw_run_bypass_window(struct cw_run_queue *q, bool gained)
{
    (void)q;
    assert_true(gained);
}

void cw_run_gpu_begin_saves(double ns, bool cut)
{
    (void)cut;
    saved_ns += ns;
}

bool cw_run_gpu_begin_is_due(void)
{
    return begun;
}

/* ---- a GPU (place 0) that another one may help */

static struct cw_cl_device gpu;
static struct cw_run_context_device place = {.device = &gpu};
static struct cw_run_context context = {.places = &place};
static struct cw_run_queue queue = {.context = &context};
static double mean_ns[CW_RUN_WORKERS];
static struct cw_run_known known;
static struct cw_run_kernel kernel;
static struct cw_run_task task;

static int setup(void **state)
{
    (void)state;
    memset(&cw_run, 0, sizeof cw_run);
    played.now = 5;
    saved_ns = 0;
    begun = false;
    played.items = 100;
    gpu = (struct cw_cl_device){.memory = 1, .traits = CW_VENDOR_OWN_MEMORY};
    known.mean_ns = mean_ns;
    mean_ns[0] = MEAN_NS;
    queue = (struct cw_run_queue){.context = &context};
    kernel = (struct cw_run_kernel){.known = &known};
    task = (struct cw_run_task){.queue = &queue, .work = CW_RUN_LAUNCH, .launch.kernel = &kernel};
    return 0;
}

static void stays_at_home(void)
{
    cw_run_left_planned(&task);
}

/* ---- the cases */

static void none_is_left_before_a_plan(void **state)
{
    (void)state;
    assert_false(cw_run_left_is(&queue, &kernel, 1));
}

static void one_that_stays_at_home_is_left_for_a_while(void **state)
{
    (void)state;
    stays_at_home();
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    assert_true(cw_run_left_is(&queue, &kernel, 1));
    assert_false(cw_run_left_is(&queue, &kernel, 101));
    played.now += FIRST_NS - 1;
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    played.now++;
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void it_is_left_twice_as_long_each_time(void **state)
{
    (void)state;
    stays_at_home();
    for (uint64_t ns = 2 * FIRST_NS; ns <= 16 * FIRST_NS; ns *= 2) {
        played.now = kernel.left.rest.until;
        stays_at_home();
        assert_int_equal(kernel.left.rest.until - played.now, ns);
    }
    for (int i = 0; i < 64; i++)
        stays_at_home();
    assert_int_equal(kernel.left.rest.until - played.now, (uint64_t)(CW_RUN_TRIAL_MOST * MEAN_NS));
}

static void it_changes_sides_in_an_idle_queue_alone(void **state)
{
    (void)state;
    stays_at_home();
    queue.first = &task; /* managed commands are unfinished */
    assert_false(cw_run_left_is(&queue, &kernel, 100));
    queue.first = NULL;
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    queue.native_given = 1; /* it is native now, and unfinished */
    played.now = kernel.left.rest.until;
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    assert_false(cw_run_left_is(&queue, &kernel, 101));
    played.now += FIRST_NS; /* that they are over may never be known */
    assert_false(cw_run_left_is(&queue, &kernel, 100));
    played.now -= FIRST_NS;
    queue.native_known = 1;
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void what_others_would_save_counts_until_they_begin(void **state)
{
    (void)state;
    stays_at_home();
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    assert_true(saved_ns == 0);
    kernel.left.lacks_ns = 8;
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    assert_true(cw_run_left_is(&queue, &kernel, 50));
    assert_true(saved_ns == 12);
    begun = true;
    assert_false(cw_run_left_is(&queue, &kernel, 100));
    assert_false(cw_run_left_is(&queue, &kernel, 1)); /* it is planned anew */
}

static void one_that_moves_ends_it(void **state)
{
    (void)state;
    stays_at_home();
    task.at.worker = 1;
    kernel.left.rest.poor = 1;
    cw_run_left_planned(&task);
    assert_false(cw_run_left_is(&queue, &kernel, 100));
    assert_int_equal(kernel.left.rest.poor, 0);
    task.at.worker = 0;
    stays_at_home();
    assert_int_equal(kernel.left.rest.until - played.now, FIRST_NS);
}

static void one_that_is_cut_ends_it(void **state)
{
    struct cw_run_tiles *tiles = (struct cw_run_tiles *)&known; /* only looked at */

    (void)state;
    stays_at_home();
    task.launch.tiles = tiles;
    cw_run_left_planned(&task);
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void a_larger_one_that_moves_says_nothing_of_smaller_ones(void **state)
{
    (void)state;
    stays_at_home();
    task.at.worker = 1;
    played.items = 1000;
    cw_run_left_planned(&task);
    assert_true(cw_run_left_is(&queue, &kernel, 100));
}

static void one_that_waits_for_code_is_not_left(void **state)
{
    (void)state;
    for (int i = 0; i < CW_RUN_LOOK_EACH; i++) {
        kernel.left.waiting = true;
        stays_at_home();
        assert_false(cw_run_left_is(&queue, &kernel, 100));
    }
    kernel.left.waiting = true;
    stays_at_home();
    assert_true(cw_run_left_is(&queue, &kernel, 100));
}

static void launches_of_one_window_count_once(void **state)
{
    struct cw_run_task second = task;

    (void)state;
    task.links.window = &second;
    stays_at_home();
    task.links.window = NULL;
    assert_int_equal(kernel.left.rest.until - played.now, FIRST_NS);
}

static void one_that_is_not_measured_is_not_left(void **state)
{
    (void)state;
    mean_ns[0] = 0;
    stays_at_home();
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void none_is_left_where_all_is_managed(void **state)
{
    (void)state;
    stays_at_home();
    cw_run.all = true;
    assert_false(cw_run_left_is(&queue, &kernel, 100));
    cw_run.all = false;
    cw_run.chaos = true;
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void only_launches_on_gpus_are(void **state)
{
    (void)state;
    gpu.memory = 0;
    stays_at_home();
    gpu = (struct cw_cl_device){.memory = 1};
    stays_at_home();
    gpu.traits = CW_VENDOR_OWN_MEMORY;
    task.work = CW_RUN_NOTHING;
    stays_at_home();
    assert_false(cw_run_left_is(&queue, &kernel, 100));
}

static void all_of_a_window_are_looked_at(void **state)
{
    struct cw_run_kernel second = {.known = &known};
    struct cw_run_task next = {.queue = &queue, .work = CW_RUN_LAUNCH, .launch.kernel = &second};

    (void)state;
    task.links.window = &next;
    cw_run_left_planned(&task);
    assert_true(cw_run_left_is(&queue, &kernel, 100));
    assert_true(cw_run_left_is(&queue, &second, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(none_is_left_before_a_plan, setup),
        cmocka_unit_test_setup(one_that_stays_at_home_is_left_for_a_while, setup),
        cmocka_unit_test_setup(it_is_left_twice_as_long_each_time, setup),
        cmocka_unit_test_setup(it_changes_sides_in_an_idle_queue_alone, setup),
        cmocka_unit_test_setup(what_others_would_save_counts_until_they_begin, setup),
        cmocka_unit_test_setup(one_that_moves_ends_it, setup),
        cmocka_unit_test_setup(one_that_is_cut_ends_it, setup),
        cmocka_unit_test_setup(a_larger_one_that_moves_says_nothing_of_smaller_ones, setup),
        cmocka_unit_test_setup(one_that_waits_for_code_is_not_left, setup),
        cmocka_unit_test_setup(launches_of_one_window_count_once, setup),
        cmocka_unit_test_setup(one_that_is_not_measured_is_not_left, setup),
        cmocka_unit_test_setup(none_is_left_where_all_is_managed, setup),
        cmocka_unit_test_setup(only_launches_on_gpus_are, setup),
        cmocka_unit_test_setup(all_of_a_window_are_looked_at, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
