/* test_trace_implied.c - order that only a queue, a user event or host memory gives: a graph without the
 * queue has to have edges for it. */
#include "trace_builder.h"

/* A wait still has to name a command when only later commands of the queue wait for it. */
static void a_wait_names_what_only_later_commands_follow(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0), b = tb_buffer(&t, 8, 0);
    tb_read(&t, q, a, 0, 8);               /* 0 */
    tb_read(&t, q, b, 0, 8);               /* 1 */
    tb_write(&t, q, a, 0, 8);              /* 2: after 0, but not before the wait */
    tb_command(&t, CW_HOST_WAIT, CW_NONE); /* 3: proves 0 and 1 */
    tb_wait(&t, 1);
    tb_command(&t, CW_HOST_FINISH, q); /* 4: only 2 is left */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_BINDING & ~1u), "0>2:WAR(8) 0>3:host 1>3:host 2>4:host 3>4:host");
    cw_trace_finish(&t);
}

/* What stands behind a command that waits for a user event waits for the set as well: until then the program
 * may still prepare the memory that it has given. */
static void a_user_event_holds_the_queue_behind_its_waiter(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), r = tb_queue(&t, false), a = tb_buffer(&t, 8, 0),
             b = tb_buffer(&t, 8, 0);
    tb_command(&t, CL_COMMAND_BARRIER, q); /* 0 */
    tb_wait(&t, 5);
    tb_write(&t, q, a, 0, 8);                    /* 1: behind 0 */
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, r); /* 2: not held */
    tb_command(&t, CL_COMMAND_MARKER, r);        /* 3: held by 1 */
    tb_wait(&t, 1);
    tb_write(&t, r, b, 0, 8);                    /* 4: behind 3 */
    tb_command(&t, CW_HOST_USER_EVENT, CW_NONE); /* 5 */
    tb_write(&t, q, a, 0, 8);                    /* 6: came after the set */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, 1u << CW_EDGE_EVENT), "5>0:event 5>1:event 1>3:event 5>4:event");
    cw_trace_finish(&t);
}

/* Barriers and markers of an out-of-order queue hold although the sweep moves them behind a user event. */
static void a_user_event_moves_barriers(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 0 */
    tb_wait(&t, 6);
    tb_command(&t, CL_COMMAND_MARKER, q);  /* 1: after 0 */
    tb_command(&t, CL_COMMAND_BARRIER, q); /* 2: after the set only */
    tb_wait(&t, 6);
    tb_command(&t, CL_COMMAND_NATIVE_KERNEL, q); /* 3: after 2 */
    tb_command(&t, CL_COMMAND_BARRIER, q);       /* 4: after 1 and 3 */
    tb_command(&t, CW_HOST_FINISH, q);           /* 5: another thread waits */
    t.commands.v[5].thread = 1;
    t.commands.v[5].call_end_ns = 9000;
    tb_command(&t, CW_HOST_USER_EVENT, CW_NONE); /* 6 */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, (1u << CW_EDGE_BARRIER) | (1u << CW_EDGE_HOST)),
                        "0>1:barrier 2>3:barrier 1>4:barrier 2>4:barrier 3>4:barrier 4>5:host");
    cw_trace_finish(&t);
}

static void host(struct cw_trace *t, uint32_t id, uint64_t address)
{
    t->transfers.v[t->commands.v[id].transfer].host_ptr = address;
}

