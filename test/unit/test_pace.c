/* Paced launches: which events their commands have, and that none is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../shim/run/core/instruction.c"

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

/* ---- played */

enum cw_run_fault cw_run_fault_planted;

bool cw_run_fault_omits(enum cw_run_fault kind)
{
    return kind == CW_RUN_FAULT_NONE;
}

cl_int cw_run_fault_copy(const struct cw_run_worker *l, bool home)
{
    (void)l, (void)home;
    return CL_SUCCESS;
}

void cw_run_fault_mute(const struct cw_run_worker *l)
{
    assert_null(l);
}

bool cw_run_context_device_turn_take(const struct cw_run_context_device *p)
{
    return p;
}

void cw_run_context_device_turn_give(const struct cw_run_context_device *p)
{
    assert_non_null(p);
}

bool cw_run_context_device_has_failed(const struct cw_run_worker *l)
{
    return l;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return 0;
}

/* ---- the cases */

static struct cw_cl_device device = {.pace = 2, .compute_units = 2};

static cl_int begin(cl_event *event)
{
    static const size_t one = 1;
    static const struct cw_run_ndrange range = {1, NULL, &one, NULL};
    static const struct cw_run_context_device place = {.device = &device};

    return cw_run_instruction_begin(
        &(struct cw_run_instruction){CW_RUN_I_RUN, false, &place, {.range = &range}}, event);
}

static void test_events(void **state)
{
    struct cw_pace p;
    cl_event event;

    (void)state;
    assert_int_equal(begin(NULL), CL_SUCCESS); /* no paced launch is under way */
    assert_int_equal(asked, 0);
    for (unsigned commands = 0; commands < 12; commands++) {
        asked = 0;
        profiles = commands % 2 ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE;
        cw_pace_begin(&device, &p);
        for (unsigned i = 0; i < commands; i++)
            assert_int_equal(begin(NULL), CL_SUCCESS);
        assert_int_equal(asked, commands);
        answer = CL_OUT_OF_RESOURCES;
        assert_int_equal(begin(NULL), CL_OUT_OF_RESOURCES);
        answer = CL_SUCCESS;
        cw_pace_end(&device, &p);
        assert_int_equal(held, 0);
    }
    cw_pace_begin(&device, &p);
    assert_int_equal(begin(&event), CL_SUCCESS);
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
