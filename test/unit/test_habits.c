/* test_habits.c - each habit on a small trace that has it, and beside it the same without. */
#include "trace_builder.h"

#include "../../analyzer/explain/figures.h"

static struct cw_habits habits_of(struct cw_trace *t)
{
    struct cw_habits h;
    assert_int_equal(cw_habits_find(&h, t, NULL), CW_OK);
    return h;
}

static void finishes(void **state)
{
    struct cw_habits h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), other = tb_queue(&t, true), a = tb_buffer(&t, 64, 0),
             k = tb_kernel(&t, tb_program(&t, NULL), "k", 1);
    tb_launch(&t, q, k, (int)a, -1);
    tb_command(&t, CW_HOST_FINISH, q); /* 1: between launches */
    tb_launch(&t, q, k, (int)a, -1);
    tb_command(&t, CW_HOST_FINISH, q); /* 3: before a blocking read */
    t.commands.v[tb_read(&t, q, a, 0, 64)].blocking = true;
    tb_command(&t, CW_HOST_FINISH, q); /* 5: of nothing */
    tb_launch(&t, q, k, (int)a, -1);
    tb_command(&t, CW_HOST_FINISH, q); /* 7: the last, and needed */
    tb_launch(&t, other, k, (int)a, -1);
    tb_command(&t, CW_HOST_FINISH, other); /* 9: an out-of-order queue has no order of its own */
    tb_launch(&t, other, k, (int)a, -1);
    tb_command(&t, CW_HOST_FINISH, other);
    h = habits_of(&t);
    assert_int_equal(h.needless_finish.count, 2);
    assert_int_equal(h.needless_finish.first, 3);
    assert_int_equal(h.finish_between.count, 1);
    assert_int_equal(h.finish_between.first, 1);
    cw_trace_finish(&t);
}

/* How many commands wait for an unflushed queue, with `action` of the host between (0: with none). */
static uint64_t unflushed_behind(uint32_t action)
{
    struct cw_trace t;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), r = tb_queue(&t, false), a = tb_buffer(&t, 64, 0),
             b = tb_buffer(&t, 64, 0);
    uint32_t first = tb_write(&t, q, a, 0, 64);
    if (action)
        tb_command(&t, action, action == CW_HOST_WAIT ? CW_NONE : q);
    if (action == CW_HOST_WAIT)
        tb_wait(&t, first);
    uint32_t waits = tb_write(&t, r, b, 0, 64);
    tb_wait(&t, first);
    struct cw_habits h = habits_of(&t);
    if (h.unflushed.count)
        assert_int_equal(h.unflushed.first, waits);
    cw_trace_finish(&t);
    return h.unflushed.count;
}

static void waits_across_queues_need_a_flush(void **state)
{
    (void)state;
    assert_int_equal(unflushed_behind(0), 1);
    assert_int_equal(unflushed_behind(CW_HOST_FLUSH), 0);
    assert_int_equal(unflushed_behind(CW_HOST_FINISH), 0);
    assert_int_equal(unflushed_behind(CW_HOST_WAIT), 0);
}

/* A queue is polled with and without a flush; a command that nothing awaits, and one before it that an event
 * of an awaited one awaits. */
static void polls_and_the_end(void **state)
{
    struct cw_habits h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), r = tb_queue(&t, false), a = tb_buffer(&t, 64, 0),
             b = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    tb_command(&t, CW_HOST_POLL, CW_NONE); /* 1 */
    tb_wait(&t, 0);
    tb_write(&t, q, a, 0, 64);
    tb_command(&t, CW_HOST_FLUSH, q);
    tb_command(&t, CW_HOST_POLL, CW_NONE); /* 4 */
    tb_wait(&t, 2);
    tb_write(&t, q, b, 0, 64);
    tb_command(&t, CW_HOST_FLUSH, q);
    t.commands.v[tb_write(&t, r, a, 0, 64)].blocking = true;
    tb_wait(&t, 5);
    tb_write(&t, r, b, 0, 64); /* 8 */
    tb_write(&t, r, b, 0, 64);
    tb_build(&t);
    h = habits_of(&t);
    assert_int_equal(h.polled.count, 1);
    assert_int_equal(h.polled.first, 1);
    assert_int_equal(h.unawaited.count, 2);
    assert_int_equal(h.unawaited.first, 8);
    t.commands.v[8].exec_status = t.commands.v[9].exec_status = 0; /* their end was seen, in a callback */
    h = habits_of(&t);
    assert_int_equal(h.unawaited.count, 0);
    cw_trace_finish(&t);
}

static void work_groups_of_one_item(void **state)
{
    struct cw_habits h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0),
             k = tb_kernel(&t, tb_program(&t, NULL), "k", 1);
    for (uint64_t local = 0; local < 3; local++) { /* NULL, 1, 2 */
        uint32_t id = tb_launch(&t, q, k, (int)a, -1);
        t.commands.v[id].local_null = !local;
        t.commands.v[id].local_size[0] = local ? local : 1;
    }
    uint32_t one = tb_launch(&t, q, k, (int)a, -1); /* of one item altogether */
    t.commands.v[one].global_size[0] = t.commands.v[one].local_size[0] = 1;
    h = habits_of(&t);
    assert_int_equal(h.single_items.count, 1);
    assert_int_equal(h.single_items.first, 1);
    cw_trace_finish(&t);
}

/* Plain host memory, mapped memory, a small transfer, a device that shares the host's memory. */
static void pageable_transfers(void **state)
{
    const uint64_t mib = 1 << 20;
    struct cw_habits h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 4 * mib, 0);
    uint32_t map = tb_transfer(&t, CL_COMMAND_MAP_BUFFER, q, a, 0, CW_NONE, 0, 2 * mib);
    t.transfers.v[t.commands.v[map].transfer].host_ptr = 0x10000000;
    const uint64_t from[][2] = {{0x10000000, mib}, {0x50000000, 2 * mib}, {0x50000000, mib - 1}};
    for (size_t i = 0; i < 3; i++) {
        uint32_t id = tb_write(&t, q, a, 0, from[i][1]);
        t.transfers.v[t.commands.v[id].transfer].host_ptr = from[i][0];
    }
    h = habits_of(&t);
    assert_int_equal(h.pageable.count, 1);
    assert_int_equal(h.pageable.first, 2);
    assert_int_equal(h.pageable_bytes, 2 * mib);
    t.devices.v[0].host_unified = true;
    assert_int_equal(habits_of(&t).pageable.count, 0);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finishes),
        cmocka_unit_test(polls_and_the_end),
        cmocka_unit_test(waits_across_queues_need_a_flush),
        cmocka_unit_test(work_groups_of_one_item),
        cmocka_unit_test(pageable_transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
