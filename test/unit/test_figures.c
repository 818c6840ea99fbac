/* test_figures.c - critical path, slack and findings, on small graphs counted by hand. */
#include "trace_builder.h"
#include "../../analyzer/record/command_facts.h"

#include "../../analyzer/explain/figures.h"
#include "../../analyzer/io/quantity.h"

/* Command `c` ran from `begin` for `ns`. */
static void ran(struct cw_trace *t, uint32_t c, uint64_t begin, uint64_t ns)
{
    t->commands.v[c].start_ns = begin;
    t->commands.v[c].end_ns = begin + ns;
}

/* Two chains, 0>2 and 1>3, of 10 + 10 and 5 + 2 ns on an in-order queue. */
static void two_chains(struct cw_trace *t)
{
    tb_init(t);
    uint32_t q = tb_queue(t, false), a = tb_buffer(t, 8, 0), b = tb_buffer(t, 8, 0);
    tb_write(t, q, a, 0, 8);
    tb_write(t, q, b, 0, 8);
    tb_write(t, q, a, 0, 8);
    tb_write(t, q, b, 0, 8);
    tb_build(t);
    ran(t, 0, 100, 10);
    ran(t, 1, 105, 5);
    ran(t, 2, 120, 10);
    ran(t, 3, 140, 2);
}

static void chain_and_slack_are_those_of_the_longest_chain(void **state)
{
    struct cw_trace t;
    struct cw_critical_path p;
    (void)state;
    two_chains(&t);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    assert_int_equal(p.length, 20);
    assert_int_equal(p.work, 27);
    assert_int_equal(p.chain_count, 2);
    assert_int_equal(p.chain[0], 0);
    assert_int_equal(p.chain[1], 2);
    assert_int_equal(p.slack[0], 0);
    assert_int_equal(p.slack[2], 0);
    assert_int_equal(p.slack[1], 13);
    assert_int_equal(p.slack[3], 13);
    assert_int_equal(p.width, 2);
    cw_critical_path_finish(&p);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_COUNT, NULL), CW_OK);
    assert_int_equal(p.length, 2);
    assert_int_equal(p.work, 4);
    cw_critical_path_finish(&p);
    cw_trace_finish(&t);
}

static void an_empty_trace_has_no_chain(void **state)
{
    struct cw_trace t;
    struct cw_critical_path p;
    (void)state;
    tb_init(&t);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    assert_int_equal(p.length, 0);
    assert_int_equal(p.chain_count, 0);
    cw_critical_path_finish(&p);
    cw_trace_finish(&t);
}

/* Overlapping commands make a device busy once. */
static void busy_time_is_a_union(void **state)
{
    struct cw_trace t;
    struct cw_figures f;
    (void)state;
    two_chains(&t);
    assert_int_equal(cw_figures_init(&f, &t, NULL), CW_OK);
    assert_int_equal(f.devices[0].commands, 4);
    assert_int_equal(f.devices[0].span_ns, 42);
    assert_int_equal(f.devices[0].busy_ns, 10 + 10 + 2);
    assert_int_equal(f.devices[0].sum_ns, 27);
    assert_int_equal(f.waits_only, 1); /* the second write: behind the first, for nothing */
    cw_figures_finish(&f);
    cw_trace_finish(&t);
}

/* The text of the finding of that title; "" when there is none. */
static const char *text_of(const struct cw_finding *v, size_t n, const char *title)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].title, title) == 0)
            return v[i].text;
    return "";
}

static void findings_say_what_the_figures_say(void **state)
{
    struct cw_finding v[CW_FINDINGS_MAX];
    struct cw_graph_summary s;
    struct cw_critical_path p;
    struct cw_figures f;
    struct cw_trace t;
    size_t n;
    (void)state;
    two_chains(&t);
    tb_buffer(&t, 4096, 0);
    t.process.complete = false;
    assert_int_equal(cw_graph_summary_init(&s, &t, NULL), CW_OK);
    assert_int_equal(cw_figures_init(&f, &t, NULL), CW_OK);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    n = cw_findings(v, &t, &s, &f, &p);
    assert_string_equal(v[0].title, "The program ended abruptly"); /* troubles first */
    assert_int_equal(v[0].kind, CW_FINDING_TROUBLE);
    assert_non_null(strstr(text_of(v, n, "Commands run side by side"), "27 ns, within 22 ns"));
    assert_non_null(strstr(text_of(v, n, "Memory that nothing touches"), "1 memory object (4 KiB) is"));
    assert_string_not_equal(text_of(v, n, "Device 0 is idle 48 % of its time"), "");
    assert_string_equal(text_of(v, n, "Calls failed"), "");
    cw_critical_path_finish(&p);
    cw_figures_finish(&f);
    cw_graph_summary_finish(&s);
    cw_trace_finish(&t);
}

