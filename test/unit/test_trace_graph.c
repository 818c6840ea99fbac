/* test_trace_graph.c - control flow (A1) and data flow (A2) of small streams, edge by edge. */
#include "trace_builder.h"

static void in_order_queue_chains_but_does_not_bind(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0), b = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    tb_write(&t, q, b, 0, 64);
    tb_read(&t, q, a, 0, 64);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>1:queue 0>2:RAW(64) 1>2:queue");
    assert_false(cw_graph_edge_binds(&t.edges.v[0]));
    assert_true(cw_graph_edge_binds(&t.edges.v[1]));
    cw_trace_finish(&t);
}

static void byte_ranges_decide(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 100, 0);
    tb_write(&t, q, a, 0, 40);  /* 0 */
    tb_write(&t, q, a, 40, 60); /* 1: beside */
    tb_read(&t, q, a, 30, 20);  /* 2: 10 bytes of each */
    tb_write(&t, q, a, 35, 5);  /* 3: WAR with 2 only: the write before it is implied */
    tb_write(&t, q, a, 0, 100); /* 4: WAW where nobody read, WAR where 2 did, WAW with 3 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u),
                        "0>2:RAW(10) 1>2:RAW(10) 2>3:WAR(5) 0>4:WAW(30) 1>4:WAW(50) 2>4:WAR(15) 3>4:WAW(5)");
    cw_trace_finish(&t);
}

static void sub_buffers_and_host_pointers_alias(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 100, 0), low = tb_sub_buffer(&t, a, 0, 50),
             high = tb_sub_buffer(&t, a, 50, 50);
    tb_write(&t, q, low, 0, 50);  /* 0 */
    tb_write(&t, q, high, 0, 50); /* 1: no edge to 0 */
    tb_read(&t, q, a, 40, 20);    /* 2 */
    uint32_t x = tb_buffer(&t, 64, CL_MEM_USE_HOST_PTR), y = tb_buffer(&t, 64, CL_MEM_USE_HOST_PTR);
    t.memory.v[x].host_ptr = 0x1000;
    t.memory.v[y].host_ptr = 0x1020;
    tb_write(&t, q, x, 0, 64); /* 3 */
    tb_read(&t, q, y, 0, 64);  /* 4: meets 3 in 32 bytes */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>2:RAW(10) 1>2:RAW(10) 3>4:RAW(32)");
    assert_int_equal(t.edges.v[2].memory, x);
    cw_trace_finish(&t);
}

static void out_of_order_queue_with_events_and_barrier(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true);
    tb_command(&t, CL_COMMAND_MARKER, q);        /* 0: nothing before it */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 1 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 2 */
    tb_wait(&t, 1);
    tb_command(&t, CL_COMMAND_MARKER, q);        /* 3: exits are 0 and 2 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 4: not behind the marker */
    tb_command(&t, CL_COMMAND_BARRIER, q);       /* 5: exits are 3 and 4 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 6: behind the barrier */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 7 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u),
                        "1>2:event 0>3:barrier 2>3:barrier 3>5:barrier 4>5:barrier 5>6:barrier 5>7:barrier");
    cw_trace_finish(&t);
}

/* A barrier with a wait list does not wait for what is before it, so it may come first; it does not hold that
 * either. */
static void barrier_does_not_hold_what_came_before_it(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true);
    tb_command(&t, CL_COMMAND_BARRIER, q);       /* 0 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 1 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 2: until 5 */
    tb_wait(&t, 5);
    tb_command(&t, CL_COMMAND_BARRIER, q); /* 3: for 1 only */
    tb_wait(&t, 1);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 4: behind 3 */
    tb_command(&t, CW_HOST_USER_EVENT, CW_NONE); /* 5 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u),
                        "0>1:barrier 0>2:barrier 5>2:event 0>3:barrier 1>3:event 3>4:barrier");
    cw_trace_finish(&t);
}

static void barrier_in_an_in_order_queue_waits_but_does_not_hold(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q);
    tb_command(&t, CL_COMMAND_BARRIER, q);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_BINDING & ~1u), "0>2:barrier 1>2:barrier");
    cw_trace_finish(&t);
}

static void host_waits_order_what_follows(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), r = tb_queue(&t, true), a = tb_buffer(&t, 8, 0);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 0 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 1 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, r); /* 2 */
    tb_command(&t, CW_HOST_FINISH, q);           /* 3: waits for 0 and 1, not for 2 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, r); /* 4: after 3 */
    tb_read(&t, q, a, 0, 8);                     /* 5: blocking */
    t.commands.v[5].blocking = true;
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 6: after 5 only, 3 is implied */
    tb_command(&t, CW_HOST_WAIT, CW_NONE);       /* 7: waits for 6 */
    tb_wait(&t, 6);
    tb_command(&t, CW_HOST_FLUSH, q);            /* 8: orders nothing */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, r); /* 9 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_BINDING & ~1u),
                        "0>3:host 1>3:host 3>4:host 3>5:host 5>6:host 5>7:host 6>7:host 7>9:host");
    cw_trace_finish(&t);
}

/* Waiting for the last command of an in-order queue proves the earlier ones complete. */
static void a_wait_covers_the_queue_before_it(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false);
    for (int i = 0; i < 3; i++)
        tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q);
    tb_command(&t, CW_HOST_WAIT, CW_NONE); /* 3 */
    tb_wait(&t, 1);
    tb_command(&t, CW_HOST_FINISH, q); /* 4: only 2 is left, 0 and 1 are behind 3 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_BINDING & ~1u), "0>3:host 1>3:host 2>4:host 3>4:host");
    cw_trace_finish(&t);
}

/* A wait of another thread that has not returned orders nothing yet. */
static void a_wait_in_flight_orders_nothing(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 0 */
    tb_command(&t, CW_HOST_FINISH, q);           /* 1, thread 0, 2000..3200 */
    t.commands.v[1].call_end_ns = 3200;
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 2, thread 1, at 3000: before the wait returned */
    t.commands.v[2].thread = 1;
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 3, thread 1, at 4000: after */
    t.commands.v[3].thread = 1;
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>1:host 1>3:host");
    cw_trace_finish(&t);
}

