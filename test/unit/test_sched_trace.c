/* From a trace to the graph that policies plan: edges, costs, cuts. */
#include "trace_builder.h"

#include <math.h>

#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/plan/plan_result.h"
#include "../../analyzer/plan/platform_file.h"

/* 0 write -> 1 kernel -> 2 kernel (reads 1's output); 3 kernel on other memory, behind them in the in-order
 * queue; 4 clFinish; 5 blocking read of 2's result. */
static void sample(struct cw_trace *t)
{
    uint32_t queue, a, b, c, k, id;

    tb_init(t);
    queue = tb_queue(t, false);
    a = tb_buffer(t, 4096, CL_MEM_READ_WRITE);
    b = tb_buffer(t, 4096, CL_MEM_READ_WRITE);
    c = tb_buffer(t, 4096, CL_MEM_READ_WRITE);
    k = tb_kernel(t, tb_program(t, NULL), "mul", 2);
    tb_write(t, queue, a, 0, 4096);
    tb_launch(t, queue, k, (int)a, (int)b, -1);
    tb_launch(t, queue, k, (int)b, -1);
    tb_launch(t, queue, k, (int)c, -1);
    id = tb_command(t, CW_HOST_FINISH, queue);
    t->commands.v[id].call_end_ns = 1;
    tb_read(t, queue, b, 0, 4096);
    t->commands.v[5].blocking = true;
    tb_build(t);
}

static void set_time(struct cw_trace *t, uint32_t id, uint64_t ns)
{
    t->commands.v[id].start_ns = 1000;
    t->commands.v[id].end_ns = 1000 + ns;
}

static void convert(struct cw_plan_graph *pg, const struct cw_trace *t, const struct cw_platform_model *m,
                    bool drop)
{
    struct cw_error err = {0};

    if (cw_plan_graph_init(pg, t, m, NULL, drop, &err) != CW_OK)
        fail_msg("%s", err.text);
}

static bool has_edge(const struct cw_graph *g, uint32_t from, uint32_t to, double *data)
{
    for (uint32_t e = g->succ.start[from]; e < g->succ.start[from + 1]; e++)
        if (g->succ.task[e] == to) {
            *data = g->succ.data[e];
            return true;
        }
    return false;
}

static void test_edges(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;
    double data;

    (void)state;
    sample(&t);
    convert(&pg, &t, NULL, false);
    assert_int_equal(pg.graph->tasks, 6);
    assert_int_equal(pg.commands, 5);
    assert_true(has_edge(pg.graph, 0, 1, &data) && data == 4096);
    assert_true(has_edge(pg.graph, 1, 2, &data) && data == 4096);
    assert_true(has_edge(pg.graph, 2, 5, &data) && data == 4096);
    assert_false(has_edge(pg.graph, 2, 3, &data)); /* only the in-order queue ties 3 to 2 */
    assert_true(has_edge(pg.graph, 3, 4, &data) && data == 0);
    assert_true(has_edge(pg.graph, 4, 5, &data) && data == 0);
    cw_plan_graph_finish(&pg);
    convert(&pg, &t, NULL, true); /* as if the host never waited */
    assert_false(has_edge(pg.graph, 3, 4, &data) || has_edge(pg.graph, 4, 5, &data));
    assert_true(has_edge(pg.graph, 2, 5, &data));
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
}

static void test_costs(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;

    (void)state;
    sample(&t);
    convert(&pg, &t, NULL, false); /* nothing measured: guesses, and it says so */
    assert_int_equal(pg.estimated, 5);
    assert_true(pg.graph->cost[1] == 5064 && pg.graph->cost[0] == 5512 && pg.graph->cost[4] == 0);
    cw_plan_graph_finish(&pg);
    for (uint32_t id = 0; id < 6; id++)
        if (id != 4 && id != 3)
            set_time(&t, id, 100 * (id + 1));
    convert(&pg, &t, NULL, false);
    assert_int_equal(pg.estimated, 1); /* command 3: its kernel's mean elsewhere */
    assert_true(pg.graph->cost[1] == 200 && pg.graph->cost[2] == 300 && pg.graph->cost[3] == 250);
    assert_true(pg.graph->cost[0] == 100 && pg.graph->cost[5] == 600);
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
}

