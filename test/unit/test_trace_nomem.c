/* test_trace_nomem.c - every allocation fails in turn while a trace is read, built, written and drawn: the
 * answer is CW_ERR_NOMEM, nothing leaks, nothing crashes. The same code runs in the traced program when it
 * exits. */
#include "trace_sample.h"

#include "../../analyzer/explain/draw/exporter.h"
#include "../../analyzer/explain/draw/report.h"
#include "../../analyzer/explain/graph_summary.h"
#include "../../analyzer/graph/trace_read.h"
#include "failing_alloc.h"

static char *text;
static size_t length;
static FILE *nowhere;

static enum cw_status everything(void)
{
    static const struct cw_export_options options;
    struct cw_error err = {0};
    struct cw_graph_summary summary = {0};
    struct cw_trace t;
    enum cw_status status;

    cw_trace_init(&t);
    status = cw_trace_load_text(&t, "sample", text, length, &err);
    if (!status)
        status = cw_graph_build(&t, NULL, &err);
    if (!status)
        status = cw_trace_write(&t, nowhere, &err);
    if (!status)
        status = cw_export_dot(&t, &options, nowhere, &err);
    if (!status)
        status = cw_export_timeline(&t, &options, nowhere, &err);
    if (!status)
        status = cw_export_timeline(&t, &(struct cw_export_options){.perfetto = true}, nowhere, &err);
    if (!status)
        status = cw_graph_summary_init(&summary, &t, &err);
    if (!status)
        status = cw_report_write(&t, &(struct cw_report_options){0}, nowhere, &err);
    cw_graph_summary_finish(&summary);
    cw_trace_finish(&t);
    return status;
}

static void each_allocation_fails_in_turn(void **state)
{
    struct cw_trace t;
    enum cw_status status = CW_ERR_NOMEM;
    long n;

    (void)state;
    if (!REPLACED) {
        print_message("the sanitizer's allocator is in place\n");
        skip();
    }
    sample_trace(&t);
    text = sample_text(&t, &length);
    cw_trace_finish(&t);
    nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    assert_int_equal(everything(), CW_OK); /* what libc keeps for itself, it has now */
    for (n = 0; status == CW_ERR_NOMEM && n < 10000; n++) {
        countdown = n;
        live = 0;
        counting = true;
        status = everything();
        counting = false;
        if (live != 0)
            fail_msg("%ld blocks leaked when allocation %ld failed", live, n);
    }
    assert_int_equal(status, CW_OK);
    print_message("%ld allocations failed in turn\n", n - 1);
    assert_true(n > 40);
    fclose(nowhere);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_in_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