/* A command that waits for a user event runs where the event is set, with what is queued behind it. */
static void user_event_moves_its_waiter(void **state)
{
    struct cw_trace t;
    uint32_t order[5];
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), r = tb_queue(&t, false), a = tb_buffer(&t, 8, 0);
    tb_write(&t, q, a, 0, 8); /* 0 waits for 3 */
    tb_wait(&t, 3);
    tb_read(&t, q, a, 0, 8);                     /* 1 behind 0 */
    tb_write(&t, r, a, 0, 8);                    /* 2 ran before the set */
    tb_command(&t, CW_HOST_USER_EVENT, CW_NONE); /* 3 */
    tb_read(&t, r, a, 0, 8);                     /* 4 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u),
                        "2>0:WAW(8) 3>0:event 0>1:queue 0>1:RAW(8) 3>1:event 0>4:RAW(8) 2>4:queue");
    assert_int_equal(cw_sweep_topological_order(&t, order, NULL), CW_OK);
    assert_memory_equal(order, ((uint32_t[]){2, 3, 0, 1, 4}), sizeof order);
    cw_trace_finish(&t);
}

static void maps_and_unmaps(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);                                        /* 0 */
    tb_read(&t, q, a, 0, 64);                                         /* 1 */
    tb_transfer(&t, CL_COMMAND_MAP_BUFFER, q, a, 16, CW_NONE, 0, 16); /* 2: for writing */
    t.transfers.v[2].map_flags = CL_MAP_WRITE;
    tb_transfer(&t, CL_COMMAND_UNMAP_MEM_OBJECT, q, a, 16, CW_NONE, 0, 16); /* 3 */
    t.transfers.v[3].map_flags = CL_MAP_WRITE;
    t.transfers.v[3].map_command = 2;
    tb_transfer(&t, CL_COMMAND_MAP_BUFFER, q, a, 0, CW_NONE, 0, 64); /* 4: for reading */
    t.transfers.v[4].map_flags = CL_MAP_READ;
    tb_transfer(&t, CL_COMMAND_UNMAP_MEM_OBJECT, q, a, 0, CW_NONE, 0, 64); /* 5 */
    t.transfers.v[5].map_flags = CL_MAP_READ;
    t.transfers.v[5].map_command = 4;
    tb_write(&t, q, a, 0, 64); /* 6 comes after the unmap */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u),
                        "0>1:RAW(64) 0>2:RAW(16) 1>2:WAR(16) 2>3:event 2>3:WAW(16) 0>4:RAW(48) 3>4:RAW(16) "
                        "0>5:RAW(48) 3>5:RAW(16) 4>5:event 1>6:WAR(48) 4>6:WAR(64) 5>6:WAR(64)");
    cw_trace_finish(&t);
}

static void unknown_accesses_collide_with_the_context(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 8, 0);
    tb_write(&t, q, a, 0, 8);                    /* 0 */
    tb_read(&t, q, a, 0, 8);                     /* 1: 0 is behind it */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 2 */
    t.commands.v[2].unknown_access = true;
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 3 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>1:RAW(8) 1>2:RAW(0) 2>3:RAW(0)");
    cw_trace_finish(&t);
}

static void failed_commands_visit_nothing(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0);
    tb_write(&t, q, a, 0, 8);
    tb_write(&t, q, a, 0, 8);
    t.commands.v[1].status = -30;
    tb_read(&t, q, a, 0, 8);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>2:queue 0>2:RAW(8)");
    assert_int_equal(t.commands.v[1].accesses.count, 0);
    cw_trace_finish(&t);
}

