/* Graph and platform files: each error is reported, with its position; good ones survive a
 * round trip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../analyzer/plan/graph_format.h"
#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/plan/platform_file.h"
#include "../../sched/policy.h"

static char path[200];

static int make_folder(void **state)
{
    const char *folder = getenv("T");

    (void)state;
    snprintf(path, sizeof path, "%s/test_sched_input-%d.json", folder ? folder : "/tmp", (int)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void put(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

struct bad {
    const char *text;
    enum cw_status status;
    const char *message; /* a part of it */
};

#define G(devices, rest) "{\"format\":\"clweave-graph\",\"version\":1,\"devices\":[" devices "]," rest "}"
#define TWO              "{\"class\":\"a\"},{\"class\":\"b\"}"
#define ONE_TASK         "\"tasks\":[{\"cost\":[1,2]}]"
#define TASKS3           "\"tasks\":[{\"name\":\"x\",\"cost\":[1,2]},{\"cost\":[1,2]},{\"cost\":[1,2]}]"

static const struct bad bad_graphs[] = {
    {"", CW_ERR_FORMAT, "line 1, column 0"},
    {"{\"format\":\"clweave-graph\",\n\"version\":1, \"tasks\":[{\"cost\"", CW_ERR_FORMAT, "line 2, column"},
    {G(TWO, ONE_TASK) "\nx", CW_ERR_FORMAT, "line 2, column 1: end of file expected"},
    {"[1]", CW_ERR_FORMAT, "holds no JSON object"},
    {"{\"format\":\"clweave-trace\",\"version\":1}", CW_ERR_FORMAT, "\"format\" is not \"clweave-graph\""},
    {"{\"format\":\"clweave-graph\"}", CW_ERR_FORMAT, "no \"version\""},
    {"{\"format\":\"clweave-graph\",\"version\":9}", CW_ERR_VERSION, "version 9"},
    {"{\"format\":\"clweave-graph\",\"version\":1}", CW_ERR_FORMAT, "devices: is missing"},
    {G("", ONE_TASK), CW_ERR_INVALID, "at least one device"},
    {G("3", ONE_TASK), CW_ERR_FORMAT, "devices[0]: is not an object"},
    {G("{\"name\":4}", ONE_TASK), CW_ERR_FORMAT, "devices[0].name: is not a string"},
    {G(TWO, "\"tasks\":[]"), CW_ERR_INVALID, "no tasks"},
    {G(TWO, "\"tasks\":{}"), CW_ERR_FORMAT, "tasks: is not an array"},
    {G(TWO, "\"tasks\":[{}]"), CW_ERR_FORMAT, "tasks[0].cost: is missing"},
    {G(TWO, "\"tasks\":[{\"cost\":[1]}]"), CW_ERR_FORMAT, "tasks[0].cost: has 1 entries for 2 devices"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,\"2\"]}]"), CW_ERR_FORMAT,
     "tasks[0].cost[1]: is neither a number nor null"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,NaN]}]"), CW_ERR_FORMAT, "line 1, column"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,1e999]}]"), CW_ERR_FORMAT, "real number overflow"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,-2],\"name\":\"x\"}]"), CW_ERR_INVALID,
     "task 0 x: the cost on device 1 is -2"},
    {G(TWO, "\"tasks\":[{\"cost\":[null,null]}]"), CW_ERR_INFEASIBLE,
     "task 0 can run on none of the 2 devices"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,2],\"groups\":0}]"), CW_ERR_FORMAT, "tasks[0].groups: is 0"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,2],\"groups\":-1}]"), CW_ERR_FORMAT, "groups: is not a whole number"},
    {G(TWO, "\"tasks\":[{\"cost\":[1,2],\"splittable\":1}]"), CW_ERR_FORMAT,
     "splittable: is neither true nor false"},
    {G(TWO, ONE_TASK ",\"edges\":[{\"from\":0,\"to\":7}]"), CW_ERR_INVALID, "edge 0 (0 -> 7) names a task"},
    {G(TWO, ONE_TASK ",\"edges\":[{\"from\":0}]"), CW_ERR_FORMAT, "edges[0].to: is missing"},
    {G(TWO, ONE_TASK ",\"edges\":[{\"from\":0,\"to\":0}]"), CW_ERR_CYCLE, "task 0 depends on itself"},
    {G(TWO, TASKS3 ",\"edges\":[{\"from\":0,\"to\":1,\"data\":-1}]"), CW_ERR_INVALID,
     "edge 0 -> 1: its data is -1"},
    {G(TWO, TASKS3 ",\"edges\":[{\"from\":0,\"to\":1},{\"from\":1,\"to\":2},{\"from\":2,\"to\":0}]"),
     CW_ERR_CYCLE, "cycle of 3 tasks"},
    {G(TWO, ONE_TASK ",\"bandwidth\":0"), CW_ERR_INVALID, "bandwidth from device 0 (device 0) to device 1"},
    {G(TWO, ONE_TASK ",\"bandwidth\":[[1,2]]"), CW_ERR_FORMAT, "bandwidth: is neither a number nor an array"},
    {G(TWO, ONE_TASK ",\"bandwidth\":[[1,2],[1]]"), CW_ERR_FORMAT,
     "bandwidth[1]: is not an array of 2 numbers"},
    {G(TWO, ONE_TASK ",\"bandwidth\":[[1,\"x\"],[1,1]]"), CW_ERR_FORMAT, "bandwidth[0][1]: is not a number"},
    {G(TWO, ONE_TASK ",\"latency\":[1]"), CW_ERR_FORMAT, "latency: is neither a number nor an array"},
    {G(TWO, ONE_TASK ",\"latency\":-1"), CW_ERR_INVALID, "latency -1"},
    {G(TWO, ONE_TASK ",\"latency\":[[0,1],2]"), CW_ERR_FORMAT, "latency[1]: is not an array of 2 numbers"},
    {G(TWO, ONE_TASK ",\"latency\":[[0,1],[-2,0]]"), CW_ERR_INVALID, "latency -2"},
    {G(TWO, ONE_TASK ",\"latency\":null"), CW_ERR_FORMAT, "latency: is neither"}};

