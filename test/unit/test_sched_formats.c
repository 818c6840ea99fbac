/* STG, WfFormat and DOT: files that are read, messages for those that cannot be, writing and reading back.
 * Damaged files: test_sched_fuzz.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_texts.h"

#include "../../analyzer/plan/graph_format.h"
#include "../../sched/generate.h"
#include "../../analyzer/io/folders.h"

static char path[200];
static struct cw_graph *g;
static struct cw_platform *p;

static void put(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static enum cw_status load(const struct cw_graph_format *format, const char *text, uint32_t processors,
                           struct cw_error *err)
{
    put(text, strlen(text));
    *err = (struct cw_error){0};
    return format->read(path, processors, &g, &p, err);
}

static void read_good(const struct cw_graph_format *format, const char *text, uint32_t processors)
{
    struct cw_error err;

    if (load(format, text, processors, &err) != CW_OK)
        fail_msg("%s\n%s", text, err.text);
    assert_ptr_equal(cw_graph_format_probe(path), format);
}

static void drop(void)
{
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    g = NULL;
    p = NULL;
}

/* What edge from -> to carries, -1: there is none. */
static double data(uint32_t from, uint32_t to)
{
    for (uint32_t e = g->succ.start[from]; e < g->succ.start[from + 1]; e++)
        if (g->succ.task[e] == to)
            return g->succ.data[e];
    return -1;
}

static void test_stg(void **state)
{
    (void)state;
    read_good(&cw_graph_format_stg, STG, 0);
    assert_int_equal(g->tasks, 3);
    assert_int_equal(g->edges, 3);
    assert_int_equal(p->devices, 4);
    assert_true(cw_graph_cost(g, 2, 3) == 6.5 && data(0, 1) == 0 && data(0, 2) == 0 && data(1, 2) == 0);
    assert_string_equal(cw_graph_name(g, 0), "1"); /* as it is called in the file */
    drop();
    read_good(&cw_graph_format_stg, STG, 7);
    assert_int_equal(p->devices, 7);
    drop();
    /* with communication costs */
    read_good(&cw_graph_format_stg, STG_TRANSFERS, 2);
    assert_int_equal(g->tasks, 2);
    assert_true(data(0, 1) == 2.5 && cw_platform_comm(p, 2.5, 0, 1) == 2.5);
    drop();
    /* a prototype file: from 1, with processors, one dummy */
    read_good(&cw_graph_format_stg, "   2   3\n   1   6   0\n   2   3   1   1\n   3   0   1   2\n", 0);
    assert_int_equal(g->tasks, 2);
    assert_int_equal(p->devices, 3);
    drop();
    /* a dummy from which data come is a task */
    read_good(&cw_graph_format_stg, "1\n0 0 0\n1 4 1\n 0 3\n2 0 1\n 1 0\n", 2);
    assert_int_equal(g->tasks, 2);
    assert_true(data(0, 1) == 3);
    drop();
}

#define RAN                                                                                                  \
    ",\"execution\":{\"tasks\":[{\"id\":\"1\",\"runtimeInSeconds\":1},{\"id\":\"2\",\"runtimeInSeconds\":1}" \
    "]}"
#define FILES(in, out, files)                                                                                \
    "{\"workflow\":{\"specification\":{\"tasks\":[{\"id\":\"1\",\"outputFiles\":[\"f\"]},{\"id\":\"2\","     \
    "\"parents\":[\"1\"],\"inputFiles\":[" in "],\"outputFiles\":[" out "]}],\"files\":[" files "]}" RAN     \
    "}}"

static void test_wfformat(void **state)
{
    (void)state;
    read_good(&cw_graph_format_wfformat, WF15, 3);
    assert_int_equal(g->tasks, 2);
    assert_int_equal(g->edges, 1); /* it stands at both ends, and is one */
    assert_true(cw_graph_cost(g, 0, 0) == 0.5 && cw_graph_cost(g, 1, 2) == 2.5 && data(0, 1) == 1024);
    assert_int_equal(p->devices, 3);
    assert_true(cw_platform_comm(p, 125e6, 0, 1) == 1);
    drop();
    read_good(&cw_graph_format_wfformat, WF14, 0);
    assert_true(g->tasks == 2 && data(0, 1) == 10 && cw_graph_cost(g, 1, 0) == 2);
    assert_string_equal(cw_graph_name(g, 1), "b");
    drop();
    /* a file from elsewhere need not be listed */
    read_good(&cw_graph_format_wfformat, FILES("\"f\",\"x\"", "\"y\"", "{\"id\":\"f\",\"sizeInBytes\":5}"),
              0);
    assert_true(data(0, 1) == 5);
    drop();
    read_good(&cw_graph_format_wfformat, WF12, 0);
    assert_true(g->tasks == 2 && data(0, 1) == 0 && cw_graph_cost(g, 1, 0) == 2);
    drop();
}

