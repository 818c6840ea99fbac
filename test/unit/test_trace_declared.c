/* test_trace_declared.c - a mere declaration (const, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY) marks edges and
 * takes none away; SVM arguments whose addresses were used again. */
#include "../../analyzer/explain/draw/exporter.h"
#include "../../analyzer/graph/graph_parts.h"
#include <CL/cl_ext.h>
#include "trace_builder.h"

static const char source[] = "void f(global float *);\n"
                             "kernel void plain(global float *a) { a[0] = 1; }\n"
                             "kernel void proven(global const float *a) { a[0]; }\n"
                             "kernel void cast(global const float *a) { f((global float *)a); }\n"
                             "kernel void two(global const float *a, global float *b) { b[0] = a[0]; }\n";

/* The edges that are (not) unproven, as tb_edges. */
static const char *edges_of(struct cw_trace *t, bool unproven)
{
    struct cw_trace some = *t;
    const char *text;
    size_t n = 0;

    some.edges.v = malloc((t->edges.count + 1) * sizeof *some.edges.v);
    assert_non_null(some.edges.v);
    for (size_t i = 0; i < t->edges.count; i++)
        if (t->edges.v[i].unproven == unproven)
            some.edges.v[n++] = t->edges.v[i];
    some.edges.count = n;
    text = tb_edges(&some, TB_DATA);
    free(some.edges.v);
    return text;
}

/* A write, two kernels that get the buffer, a read; the flags are `flags`. */
static void three_users(struct cw_trace *t, const char *name, cl_mem_flags flags)
{
    tb_init(t);
    uint32_t q = tb_queue(t, true), p = tb_program(t, source), k = tb_kernel(t, p, name, 1),
             a = tb_buffer(t, 8, flags);
    tb_write(t, q, a, 0, 8);   /* 0 */
    tb_launch(t, q, k, a, -1); /* 1 */
    tb_launch(t, q, k, a, -1); /* 2 */
    tb_read(t, q, a, 0, 8);    /* 3 */
    tb_build(t);
}

static void check(const char *name, cl_mem_flags flags, const char *proven, const char *unproven)
{
    struct cw_graph_options trust = {.trust_declared = true};
    struct cw_error err = {0};
    struct cw_trace t;

    three_users(&t, name, flags);
    assert_string_equal(edges_of(&t, false), proven);
    assert_string_equal(edges_of(&t, true), unproven);
    for (size_t i = 0; i < t.edges.count; i++)
        assert_int_equal(cw_graph_edge_binds(&t.edges.v[i]), t.edges.v[i].kind != CW_EDGE_QUEUE);
    assert_int_equal(cw_graph_build(&t, &trust, &err),
                     CW_OK); /* what is not marked is the graph as declared */
    assert_string_equal(edges_of(&t, false), proven);
    assert_string_equal(edges_of(&t, true), "");
    cw_trace_finish(&t);
}

static void flags_mark_and_take_nothing_away(void **state)
{
    (void)state;
    check("plain", 0, "0>1:RAW(8) 1>2:RAW(8) 2>3:RAW(8)", "");
    check("plain", CL_MEM_READ_ONLY, "0>1:RAW(8) 0>2:RAW(8) 0>3:RAW(8)", "1>2:RAW(8) 2>3:RAW(8)");
    check("plain", CL_MEM_WRITE_ONLY, "0>1:WAW(8) 1>2:WAW(8) 2>3:RAW(8)", "0>1:RAW(8) 1>2:RAW(8)");
    check("plain", CL_MEM_HOST_NO_ACCESS, "0>1:RAW(8) 1>2:RAW(8) 2>3:RAW(8)", "");
    check("plain", CL_MEM_HOST_READ_ONLY, "0>1:RAW(8) 1>2:RAW(8) 2>3:RAW(8)", "");
}

static void consts_that_may_be_cast_away_do_so_too(void **state)
{
    (void)state;
    check("proven", CL_MEM_WRITE_ONLY, "0>1:RAW(8) 0>2:RAW(8) 0>3:RAW(8)", "");
    check("cast", 0, "0>1:RAW(8) 0>2:RAW(8) 0>3:RAW(8)", "1>2:RAW(8) 2>3:RAW(8)");
    check("cast", CL_MEM_READ_ONLY, "0>1:RAW(8) 0>2:RAW(8) 0>3:RAW(8)", "1>2:RAW(8) 2>3:RAW(8)");
}

