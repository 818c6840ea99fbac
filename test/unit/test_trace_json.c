/* test_trace_json.c - writing, reading and indexing traces; the reader's messages for bad ones. */
#include "trace_sample.h"

#include <jansson.h>
#include <limits.h>
#include <unistd.h>

#include "../../analyzer/record/trace_write.h"
#include "../../analyzer/graph/trace_read.h"
#include "../../analyzer/io/folders.h"

/* Writing a trace that was read gives the same text. */
static void round_trip_is_exact(void **state)
{
    struct cw_trace t, u;
    struct cw_error err = {0};
    size_t n, m;
    (void)state;
    sample_trace(&t);
    char *text = sample_text(&t, &n), *again;
    cw_trace_init(&u);
    if (cw_trace_load_text(&u, "sample", text, n, &err))
        fail_msg("%s", err.text);
    again = sample_text(&u, &m);
    assert_int_equal(n, m);
    assert_string_equal(text, again);
    assert_string_equal(u.programs.v[0].source, t.programs.v[0].source); /* with bytes that are not UTF-8 */
    assert_memory_equal(u.bytes.v + u.args.v[2].blob, "0123456789abcdef", 16);
    assert_int_equal(u.commands.v[1].work_dim, 2);
    assert_true(u.commands.v[1].local_null);
    assert_int_equal(u.edges.count, t.edges.count);
    free(text);
    free(again);
    cw_trace_finish(&t);
    cw_trace_finish(&u);
}

/* An independent parser accepts the text and finds the members that FORMAT.md describes. */
static void text_is_json_with_the_promised_members(void **state)
{
    static const char *const top[] = {"format", "version", "process",  "platforms", "devices",  "contexts",
                                      "queues", "memory",  "programs", "kernels",   "commands", "edges"};
    static const char *const of_kernel[] = {
        "id",   "type",  "queue",  "kernel",        "global_size", "local_size", "global_offset",
        "args", "reads", "writes", "call_begin_ns", "start_ns",    "end_ns",     "callsite"};
    struct cw_trace t;
    json_error_t error;
    size_t n;
    (void)state;
    sample_trace(&t);
    char *text = sample_text(&t, &n);
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error), *k;
    if (!root)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    for (size_t i = 0; i < sizeof top / sizeof top[0]; i++)
        if (!json_object_get(root, top[i]))
            fail_msg("%s is missing", top[i]);
    k = json_array_get(json_object_get(root, "commands"), 1);
    for (size_t i = 0; i < sizeof of_kernel / sizeof of_kernel[0]; i++)
        if (!json_object_get(k, of_kernel[i]))
            fail_msg("%s of a command is missing", of_kernel[i]);
    assert_string_equal(json_string_value(json_object_get(k, "type")), "CL_COMMAND_NDRANGE_KERNEL");
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(json_object_get(k, "reads"), 0), "bytes")), 1024);
    k = json_array_get(json_object_get(root, "edges"), 1);
    assert_string_equal(json_string_value(json_object_get(k, "kind")), "data");
    assert_string_equal(json_string_value(json_object_get(k, "hazard")), "RAW");
    json_decref(root);
    free(text);
    cw_trace_finish(&t);
}