static void test_dot(void **state)
{
    (void)state;
    read_good(
        &cw_graph_format_dot,
        "/* c */ strict digraph \"my \\\"g\\\"\" {\n# line\n rankdir = LR; node [shape=box, weight=\"2\"]\n"
        "a [cost=3 label=\"x\" + \"y\"]; b -> c:n -> {d e} [data=1.5]\nsubgraph s { node [cost=9] f; a -> f "
        "}\n"
        "// end\n edge [size=4] a -> b; a -> b }\n",
        2);
    assert_int_equal(g->tasks, 6); /* a b c d e f, as they appear */
    assert_string_equal(cw_graph_name(g, 0), "xy");
    assert_string_equal(cw_graph_name(g, 5), "f");
    assert_true(cw_graph_cost(g, 0, 0) == 3 && cw_graph_cost(g, 1, 1) == 2 && cw_graph_cost(g, 5, 0) == 9);
    assert_true(data(1, 2) == 1.5 && data(2, 3) == 1.5 && data(2, 4) == 1.5 && data(0, 5) == 0 &&
                data(0, 1) == 4); /* strict: one edge */
    drop();
    read_good(&cw_graph_format_dot,
              "digraph { graph [classes=\"cpu,dsp\", memories=\"0 0\", bandwidth=2, latency=1]\n"
              "a [cost=\"1, -\", groups=64, splittable=true] b [cost=\"2.5,3\"] a -> b [data=6] }",
              9);
    assert_int_equal(p->devices, 2); /* the file says how many */
    assert_true(isinf(cw_graph_cost(g, 0, 1)) && g->groups[0] == 64 && g->splittable[0] && !g->splittable[1]);
    assert_true(cw_platform_shared(p, 0, 1) && strcmp(p->device[1].class_name, "dsp") == 0 &&
                p->latency[1] == 1);
    drop();
}

/* What graphviz makes of the same text. */
static void test_dot_subgraphs(void **state)
{
    (void)state;
    read_good(&cw_graph_format_dot,
              "digraph { node [cost=1]; subgraph s { a -> b [data=100]; } subgraph s { c } -> d; }", 1);
    assert_true(g->tasks == 4 && g->edges == 4);
    assert_true(data(0, 1) == 100 && data(0, 3) == 0 && data(1, 3) == 0 && data(2, 3) == 0);
    drop();
    /* members count once, those of subgraphs too; edges are made when the chain is read to its end */
    read_good(&cw_graph_format_dot,
              "digraph { node [cost=1]; subgraph s { {a a} b } y -> subgraph s {} [data=2]\n"
              "z -> subgraph s {} -> x -> {subgraph s { c }} }",
              1);
    assert_true(g->tasks == 6 && data(2, 0) == 2 && data(2, 1) == 2 && data(0, 4) == 0);
    assert_true(data(4, 5) == 0 && data(4, 0) == -1); /* another s, in a subgraph without a name */
    drop();
    /* its defaults hold again, as do later ones of the graph that it does not give */
    read_good(
        &cw_graph_format_dot,
        "digraph { subgraph s { node [cost=3] edge [data=5] a } node [cost=7, label=x] b\n"
        "subgraph s { c -> a } subgraph { subgraph s { d } } subgraph s { node [cost=\"\", size=2] e } }",
        1);
    assert_true(cw_graph_cost(g, 0, 0) == 3 && cw_graph_cost(g, 1, 0) == 7 && cw_graph_cost(g, 2, 0) == 3);
    assert_true(cw_graph_cost(g, 3, 0) == 7 && cw_graph_cost(g, 4, 0) == 2 && data(2, 0) == 5);
    assert_string_equal(cw_graph_name(g, 0), "a");
    assert_string_equal(cw_graph_name(g, 2), "x");
    drop();
    /* lists of nodes; attributes of a subgraph are not its nodes', nor the graph's */
    read_good(&cw_graph_format_dot,
              "digraph { a, b [cost=2]; c, a -> d:n, b [data=3]; c, d [cost=1]\n"
              "subgraph s { classes=\"x,y\"; graph [latency=4] a } [cost=9] }",
              1);
    assert_true(cw_graph_cost(g, 0, 0) == 2 && data(2, 3) == 3 && data(0, 1) == 3 && g->edges == 4);
    assert_true(p->devices == 1 && p->latency[0] == 0);
    drop();
}