/* hashcat's way: a read-only buffer is cleared by one kernel and read by another. */
static void a_read_only_buffer_is_written_between_its_readers(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), p = tb_program(&t, source), clear = tb_kernel(&t, p, "plain", 1),
             use = tb_kernel(&t, p, "two", 2), in = tb_buffer(&t, 8, CL_MEM_READ_ONLY),
             x = tb_buffer(&t, 8, 0), y = tb_buffer(&t, 8, 0);
    tb_launch(&t, q, use, in, x, -1); /* 0 */
    tb_launch(&t, q, clear, in, -1);  /* 1 */
    tb_launch(&t, q, use, in, y, -1); /* 2 */
    tb_build(&t);
    assert_string_equal(edges_of(&t, true), "0>1:WAR(8) 1>2:RAW(8)");
    cw_trace_finish(&t);
}

/* The picture of the declared graph stays as it is: unproven edges imply nothing and come last. */
static void unproven_edges_imply_nothing_in_pictures(void **state)
{
    struct cw_export_options o = {0};
    struct cw_error err = {0};
    struct cw_draw_graph g;
    struct cw_trace t;
    size_t unproven = 0, war = 0;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), p = tb_program(&t, source), k = tb_kernel(&t, p, "plain", 1),
             a = tb_buffer(&t, 8, CL_MEM_READ_ONLY);
    tb_launch(&t, q, k, a, -1); /* 0 */
    tb_launch(&t, q, k, a, -1); /* 1: unproven edge from 0 */
    tb_write(&t, q, a, 0, 8);   /* 2: WAR with both; by the unproven edge that from 0 would be implied */
    tb_build(&t);
    assert_int_equal(cw_draw_graph_init(&g, &t, &o, &err), CW_OK);
    for (size_t i = 0; i < g.edges.count; i++) {
        unproven += g.edges.v[i].unproven;
        war += g.edges.v[i].to == 2 && g.edges.v[i].hazard == CW_HAZARD_WAR && !g.edges.v[i].unproven;
    }
    assert_int_equal(unproven, 1);
    assert_int_equal(war, 2);
    cw_draw_graph_finish(&g);
    cw_trace_finish(&t);
}

static uint32_t svm(struct cw_trace *t, uint64_t start, uint64_t bytes)
{
    uint32_t id = tb_buffer(t, bytes, 0);

    t->memory.v[id].kind = CW_MEM_SVM;
    t->memory.v[id].host_ptr = start;
    return id;
}

static void svm_allocations_are_found_by_address(void **state)
{
    struct cw_svm_ranges r;
    struct cw_trace t;
    size_t first;
    (void)state;
    tb_init(&t);
    uint32_t old = svm(&t, 0x1000, 0x100), high = svm(&t, 0x4000, 0x10), inner = svm(&t, 0x1000, 0x20),
             same = svm(&t, 0x4000, 0x10), over = svm(&t, 0x10c0, 0x100);
    tb_buffer(&t, 0x10000, 0);
    svm(&t, UINT64_MAX - 3, 100); /* a lying trace */
    assert_true(cw_svm_ranges_init(&r, &t));
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0xfff, &first), 0);
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x1000, &first), 1);
    assert_int_equal(r.memory[first], old); /* the smaller one inside is the same bytes */
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x10bf, &first), 1);
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x10c0, &first), 2); /* either may have lived */
    assert_int_equal(r.memory[first], old);
    assert_int_equal(r.memory[first + 1], over);
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x11bf, &first), 1);
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x11c0, &first), 0);
    assert_int_equal(cw_svm_ranges_find(&r, &t, 0x4008, &first), 1);
    assert_int_equal(r.memory[first], same);
    assert_int_equal(cw_svm_ranges_find(&r, &t, UINT64_MAX - 2, &first), 1);
    (void)high, (void)inner;
    cw_svm_ranges_finish(&r);
    cw_trace_finish(&t);
}

