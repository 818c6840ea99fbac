/* test_selection.c - parts of traces: which commands the options choose, and a part's graph has a path
 * from one command to another exactly where the whole graph has one. */
#include "trace_builder.h"

#include "../../analyzer/graph/selection.h"

enum { COMMANDS = 60, BUFFERS = 5, QUEUE = 4, CLASSES = 5 };

static unsigned random_state;

static unsigned below(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return random_state / 65536 % n;
}

/* 0: firm, 1: unproven, 2: host, 3: both, 4: the order of a queue, which none of these implies. */
static unsigned class_of(const struct cw_edge *e)
{
    return e->kind == CW_EDGE_QUEUE ? QUEUE : (e->kind == CW_EDGE_HOST ? 2 : 0) + (unsigned)e->unproven;
}

/* Classes that no stronger one of the same set implies. */
static unsigned strongest(unsigned classes)
{
    return (classes & 16) | (classes & 1 ? 1 : classes & 6 ? classes & 6 : classes & 8);
}

static void random_trace(struct cw_trace *t)
{
    tb_init(t);
    uint32_t in_order = tb_queue(t, false), free_order = tb_queue(t, true),
             program = tb_program(t, "kernel void a(global const int *x, global int *y) { y[0] = x[0]; }"),
             kernel[2] = {tb_kernel(t, program, "a", 2), tb_kernel(t, program, "b", 2)};
    for (int i = 0; i < BUFFERS; i++)
        tb_buffer(t, 64, i ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY);
    for (int i = 0; i < COMMANDS; i++) {
        uint32_t queue = below(2) ? in_order : free_order;
        unsigned what = below(10);
        if (what == 0)
            tb_command(t, CL_COMMAND_BARRIER, queue);
        else if (what == 1)
            tb_command(t, CW_HOST_FINISH, queue);
        else if (what == 2)
            tb_read(t, queue, below(BUFFERS), 0, 64);
        else
            tb_launch(t, queue, kernel[below(2)], (int)below(BUFFERS), (int)below(BUFFERS), -1);
        if (i && below(4) == 0)
            tb_wait(t, below((unsigned)i));
    }
    tb_build(t);
}

/* paths[u][v]: classes of paths from u to v. */
static void find_paths(const struct cw_edge *edges, size_t count, uint8_t paths[COMMANDS][COMMANDS])
{
    memset(paths, 0, COMMANDS * COMMANDS);
    for (uint32_t to = 0; to < COMMANDS; to++)
        for (size_t i = 0; i < count; i++) {
            const struct cw_edge *e = &edges[i];
            if (e->to != to)
                continue;
            paths[e->from][to] |= (uint8_t)(1u << class_of(e));
            for (uint32_t u = 0; u < COMMANDS; u++)
                for (unsigned c = 0; c < CLASSES; c++)
                    if (paths[u][e->from] >> c & 1 && (c == QUEUE) == (class_of(e) == QUEUE))
                        paths[u][to] |= (uint8_t)(1u << (c | class_of(e)));
        }
}

static void contracted_graph_has_the_paths(void **state)
{
    static uint8_t paths[COMMANDS][COMMANDS], got[COMMANDS][COMMANDS];
    (void)state;
    for (random_state = 1; random_state < 200; random_state = random_state % 1000 + 1) {
        struct cw_trace t, whole;
        struct cw_error err = {0};
        uint8_t keep[COMMANDS];
        unsigned seed = random_state, share = 1 + below(4);
        random_trace(&t);
        whole = t;
        t.edges.v = malloc((t.edges.count + 1) * sizeof *t.edges.v);
        memcpy(t.edges.v, whole.edges.v, t.edges.count * sizeof *t.edges.v);
        for (int i = 0; i < COMMANDS; i++)
            keep[i] = (uint8_t)(below(4) < share ? CW_CONTRACT_KEEP : below(2) * CW_CONTRACT_JOIN);
        assert_int_equal(cw_contract(&t, keep, &err), CW_OK);
        find_paths(whole.edges.v, whole.edges.count, paths);
        find_paths(t.edges.v, t.edges.count, got);
        for (size_t i = 0; i < t.edges.count; i++) {
            const struct cw_edge *e = &t.edges.v[i];
            assert_true(keep[e->from] == CW_CONTRACT_KEEP && keep[e->to] == CW_CONTRACT_KEEP);
        }
        for (int u = 0; u < COMMANDS; u++)
            for (int v = 0; v < COMMANDS; v++)
                if (keep[u] && keep[v] && strongest(got[u][v]) != strongest(paths[u][v]))
                    fail_msg("seed %u: %d to %d: classes %x, expected %x", seed, u, v, got[u][v],
                             paths[u][v]);
        free(whole.edges.v);
        cw_trace_finish(&t);
        random_state = seed;
    }
}