/* The findings of `t`, weighed by time. */
static size_t findings_of(struct cw_trace *t, struct cw_finding *v)
{
    struct cw_graph_summary s;
    struct cw_critical_path p;
    struct cw_figures f;
    size_t n;

    assert_int_equal(cw_graph_summary_init(&s, t, NULL), CW_OK);
    assert_int_equal(cw_figures_init(&f, t, NULL), CW_OK);
    assert_int_equal(cw_critical_path_init(&p, t, CW_WEIGHT_TIME, NULL), CW_OK);
    n = cw_findings(v, t, &s, &f, &p);
    cw_critical_path_finish(&p);
    cw_figures_finish(&f);
    cw_graph_summary_finish(&s);
    return n;
}

/* Two writes of each of two queues, in turn, of one buffer, and a read of the first queue; `ordered`: each
 * waits for the event of the one before. */
static void two_queues(struct cw_trace *t, bool ordered)
{
    tb_init(t);
    uint32_t q[2] = {tb_queue(t, false), tb_queue(t, false)}, a = tb_buffer(t, 64, 0);
    for (uint32_t i = 0; i < 4; i++) {
        tb_write(t, q[i % 2], a, 0, 64);
        if (ordered && i)
            tb_wait(t, i - 1);
    }
    tb_read(t, q[0], a, 0, 64);
    if (ordered)
        tb_wait(t, 3);
    tb_build(t);
    for (uint32_t i = 0; i < 5; i++)
        ran(t, i, 100 + 10 * (i / 2), 10);
}

static void commands_of_two_queues_race_without_an_order(void **state)
{
    struct cw_finding v[CW_FINDINGS_MAX];
    struct cw_critical_path p;
    struct cw_races r;
    struct cw_trace t;
    const char *text;
    size_t n;
    (void)state;
    two_queues(&t, true);
    assert_int_equal(cw_races_find(&r, &t, NULL), CW_OK);
    assert_int_equal(r.count, 0);
    cw_races_finish(&r);
    cw_trace_finish(&t);

    two_queues(&t, false);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:WAW(64) 1>2:WAW(64) 2>3:WAW(64) 3>4:RAW(64)");
    assert_int_equal(cw_races_find(&r, &t, NULL), CW_OK);
    assert_int_equal(r.count, 4);
    assert_int_equal(t.edges.v[r.first].to, 1);
    assert_true(r.certain);
    cw_races_finish(&r);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    assert_int_equal(p.length, 50); /* a lacking order is no gain */
    cw_critical_path_finish(&p);
    n = findings_of(&t, v);
    text = text_of(v, n, "Commands of two queues touch the same bytes with no order");
    assert_non_null(strstr(text, "4 pairs: the first is #0 clEnqueueWriteBuffer and #1 "));
    assert_string_equal(text_of(v, n, "Commands could run side by side"), "");
    assert_string_equal(text_of(v, n, "Device times contradict the order of commands"), "");
    cw_trace_finish(&t);
}

/* A clock that counts from 1970 measures as others do, even where its distance to the host is not shown. */
static void clocks_that_count_from_1970(void **state)
{
    const uint64_t since_1970 = 1764000000000000000u;
    struct cw_graph_summary s;
    struct cw_trace t;
    (void)state;
    for (int queued = 0; queued < 2; queued++) {
        two_chains(&t);
        t.process.start_ns = 50;
        for (size_t i = 0; i < t.commands.count; i++) {
            struct cw_command *k = &t.commands.v[i];
            k->start_ns += since_1970;
            k->end_ns += since_1970;
            k->call_begin_ns = 60;
            k->call_end_ns = queued ? 5000060 : 0;
            k->queued_ns = since_1970 + 90;
        }
        assert_int_equal(cw_graph_summary_init(&s, &t, NULL), CW_OK);
        assert_int_equal(s.device_ns, 27);
        assert_int_equal(s.busy_ns, 22);
        cw_graph_summary_finish(&s);
        cw_trace_finish(&t);
    }
}

/* Commands that wait for each other cannot have run at once. */
static void times_may_contradict_the_order(void **state)
{
    struct cw_finding v[CW_FINDINGS_MAX];
    struct cw_trace t;
    size_t n;
    (void)state;
    two_chains(&t);
    for (uint32_t i = 0; i < 4; i++)
        ran(&t, i, 100, 10);
    n = findings_of(&t, v);
    assert_non_null(
        strstr(text_of(v, n, "Device times contradict the order of commands"), "took 20 ns, yet"));
    assert_string_equal(text_of(v, n, "Commands run side by side"), "");
    cw_trace_finish(&t);
}