static void test_dot_edges(void **state)
{
    (void)state;
    read_good(&cw_graph_format_dot,
              "strict digraph { node [cost=1] edge [data=9] a -> b [data=100]; a -> b [data=50]; a -> b\n"
              "b -> c [key=x]; b -> c [key=y, data=7] }",
              1);
    assert_true(g->edges == 2 && data(0, 1) == 50 && data(1, 2) == 9);
    drop();
    read_good(
        &cw_graph_format_dot,
        "digraph { node [cost=1] edge [key=z] a -> b [data=1]; a -> b [data=2]; b -> c [key=x, data=4]\n"
        "b -> c [key=x, data=8]; b -> c [key=y, data=16]; a -> c [key=x, data=32]; a -> c [key=\"x\"] }",
        1);
    assert_true(data(0, 1) == 3 && data(1, 2) == 24 && data(0, 2) == 32);
    drop();
    /* SimGrid's */
    read_good(&cw_graph_format_dot,
              "digraph G {\n c1 [size=\"1e9\"]; c2 [size=\"5e9\"];\n root->c1 [size=\"2e8\"]; c1->c2 "
              "[size=\"-1.\"]; "
              "c2->end;}",
              1);
    assert_true(g->tasks == 4 && cw_graph_cost(g, 2, 0) == 0 && cw_graph_cost(g, 3, 0) == 0);
    assert_true(data(2, 0) == 2e8 && data(0, 1) == 0 && data(1, 3) == 0);
    drop();
}

static void test_dot_texts(void **state)
{
    static const char *const names[] = {"a", "x my graph line", "h<b>i</b>", "d\\e", "\\N",
                                        "g", "tail\\ ",         "\"",        "#"};

    (void)state;
    read_good(
        &cw_graph_format_dot,
        "\xef\xbb\xbf"
        "digraph \"my graph\" { # c { \"\n node [label=\"\\N\", cost=1] # c\n a # c\n"
        "b [label=\"x \\G\\nline\\l\"] c [label=<h<b>i</b>>] \"d\\\\e\" f [label=\"\\\\N\"] g [label=\"\"]\n"
        "h [label=\"tail\\\\ \"] i [label=\"\\\"\"] j [label=\"#\"]; <a> -> \"c\" }",
        1);
    assert_int_equal(g->tasks, sizeof names / sizeof *names);
    for (uint32_t i = 0; i < g->tasks; i++)
        assert_string_equal(cw_graph_name(g, i), names[i]);
    assert_true(data(0, 2) == 0);
    drop();
}

/* A chain in one statement, longer than libcgraph reads; a long string. */
static void test_dot_large(void **state)
{
    static char text[200000];
    size_t n = (size_t)sprintf(text, "digraph { node [cost=1] ");

    (void)state;
    for (int k = 0; k < 10000; k++)
        n += (size_t)sprintf(text + n, "%sn%d", k ? "->" : "", k);
    n += (size_t)sprintf(text + n, " [data=2]; n0 [label=\"%060000d\"] }", 0);
    read_good(&cw_graph_format_dot, text, 1);
    assert_true(g->tasks == 10000 && g->edges == 9999 && data(9998, 9999) == 2);
    assert_int_equal(strlen(cw_graph_name(g, 0)), 60000);
    drop();
}

struct bad {
    const struct cw_graph_format *format;
    const char *text, *message;
};

#define S                 &cw_graph_format_stg
#define W                 &cw_graph_format_wfformat
#define D                 &cw_graph_format_dot
#define SPEC(tasks, rest) "{\"workflow\":{\"specification\":{\"tasks\":[" tasks "]}" rest "}}"
#define A                 "{\"name\":\"a\",\"id\":\"1\"}"