/* A second device: measured there, or scaled by compute units and clock. */
static void test_two_devices(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;
    struct cw_t_device *d;
    uint32_t other, k;

    (void)state;
    sample(&t);
    d = cw_trace_push(&t.devices, 1);
    *d = (struct cw_t_device){
        .name = "gpu", .type = CL_DEVICE_TYPE_GPU, .parent = CW_NONE, .compute_units = 8};
    t.devices.v[0].compute_units = 2;
    t.devices.v[0].type = CL_DEVICE_TYPE_CPU;
    other = tb_queue(&t, false);
    t.queues.v[other].device = 1;
    k = tb_kernel(&t, 0, "mul", 1);
    tb_launch(&t, other, k, (int)tb_buffer(&t, 64, 0), -1);
    t.commands.v[6].global_size[0] = 128;
    tb_launch(&t, other, tb_kernel(&t, 0, "add", 1), (int)tb_buffer(&t, 64, 0), -1);
    tb_build(&t);
    for (uint32_t id = 0; id < 8; id++)
        set_time(&t, id, 800);
    convert(&pg, &t, NULL, false);
    assert_int_equal(pg.platform->devices, 2);
    assert_string_equal(pg.platform->device[1].class_name, "gpu");
    assert_true(pg.graph->cost[2] == 800 &&
                pg.graph->cost[3] == 400); /* mul of 64 items: 800 on 0, measured on 1 */
    assert_true(pg.graph->cost[14] == 3200 &&
                pg.graph->cost[15] == 800); /* add on 1, never seen on 0: 4 times slower */
    assert_int_equal(pg.estimated, 1);
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
}

static void test_cuts(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;

    (void)state;
    sample(&t);
    t.commands.v[1].global_size[0] = 100; /* 16 a group, the last one smaller */
    t.commands.v[2].work_dim = 2;
    t.commands.v[2].global_size[1] = 32;
    t.commands.v[2].local_size[1] = 4;
    t.commands.v[3].global_size[0] = 200;
    t.commands.v[3].local_null = true;
    convert(&pg, &t, NULL, false);
    assert_true(pg.graph->groups[1] == 7 && pg.graph->splittable[1]);
    assert_true(pg.graph->groups[2] == 8 && pg.graph->splittable[2]);
    assert_true(pg.graph->groups[3] == 4 && pg.graph->splittable[3]);
    assert_true(pg.graph->groups[0] == 1 && !pg.graph->splittable[0] && !pg.graph->splittable[4]);
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
}

static void test_failed_and_empty(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;
    struct cw_error err = {0};

    (void)state;
    sample(&t);
    t.commands.v[3].status = CL_INVALID_KERNEL_ARGS;
    tb_build(&t);
    convert(&pg, &t, NULL, false);
    assert_true(pg.graph->cost[3] == 0 && !pg.graph->splittable[3] && pg.commands == 4);
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
    tb_init(&t);
    tb_queue(&t, false);
    assert_int_equal(cw_plan_graph_init(&pg, &t, NULL, NULL, false, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "no commands"));
    cw_trace_finish(&t);
}

/* A trace of one launch of `items` work-items by a program of this source; `ns`: its device time, 0: none. */
static void one_launch(struct cw_trace *t, const char *source, uint64_t items, uint64_t ns)
{
    uint32_t queue, kernel;

    tb_init(t);
    cw_trace_push(&t->devices, 1)->type = CL_DEVICE_TYPE_CPU;
    t->devices.v[0].compute_units = 2;
    queue = tb_queue(t, false);
    kernel = tb_kernel(t, tb_program(t, source), "mul", 1);
    tb_launch(t, queue, kernel, (int)tb_buffer(t, 4096, CL_MEM_READ_WRITE), -1);
    t->commands.v[0].global_size[0] = items;
    if (ns)
        set_time(t, 0, ns);
    tb_build(t);
}