/* Transfers can meet in host memory: a queue is enough to order them, so a graph without it must know. */
static void transfers_meet_in_host_memory(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0), b = tb_buffer(&t, 64, 0),
             c = tb_buffer(&t, 64, CL_MEM_USE_HOST_PTR);
    t.memory.v[c].host_ptr = 0x9000;
    host(&t, tb_read(&t, q, a, 0, 64), 0x1000);  /* 0 */
    host(&t, tb_write(&t, q, b, 0, 32), 0x1020); /* 1: sends half of what 0 brought */
    host(&t, tb_read(&t, q, a, 0, 16), 0x1020);  /* 2: into what 1 sends, what 0 wrote */
    host(&t, tb_read(&t, q, a, 0, 16), 0x2000);  /* 3: elsewhere; blocking */
    t.commands.v[3].blocking = true;
    host(&t, tb_write(&t, q, b, 32, 16), 0x2000); /* 4: a host edge is enough */
    host(&t, tb_write(&t, q, b, 48, 8), 0x9008);  /* 5: reads memory of c */
    tb_write(&t, q, c, 0, 16);                    /* 6: host address not known */
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:RAW(32) 1>2:WAR(16) 5>6:WAR(8)");
    assert_int_equal(t.edges.v[1].memory, CW_NONE);
    cw_trace_finish(&t);
}

/* A transfer from or to mapped memory lies between the map and the unmap. */
static void transfers_use_mapped_memory(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0), b = tb_buffer(&t, 64, 0);
    for (int i = 0; i < 2; i++) {
        uint32_t map = tb_transfer(&t, CL_COMMAND_MAP_BUFFER, q, a, 0, CW_NONE, 0, 64); /* 0, 3 */
        host(&t, map, 0x1000);
        t.transfers.v[t.transfers.count - 1].map_flags = CL_MAP_READ;
        if (i == 0)
            host(&t, tb_write(&t, q, b, 0, 32), 0x1010);                                         /* 1 */
        host(&t, tb_transfer(&t, CL_COMMAND_UNMAP_MEM_OBJECT, q, CW_NONE, 0, a, 0, 64), 0x1000); /* 2, 4 */
        t.transfers.v[t.transfers.count - 1].map_flags = CL_MAP_READ;
        t.transfers.v[t.transfers.count - 1].map_command = map;
    }
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_BINDING & ~1u), "0>1:RAW(32) 0>2:event 1>2:WAR(32) 3>4:event");
    cw_trace_finish(&t);
}

/* Kernels of one program may meet in a variable of it, whatever they are given. */
static void kernels_meet_in_variables(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0), b = tb_buffer(&t, 8, 0);
    uint32_t p = tb_program(&t, "global int n; kernel void k(global int *x) { x[0] = n++; }");
    t.programs.v[p].options = "-cl-std=CL3.0";
    uint32_t k = tb_kernel(&t, p, "k", 1);
    tb_launch(&t, q, k, a, -1);
    tb_launch(&t, q, k, b, -1);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:RAW(0)");
    cw_trace_finish(&t);
}

/* The rows of an image that was made from an image have the vendor's pitch. */
static void images_of_images_are_whole(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), image[2];
    for (int i = 0; i < 2; i++) {
        image[i] = tb_buffer(&t, 3 * 8 * 4, 0);
        struct cw_t_memory *m = &t.memory.v[image[i]];
        m->kind = CW_MEM_IMAGE;
        m->image_type = CL_MEM_OBJECT_IMAGE2D;
        m->element_bytes = 4;
        m->width = 3;
        m->height = 8;
        m->row_pitch = 64;
        m->parent = i ? image[0] : CW_NONE;
    }
    for (int i = 0; i < 2; i++) {
        tb_transfer(&t, CL_COMMAND_WRITE_IMAGE, q, CW_NONE, 0, image[i], 0, 0);
        struct cw_t_transfer *x = &t.transfers.v[i];
        x->dst_origin[1] = 4;
        x->region[0] = 3;
        x->region[1] = x->region[2] = 1;
    }
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:WAW(12)");
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_names_what_only_later_commands_follow),
        cmocka_unit_test(a_user_event_holds_the_queue_behind_its_waiter),
        cmocka_unit_test(a_user_event_moves_barriers),
        cmocka_unit_test(transfers_meet_in_host_memory),
        cmocka_unit_test(transfers_use_mapped_memory),
        cmocka_unit_test(kernels_meet_in_variables),
        cmocka_unit_test(images_of_images_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