static const struct bad bads[] = {
    {S, "", ":1:1: the file is empty"},
    {S, "x", ":1:1: number of tasks: expected a number from 0 on, found \"x\""},
    {S, "2 3 4\n", ":1:5: the first line has"},
    {S, "2\n0 0 0\n1 4 1 0\n", ":4:1: the file has 2 tasks and should have 2, and a dummy at either end"},
    {S, "9\n0 0 0\n1 4 1 0\n", ":4:1: the file has 2 tasks and should have 9"},
    {S, "2\n0 0 0\n2 4 1 0\n", ":3:1: task 2 stands where task 1 should"},
    {S, "2\n0 0 0\n1 -4 1 0\n", ":3:3: time of the task: expected a number from 0 on, found \"-4\""},
    {S, "2\n0 0 0\n1 nan 1 0\n", ":3:3: time of the task"},
    {S, "2\n0 0 0\n1\n", ":3:2: the time of task 1 is missing"},
    {S, "2\n0 0 0\n1 4 99 0\n", ":3:5: number of predecessors: expected a whole number"},
    {S, "2\n0 0 0\n1 4 2 0\n2 1 0", ":3:8: task 1 has 1 of 2 predecessors"},
    {S, "2\n0 0 0\n1 4 1 0 1\n", ":3:9: task 1 says that it has 1 predecessors, but there are more"},
    {S, "2\n0 0 0\n1 4 1 7\n2 1 1 1\n3 0 1 2", ":3:7: task 1 follows task 7, which does not exist"},
    {S, "2\n0 0 0\n1 4 1 2\n2 1 1 1\n3 0 1 2", "cycle"},
    {S, "1\n0 0 0\n1 4 1 1.5\n2 0 1 1", ":3:7: predecessor: expected a whole number"},
    {S, "1\n0 0 0\n1 4 1\n0 1 2\n2 0 1\n 1 0", ":4:5: a line of a predecessor has two numbers"},
    {S, "1\n0 0 0\n1 4 1\n0\n2 0 1\n 1 0", ":4:2: the cost of the transfer is missing"},
    {S, "4e9\n0 0 0\n", ":1:1: number of tasks: expected a whole number"},
    {W, "{\"workflow\":3}", "workflow: is not an object"},
    {W, "{\"x\":3}", "workflow: is missing"},
    {W, "{\"workflow\":{}}", "workflow.jobs: is missing"},
    {W, "{\"workflow\":{\"tasks\":[]}}", "workflow.tasks: holds no task"},
    {W, SPEC(A, ""), "workflow.execution: is missing: without run times"},
    {W, SPEC(A, ",\"execution\":{\"tasks\":[]}"), "says nothing of task \"1\""},
    {W, SPEC(A, ",\"execution\":{\"tasks\":[{\"id\":\"2\",\"runtimeInSeconds\":1}]}"),
     "workflow.execution.tasks[0].id: there is no task \"2\""},
    {W, SPEC(A, ",\"execution\":{\"tasks\":[{\"id\":\"1\",\"runtimeInSeconds\":-1}]}"),
     "workflow.execution.tasks[0].runtimeInSeconds: is not a number from 0 on"},
    {W, SPEC(A "," A, ",\"execution\":{\"tasks\":[]}"),
     "workflow.specification.tasks[1].id: \"1\" is that of another"},
    {W, SPEC("{\"id\":3}", ",\"execution\":{\"tasks\":[]}"), "tasks[0].id: is not a string"},
    {W, "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":1,\"parents\":[\"b\"]}]}}",
     "workflow.tasks[0].parents[0]: there is no task \"b\""},
    {W, "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":1,\"parents\":[7]}]}}",
     "workflow.tasks[0].parents[0]: is not a string"},
    {W, "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":1,\"parents\":[\"a\"]}]}}",
     "depends on itself"},
    {W,
     "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":1,\"files\":[{\"link\":\"x\",\"name\":\"f\"}]}]}"
     "}",
     "files[0].link: is neither"},
    {W, FILES("\"f\"", "", ""),
     "workflow.specification.tasks[1]: reads file \"f\" of task \"1\", whose size is not in "
     "workflow.specification.files"},
    {W, FILES("", "\"f\"", "{\"id\":\"f\",\"sizeInBytes\":1}"),
     "workflow.specification.tasks[1]: writes file \"f\", and so does task \"1\": a file has one writer"},
    {W, FILES("\"f\"", "", "{\"id\":\"f\",\"sizeInBytes\":1},{\"id\":\"f\",\"sizeInBytes\":1}"),
     "workflow.specification.files[1].id: \"f\" is that of another file, too"},
    {W,
     SPEC(A, ",\"execution\":{\"tasks\":[{\"id\":\"1\",\"runtimeInSeconds\":1},{\"id\":\"1\","
             "\"runtimeInSeconds\":2}]}"),
     "workflow.execution.tasks[1].id: task \"1\" is there twice"},
    {W,
     "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":1,\"files\":[{\"link\":\"output\",\"name\":\"f\"}"
     "]},"
     "{\"name\":\"b\",\"runtime\":1,\"parents\":[\"a\"],\"files\":[{\"link\":\"input\",\"name\":\"f\"}]}]}}",
     "workflow.tasks[1]: reads file \"f\" of task \"a\", whose size neither task gives"},
    {W, "{\"workflow\":\n{\"tasks\":[", ":2:11: expected a value"},
    {W, "{\"workflow\":{\"a\":1,\"a\":2}}", "\"a\" is there twice"},
    {W, "{\"workflow\":{\"tasks\":[{\"id\":\"x\",\"runtime\":01}]}}", "expected a number"},
    {W, "{\"workflow\":{\"tasks\":[{\"id\":\"x\",\"runtime\":0x1}]}}", "expected"},
    {W, "{\"workflow\":{\"tasks\":[{\"id\":\"x\",\"runtime\":1e999}]}}", "expected a number"},
    {W, "[{\"workflow\":1}]", "expected an object"},
    {D, "", ":1:1: expected digraph (a task graph is directed), found the end of the file"},
    {D, "graph { a -- b }", ":1:1: expected digraph"},
    {D, "digraph { a -- b }", ":1:13: expected -> (a task graph is directed), found --"},
    {D, "digraph { a }", "node a has no cost"},
    {D, "digraph {\n node [cost=1]\n a -> b -> a }", "cycle"},
    {D, "digraph {\n node [cost=1] z\n a ->\n a\n}", ":4:2: task 1 (a) depends on itself"},
    {D, "digraph { a [cost=x] }", "expected numbers from 0 on, or - where a task cannot run, found \"x\""},
    {D, "digraph {\n a [cost=\"1,2\"]\n b [cost=\"1,2,3\"] }", ":2:10: 2 costs for 3 devices"},
    {D, "digraph { a [cost=\"-,-\"] }", "can run on none"},
    {D, "digraph { a [cost=1, groups=0] }", ":1:29: expected a whole number from 1 on, found \"0\""},
    {D, "digraph { a [cost=1, splittable=yes] }", "expected true or false, found \"yes\""},
    {D, "digraph { node [cost=1] a -> b [data=-3] }", "expected a number from 0 on, found \"-3\""},
    {D, "digraph { a [cost=\"1", ":1:19: this string has no end"},
    {D, "digraph { /* ", ":1:11: this comment has no end"},
    {D, "digraph { a [label=<b<i>] }", ":1:20: this HTML string has no end"},
    {D, "digraph { 2a -> 3b }", ":1:11: graphviz reads 2a as the words 2 and a: write it in quotes"},
    {D, "digraph { a [cost=2e5] }", ":1:19: graphviz reads 2e5 as the words 2 and e5"},
    {D, "digraph { conv.1 }", ":1:11: graphviz reads conv.1 as the words conv and .1"},
    {D, "digraph { a-1 }", "the words a and -1"},
    {D, "digraph { 1.5.2 }", "the words 1.5 and .2"},
    {D, "digraph { a.b }", ":1:12: this byte means nothing here"},
    {D, "digraph { a -> node }", ":1:16: expected a node, found node"},
    {D, "digraph { a, {b} }", ":1:14: expected a node, found {"},
    {D, "digraph { a [cost=1] root }", "node root has no cost"},
    {D, "digraph { a [size=1] b -> root }", "node b has no cost"},
    {D, "digraph { node [cost=1] a -> b [data=1, size=x]; c -> d [size=x] }", ":1:63: expected a number"},
    {D, "digraph { a [cost=1 }", ":1:21: expected an attribute or ], found }"},
    {D, "digraph { a [cost=1]", "expected a statement or }, found the end of the file"},
    {D, "digraph { a [cost=1] } }", ":1:24: expected nothing behind the graph"},
    {D, "digraph { a [cost=] }", ":1:19: expected a value, found ]"},
    {D, "digraph { graph [classes=\"a,b,c\"] a [cost=\"1,2,3,4\"] }", "expected a word for each device"},
    {D, "digraph { graph [bandwidth=0] a [cost=\"1,2\"] }", "bandwidth"},
    {D, "digraph { a -> { b", "expected a statement or }"},
    {D, "digraph ) {", ":1:9: this byte means nothing here"}};