static void file_and_index_give_the_same_command(void **state)
{
    struct cw_trace t, one;
    struct cw_trace_index x;
    struct cw_error err = {0};
    char path[PATH_MAX];
    const char *text;
    size_t length;
    (void)state;
    snprintf(path, sizeof path, "%s/clweave-test-XXXXXX", cw_temporary_folder());
    close(mkstemp(path));
    sample_trace(&t);
    assert_int_equal(cw_trace_save(&t, path, &err), CW_OK);
    if (cw_trace_index_open(&x, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(x.commands.count, t.commands.count);
    for (uint32_t i = (uint32_t)t.commands.count; i-- > 0;) {
        cw_trace_init(&one);
        assert_int_equal(cw_trace_index_command(&x, i, &one, &text, &length, &err), CW_OK);
        assert_int_equal(one.commands.v[0].type, t.commands.v[i].type);
        assert_int_equal(one.args.count, t.commands.v[i].args.count);
        assert_true(length > 20 && text[0] == '{' && text[length - 1] == '}');
        cw_trace_finish(&one);
    }
    cw_trace_init(&one);
    assert_int_equal(cw_trace_index_edges(&x, 2, &one, &err), CW_OK);
    for (size_t i = 0; i < one.edges.count; i++)
        assert_true(one.edges.v[i].from == 2 || one.edges.v[i].to == 2);
    assert_true(one.edges.count >= 2);
    assert_int_equal(cw_trace_index_command(&x, 999, &one, &text, &length, &err), CW_ERR_NOTFOUND);
    cw_trace_finish(&one);
    cw_trace_index_close(&x);
    unlink(path);
    cw_trace_finish(&t);
}

#define HEAD "{\"format\":\"clweave-trace\",\"version\":1"
#define C0   "{\"id\":0,\"type\":\"CL_COMMAND_MARKER\"}"
#define C1   "{\"id\":1,\"type\":\"CL_COMMAND_MARKER\"}"

static const struct {
    const char *text;
    enum cw_status status;
    const char *message; /* what the message must contain */
} bad[] = {
    {"", CW_ERR_FORMAT, "t:1:1: expected an object, found the end"},
    {"[]", CW_ERR_FORMAT, "t:1:1: expected an object"},
    {"{}", CW_ERR_FORMAT, "\"format\" or \"version\" is missing"},
    {"{\"format\":\"other\"}", CW_ERR_FORMAT, "t:1:11: \"format\" is \"other\""},
    {"{\"format\":\"clweave-trace\",\"version\":7}", CW_ERR_VERSION, "version 7"},
    {"{\"commands\":[]}", CW_ERR_FORMAT, "must come first"},
    {HEAD "}", CW_ERR_FORMAT, "\"commands\" is missing"},
    {HEAD ",\"commands\":[]", CW_ERR_FORMAT, "found the end of the file"},
    {HEAD ",\"commands\":[]} x", CW_ERR_FORMAT, "expected the end of the file, found 'x'"},
    {HEAD ",\"commands\":[],\"commands\":[]}", CW_ERR_FORMAT, "\"commands\" is there twice"},
    {HEAD ",\n\"commands\":[\n" C0 ",\n{\"id\":5,\"type\":\"CL_COMMAND_MARKER\"}]}", CW_ERR_FORMAT,
     "t:4:2: commands[1]: \"id\" is 5, expected 1"},
    {HEAD ",\"commands\":[{\"id\":0}]}", CW_ERR_FORMAT, "commands[0]: \"type\" is missing"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_NONSENSE\"}]}", CW_ERR_FORMAT,
     "there is no command type"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"queue\":-1}]}", CW_ERR_FORMAT,
     "not negative"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"queue\":1.5}]}", CW_ERR_FORMAT,
     "fraction"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"queue\":0}]}", CW_ERR_FORMAT,
     "\"queue\" is 0, but there are only 0 queues"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"queue\":99999999999}]}", CW_ERR_FORMAT,
     "out of range"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"thread\":1,\"thread\":1}]}",
     CW_ERR_FORMAT, "\"thread\" is there twice"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"blocking\":1}]}", CW_ERR_FORMAT,
     "expected true or false"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"wait_list\":[0,7]}]}", CW_ERR_FORMAT,
     "\"wait_list\" is 7"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"reads\":[{\"memory\":3,\"offset\":0,"
          "\"bytes\":1}]}]}",
     CW_ERR_FORMAT, "\"reads/writes\" is 3"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_MARKER\",\"args\":[{\"index\":0,\"memory\":9}]}]}",
     CW_ERR_FORMAT, "\"args\" is 9"},
    {HEAD
     ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_FILL_BUFFER\",\"transfer\":{\"pattern\":\"xyz\"}}]}",
     CW_ERR_FORMAT, "pairs of hexadecimal"},
    {HEAD ",\"commands\":[{\"id\":0,\"type\":\"CL_COMMAND_FILL_BUFFER\",\"transfer\":{\"dst\":4}}]}",
     CW_ERR_FORMAT, "\"dst\" is 4"},
    {HEAD ",\"memory\":[{\"id\":0,\"kind\":\"buffer\",\"size\":10,\"parent\":0}],\"commands\":[]}",
     CW_ERR_FORMAT, "a parent comes before"},
    {HEAD ",\"memory\":[{\"id\":0,\"kind\":\"buffer\",\"size\":10},{\"id\":1,\"kind\":\"subbuffer\",\"size\":"
          "8,\"parent\":0,\"offset\":4}],\"commands\":[]}",
     CW_ERR_FORMAT, "does not lie in its parent"},
    {HEAD ",\"memory\":[{\"id\":0,\"kind\":\"cube\",\"size\":10}],\"commands\":[]}", CW_ERR_FORMAT,
     "\"cube\" is none of the words"},
    {HEAD ",\"commands\":[" C0 "," C1 "],\n\"edges\":[\n{\"from\":0,\"to\":9,\"kind\":\"event\"}]}",
     CW_ERR_FORMAT, "t:3:1: edges[0]: \"to\" is 9, but there are only 2 commands"},
    {HEAD ",\"commands\":[" C0 "," C1 "],\"edges\":[{\"from\":1,\"to\":1,\"kind\":\"event\"}]}", CW_ERR_CYCLE,
     "depends on itself"},
    {HEAD ",\"commands\":[" C0 "," C1
          "],\"edges\":[{\"from\":0,\"to\":1,\"kind\":\"event\"},{\"from\":1,\"to\":0,\"kind\":\"event\"}]}",
     CW_ERR_CYCLE, "t: the edges form a cycle through command"},
    {HEAD ",\"commands\":[" C0 "," C1 "],\"edges\":[{\"from\":0,\"to\":1,\"kind\":\"data\"}]}", CW_ERR_FORMAT,
     "a data edge has a hazard"},
    {HEAD ",\"kernels\":[{\"id\":0,\"name\":null}],\"commands\":[]}", CW_ERR_FORMAT, "expected a string"},
    {HEAD ",\"process\":{\"program\":\"\\u0000\",\"complete\":true},\"commands\":[]}", CW_ERR_FORMAT, "NUL"},
    {HEAD ",\"process\":{\"program\":\"\xff\",\"complete\":true},\"commands\":[]}", CW_ERR_FORMAT,
     "not valid UTF-8"},
    {HEAD ",\"process\":{\"program\":\"\\ud800\",\"complete\":true},\"commands\":[]}", CW_ERR_FORMAT,
     "surrogate"},
    {HEAD ",\"process\":{\"program\":\"a\nb\",\"complete\":true},\"commands\":[]}", CW_ERR_FORMAT,
     "the end of a string"},
};

static void bad_traces_are_refused_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cw_error err = {0};
        struct cw_trace t;
        cw_trace_init(&t);
        if (cw_trace_load_text(&t, "t", bad[i].text, strlen(bad[i].text), &err) != bad[i].status ||
            !strstr(err.text, bad[i].message) || strncmp(err.text, "t:", 2) != 0)
            fail_msg("%s\ngives status %d, \"%s\"\nexpected \"%s\"", bad[i].text, err.status, err.text,
                     bad[i].message);
        cw_trace_finish(&t);
    }
}

