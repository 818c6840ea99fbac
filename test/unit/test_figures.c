/* test_figures.c - critical path, slack and what stands out, on small graphs counted by hand. */
#include "trace_builder.h"

#include "../../analyzer/graph/figures.h"

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
    assert_non_null(strstr(text_of(v, n, "Commands could run side by side"), "1.35 times"));
    assert_non_null(strstr(text_of(v, n, "Memory that nothing touches"), "1 memory objects (4 KiB)"));
    assert_string_not_equal(text_of(v, n, "Device 0 is idle 48 % of its time"), "");
    assert_string_equal(text_of(v, n, "Enqueues failed"), "");
    cw_critical_path_finish(&p);
    cw_figures_finish(&f);
    cw_graph_summary_finish(&s);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_and_slack_are_those_of_the_longest_chain),
        cmocka_unit_test(an_empty_trace_has_no_chain),
        cmocka_unit_test(busy_time_is_a_union),
        cmocka_unit_test(findings_say_what_the_figures_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