static void test_bad(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bads / sizeof *bads; k++) {
        struct cw_error err;
        enum cw_status status = load(bads[k].format, bads[k].text, 2, &err);
        if (status == CW_OK || !strstr(err.text, bads[k].message))
            fail_msg("%s\n gave %d: %s\n not %s", bads[k].text, status, err.text, bads[k].message);
        if (status != err.status || !strstr(err.text, path))
            fail_msg("%s\n gave %d and says %d: %s", bads[k].text, status, err.status, err.text);
        assert_null(g);
        assert_null(p);
    }
    for (size_t k = 0; cw_graph_formats[k]; k++) {
        struct cw_error err = {0};
        assert_int_equal(cw_graph_formats[k]->read("/nowhere/x", 2, &g, &p, &err), CW_ERR_IO);
        assert_non_null(strstr(err.text, "/nowhere/x"));
    }
}

/* Groups that are nested without end, and that multiply. */
static void test_hostile_dot(void **state)
{
    static char text[400000];
    struct cw_error err;
    size_t n = (size_t)sprintf(text, "digraph { node [cost=1] ");

    (void)state;
    for (int k = 0; k < 1000; k++)
        text[n++] = '{';
    text[n] = '\0';
    assert_int_equal(load(&cw_graph_format_dot, text, 2, &err), CW_ERR_FORMAT);
    assert_non_null(strstr(err.text, "nested deeper than"));
    /* names in labels multiply, too */
    n = (size_t)sprintf(text, "digraph { abcdefgh [cost=1, label=\"");
    for (int k = 0; k < 600; k++)
        n += (size_t)sprintf(text + n, "\\N");
    sprintf(text + n, "\"] }");
    assert_int_equal(load(&cw_graph_format_dot, text, 2, &err), CW_ERR_FORMAT);
    assert_non_null(strstr(err.text, "the label of node abcdefgh has more than"));
    n = (size_t)sprintf(text, "digraph { node [cost=1] {");
    for (int k = 0; k < 20000; k++)
        n += (size_t)sprintf(text + n, "a%d ", k);
    n += (size_t)sprintf(text + n, "} -> {");
    for (int k = 0; k < 20000; k++)
        n += (size_t)sprintf(text + n, "b%d ", k);
    sprintf(text + n, "} }");
    assert_int_equal(load(&cw_graph_format_dot, text, 2, &err), CW_ERR_LIMIT);
}