static void test_bad_graphs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad_graphs / sizeof *bad_graphs; k++) {
        struct cw_graph *g;
        struct cw_platform *p;
        struct cw_error err = {0};
        put(bad_graphs[k].text);
        if (cw_graph_file_read(path, &g, &p, &err) != bad_graphs[k].status ||
            !strstr(err.text, bad_graphs[k].message))
            fail_msg("%s\n gave %d: %s\n not %d: %s", bad_graphs[k].text, err.status, err.text,
                     bad_graphs[k].status, bad_graphs[k].message);
        assert_null(g);
        assert_null(p);
        assert_non_null(strstr(err.text, path)); /* every message says which file */
    }
}

static void test_missing_file(void **state)
{
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_graph_file_read("/nowhere/x.json", &g, &p, &err), CW_ERR_IO);
    assert_non_null(strstr(err.text, "/nowhere/x.json"));
    assert_null(cw_graph_format_probe("/nowhere/x.json"));
}

static enum cw_status write_graph(const struct cw_graph *g, const struct cw_platform *p)
{
    const struct cw_graph_output o = {.graph = g, .platform = p, .unit_s = 1};

    return cw_graph_format_write(&cw_graph_format_clweave, path, &o, NULL);
}

/* Every feature of a file, written and read again. */
static void test_round_trip(void **state)
{
    static const char text[] = "{\"format\":\"clweave-graph\",\"version\":1,\"devices\":[{\"name\":\"a "
                               "\\\"q\\\"\",\"class\":\"cpu\",\"memory\":\"m\"},"
                               "{\"class\":\"dsp\",\"memory\":\"m\"},{\"class\":\"dsp\"}],\"bandwidth\":[["
                               "null,0.1,3],[2,null,null],[1,5,null]],"
                               "\"latency\":[0,0.25,1e-3],\"tasks\":[{\"name\":\"x\",\"cost\":[0.1,null,22.5]"
                               ",\"groups\":64,\"splittable\":true},"
                               "{\"cost\":[1,2,3]}],\"edges\":[{\"from\":0,\"to\":1,\"data\":0.3},{\"from\":"
                               "0,\"to\":1,\"data\":1}]}";
    struct cw_graph *g[2];
    struct cw_platform *p[2];
    struct cw_error err = {0};

    (void)state;
    put(text);
    assert_ptr_equal(cw_graph_format_probe(path), &cw_graph_format_clweave);
    assert_int_equal(cw_graph_file_read(path, &g[0], &p[0], &err), CW_OK);
    assert_int_equal(write_graph(g[0], p[0]), CW_OK);
    assert_int_equal(cw_graph_file_read(path, &g[1], &p[1], &err), CW_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(g[k]->edges, 1);
        assert_true(g[k]->succ.data[0] == 1.3 && g[k]->pred.task[0] == 0);
        assert_true(isinf(g[k]->cost[1]) && g[k]->cost[0] == 0.1 && g[k]->cost[2] == 22.5);
        assert_true(g[k]->groups[0] == 64 && g[k]->groups[1] == 0 && g[k]->splittable[0] &&
                    !g[k]->splittable[1]);
        assert_string_equal(cw_graph_name(g[k], 0), "x");
        assert_null(cw_graph_name(g[k], 1));
        assert_string_equal(p[k]->device[0].name, "a \"q\"");
        assert_true(cw_platform_shared(p[k], 0, 1) && !cw_platform_shared(p[k], 1, 2));
        assert_true(p[k]->device[1].class_id == p[k]->device[2].class_id);
        assert_true(cw_platform_comm(p[k], 6, 2, 0) == 1e-3 + 6 &&
                    cw_platform_comm(p[k], 6, 1, 2) == 0.25 + 0);
        cw_graph_destroy(g[k]);
        cw_platform_destroy(p[k]);
    }
}

