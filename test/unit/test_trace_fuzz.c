/* test_trace_fuzz.c - thousands of damaged traces: each is either refused with a message and a position, or
 * good enough for everything that reads traces. Deterministic; meant to be run under the sanitizers as well.
 *
 * CW_FUZZ_ROUNDS: mutations per file (default 1500). The corpus is test/fuzz/ *.json; tests start in the
 * repository's root. */
#include "trace_sample.h"

#include <glob.h>

#include "../../analyzer/draw/exporter.h"
#include "../../analyzer/draw/report.h"
#include "../../analyzer/graph/graph_summary.h"
#include "../../analyzer/graph/sweep_order.h"
#include "../../analyzer/trace/trace_read.h"

static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

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

/* Replaces the number or word at or after a random place by one of `words`. */
static char *replace_value(const char *text, size_t n, size_t *length)
{
    size_t at = draw((uint32_t)n), end;
    const char *word = words[draw(sizeof words / sizeof words[0])];
    char *out;

    while (at < n && text[at] != ':' && text[at] != '[')
        at++;
    at += at < n;
    for (end = at; end < n && !strchr(",]}", text[end]);)
        end++;
    out = malloc(n + 64);
    memcpy(out, text, at);
    *length = at + (size_t)sprintf(out + at, "%s", word);
    memcpy(out + *length, text + end, n - end);
    *length += n - end;
    return out;
}

/* A line swapped with, or written over by, another one: rows in the wrong order, twice, missing. */
static char *shuffle_lines(const char *text, size_t n, size_t *length)
{
    size_t a = draw((uint32_t)n), b = draw((uint32_t)n), a_end, b_end;
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
    uint32_t how = draw(8);

    if (how < 4)
        return replace_value(text, n, length);
    if (how < 6)
        return shuffle_lines(text, n, length);
    out = malloc(n + 1);
    memcpy(out, text, n);
    *length = how == 6 ? draw((uint32_t)n) : n;
    for (uint32_t i = draw(4); how == 7 || i > 0; i--) {
        out[draw((uint32_t)n)] = (char)draw(256);
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

static enum cw_status write_report(const struct cw_trace *t, const struct cw_export_options *o, FILE *f, struct cw_error *err)
{
    (void)o;
    return cw_report_write(t, &(struct cw_report_options){0}, f, err);
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
        to_nowhere(&t, write_report);
        if (cw_graph_build(&t, NULL, &err)) /* whatever was recorded, a graph comes of it, without a cycle */
            fail_msg("graph: %s", err.text);
        uint32_t *order = malloc((t.commands.count + 1) * sizeof *order);
        if (cw_graph_order(&t, order, &err))
            fail_msg("built graph: %s", err.text);
        free(order);
        to_nowhere(&t, cw_export_dot);
    } else if (strncmp(err.text, "fuzz:", 5) != 0 || err.status == CW_OK) {
        fail_msg("no position: status %d, \"%s\"", err.status, err.text);
    }
    cw_trace_finish(&t);
    return ok;
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);

    assert_non_null(f);
    *n = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

static void damaged_traces_do_no_harm(void **state)
{
    long rounds = getenv("CW_FUZZ_ROUNDS") ? atol(getenv("CW_FUZZ_ROUNDS")) : 1500;
    unsigned long accepted = 0, refused = 0;
    glob_t files;

    (void)state;
    if (glob("test/fuzz/*.json", 0, NULL, &files) != 0)
        fail_msg("no corpus: start in the repository's root");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t n, m;
        char *text = read_file(files.gl_pathv[i], &n);
        if (!try(text, n))
            fail_msg("%s itself is refused", files.gl_pathv[i]);
        for (long r = 0; r < rounds; r++) {
            char *damaged = damage(text, n, &m), *exact = malloc(m ? m : 1);
            memcpy(exact, damaged, m);
            free(damaged);
            *(try(exact, m) ? &accepted : &refused) += 1;
            free(exact);
        }
        free(text);
    }
    globfree(&files);
    print_message("%lu damaged traces refused, %lu still traces\n", refused, accepted);
    assert_true(refused > 100 &&
                accepted > 100); /* else the mutations are too wild or too tame to mean anything */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_traces_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