/* ---- writing and reading back */

static void assert_alike(const struct cw_graph *a, const struct cw_graph *b, double scale)
{
    assert_int_equal(a->tasks, b->tasks);
    assert_int_equal(a->edges, b->edges);
    for (uint32_t i = 0; i < a->tasks; i++)
        for (uint32_t e = a->succ.start[i]; e < a->succ.start[i + 1]; e++) {
            assert_int_equal(a->succ.task[e], b->succ.task[e]);
            if (fabs(a->succ.data[e] * scale - b->succ.data[e]) > 0.51 + 1e-12 * b->succ.data[e])
                fail_msg("edge %u of task %u: %g became %g", e, i, a->succ.data[e], b->succ.data[e]);
        }
}

/* Every generator through every format that can say it. */
static void test_round_trips(void **state)
{
    int trips = 0, refused = 0;

    (void)state;
    for (size_t k = 0; cw_generators[k]; k++)
        for (size_t f = 0; cw_graph_formats[f]; f++) {
            struct cw_generate_options o = cw_generate_defaults;
            struct cw_graph *from;
            struct cw_platform *on;
            struct cw_error err = {0};
            bool wf = cw_graph_formats[f] == &cw_graph_format_wfformat;
            o.seed = 3;
            assert_int_equal(cw_generate(cw_generators[k], &o, &from, &on, &err), CW_OK);
            if (cw_graph_formats[f] ==
                &cw_graph_format_stg) /* which has one time per task, and times of transfers */
                for (uint32_t i = 0; i < from->tasks; i++)
                    for (uint32_t d = 1; d < from->devices; d++) {
                        from->cost[i * from->devices + d] =
                            from->cost[i * from->devices] + (k == 0 && i == 1);
                    }
            if (cw_graph_format_write(cw_graph_formats[f], path,
                                      &(struct cw_graph_output){from, on, 1, "t\"\\"}, &err) != CW_OK) {
                assert_int_equal(err.status, CW_ERR_UNSUPPORTED);
                assert_non_null(strstr(err.text, "task 1 takes"));
                refused++;
            } else {
                double mean = cw_platform_mean_comm(on, 1), scale = wf ? 125e6 * (mean > 0 ? mean : 1) : 1;
                if (cw_graph_formats[f] == &cw_graph_format_stg)
                    scale = mean;
                if (cw_graph_formats[f]->read(path, from->devices, &g, &p, &err) != CW_OK)
                    fail_msg("%s %s: %s", cw_generators[k]->name, cw_graph_formats[f]->name, err.text);
                assert_ptr_equal(cw_graph_format_probe(path), cw_graph_formats[f]);
                assert_alike(from, g, scale);
                for (uint32_t i = 0; i < g->tasks; i++)
                    for (uint32_t d = 0; d < g->devices; d++)
                        assert_true(fabs(cw_graph_cost(g, i, d) - (wf ? cw_graph_mean_cost(from, i)
                                                                      : cw_graph_cost(from, i, d))) < 1e-9);
                drop();
                trips++;
            }
            cw_graph_destroy(from);
            cw_platform_destroy(on);
        }
    assert_int_equal(refused, 1);
    assert_true(trips >= 40);
}