/* The address of a freed allocation belongs to a smaller one later: the first kernel still meets what lies
 * behind. */
static void a_smaller_allocation_at_the_same_address_hides_nothing(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), p = tb_program(&t, source), k = tb_kernel(&t, p, "plain", 1);
    svm(&t, 0x1000, 0x100);
    tb_launch(&t, q, k, 0, -1); /* 0 */
    tb_launch(&t, q, k, 0, -1); /* 1 */
    for (int i = 0; i < 2; i++) {
        t.args.v[i].kind = CW_ARG_SVM;
        t.args.v[i].value = i ? 0x1080 : 0x1000;
    }
    svm(&t, 0x1000, 0x40);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:RAW(256)");
    cw_trace_finish(&t);
}

/* A command buffer whose queue the recorder does not know may belong to any context; one that it knows to its
 * own. */
static void commands_without_a_context_meet_all(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    cw_trace_push(&t.contexts, 1)->devices = (struct cw_slice){0, 1};
    uint32_t q = tb_queue(&t, true), r = tb_queue(&t, true), a = tb_buffer(&t, 8, 0), b = tb_buffer(&t, 8, 0);
    t.queues.v[r].context = 1;
    tb_write(&t, q, a, 0, 8);                               /* 0 */
    tb_write(&t, r, b, 0, 8);                               /* 1 */
    tb_command(&t, CL_COMMAND_COMMAND_BUFFER_KHR, CW_NONE); /* 2: after both */
    tb_write(&t, q, a, 0, 8);                               /* 3: after 2 */
    tb_command(&t, CL_COMMAND_COMMAND_BUFFER_KHR, r);       /* 4: after 2, not 3 */
    tb_read(&t, r, b, 0, 8);                                /* 5: after 4 */
    tb_command(&t, CL_COMMAND_MARKER, CW_NONE); /* 6: after 2 and 4, which may be of its context */
    t.commands.v[2].unknown_access = t.commands.v[4].unknown_access = true;
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>2:RAW(0) 1>2:RAW(0) 0>3:WAW(8) 2>3:RAW(0) 2>4:RAW(0) "
                                               "1>5:RAW(8) 4>5:RAW(0) 2>6:RAW(0) 4>6:RAW(0)");
    cw_trace_finish(&t);
}

/* Kernels of a program that has variables meet each other where a build has the language for them: by its
 * options, or by the vendor's version. */
static void variables_are_of_the_vendors_language(void **state)
{
    static const struct {
        const char *platform, *version, *options;
        bool meet;
    } of[] = {
        {"platform", "OpenCL 3.0", "", false},
        {"platform", "OpenCL 3.0", "-cl-std=CL3.0", true},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 3.1", "", false},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 6.0", "", true},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 6.0", "-cl-std=CL1.2", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct cw_trace t;

        tb_init(&t);
        t.platforms.v[0].name = of[i].platform;
        t.platforms.v[0].version = t.devices.v[0].version = of[i].version;
        uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 8, 0), b = tb_buffer(&t, 8, 0),
                 p = tb_program(&t, "global int n; kernel void f(global int *x) { x[0] = n++; }"),
                 k = tb_kernel(&t, p, "f", 1);
        t.programs.v[p].options = of[i].options;
        tb_launch(&t, q, k, a, -1);
        tb_launch(&t, q, k, b, -1);
        tb_build(&t);
        if (strcmp(tb_edges(&t, TB_DATA), of[i].meet ? "0>1:RAW(0)" : ""))
            fail_msg("%s, %s, '%s': %s", of[i].platform, of[i].version, of[i].options, tb_edges(&t, TB_DATA));
        cw_trace_finish(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_mark_and_take_nothing_away),
        cmocka_unit_test(consts_that_may_be_cast_away_do_so_too),
        cmocka_unit_test(a_read_only_buffer_is_written_between_its_readers),
        cmocka_unit_test(unproven_edges_imply_nothing_in_pictures),
        cmocka_unit_test(commands_without_a_context_meet_all),
        cmocka_unit_test(variables_are_of_the_vendors_language),
        cmocka_unit_test(svm_allocations_are_found_by_address),
        cmocka_unit_test(a_smaller_allocation_at_the_same_address_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
