/* Times of the vendor's profiling that cannot be, and those that can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/record/command_facts.h"

#define POSSIBLE(...) cw_event_times_are_possible((const uint64_t[4]){__VA_ARGS__})

static void one_command(void **state)
{
    (void)state;
    assert_true(POSSIBLE(5000, 6000, 7000, 8000));
    assert_true(POSSIBLE(5000, 5000, 5000, 5000));
    assert_true(POSSIBLE(0, 0, 7000, 8000)); /* not known */
    assert_true(POSSIBLE(0, 0, 0, 0));
    assert_true(POSSIBLE(1, 2, 3, UINT64_MAX));
    assert_false(POSSIBLE(0, 1, 2, 3)); /* rusticl of Mesa 22.3 */
    assert_false(POSSIBLE(5000, 6000, 8000, 7000));
    assert_false(POSSIBLE(9000, 6000, 7000, 8000));
    assert_false(POSSIBLE(9000, 0, 7000, 8000));
    assert_false(POSSIBLE(9000, 0, 0, 8000));
}

enum { COUNT = 4 };

/* Commands every 100 ms of the host; `step`: of the device's clock from one to the next. */
static uint64_t dropped(uint64_t step, bool run_mode)
{
    struct cw_t_queue queue = {.device = 0};
    struct cw_t_device device = {0};
    struct cw_command commands[COUNT] = {0};
    struct cw_trace t = {.process.run_mode = run_mode};

    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t host = 1000000 + i * 100000000, there = 5000000 + i * step;
        commands[i] = (struct cw_command){.type = 0x11F0,
                                          .device = CW_NONE,
                                          .call_begin_ns = host,
                                          .call_end_ns = host + 1000,
                                          .queued_ns = there,
                                          .submit_ns = there + 1,
                                          .start_ns = there + 2,
                                          .end_ns = there + 3};
    }
    t.queues.v = &queue, t.queues.count = 1;
    t.devices.v = &device, t.devices.count = 1;
    t.commands.v = commands, t.commands.count = COUNT;
    cw_event_times_drop(&t);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(!commands[i].end_ns, t.process.impossible_times == COUNT);
    return t.process.impossible_times;
}

static void one_device(void **state)
{
    (void)state;
    assert_int_equal(dropped(100000000, false), 0);
    assert_int_equal(dropped(90000000, false), 0);
    assert_int_equal(dropped(300000000, false), 0); /* the device's clock runs while the machine sleeps */
    assert_int_equal(dropped(0, false), COUNT);
    assert_int_equal(dropped(1000, false), COUNT);
    assert_int_equal(dropped(1000, true), 0); /* the virtual clock of run mode */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_command), cmocka_unit_test(one_device)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