/* A latency for each pair, written and read again. */
static void test_latency_matrix(void **state)
{
    struct cw_graph *g;
    struct cw_platform *p;

    (void)state;
    put("{\"format\":\"clweave-graph\",\"version\":1,\"devices\":[{\"class\":\"cpu\"},{\"class\":\"far\"},"
        "{\"class\":\"far\"}],\"bandwidth\":2,\"latency\":[[0,3,5],[4,0,8.5],[6,7,0]],"
        "\"tasks\":[{\"cost\":[1,2,3]}]}");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(cw_graph_file_read(path, &g, &p, NULL), CW_OK);
        assert_true(cw_platform_comm(p, 2, 0, 1) == 4 && cw_platform_comm(p, 2, 0, 2) == 6 &&
                    cw_platform_comm(p, 2, 1, 2) == 9.5 && cw_platform_comm(p, 2, 2, 0) == 7);
        assert_true(p->mean_latency == 33.5 / 6 && !p->by_sender);
        assert_int_equal(write_graph(g, p), CW_OK);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

#define P(devices) "{\"format\":\"clweave-platform\",\"version\":1,\"devices\":[" devices "]}"

static void test_bad_platforms(void **state)
{
    static const struct bad cases[] = {
        {"{", CW_ERR_FORMAT, "line 1, column 1"},
        {P(""), CW_ERR_INVALID, "at least one device"},
        {P("{}"), CW_ERR_FORMAT, "devices[0].class: is missing"},
        {P("{\"class\":\"x\",\"spead\":2}"), CW_ERR_FORMAT,
         "devices[0].spead: is not known here; did you mean \"speed\"?"},
        {P("{\"class\":\"x\",\"speed\":0}"), CW_ERR_FORMAT, "devices[0].speed: is 0; it must be above 0"},
        {P("{\"class\":\"x\",\"launch_ns\":-1}"), CW_ERR_FORMAT,
         "devices[0].launch_ns: is -1; it must be 0 or more"},
        {P("{\"class\":\"x\",\"count\":2000}"), CW_ERR_LIMIT, "at most 1024"},
        {P("{\"class\":\"x\",\"count\":1.5}"), CW_ERR_FORMAT, "devices[0].count: is not a whole number"},
        {P("{\"class\":\"x\",\"kernels\":[{\"speed\":2}]}"), CW_ERR_FORMAT,
         "devices[0].kernels[0].name: is missing"},
        {P("{\"class\":\"x\",\"kernels\":[{\"name\":\"a\",\"ns_per_item\":-2}]}"), CW_ERR_FORMAT,
         "ns_per_item: is -2"},
        {P("{\"class\":\"x\",\"transfers\":true}"), CW_ERR_FORMAT, "devices[0].transfers: is not an object"},
        {P("{\"class\":\"x\",\"transfers\":{\"table\":[[1,2],[1,3]]}}"), CW_ERR_FORMAT,
         "transfers.table[1]: is not a pair"},
        {P("{\"class\":\"x\",\"transfers\":{\"table\":[[1]]}}"), CW_ERR_FORMAT,
         "transfers.table[0]: is not a pair"}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cw_platform_model *m;
        struct cw_error err = {0};
        put(cases[k].text);
        if (cw_platform_model_load(path, -1, &m, &err) != cases[k].status ||
            !strstr(err.text, cases[k].message))
            fail_msg("%s\n gave %d: %s\n not %d: %s", cases[k].text, err.status, err.text, cases[k].status,
                     cases[k].message);
        assert_null(m);
    }
}

static double cost(const struct cw_platform_model *m, uint32_t d, const char *kernel, double items,
                   double bytes)
{
    struct cw_work work = {.kernel = kernel, .items = items, .bytes = bytes, .traced_ns = 1000};
    bool traced;

    return cw_platform_model_cost(m, d, &work, &traced);
}

static void test_cost_rules(void **state)
{
    struct cw_platform_model *m;
    struct cw_error err = {0};

    (void)state;
    put(P("{\"class\":\"cpu\",\"speed\":4,\"launch_ns\":10},"
          "{\"class\":\"dsp\",\"count\":2,\"ns_per_item\":3,\"transfers\":false,\"kernels\":[{\"name\":\"mul*"
          "\",\"ns_per_item\":1},"
          "{\"name\":\"sort\",\"run\":false},{\"name\":\"add\",\"speed\":2}]},"
          "{\"class\":\"gpu\",\"transfers\":{\"latency_ns\":5,\"bytes_per_ns\":2}}"));
    assert_int_equal(cw_platform_model_load(path, 1, &m, &err), CW_OK);
    assert_int_equal(cw_platform_model_platform(m)->devices, 3); /* one DSP asked for */
    assert_true(cost(m, 0, "any", 100, 0) == 260 && cost(m, 0, NULL, 0, 64) == 1000);
    assert_true(cost(m, 1, "any", 100, 0) == 300 && cost(m, 1, "mul12", 100, 0) == 100);
    assert_true(isinf(cost(m, 1, "sort", 100, 0)) && cost(m, 1, "add", 100, 0) == 500 &&
                isinf(cost(m, 1, NULL, 0, 64)));
    assert_true(cost(m, 2, NULL, 0, 64) == 37);
    cw_platform_model_destroy(m);
}

/* Table 1 of the HXDSP paper: transfer, and set-up + execution. */
static void test_hxdsp_table(void **state)
{
    static const double rows[][3] = {{2000, 36, 540}, {4000, 81, 1080}, {6000, 102, 1620}, {8000, 129, 2160}};
    struct cw_platform_model *m;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_platform_model_load("hxdsp", -1, &m, &err), CW_OK);
    assert_int_equal(cw_platform_model_platform(m)->devices, 5);
    for (size_t k = 0; k < 4; k++) {
        assert_true(cost(m, 0, NULL, 0, 4 * rows[k][0]) == 1000 * rows[k][1]);
        assert_true(cost(m, 3, "add", rows[k][0], 0) == 1000 * (224 + rows[k][2]));
    }
    assert_true(cost(m, 0, NULL, 0, 4000) == 18000);   /* below the table: from nothing */
    assert_true(cost(m, 0, NULL, 0, 20000) == 91500);  /* between two rows */
    assert_true(cost(m, 0, NULL, 0, 40000) == 156000); /* above: as between the last two */
    assert_true(cw_platform_model_platform(m)->one_memory);
    cw_platform_model_destroy(m);
    assert_int_equal(cw_platform_model_load("hxdsq", -1, &m, &err), CW_ERR_IO);
    assert_non_null(strstr(err.text, "built in: hxdsp"));
}