static void unknown_members_are_skipped_and_depth_is_limited(void **state)
{
    static const char fine[] = HEAD
        ",\"later\":{\"a\":[1,-2.5e3,null,true,{\"b\":\"\\\"}\"}]},\"commands\":[{\"future\":[[]],\"id\":0,"
        "\"type\":\"CL_COMMAND_MARKER\"}]}";
    struct cw_error err = {0};
    struct cw_trace t;
    char deep[400] = HEAD ",\"later\":";
    (void)state;
    cw_trace_init(&t);
    if (cw_trace_load_text(&t, "t", fine, sizeof fine - 1, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.commands.count, 1);
    cw_trace_finish(&t);
    memset(deep + strlen(deep), '[', 100);
    assert_int_equal(cw_trace_load_text(&t, "t", deep, strlen(deep), &err), CW_ERR_FORMAT);
    assert_non_null(strstr(err.text, "nested deeper"));
    cw_trace_finish(&t);
}

/* Every prefix of a good trace is refused, none crashes. */
static void truncated_traces_are_refused(void **state)
{
    struct cw_trace t;
    size_t n;
    (void)state;
    sample_trace(&t);
    char *text = sample_text(&t, &n);
    cw_trace_finish(&t);
    for (size_t i = 0; i < n - 2; i++) { /* without the last brace and newline */
        struct cw_error err = {0};
        struct cw_trace u;
        char *part = malloc(i + 1); /* exactly i bytes, so that a sanitizer sees a read behind them */
        memcpy(part, text, i);
        cw_trace_init(&u);
        if (cw_trace_load_text(&u, "t", part, i, &err) != CW_ERR_FORMAT)
            fail_msg("the first %zu bytes were accepted", i);
        cw_trace_finish(&u);
        free(part);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_is_exact),
        cmocka_unit_test(text_is_json_with_the_promised_members),
        cmocka_unit_test(file_and_index_give_the_same_command),
        cmocka_unit_test(bad_traces_are_refused_with_their_position),
        cmocka_unit_test(unknown_members_are_skipped_and_depth_is_limited),
        cmocka_unit_test(truncated_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