/* What other sizes took says what this one takes; another program's does not. */
static void test_past(void **state)
{
    static const char source[] = "kernel void mul(global int *a) { a[get_global_id(0)] *= 2; }";
    struct cw_plan_past *past = cw_plan_past_create();
    struct cw_platform_model *m;
    struct cw_plan_graph pg;
    struct cw_error err = {0};
    struct cw_trace t;
    double ns;

    (void)state;
    for (uint64_t items = 1000; items <= 4000; items *= 2) {
        one_launch(&t, source, items, 10 * items);
        assert_int_equal(cw_plan_past_add_trace(past, &t, NULL), 1);
        cw_trace_finish(&t);
    }
    one_launch(&t, "another", 16000, 0);
    assert_false(cw_plan_past_predict(past, &t, NULL, &t.commands.v[0], &ns));
    cw_trace_finish(&t);
    one_launch(&t, source, 16000, 5);
    assert_true(cw_plan_past_predict(past, &t, NULL, &t.commands.v[0], &ns));
    assert_float_equal(ns, 160000, 1600);
    assert_int_equal(cw_platform_model_load("hxdsp", 1, &m, &err),
                     CW_OK); /* its CPU: 246.4 us to launch, 297 ns an item */
    assert_int_equal(cw_plan_graph_init(&pg, &t, m, &(struct cw_plan_known){.past = past}, false, &err),
                     CW_OK);
    assert_float_equal(cw_graph_cost(pg.graph, 0, 0), 246400 + 16000 * 297., 1);
    cw_plan_graph_finish(&pg);
    cw_platform_model_destroy(m);
    assert_int_equal(cw_plan_graph_init(&pg, &t, NULL, &(struct cw_plan_known){.past = past}, false, &err),
                     CW_OK);
    assert_float_equal(cw_graph_cost(pg.graph, 0, 0), 160000, 1600); /* not the 5 ns of this trace */
    assert_int_equal(pg.estimated, 0);
    cw_plan_graph_finish(&pg);
    cw_trace_finish(&t);
    cw_plan_past_destroy(past);
}

/* What replay --execute --order plan gets: every command that does work once, nothing before what it needs.
 */
static void test_order(void **state)
{
    struct cw_trace t;
    struct cw_plan_graph pg;
    struct cw_platform_model *m;
    struct cw_policy_config config;
    struct cw_plan_result r;
    struct cw_error err = {0};
    uint32_t order[6], count = 0, at[6] = {0};

    (void)state;
    sample(&t);
    assert_int_equal(cw_platform_model_load("hxdsp", 2, &m, &err), CW_OK);
    convert(&pg, &t, m, false);
    assert_int_equal(pg.estimated, 0); /* the board's rules need no traced time */
    assert_true(isinf(pg.graph->cost[1]) && isinf(pg.graph->cost[2]) && isfinite(pg.graph->cost[0]));
    assert_int_equal(cw_policy_parse(&config, "hdgeft", &err), CW_OK);
    struct cw_plan_input input = {.file = "x",
                                  .graph = pg.graph,
                                  .platform = cw_platform_model_platform(m),
                                  .platform_name = "hxdsp",
                                  .trace = &t};
    assert_int_equal(cw_plan_result_init(&r, &input, "hdgeft", &config, true, &err), CW_OK);
    assert_int_equal(cw_plan_result_order(&r, &input, order, &count, &err), CW_OK);
    assert_int_equal(count, 5); /* not clFinish */
    for (uint32_t k = 0; k < count; k++)
        at[order[k]] = k + 1;
    assert_true(at[0] && at[0] < at[1] && at[1] < at[2] && at[2] < at[5] && at[3] && at[3] < at[5] && !at[4]);
    cw_plan_result_finish(&r);
    cw_plan_graph_finish(&pg);
    cw_platform_model_destroy(m);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_failed_and_empty),
        cmocka_unit_test(test_past),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