static void test_retarget(void **state)
{
    struct cw_graph *g, *moved;
    struct cw_platform *p;
    struct cw_platform_model *m;
    struct cw_error err = {0};

    (void)state;
    put(G(TWO, "\"tasks\":[{\"name\":\"x\",\"cost\":[8,2]},{\"cost\":[8,null]}],\"edges\":[{\"from\":0,"
               "\"to\":1,\"data\":3}]"));
    assert_int_equal(cw_graph_file_read(path, &g, &p, &err), CW_OK);
    put(P("{\"class\":\"b\",\"count\":2},{\"class\":\"a\",\"speed\":4},{\"class\":\"c\"}"));
    assert_int_equal(cw_platform_model_load(path, -1, &m, &err), CW_OK);
    assert_int_equal(cw_plan_graph_retarget(g, p, m, &moved, &err), CW_OK);
    assert_true(moved->cost[0] == 2 && moved->cost[1] == 2 && moved->cost[2] == 2 && isinf(moved->cost[3]));
    assert_true(isinf(moved->cost[4]) && moved->cost[6] == 2 && moved->succ.data[0] == 3);
    cw_graph_destroy(moved);
    cw_platform_model_destroy(m);
    put(P("{\"class\":\"b\"}"));
    assert_int_equal(cw_platform_model_load(path, -1, &m, &err), CW_OK);
    assert_int_equal(cw_plan_graph_retarget(g, p, m, &moved, &err), CW_ERR_INFEASIBLE);
    assert_non_null(strstr(err.text, "task 1 can run on no device"));
    cw_platform_model_destroy(m);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

/* Probabilities above 1, in a policy's words and in options that a program fills in. */
static void test_bad_shares(void **state)
{
    struct cw_policy_config config;
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_schedule *s;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_policy_parse(&config, "h2gs:similarity=1.01", &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "takes a number from 0 to 1, not \"1.01\""));
    assert_int_equal(cw_policy_parse(&config, "hscgs:mutation=1,crossover=0", &err), CW_OK);
    put(G(TWO, ONE_TASK));
    assert_int_equal(cw_graph_file_read(path, &g, &p, &err), CW_OK);
    config.options.crossover = 1.5;
    err = (struct cw_error){0};
    assert_int_equal(cw_policy_run(&config, g, p, &s, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "option crossover of policy hscgs takes a number from 0 to 1, not 1.5"));
    assert_null(s);
    config.options.crossover = NAN;
    err = (struct cw_error){0};
    assert_int_equal(cw_policy_run(&config, g, p, &s, &err), CW_ERR_INVALID);
    err = (struct cw_error){0};
    config.policy = cw_policy_find("heft"); /* which has no such option */
    assert_int_equal(cw_policy_run(&config, g, p, &s, &err), CW_OK);
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_graphs),    cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_latency_matrix),
        cmocka_unit_test(test_bad_platforms), cmocka_unit_test(test_cost_rules),
        cmocka_unit_test(test_hxdsp_table),   cmocka_unit_test(test_retarget),
        cmocka_unit_test(test_bad_shares),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_file);
}
