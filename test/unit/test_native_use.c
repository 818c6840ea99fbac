/* Native commands that may still use a buffer: when they are over, and which of them a marker has to tell of.
 * The vendor's events are numbers of the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/memory/native_use.c"

enum { MARKER = 1, EVENT, EVENTS };

struct cw_dispatch cw_next;

static struct {
    int references;
    bool over;
} vendor[EVENTS];

static cl_event event_of(int i)
{
    return (cl_event)&vendor[i];
}

static int number_of(const void *event)
{
    return (int)((const __typeof__(*vendor) *)event - vendor);
}

static cl_int CL_API_CALL retain(cl_event event)
{
    vendor[number_of(event)].references++;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL info(cl_event event, cl_event_info name, size_t capacity, void *to, size_t *bytes)
{
    const cl_int status = vendor[number_of(event)].over ? CL_COMPLETE : CL_RUNNING;

    (void)name, (void)bytes;
    memcpy(to, &status, capacity);
    return CL_SUCCESS;
}

void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle)
{
    (void)what;
    if (handle)
        vendor[number_of(handle)].references--;
}

/* ---- two queues of a context with two buffers */

static struct cw_run_context context;
static struct cw_run_queue queue, other;
static struct cw_run_memory root = {.context = &context};
static struct cw_run_region region = {.root = &root}, another = {.root = &root};

static int setup(void **state)
{
    (void)state;
    cw_next.clRetainEvent = retain;
    cw_next.clGetEventInfo = info;
    memset(vendor, 0, sizeof vendor);
    queue = other = (struct cw_run_queue){.context = &context, .in_order = true};
    return 0;
}

static int forget(void **state)
{
    (void)state;
    cw_run_native_use_forget(&region);
    cw_run_native_use_forget(&another);
    cw_run_native_use_forget(&context);
    free(uses.of);
    memset(&uses, 0, sizeof uses);
    for (int i = 0; i < EVENTS; i++)
        assert_int_equal(vendor[i].references, 0);
    return 0;
}

static void give_unmarked(const struct cw_run_region *r)
{
    queue.native_given += 2;
    assert_true(cw_run_native_use_add(r, &queue, NULL, queue.native_given, 0));
}

static void an_event_tells_of_its_command(void **state)
{
    (void)state;
    assert_true(cw_run_native_use_add(&region, &queue, event_of(EVENT), 1, 0));
    assert_false(cw_run_native_use_is_over(&region));
    assert_true(cw_run_native_use_is_over(&another));
    assert_int_equal(cw_run_native_use_references(event_of(EVENT)), 1);
    vendor[EVENT].over = true;
    assert_true(cw_run_native_use_is_over(&region));
    assert_int_equal(vendor[EVENT].references, 0);
}

static void an_unmarked_one_is_over_when_its_queue_is_finished(void **state)
{
    (void)state;
    give_unmarked(&region);
    assert_false(cw_run_native_use_is_over(&region));
    assert_true(cw_run_native_use_is_unmarked(&queue));
    queue.native_known = queue.native_given - 1;
    assert_false(cw_run_native_use_is_over(&region));
    queue.native_known = queue.native_given;
    assert_false(cw_run_native_use_is_unmarked(&queue));
    assert_true(cw_run_native_use_is_over(&region));
}

static void a_marker_tells_of_those_before_it(void **state)
{
    uint64_t given;

    (void)state;
    give_unmarked(&region);
    given = queue.native_given;
    give_unmarked(&another);
    cw_run_native_use_marked(&queue, given, event_of(MARKER));
    assert_int_equal(vendor[MARKER].references, 1);
    queue.native_known = given; /* later commands wait for the marker */
    assert_false(cw_run_native_use_is_over(&region));
    vendor[MARKER].over = true;
    assert_true(cw_run_native_use_is_over(&region));
    assert_false(cw_run_native_use_is_over(&another));
    assert_true(cw_run_native_use_is_unmarked(&queue));
}

static void a_later_unmarked_one_is_not_told_of_by_an_earlier_event(void **state)
{
    (void)state;
    assert_true(cw_run_native_use_add(&region, &queue, event_of(EVENT), 2, 0));
    queue.native_given = 2;
    give_unmarked(&region);
    assert_int_equal(vendor[EVENT].references, 0);
    vendor[EVENT].over = true;
    assert_false(cw_run_native_use_is_over(&region));
}

static void other_queues_are_found_when_no_thread_is_in_them(void **state)
{
    (void)state;
    assert_null(cw_run_native_use_unmarked(&context, &other));
    give_unmarked(&region);
    assert_ptr_equal(cw_run_native_use_unmarked(&context, &other), &queue);
    assert_null(cw_run_native_use_unmarked(&context, &queue));
    queue.native_calls = 1;
    assert_null(cw_run_native_use_unmarked(&context, &other));
}

static void a_queue_that_goes_leaves_what_may_still_run(void **state)
{
    (void)state;
    give_unmarked(&another);
    queue.native_known = queue.native_given;
    give_unmarked(&region);
    cw_run_native_use_forget(&queue);
    queue.native_known = queue.native_given; /* that of another queue at the address */
    assert_true(cw_run_native_use_is_over(&another));
    assert_false(cw_run_native_use_is_over(&region));
    assert_null(cw_run_native_use_unmarked(&context, &other));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_event_tells_of_its_command),
        CASE(an_unmarked_one_is_over_when_its_queue_is_finished),
        CASE(a_marker_tells_of_those_before_it),
        CASE(a_later_unmarked_one_is_not_told_of_by_an_earlier_event),
        CASE(other_queues_are_found_when_no_thread_is_in_them),
        CASE(a_queue_that_goes_leaves_what_may_still_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
