/* test_trace_fuzz.c - thousands of damaged traces: each is either refused with a message and a position, or
 * good enough for everything that reads traces. Deterministic; meant to be run under the sanitizers as well.
 *
 * CW_FUZZ_ROUNDS: mutations per file (default 1500). The corpus is test/fuzz/ *.json; tests start in the
 * repository's root. */
#include "trace_sample.h"
#include "fuzz_files.h"

#include "../../analyzer/explain/draw/exporter.h"
#include "../../analyzer/explain/draw/report.h"
#include "../../analyzer/explain/graph_summary.h"
#include "../../analyzer/graph/trace_read.h"

static const char *const words[] = {"0",
                                    "-1",
                                    "4294967295",
                                    "4294967296",
                                    "18446744073709551615",
                                    "99999999999999999999",
                                    "1e9",
                                    "0.5",
                                    "null",
                                    "true",
                                    "\"\"",
                                    "[]",
                                    "{}",
                                    "[[[[",
                                    "\"0x\"",
                                    "\"\\ud800\"",
                                    "\"data\"",
                                    "\"RAW\"",
                                    "7",
                                    "\"CL_COMMAND_UNMAP_MEM_OBJECT\"",
                                    "\"clFinish\"",
                                    "\"clSetUserEventStatus\"",
                                    "12"};

/* A value replaced by one of `words`. */
static char *replace_value(const char *text, size_t n, size_t *length)
{
    return fuzz_replace_value(text, n, ":[", words[fuzz_draw(sizeof words / sizeof *words)], length);
}

/* A line swapped with, or written over by, another one: rows in the wrong order, twice, missing. */
static char *shuffle_lines(const char *text, size_t n, size_t *length)
{
    size_t a = fuzz_draw((uint32_t)n), b = fuzz_draw((uint32_t)n), a_end, b_end;
    char *out = malloc(2 * n + 1);

    while (a > 0 && text[a - 1] != '\n')
        a--;
    while (b > 0 && text[b - 1] != '\n')
        b--;
    for (a_end = a; a_end < n && text[a_end] != '\n';)
        a_end++;
    for (b_end = b; b_end < n && text[b_end] != '\n';)
        b_end++;
    memcpy(out, text, a);
    memcpy(out + a, text + b, b_end - b);
    memcpy(out + a + (b_end - b), text + a_end, n - a_end);
    *length = a + (b_end - b) + (n - a_end);
    return out;
}

static char *damage(const char *text, size_t n, size_t *length)
{
    char *out;
    uint32_t how = fuzz_draw(8);

    if (how < 4)
        return replace_value(text, n, length);
    if (how < 6)
        return shuffle_lines(text, n, length);
    out = malloc(n + 1);
    memcpy(out, text, n);
    *length = how == 6 ? fuzz_draw((uint32_t)n) : n;
    for (uint32_t i = fuzz_draw(4); how == 7 || i > 0; i--) {
        out[fuzz_draw((uint32_t)n)] = (char)fuzz_draw(256);
        if (i == 0)
            break;
    }
    return out;
}

static void to_nowhere(const struct cw_trace *t,
                       enum cw_status (*write)(const struct cw_trace *, const struct cw_export_options *,
                                               FILE *, struct cw_error *))
{
    static const struct cw_export_options all = {.queue_edges = true, .limit = 200};
    struct cw_error err = {0};
    FILE *f = fopen("/dev/null", "w");

    assert_non_null(f);
    write(t, &all, f, &err);
    fclose(f);
}

static enum cw_status write_summary(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                    struct cw_error *err)
{
    (void)o, (void)err;
    cw_graph_summary_print(t, f);
    return CW_OK;
}

static enum cw_status write_report(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                   struct cw_error *err)
{
    (void)o;
    return cw_report_write(t, &(struct cw_report_options){0}, f, err);
}

static enum cw_status write_perfetto(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                     struct cw_error *err)
{
    (void)o;
    return cw_export_timeline(t, &(struct cw_export_options){.perfetto = true}, f, err);
}

/* Returns whether the damaged text was still a trace. */
static bool try(const char *text, size_t n)
{
    struct cw_error err = {0};
    struct cw_trace t;
    bool ok;

    cw_trace_init(&t);
    ok = cw_trace_load_text(&t, "fuzz", text, n, &err) == CW_OK;
    if (ok) {
        to_nowhere(&t, write_summary);
        to_nowhere(&t, cw_export_dot);
        to_nowhere(&t, cw_export_timeline);
        to_nowhere(&t, write_perfetto);
        to_nowhere(&t, write_report);
        if (cw_graph_build(&t, NULL, &err)) /* whatever was recorded, a graph comes of it, without a cycle */
            fail_msg("graph: %s", err.text);
        uint32_t *order = malloc((t.commands.count + 1) * sizeof *order);
        if (cw_sweep_topological_order(&t, order, &err))
            fail_msg("built graph: %s", err.text);
        free(order);
        to_nowhere(&t, cw_export_dot);
    } else if (strncmp(err.text, "fuzz:", 5) != 0 || err.status == CW_OK) {
        fail_msg("no position: status %d, \"%s\"", err.status, err.text);
    }
    cw_trace_finish(&t);
    return ok;
}

static void damaged_traces_do_no_harm(void **state)
{
    (void)state;
    fuzz_files(&(struct fuzz_reader){"test/fuzz/*.json", 1500, damage, try});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_traces_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