/* Writes of one buffer pass nothing on: memory alone makes them a chain. A read between them needs a result,
 * and the write behind it only the memory. */
static void memory_that_is_used_again_is_no_need(void **state)
{
    struct cw_finding v[CW_FINDINGS_MAX];
    struct cw_critical_path p;
    struct cw_trace t;
    size_t n;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    tb_read(&t, q, a, 0, 64);
    tb_write(&t, q, a, 0, 64);
    tb_write(&t, q, a, 0, 64);
    tb_build(&t);
    for (uint32_t i = 0; i < 4; i++)
        ran(&t, i, 100 + 10 * i, 10);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:RAW(64) 1>2:WAR(64) 2>3:WAW(64)");
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    assert_int_equal(p.length, 40);
    assert_int_equal(p.without_host, 40);
    assert_int_equal(p.without_reuse, 20);
    cw_critical_path_finish(&p);
    n = findings_of(&t, v);
    assert_non_null(strstr(text_of(v, n, "Memory that is used again makes the commands one chain"),
                           "ask for a chain of 20 ns: with a buffer for each, or two in turn,"));
    assert_string_equal(text_of(v, n, "The commands form one chain"), "");
    cw_trace_finish(&t);
}

/* On an out-of-order queue: 0 and 1 race; 1 is the last command in the graph, but clFinish waits for 0, too.
 */
static void a_wait_for_a_queue_orders_all_of_it(void **state)
{
    struct cw_races r;
    struct cw_habits h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    tb_write(&t, q, a, 0, 32);
    tb_command(&t, CW_HOST_FINISH, q);
    tb_write(&t, q, a, 32, 32);
    tb_command(&t, CW_HOST_FINISH, q);
    tb_build(&t);
    assert_string_equal(tb_edges(&t, TB_DATA), "0>1:WAW(32) 0>3:WAW(32)");
    assert_int_equal(cw_races_find(&r, &t, NULL), CW_OK);
    assert_int_equal(r.count, 1);
    assert_int_equal(t.edges.v[r.first].to, 1);
    cw_races_finish(&r);
    assert_int_equal(cw_habits_find(&h, &t, NULL), CW_OK);
    assert_int_equal(h.unawaited.count, 0);
    cw_trace_finish(&t);
}

/* A clFinish between two writes of different buffers is all that keeps them apart. */
static void waits_of_the_host_are_no_need(void **state)
{
    struct cw_finding v[CW_FINDINGS_MAX];
    struct cw_critical_path p;
    struct cw_trace t;
    size_t n;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0), b = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    tb_command(&t, CW_HOST_FINISH, q);
    tb_write(&t, q, b, 0, 64);
    tb_command(&t, CW_HOST_FINISH, q);
    tb_build(&t);
    ran(&t, 0, 1100, 10);
    ran(&t, 2, 3100, 10);
    assert_int_equal(cw_critical_path_init(&p, &t, CW_WEIGHT_TIME, NULL), CW_OK);
    assert_int_equal(p.length, 20);
    assert_int_equal(p.without_host, 10);
    cw_critical_path_finish(&p);
    n = findings_of(&t, v);
    assert_non_null(strstr(text_of(v, n, "Waits of the host make the commands one chain"), "chain of 10 ns"));
    assert_string_equal(text_of(v, n, "The commands form one chain"), "");
    cw_trace_finish(&t);
}

/* Two threads wait for the same 800 ns of a run of 2 us. */
static void shares_of_the_run_count_a_moment_once(void **state)
{
    struct cw_figures f;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    t.process.start_ns = 1;
    t.process.end_ns = 2001;
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 64, 0);
    tb_write(&t, q, a, 0, 64);
    t.commands.v[0].call_begin_ns = 901;
    t.commands.v[0].call_end_ns = 1001;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t id = tb_command(&t, CW_HOST_FINISH, q);
        t.commands.v[id].thread = i;
        t.commands.v[id].call_begin_ns = 1101;
        t.commands.v[id].call_end_ns = 1901;
    }
    tb_build(&t);
    t.commands.v[0].queued_ns = 951;
    ran(&t, 0, 1000, 961); /* beyond the last call */
    assert_int_equal(cw_figures_init(&f, &t, NULL), CW_OK);
    assert_int_equal(f.run_ns, 2000);
    assert_int_equal(f.blocked_ns, 1600);
    assert_int_equal(f.waited_ns, 800);
    assert_int_equal(f.span_ns, 1961 - 901);
    cw_figures_finish(&f);
    t.process.dropped_commands = 7; /* what --limit has dropped is no part of it */
    assert_int_equal(cw_figures_init(&f, &t, NULL), CW_OK);
    assert_int_equal(f.run_ns, 2001 - 901);
    cw_figures_finish(&f);
    cw_trace_finish(&t);
}

