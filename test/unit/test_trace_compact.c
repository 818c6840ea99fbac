/* test_trace_compact.c - the compact form of traces: nothing is lost on the way there and back, launches that
 * repeat take few bytes, and rows that make no sense are refused. */
#include "trace_sample.h"

#include <glob.h>

#include "../../analyzer/graph/trace_read.h"

static char *compact_text(const struct cw_trace *t, size_t *length)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    struct cw_error err = {0};

    assert_non_null(f);
    assert_int_equal(cw_trace_write_compact(t, f, &err), CW_OK);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* Plain text of `t`, that of its compact form read again, and the compact form of that. */
static void there_and_back(const struct cw_trace *t, const char *name)
{
    size_t plain_length, length, again_length, small_length;
    char *plain = sample_text(t, &plain_length), *text = compact_text(t, &length), *again, *small;
    struct cw_error err = {0};
    struct cw_trace u;

    cw_trace_init(&u);
    if (cw_trace_load_text(&u, name, text, length, &err))
        fail_msg("%s", err.text);
    again = sample_text(&u, &again_length);
    assert_string_equal(again, plain);
    small = compact_text(&u, &small_length);
    assert_string_equal(small, text);
    cw_trace_finish(&u);
    free(plain);
    free(text);
    free(again);
    free(small);
}

static void samples(void **state)
{
    struct cw_trace t;
    struct cw_error err = {0};
    glob_t files;

    (void)state;
    sample_trace(&t);
    there_and_back(&t, "sample");
    t.edges.v[0] = t.edges.v[t.edges.count - 1]; /* out of order: the file keeps a list of its own */
    t.edges.count--;
    there_and_back(&t, "edges");
    cw_trace_finish(&t);
    assert_int_equal(glob("test/fuzz/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        cw_trace_init(&t);
        if (cw_trace_load(&t, files.gl_pathv[i], &err))
            fail_msg("%s (start in the repository's root)", err.text);
        there_and_back(&t, files.gl_pathv[i]);
        cw_trace_finish(&t);
    }
    globfree(&files);
}

/* Launches in a loop: each waits for the one before it, maps are unmapped, a wait comes now and then. */
static void loops_are_short(void **state)
{
    enum { LAUNCHES = 3000 };
    struct cw_trace t;
    uint32_t q, a, b, kernel;
    uint64_t now = 1000000007;
    size_t length, other;

    (void)state;
    tb_init(&t);
    q = tb_queue(&t, false);
    a = tb_buffer(&t, 4096, CL_MEM_READ_WRITE);
    b = tb_buffer(&t, 4096, CL_MEM_READ_WRITE);
    kernel = tb_kernel(&t, tb_program(&t, "kernel void k(global int *a, global const int *b) { *a += *b; }"),
                       "k", 2);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        uint32_t id = tb_launch(&t, q, kernel, (int)a, (int)b, -1);
        struct cw_command *k = &t.commands.v[id];
        k->call_begin_ns = now += 700 + i % 50;
        k->call_end_ns = now + 400;
        k->queued_ns = now + 5000;
        k->submit_ns = k->queued_ns + 800 + i % 7;
        k->start_ns = k->submit_ns + 30;
        k->end_ns = k->start_ns + 5000 + i;
        if (id && i % 100)
            tb_wait(&t, id - 1);
        if (i % 100 == 99)
            tb_command(&t, CW_HOST_FINISH, q);
    }
    tb_build(&t);
    there_and_back(&t, "loop");
    free(compact_text(&t, &length));
    t.commands.count = t.edges.count = 0;
    free(compact_text(&t, &other));
    assert_in_range((length - other) / LAUNCHES, 1, 40);
    cw_trace_finish(&t);
}

#define HEAD                                                                                                 \
    "{\"format\":\"clweave-trace\",\"version\":2,\"memory\":[{\"id\":0,\"kind\":\"buffer\",\"size\":8}],"    \
    "\"commands\":["
#define SHAPE "{\"type\":\"CL_COMMAND_MARKER\"}"

static const struct {
    const char *rows, *message;
} bad[] = {
    {"[0,[]]", "t:1:97: commands[0]: shape 0, but there are only 0 so far"},
    {"[" SHAPE ",0]", "list 0 of edges, but there are only 0 so far"},
    {"[]", "a row has 2, 4 or 8 members, not 0"},
    {"[" SHAPE ",[],1]", "a row has 2, 4 or 8 members, not 3"},
    {"[" SHAPE ",[],1,2,3,4,5,6,7]", "a row has at most 8 members"},
    {"[" SHAPE ",[],1,\"2\"]", "expected"},
    {"[" SHAPE ",[[1]]]", "an edge begins with a number and a word"},
    {"[" SHAPE ",[[1,\"queue\",null,0,false,1]]]", "an edge has at most 5 members"},
    {"[" SHAPE ",[[1,\"quaint\"]]]", "there is no edge \"quaint\""},
    {"[" SHAPE ",[[1,\"queue\"]]]", "\"from\" is"},
    {"[" SHAPE ",[[0,\"host\"]]]", "\"from\" is"},
    {"[" SHAPE ",[]],[0,[[1,\"RAW\",5,8]]]", "\"memory\" is 5"},
    {"[" SHAPE ",[]],[0,[[1,\"data\",0,8]]]", "a data edge has a hazard"},
    {"[{\"typ\":1},[]]", "\"type\" is missing"},
    {"[{\"type\":\"CL_COMMAND_MARKER\",\"wait_list\":[1]},[]]", "wait_list"},
    {"[" SHAPE ",[]],[{\"type\":\"CL_COMMAND_MARKER\",\"wait_list\":[0]},[]],{\"id\":3}", "\"id\" is 3"},
    {"[" SHAPE ",[]", "expected"},
};

static void bad_rows_are_refused(void **state)
{
    char text[600];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_error err = {0};
        struct cw_trace t;
        snprintf(text, sizeof text, HEAD "%s]}", bad[i].rows);
        cw_trace_init(&t);
        if (cw_trace_load_text(&t, "t", text, strlen(text), &err) == CW_OK)
            fail_msg("%s: accepted", bad[i].rows);
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s: \"%s\" has no \"%s\"", bad[i].rows, err.text, bad[i].message);
        cw_trace_finish(&t);
    }
}

/* A row does not stand for more than it may. */
static void long_lists_are_not_repeated(void **state)
{
    char *text = NULL;
    struct cw_error err = {0};
    struct cw_trace t;
    size_t length;

    (void)state;
    for (int edges = 0; edges <= 1; edges++) {
        FILE *f = open_memstream(&text, &length);
        fputs(HEAD "[" SHAPE ",[]],[", f);
        fputs(edges ? SHAPE ",[[1,\"path\"]" : "{\"type\":\"CL_COMMAND_MARKER\",\"wait_list\":[0", f);
        for (int i = 0; i < 300; i++)
            fputs(edges ? ",[1,\"path\"]" : ",0", f);
        fputs(edges ? "]],[0,1]]}" : "]},[]],[1,[]]]}", f);
        fclose(f);
        cw_trace_init(&t);
        assert_int_equal(cw_trace_load_text(&t, "t", text, length, &err), CW_ERR_FORMAT);
        assert_non_null(strstr(err.text, "used again"));
        cw_trace_finish(&t);
        free(text);
        err = (struct cw_error){0};
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),
        cmocka_unit_test(loops_are_short),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(long_lists_are_not_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