/* A command stays for its joining only where it joins two. */
static void barriers_stay_where_they_join(void **state)
{
    struct cw_trace t;
    struct cw_error err = {0};
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_kernel(&t, tb_program(&t, NULL), "a", 0);
    tb_launch(&t, q, a, -1);
    tb_command(&t, CL_COMMAND_BARRIER, q);
    tb_launch(&t, q, a, -1);
    tb_launch(&t, q, a, -1);
    tb_command(&t, CL_COMMAND_BARRIER, q);
    tb_launch(&t, q, a, -1);
    tb_build(&t);
    assert_int_equal(cw_selection_apply(&t, &(struct cw_selection){.kernel = "^a$"}, &err), CW_OK);
    assert_int_equal(t.commands.count, 5);
    assert_string_equal(tb_edges(&t, ~0u), "0>1:path 0>2:path 1>3:barrier 2>3:barrier 3>4:barrier");
    assert_int_equal(cw_trace_command_number(&t, 3), 4);
    assert_int_equal(t.process.whole_commands, 6);
    cw_trace_finish(&t);
}

/* Returns the numbers of what `s` selects of a trace of ten writes, numbers 3 and 6 of which block. */
static const char *chosen(struct cw_selection s)
{
    static char text[256];
    struct cw_trace t;
    struct cw_error err = {0};
    size_t n = 0;
    tb_init(&t);
    t.process.start_ns = 1000;
    uint32_t q = tb_queue(&t, false), m = tb_buffer(&t, 64, 0);
    for (int i = 0; i < 10; i++)
        tb_write(&t, q, m, 0, 64);
    t.commands.v[3].blocking = t.commands.v[6].blocking = true;
    tb_build(&t);
    text[0] = '\0';
    if (cw_selection_apply(&t, &s, &err))
        snprintf(text, sizeof text, "%.255s", err.text);
    for (uint32_t i = 0; !err.status && i < t.commands.count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%u ", cw_trace_command_number(&t, i));
    cw_trace_finish(&t);
    return text;
}

static void options_choose(void **state)
{
    (void)state;
    assert_string_equal(chosen((struct cw_selection){.commands = "2..4"}), "2 3 4 ");
    assert_string_equal(chosen((struct cw_selection){.commands = "8.."}), "8 9 ");
    assert_string_equal(chosen((struct cw_selection){.commands = "..1"}), "0 1 ");
    assert_string_equal(chosen((struct cw_selection){.commands = "5"}), "5 ");
    assert_string_equal(chosen((struct cw_selection){.windows = "0"}), "0 1 2 3 ");
    assert_string_equal(chosen((struct cw_selection){.windows = "1..2"}), "4 5 6 7 8 9 ");
    assert_string_equal(chosen((struct cw_selection){.windows = "1..2", .commands = "6..8"}), "6 7 8 ");
    assert_string_equal(chosen((struct cw_selection){.from = "3us", .to = "5us"}), "3 4 ");
    assert_string_equal(chosen((struct cw_selection){.from = "0.000008"}), "8 9 ");
    assert_string_equal(chosen((struct cw_selection){.windows = "3"}),
                        "--windows 3: the trace has windows 0 to 2");
    assert_string_equal(chosen((struct cw_selection){.commands = "10"}),
                        "--commands 10: the trace has commands 0 to 9");
}

static void nonsense_is_refused(void **state)
{
    static const struct cw_selection bad[] = {{.commands = ""},
                                              {.commands = ".."},
                                              {.commands = "1..2..3"},
                                              {.commands = "-1"},
                                              {.commands = "9..3"},
                                              {.windows = "a"},
                                              {.windows = "1 .. 2"},
                                              {.from = "1h"},
                                              {.to = "-1s"},
                                              {.from = "nan"},
                                              {.from = "1e300"},
                                              {.from = "2s", .to = "1s"},
                                              {.kernel = "("},
                                              {.kernel = "*["},
                                              {.to = "0"},
                                              {.from = ""},
                                              {.commands = "99999999999999999999"}};
    struct cw_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct cw_error){0};
        if (cw_selection_check(&bad[i], &err) != CW_ERR_INVALID || !err.text[0])
            fail_msg("case %zu is not refused", i);
    }
}

/* A part of a part names the whole trace's commands, and its wait lists only commands that are there. */
static void parts_of_parts(void **state)
{
    struct cw_trace t;
    struct cw_error err = {0};
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true);
    for (uint32_t i = 0; i < 8; i++) {
        tb_command(&t, CL_COMMAND_MARKER, q);
        for (uint32_t k = 0; k < i; k++)
            tb_wait(&t, k);
    }
    tb_build(&t);
    assert_int_equal(cw_selection_apply(&t, &(struct cw_selection){.commands = "2..6"}, &err), CW_OK);
    assert_int_equal(cw_selection_apply(&t, &(struct cw_selection){.commands = "4..9"}, &err), CW_OK);
    assert_int_equal(t.commands.count, 3);
    assert_int_equal(cw_trace_command_number(&t, 0), 4);
    assert_int_equal(t.commands.v[2].wait_list.count, 2);
    assert_int_equal(t.waits.v[t.commands.v[2].wait_list.first + 1], 1);
    assert_int_equal(t.process.whole_commands, 8);
    assert_string_equal(t.process.selection, "--commands 2..6 --commands 4..9");
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contracted_graph_has_the_paths), cmocka_unit_test(barriers_stay_where_they_join),
        cmocka_unit_test(options_choose), cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(parts_of_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