static void counts_have_the_number_of_their_noun(void **state)
{
    (void)state;
    assert_string_equal(CW_COUNT(1, "launch"), "1 launch");
    assert_string_equal(CW_COUNT(2, "launch"), "2 launches");
    assert_string_equal(CW_COUNT(0, "command"), "0 commands");
    assert_string_equal(CW_COUNT(3, "kind of command"), "3 kinds of command");
}

/* Only a transfer that moves all of the ranges that it touches is exact. */
static void bytes_are_exact_where_all_of_them_move(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 1 << 20, 0);
    tb_write(&t, q, a, 0, 8);
    tb_transfer(&t, CL_COMMAND_MAP_BUFFER, q, a, 0, CW_NONE, 0, 8);
    for (uint64_t rows = 2; rows <= 200;
         rows *= 100) { /* few rows are ranges of their own, many are one with gaps */
        uint32_t id = tb_transfer(&t, CL_COMMAND_WRITE_BUFFER_RECT, q, CW_NONE, 0, a, 0, 0);
        struct cw_t_transfer *x = &t.transfers.v[t.commands.v[id].transfer];
        x->region[0] = 8;
        x->region[1] = rows;
        x->region[2] = 1;
        x->dst_row_pitch = 64;
    }
    tb_build(&t);
    assert_true(cw_command_bytes_are_exact(&t, &t.commands.v[0]));
    assert_false(cw_command_bytes_are_exact(&t, &t.commands.v[1]));
    assert_true(cw_command_bytes_are_exact(&t, &t.commands.v[2]));
    assert_false(cw_command_bytes_are_exact(&t, &t.commands.v[3]));
    cw_trace_finish(&t);
}

/* A late start says nothing where no later launch shows what is usual, or where the launch had to wait for
 * something. */
static void a_late_first_launch_needs_something_to_compare_with(void **state)
{
    const uint64_t ms = 1000000;
    struct cw_first_launches f;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0);
    cw_trace_push(&t.kernels, 1)->name = "k";
    for (int i = 0; i < 2; i++) {
        uint32_t id = tb_launch(&t, q, 0, (int)a, -1);
        struct cw_command *k = &t.commands.v[id];
        k->call_begin_ns = k->queued_ns = k->submit_ns = 300 * ms * (uint64_t)i + 1;
        k->call_end_ns = k->call_begin_ns + 1;
        k->start_ns = i ? 300 * ms + 2 : 200 * ms;
        k->end_ns = k->start_ns + ms;
    }
    t.commands.count = 1;
    assert_int_equal(cw_first_launches_find(&f, &t, NULL), CW_OK);
    assert_int_equal(f.count, 0);
    cw_first_launches_finish(&f);
    t.commands.count = 2;
    assert_int_equal(cw_first_launches_find(&f, &t, NULL), CW_OK);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.late_ns, 200 * ms - 1);
    cw_first_launches_finish(&f);
    uint32_t id = tb_write(&t, q, a, 0, 8); /* the device was busy until the launch began */
    struct cw_command *before = &t.commands.v[id];
    before->call_begin_ns = before->queued_ns = before->submit_ns = 1;
    before->start_ns = 2;
    before->end_ns = 200 * ms;
    assert_int_equal(cw_first_launches_find(&f, &t, NULL), CW_OK);
    assert_int_equal(f.count, 0);
    cw_first_launches_finish(&f);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_and_slack_are_those_of_the_longest_chain),
        cmocka_unit_test(an_empty_trace_has_no_chain),
        cmocka_unit_test(busy_time_is_a_union),
        cmocka_unit_test(bytes_are_exact_where_all_of_them_move),
        cmocka_unit_test(a_late_first_launch_needs_something_to_compare_with),
        cmocka_unit_test(findings_say_what_the_figures_say),
        cmocka_unit_test(commands_of_two_queues_race_without_an_order),
        cmocka_unit_test(clocks_that_count_from_1970),
        cmocka_unit_test(times_may_contradict_the_order),
        cmocka_unit_test(memory_that_is_used_again_is_no_need),
        cmocka_unit_test(a_wait_for_a_queue_orders_all_of_it),
        cmocka_unit_test(waits_of_the_host_are_no_need),
        cmocka_unit_test(shares_of_the_run_count_a_moment_once),
        cmocka_unit_test(counts_have_the_number_of_their_noun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
