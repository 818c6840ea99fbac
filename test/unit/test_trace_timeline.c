/* test_trace_timeline.c - the demands of viewers of trace-event JSON: slices of one track nest, arrows begin
 * and end inside slices of the right commands, every track has a name. */
#include "trace_sample.h"

#include <jansson.h>

#include "../../analyzer/explain/draw/exporter.h"
#include "../../analyzer/graph/trace_read.h"

struct slice {
    json_int_t pid, tid, command;
    double begin, end;
};
struct events {
    struct slice slices[4096];
    size_t slice_count, arrows, names;
    json_t *root;
};

static json_t *timeline(const struct cw_trace *t)
{
    struct cw_error err = {0};
    struct cw_export_options o = {0};
    json_error_t error;
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (cw_export_timeline(t, &o, f, &err))
        fail_msg("%s", err.text);
    fclose(f);
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%d:%d %s", error.line, error.column, error.text);
    free(text);
    return root;
}

static json_int_t integer(const json_t *e, const char *key)
{
    assert_true(json_is_integer(json_object_get(e, key)));
    return json_integer_value(json_object_get(e, key));
}
static double number(const json_t *e, const char *key)
{
    assert_true(json_is_number(json_object_get(e, key)));
    return json_number_value(json_object_get(e, key));
}

static void collect(struct events *v)
{
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(v->root, "traceEvents"), i, e)
    {
        const char *phase = json_string_value(json_object_get(e, "ph"));
        assert_non_null(phase);
        assert_non_null(json_string_value(json_object_get(e, "name")));
        if (*phase == 'X') {
            assert_true(v->slice_count < 4096);
            v->slices[v->slice_count++] = (struct slice){integer(e, "pid"), integer(e, "tid"),
                                                         integer(json_object_get(e, "args"), "command"),
                                                         number(e, "ts"), number(e, "ts") + number(e, "dur")};
        }
        v->names += *phase == 'M';
        v->arrows += *phase == 's';
    }
}

static void slices_of_a_track_nest(const struct events *v)
{
    for (size_t a = 0; a < v->slice_count; a++)
        for (size_t b = 0; b < v->slice_count; b++) {
            const struct slice *x = &v->slices[a], *y = &v->slices[b];
            if (a == b || x->pid != y->pid || x->tid != y->tid || x->begin > y->begin)
                continue;
            if (y->begin < x->end - 0.0005 && y->end > x->end + 0.0005)
                fail_msg("slices of commands %d and %d cross in track %d/%d", (int)x->command,
                         (int)y->command, (int)x->pid, (int)x->tid);
        }
}

static const struct slice *slice_at(const struct events *v, const json_t *e)
{
    double ts = number(e, "ts");
    for (size_t i = 0; i < v->slice_count; i++)
        if (v->slices[i].pid == integer(e, "pid") && v->slices[i].tid == integer(e, "tid") &&
            v->slices[i].begin <= ts + 0.0001 && ts <= v->slices[i].end + 0.0001)
            return &v->slices[i];
    return NULL;
}

static void arrows_join_slices(const struct events *v)
{
    size_t i, k;
    json_t *s, *f, *all = json_object_get(v->root, "traceEvents");
    json_array_foreach(all, i, s)
    {
        if (strcmp(json_string_value(json_object_get(s, "ph")), "s") != 0)
            continue;
        unsigned ends = 0;
        assert_non_null(slice_at(v, s));
        json_array_foreach(all, k, f) if (strcmp(json_string_value(json_object_get(f, "ph")), "f") == 0 &&
                                          integer(f, "id") == integer(s, "id"))
        {
            ends++;
            assert_non_null(slice_at(v, f));
            assert_string_equal(json_string_value(json_object_get(f, "bp")), "e");
        }
        assert_int_equal(ends, 1);
    }
}

static void tracks_have_names(const struct events *v)
{
    size_t k;
    json_t *m;
    for (size_t i = 0; i < v->slice_count; i++) {
        bool named = false;
        json_array_foreach(json_object_get(v->root, "traceEvents"), k, m) named |=
            strcmp(json_string_value(json_object_get(m, "ph")), "M") == 0 &&
            strcmp(json_string_value(json_object_get(m, "name")), "thread_name") == 0 &&
            integer(m, "pid") == v->slices[i].pid && integer(m, "tid") == v->slices[i].tid;
        assert_true(named);
    }
}

static void check_timeline(const struct cw_trace *t, size_t least_slices, size_t least_arrows)
{
    struct events *v = calloc(1, sizeof *v);
    v->root = timeline(t);
    collect(v);
    if (v->slice_count < least_slices || v->arrows < least_arrows)
        fail_msg("%zu slices and %zu arrows only", v->slice_count, v->arrows);
    slices_of_a_track_nest(v);
    arrows_join_slices(v);
    tracks_have_names(v);
    json_decref(v->root);
    free(v);
}

static void real_traces(void **state)
{
    static const struct {
        const char *path;
        size_t slices, arrows;
    } files[] = {{"test/fuzz/blockmatmul.json", 36, 25},
                 {"test/fuzz/events_ooo.json", 80, 20},
                 {"test/fuzz/userevents_maps.json", 70, 20}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct cw_error err = {0};
        struct cw_trace t;
        cw_trace_init(&t);
        if (cw_trace_load(&t, files[i].path, &err))
            fail_msg("%s", err.text);
        check_timeline(&t, files[i].slices, files[i].arrows);
        cw_trace_finish(&t);
    }
}

/* Commands of an out-of-order queue that overlap without nesting, on a device whose clock is far from the
 * host's. */
static void overlapping_commands_and_another_clock(void **state)
{
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, true), a = tb_buffer(&t, 64, 0);
    t.process.start_ns = 500;
    for (uint64_t i = 0; i < 6; i++) {
        tb_write(&t, q, a, 8 * i, 16);
        struct cw_command *k = &t.commands.v[i];
        k->queued_ns = k->call_begin_ns + 100 + 5000000000u;
        k->submit_ns = k->queued_ns + 10;
        k->start_ns = k->queued_ns + 50;
        k->end_ns = k->start_ns + 2500; /* into the next two */
    }
    tb_build(&t);
    check_timeline(&t, 18, 5);
    json_t *root = timeline(&t), *e;
    size_t i;
    json_array_foreach(json_object_get(root, "traceEvents"), i,
                       e) if (json_object_get(e, "ts") && (number(e, "ts") < 0 || number(e, "ts") > 20))
        fail_msg("the device's clock was not aligned: %g us", number(e, "ts"));
    json_decref(root);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_traces),
                                       cmocka_unit_test(overlapping_commands_and_another_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