/* Very large and very small numbers, which are written with exponents. */
static void test_unlike_numbers(void **state)
{
    (void)state;
    for (size_t f = 0; cw_graph_formats[f]; f++) {
        static const double costs[] = {1e21, 3e-7}, data[] = {1e-9, 2.5e20, 0};
        struct cw_graph_builder *b = cw_graph_builder_create(1);
        struct cw_graph *from;
        struct cw_platform *on;
        struct cw_error err = {0};
        for (uint32_t i = 0; i < 4; i++)
            cw_graph_builder_add_task(
                b, &(struct cw_task_spec){.cost = &costs[i % 2], .groups = UINT64_C(1) << 62}, &err);
        for (uint32_t i = 0; i < 3; i++)
            cw_graph_builder_add_edge(b, i, i + 1, data[i], &err);
        assert_int_equal(cw_graph_builder_finish(b, &from, &err), CW_OK);
        assert_int_equal(
            cw_platform_create(&(struct cw_device_spec){.class_name = "cpu"}, 1, NULL, 1, NULL, 0, &on, &err),
            CW_OK);
        assert_int_equal(cw_graph_format_write(cw_graph_formats[f], path,
                                               &(struct cw_graph_output){from, on, 1, "t"}, &err),
                         CW_OK);
        if (cw_graph_formats[f]->read(path, 1, &g, &p, &err) != CW_OK)
            fail_msg("%s: %s", cw_graph_formats[f]->name, err.text);
        assert_int_equal(g->tasks, 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(fabs(cw_graph_cost(g, i, 0) / costs[i % 2] - 1) < 1e-12);
        drop();
        cw_graph_destroy(from);
        cw_platform_destroy(on);
    }
}

static int make_name(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/test_sched_formats-%d", cw_temporary_folder(), (int)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stg),
        cmocka_unit_test(test_wfformat),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_dot_subgraphs),
        cmocka_unit_test(test_dot_edges),
        cmocka_unit_test(test_dot_texts),
        cmocka_unit_test(test_dot_large),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_hostile_dot),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_unlike_numbers),

    };
    return cmocka_run_group_tests(tests, make_name, remove_file);
}