static void rectangles_are_rows(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 64, 0);
    /* two 4x4 blocks side by side in rows of 8 bytes: their bounding ranges meet, their rows do not */
    for (int i = 0; i < 2; i++) {
        uint32_t id = tb_transfer(&t, CL_COMMAND_WRITE_BUFFER_RECT, q, CW_NONE, 0, a, 0, 0);
        struct cw_t_transfer *x = &t.transfers.v[t.commands.v[id].transfer];
        x->dst_origin[0] = 4u * (unsigned)i;
        x->dst_row_pitch = 8;
        x->region[0] = x->region[1] = 4;
        x->region[2] = 1;
    }
    tb_read(&t, q, a, 0, 32);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, ~0u), "0>2:RAW(16) 1>2:RAW(16)");
    cw_trace_finish(&t);
}

/* The blocked matrix product of the HXDSP paper: two splits, eight multiply-adds, one merge, one in-order
 * queue. */
static void blocked_matrix_product_has_its_shape(void **state)
{
    static const char source[] =
        "__kernel void split(__global const float *m, __global float *a, __global float *b, "
        "__global float *c, __global float *d) { a[0]=m[0]; b[0]=m[1]; c[0]=m[2]; d[0]=m[3]; }\n"
        "__kernel void mad(__global const float *a, __global const float *b, __global float *c) { c[0] += "
        "a[0]*b[0]; }\n"
        "__kernel void merge(__global const float *a, __global const float *b, __global const float *c,"
        " __global const float *d, __global float *m) { m[0]=a[0]; m[1]=b[0]; m[2]=c[0]; m[3]=d[0]; }";
    struct cw_trace t;
    uint32_t a[4], b[4], c[4];
    unsigned merge_in = 0, binding_between_splits = 0;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), p = tb_program(&t, source), A = tb_buffer(&t, 64, 0),
             B = tb_buffer(&t, 64, 0), C = tb_buffer(&t, 64, 0);
    uint32_t split = tb_kernel(&t, p, "split", 5), mad = tb_kernel(&t, p, "mad", 3),
             merge = tb_kernel(&t, p, "merge", 5);
    for (int i = 0; i < 4; i++) {
        a[i] = tb_buffer(&t, 16, 0);
        b[i] = tb_buffer(&t, 16, 0);
        c[i] = tb_buffer(&t, 16, 0);
    }
    tb_launch(&t, q, split, A, a[0], a[1], a[2], a[3], -1); /* 0 */
    tb_launch(&t, q, split, B, b[0], b[1], b[2], b[3], -1); /* 1 */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                tb_launch(&t, q, mad, a[2 * i + k], b[2 * k + j], c[2 * i + j], -1); /* 2..9 */
    tb_launch(&t, q, merge, c[0], c[1], c[2], c[3], C, -1);                          /* 10 */
    tb_build(&t);
    assert_string_equal(
        tb_edges(&t, TB_DATA),
        "0>2:RAW(16) 1>2:RAW(16) 0>3:RAW(16) 1>3:RAW(16) 2>3:RAW(16) 0>4:RAW(16) 1>4:RAW(16) "
        "0>5:RAW(16) 1>5:RAW(16) 4>5:RAW(16) 0>6:RAW(16) 1>6:RAW(16) 0>7:RAW(16) 1>7:RAW(16) 6>7:RAW(16) "
        "0>8:RAW(16) 1>8:RAW(16) 0>9:RAW(16) 1>9:RAW(16) 8>9:RAW(16) 3>10:RAW(16) 5>10:RAW(16) 7>10:RAW(16) "
        "9>10:RAW(16)");
    for (size_t i = 0; i < t.edges.count; i++) {
        merge_in += t.edges.v[i].to == 10 && cw_graph_edge_binds(&t.edges.v[i]);
        binding_between_splits += t.edges.v[i].to == 1 && cw_graph_edge_binds(&t.edges.v[i]);
    }
    assert_int_equal(merge_in, 4);
    assert_int_equal(binding_between_splits, 0);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_queue_chains_but_does_not_bind),
        cmocka_unit_test(byte_ranges_decide),
        cmocka_unit_test(sub_buffers_and_host_pointers_alias),
        cmocka_unit_test(out_of_order_queue_with_events_and_barrier),
        cmocka_unit_test(barrier_does_not_hold_what_came_before_it),
        cmocka_unit_test(barrier_in_an_in_order_queue_waits_but_does_not_hold),
        cmocka_unit_test(host_waits_order_what_follows),
        cmocka_unit_test(a_wait_covers_the_queue_before_it),
        cmocka_unit_test(a_wait_in_flight_orders_nothing),
        cmocka_unit_test(user_event_moves_its_waiter),
        cmocka_unit_test(maps_and_unmaps),
        cmocka_unit_test(unknown_accesses_collide_with_the_context),
        cmocka_unit_test(failed_commands_visit_nothing),
        cmocka_unit_test(rectangles_are_rows),
        cmocka_unit_test(blocked_matrix_product_has_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
