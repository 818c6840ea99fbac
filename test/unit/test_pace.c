/* Paced launches: which events their commands have, and that none is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../shim/device/pace.h"

struct cw_dispatch cw_next;

static int held;        /* references to the event */
static unsigned asked;  /* enqueues that asked for one */
static cl_int answer;   /* of the next enqueue */
static cl_int profiles; /* of the next look at times */

static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                               const size_t *offset, const size_t *global,
                                               const size_t *local, cl_uint waits, const cl_event *list,
                                               cl_event *event)
{
    (void)queue, (void)kernel, (void)dims, (void)offset, (void)global, (void)local, (void)waits, (void)list;
    if (answer != CL_SUCCESS || !event)
        return answer;
    *event = (cl_event)&held;
    held++;
    asked++;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL retain(cl_event event)
{
    assert_ptr_equal(event, &held);
    held++;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL release(cl_event event)
{
    assert_ptr_equal(event, &held);
    held--;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL profile(cl_event event, cl_profiling_info name, size_t size,
                                               void *value, size_t *needed)
{
    (void)size, (void)needed;
    assert_ptr_equal(event, &held);
    *(cl_ulong *)value = name == CL_PROFILING_COMMAND_END ? 2 : 1;
    return profiles;
}

static cl_int launch(cl_event *event)
{
    return cw_pace_enqueue(NULL, NULL, 1, NULL, (const size_t[]){1}, NULL, event);
}

static void test_events(void **state)
{
    const struct cw_cl_device device = {.pace = 2, .compute_units = 2};
    struct cw_pace p;
    cl_event event;

    (void)state;
    assert_int_equal(launch(NULL), CL_SUCCESS); /* no paced launch is under way */
    assert_int_equal(asked, 0);
    for (unsigned commands = 0; commands < 12; commands++) {
        asked = 0;
        profiles = commands % 2 ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE;
        cw_pace_begin(&device, &p);
        for (unsigned i = 0; i < commands; i++)
            assert_int_equal(launch(NULL), CL_SUCCESS);
        assert_int_equal(asked, commands);
        answer = CL_OUT_OF_RESOURCES;
        assert_int_equal(launch(NULL), CL_OUT_OF_RESOURCES);
        answer = CL_SUCCESS;
        cw_pace_end(&device, &p);
        assert_int_equal(held, 0);
    }
    cw_pace_begin(&device, &p);
    assert_int_equal(launch(&event), CL_SUCCESS);
    cw_pace_end(&device, &p);
    assert_int_equal(held, 1); /* the caller's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};

    cw_next.clEnqueueNDRangeKernel = enqueue;
    cw_next.clRetainEvent = retain;
    cw_next.clReleaseEvent = release;
    cw_next.clGetEventProfilingInfo = profile;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
