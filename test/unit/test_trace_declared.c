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

static uint32_t svm(struct cw_trace *t, uint64_t start, uint64_t bytes, uint32_t made, uint32_t released)
{
    uint32_t id = tb_buffer(t, bytes, 0);

    t->memory.v[id].kind = CW_MEM_SVM;
    t->memory.v[id].host_ptr = start;
    t->memory.v[id].made = made;
    t->memory.v[id].released = released;
    return id;
}

static uint32_t at(struct cw_allocations *a, const struct cw_trace *t, uint32_t command, uint64_t address)
{
    uint32_t memory;

    assert_true(cw_allocations_find(a, t, command, address, &memory));
    return memory;
}

static void allocations_are_found_by_address_and_time(void **state)
{
    struct cw_allocations a = {0};
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t first = svm(&t, 0x1000, 0x100, 0, 4), small = svm(&t, 0x1000, 0x20, 4, 6),
             large = svm(&t, 0xff0, 0x100, 6, 0);
    svm(&t, 0x4000, 8, 2, 2); /* no command can meet it */
    uint32_t unseen = svm(&t, 0x4000, 8, 3, 0), next = svm(&t, 0x4000, 16, 5, 0);
    tb_buffer(&t, 0x10000, 0);
    svm(&t, UINT64_MAX - 3, 100, 0, 0); /* a lying trace */
    assert_true(cw_allocations_init(&a, &t));
    assert_int_equal(at(&a, &t, 0, 0xfff), CW_NONE);
    assert_int_equal(at(&a, &t, 0, 0x1000), first);
    assert_int_equal(at(&a, &t, 2, 0x4000), CW_NONE);
    assert_int_equal(at(&a, &t, 3, 0x10ff), first);
    assert_int_equal(at(&a, &t, 3, 0x4007), unseen);
    assert_int_equal(at(&a, &t, 4, 0x1000), small);
    assert_int_equal(at(&a, &t, 5, 0x1020), CW_NONE);
    assert_int_equal(at(&a, &t, 5, 0x4008), next); /* the one before it must be gone */
    assert_int_equal(at(&a, &t, 6, 0x1000), large);
    assert_int_equal(at(&a, &t, 7, 0x10ef), large);
    assert_int_equal(at(&a, &t, 7, 0x10f0), CW_NONE);
    cw_allocations_finish(&a);
    cw_trace_finish(&t);
}

static uint32_t launch_on(struct cw_trace *t, uint32_t queue, uint32_t kernel, uint64_t address)
{
    uint32_t id = tb_launch(t, queue, kernel, 0, -1);

    t->args.v[t->commands.v[id].args.first].kind = CW_ARG_SVM;
    t->args.v[t->commands.v[id].args.first].value = address;
    return id;
}

/* The address of a freed allocation belongs to a smaller one later: the first kernel still meets what lies
 * behind. Which of two is meant when the trace does not say is not guessed. */
static void an_address_that_comes_again_is_of_another_allocation(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct cw_trace t;
        tb_init(&t);
        uint32_t q = tb_queue(&t, true), p = tb_program(&t, source), k = tb_kernel(&t, p, "plain", 1);
        svm(&t, 0x1000, 0x100, 0, told ? 2 : 0);
        launch_on(&t, q, k, 0x1000); /* 0 */
        launch_on(&t, q, k, 0x1080); /* 1 */
        svm(&t, 0x1000, 0x40, told ? 2 : 0, 0);
        launch_on(&t, q, k, 0x1000); /* 2: the same bytes, as far as edges know */
        tb_build(&t);
        assert_string_equal(tb_edges(&t, TB_DATA),
                            told ? "0>1:RAW(256) 1>2:RAW(64)" : "0>1:RAW(0) 1>2:RAW(0)");
        cw_trace_finish(&t);
    }
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
        cmocka_unit_test(allocations_are_found_by_address_and_time),
        cmocka_unit_test(an_address_that_comes_again_is_of_another_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
