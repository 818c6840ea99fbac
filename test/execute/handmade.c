/* handmade.c - replay --execute on traces made by hand: it accepts what is right and notices every planted
 * fault. */
#include <jansson.h>
#include <stdlib.h>

#include "common.h"

enum { N = 64 };

static const char source[] =
    "typedef struct { int a, b, c; } triple;\n"
    "kernel void add(global int *out, global const int *x, global const int *y) {\n"
    "    size_t i = get_global_id(0); out[i] = x[i] + y[i]; }\n"
    "kernel void scale(global int *v, int by) { v[get_global_id(0)] *= by; }\n"
    "kernel void sum3(global int *v, triple t, local int *l) { size_t i = get_local_id(0); l[i] = t.a + t.b "
    "+ t.c;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); v[get_global_id(0)] += l[get_local_size(0) - 1 - i]; }\n";

/* Ids of the chain: x written, y created with contents; sum = x + y; sum *= 3; other += 7 thrice; reads. */
struct chain {
    struct maker m;
    uint32_t x, y, sum, other;                            /* memory */
    uint32_t write_x, add, scale, sum3, read, read_other; /* commands */
    int sums[N], others[N];
};

/* `half`: the kernels cover only the first half of sum, whose rest stays undefined. */
static void chain_init(struct chain *c, bool half)
{
    int xs[N], ys[N], three = 3, triple[3] = {1, 2, 4}, zeros[N] = {0};
    uint32_t program, add, scale, sum3;
    size_t items = half ? N / 2 : N;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < N; i++) {
        xs[i] = i * i, ys[i] = 1000 - i;
        c->sums[i] = (size_t)i < items ? 3 * (xs[i] + ys[i]) : 0x0badcafe;
        c->others[i] = 7;
    }
    maker_init(&c->m, false);
    program = maker_program(&c->m, source);
    add = maker_kernel(&c->m, program, "add", 3);
    scale = maker_kernel(&c->m, program, "scale", 2);
    sum3 = maker_kernel(&c->m, program, "sum3", 3);
    c->x = maker_buffer(&c->m, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, sizeof xs, NULL, xs);
    c->y = maker_buffer(&c->m, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof ys, ys, ys);
    c->sum = maker_buffer(&c->m, CL_MEM_READ_WRITE, sizeof c->sums, NULL, c->sums);
    c->other = maker_buffer(&c->m, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof zeros, zeros, c->others);
    c->write_x = maker_write(&c->m, c->x, 0, xs, sizeof xs);
    c->add = maker_launch(&c->m, add, items, 16);
    maker_arg_memory(&c->m, c->sum), maker_arg_memory(&c->m, c->x), maker_arg_memory(&c->m, c->y);
    c->scale = maker_launch(&c->m, scale, items, 0);
    maker_arg_memory(&c->m, c->sum), maker_arg_value(&c->m, &three, sizeof three);
    c->sum3 = maker_launch(&c->m, sum3, N, 8);
    maker_arg_memory(&c->m, c->other), maker_arg_value(&c->m, triple, sizeof triple);
    maker_arg(&c->m, CW_ARG_LOCAL, CW_NONE, 8 * sizeof(int));
    c->read = maker_read(&c->m, c->sum, 0, c->sums, sizeof c->sums);
    c->read_other = maker_read(&c->m, c->other, 4, c->others, sizeof c->others - 4);
    maker_seal(&c->m);
}

static const struct cw_execute_options trace_order = CW_EXECUTE_OPTIONS_DEFAULT;
static const struct cw_execute_options hundred = {
    .order = CW_EXECUTE_RANDOM, .seed = 1, .repeat = 100, .device = 0};

static void test_equal_in_trace_and_random_order(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    (void)state;
    chain_init(&c, false);
    assert_int_equal(maker_run(&c.m, trace_order, &r, &err), CW_OK);
    assert_int_equal(r.commands, 6);
    assert_int_equal(r.buffers, 4);
    assert_int_equal(r.readbacks, 2);
    assert_int_equal(r.bytes, 6 * N * sizeof(int) - 4);
    assert_int_equal(r.undefined_bytes, 0);
    assert_int_equal(maker_run(&c.m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.orders, 100);
    assert_int_equal(r.distinct_orders, 15); /* 2 commands of one chain among 6: 6 over 2 */
    maker_finish(&c.m);
}

static void test_undefined_bytes_are_left_out(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    (void)state;
    chain_init(&c, true);
    assert_int_equal(maker_run(&c.m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.undefined_bytes,
                     2 * N / 2 * sizeof(int)); /* in the buffer and in what was read of it */
    maker_finish(&c.m);
}

static void test_wrong_capture_is_found(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    (void)state;
    chain_init(&c, false);
    /* pretend that the buffer ended two bytes differently */
    fseek(c.m.data, (long)c.m.t.memory.v[c.sum].final.offset + 41, SEEK_SET);
    fwrite("\xee\xee", 1, 2, c.m.data);
    fflush(c.m.data);
    assert_int_equal(maker_run(&c.m, trace_order, &r, &err), CW_ERR_MISMATCH);
    assert_int_equal(r.difference_count, 1);
    assert_true(r.differences[0].is_memory);
    assert_int_equal(r.differences[0].id, c.sum);
    assert_int_equal(r.differences[0].first_offset, 41);
    assert_int_equal(r.differences[0].bytes, 2);
    assert_int_equal(r.differences[0].expected, 0xee);
    assert_int_equal(r.differences[0].last_writer, c.scale);
    maker_finish(&c.m);
}

static void remove_edge(struct cw_trace *t, uint32_t from, uint32_t to)
{
    size_t kept = 0, had = t->edges.count;
    for (size_t i = 0; i < had; i++)
        if (t->edges.v[i].from != from || t->edges.v[i].to != to || !cw_graph_edge_binds(&t->edges.v[i]))
            t->edges.v[kept++] = t->edges.v[i];
    assert_int_equal(kept, had - 1);
    t->edges.count = kept;
}

/* What the feature is for: the graph lacks an edge, and random orders tell. */
static void test_missing_edge_is_found(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    (void)state;
    chain_init(&c, false);
    remove_edge(&c.m.t, c.scale, c.read);
    assert_int_equal(maker_run(&c.m, trace_order, &r, &err), CW_OK);
    assert_int_equal(maker_run(&c.m, hundred, &r, &err), CW_ERR_MISMATCH);
    assert_int_equal(r.differences[0].id, c.read);
    assert_true(r.orders <= 100 && r.failing_seed == r.options.seed + r.orders - 1);
    maker_finish(&c.m);
}

static void test_dropped_edge_is_found(void **state)
{
    struct cw_execute_options o = CW_EXECUTE_OPTIONS_DEFAULT;
    struct cw_execute_report r;
    struct cw_error err = {0};
    struct chain c;
    char pair[32];
    (void)state;
    chain_init(&c, false);
    assert_int_equal(cw_execute_parse_order(&o, "drop:auto", &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_MISMATCH);
    assert_int_equal(r.dropped_from, c.write_x);
    snprintf(pair, sizeof pair, "drop:%u:%u", c.add, c.scale);
    assert_int_equal(cw_execute_parse_order(&o, pair, &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_MISMATCH);
    snprintf(pair, sizeof pair, "drop:%u:%u", c.add, c.sum3); /* in-order, but nothing in common */
    assert_int_equal(cw_execute_parse_order(&o, pair, &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_NOTFOUND);
    maker_finish(&c.m);
}

/* An edge that others imply cannot be left out: saying "still equal" would prove nothing. */
static void test_implied_edge_is_refused(void **state)
{
    struct cw_execute_options o = CW_EXECUTE_OPTIONS_DEFAULT;
    struct cw_execute_report r;
    struct cw_error err = {0};
    struct chain c;
    (void)state;
    chain_init(&c, false);
    *cw_trace_push(&c.m.t.edges, 1) =
        (struct cw_edge){.from = c.add, .to = c.read, .kind = CW_EDGE_DATA, .hazard = CW_HAZARD_RAW};
    o.drop = true, o.drop_from = c.add, o.drop_to = c.read;
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_INVALID);
    maker_finish(&c.m);
}

static enum cw_status run_plan(struct chain *c, const uint32_t *plan, size_t count, struct cw_error *err)
{
    struct cw_execute_options o = {.order = CW_EXECUTE_PLAN, .repeat = 1};
    struct cw_execute_report r;
    memset(err, 0, sizeof *err);
    return cw_execute_run(&c->m.t, &o, plan, count, &r, err);
}

static void test_plan(void **state)
{
    struct cw_error err;
    struct chain c;
    (void)state;
    chain_init(&c, false);
    assert_int_equal(
        run_plan(&c, (uint32_t[]){c.sum3, c.write_x, c.read_other, c.add, c.scale, c.read}, 6, &err), CW_OK);
    assert_int_equal(
        run_plan(&c, (uint32_t[]){c.sum3, c.add, c.write_x, c.read_other, c.scale, c.read}, 6, &err),
        CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "command 1 before command 0"));
    assert_int_equal(run_plan(&c, (uint32_t[]){0, 0}, 2, &err), CW_ERR_INVALID);
    assert_int_equal(run_plan(&c, (uint32_t[]){99}, 1, &err), CW_ERR_INVALID);
    maker_finish(&c.m);
}

static void expect_refused(struct chain *c, enum cw_status status, const char *words)
{
    struct cw_execute_report r;
    struct cw_error err;
    assert_int_equal(maker_run(&c->m, trace_order, &r, &err), status);
    if (!strstr(err.text, words))
        fail_msg("message \"%s\" lacks \"%s\"", err.text, words);
}

static void test_refusals(void **state)
{
    struct chain c;
    struct cw_trace *t = &c.m.t;
    struct cw_t_arg arg;
    char *path;
    (void)state;
    chain_init(&c, false);
    path = t->data_path, t->data_path = NULL;
    expect_refused(&c, CW_ERR_NOTFOUND, "--capture-data");
    t->data_path = "/nonexistent/data";
    expect_refused(&c, CW_ERR_NOTFOUND, "/nonexistent/data");
    t->data_path = path;
    t->commands.v[c.scale].type = CL_COMMAND_NATIVE_KERNEL;
    expect_refused(&c, CW_ERR_UNSUPPORTED, "command 2 (NATIVE_KERNEL");
    t->commands.v[c.scale].type = CL_COMMAND_NDRANGE_KERNEL;
    t->args.v[0].command_index = 1;
    expect_refused(&c, CW_ERR_FORMAT, "arguments are not in order");
    t->args.v[0].command_index = 0, t->kernels.v[0].num_args = 4;
    expect_refused(&c, CW_ERR_FORMAT, "does not have all of its arguments");
    t->kernels.v[0].num_args = 3;
    arg = t->args.v[0], t->args.v[0].kind = CW_ARG_SVM;
    expect_refused(&c, CW_ERR_UNSUPPORTED, "command 1 (NDRANGE_KERNEL add): shared virtual memory");
    t->args.v[0] = arg, t->memory.v[c.sum].kind = CW_MEM_PIPE;
    expect_refused(&c, CW_ERR_UNSUPPORTED, "pipes");
    t->memory.v[c.sum].kind = CW_MEM_BUFFER, t->transfers.v[0].data.size = 0;
    expect_refused(&c, CW_ERR_NOTFOUND,
                   "command 0 (WRITE_BUFFER): the bytes that it sends were not captured");
    t->transfers.v[0].data.size = N * sizeof(int), t->transfers.v[0].data.offset = c.m.data_size - 8;
    expect_refused(&c, CW_ERR_FORMAT, "truncated");
    maker_finish(&c.m);
}

static void test_nothing_to_compare_is_no_success(void **state)
{
    struct chain c;
    (void)state;
    chain_init(&c, false);
    for (size_t i = 0; i < c.m.t.memory.count; i++)
        c.m.t.memory.v[i].final.size = 0;
    c.m.t.transfers.v[1].data.size = c.m.t.transfers.v[2].data.size = 0;
    expect_refused(&c, CW_ERR_NOTFOUND, "nothing can be compared");
    maker_finish(&c.m);
}

static void test_broken_program(void **state)
{
    struct chain c;
    (void)state;
    chain_init(&c, false);
    c.m.t.programs.v[0].source = "kernel void add(global int *out) { nonsense; }";
    expect_refused(&c, CW_ERR_VENDOR, "program 0 does not build");
    c.m.t.programs.v[0].source = NULL;
    expect_refused(&c, CW_ERR_NOTFOUND, "neither source nor binary");
    maker_finish(&c.m);
}

/* Two contexts, and a byte that crosses from one to the other through the program. */
static void test_two_contexts(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    uint32_t far;
    (void)state;
    chain_init(&c, false);
    *cw_trace_push(&c.m.t.contexts, 1) = (struct cw_t_context){.devices = {0, 1}};
    *cw_trace_push(&c.m.t.queues, 1) = (struct cw_t_queue){.context = 1};
    far = maker_buffer(&c.m, CL_MEM_READ_WRITE, sizeof c.sums, NULL, c.sums);
    c.m.t.memory.v[far].context = 1;
    c.m.t.commands.v[maker_write(&c.m, far, 0, c.sums, sizeof c.sums)].queue = 1;
    c.m.t.commands.v[maker_read(&c.m, far, 0, c.sums, sizeof c.sums)].queue = 1;
    maker_seal(&c.m);
    assert_int_equal(maker_run(&c.m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.buffers, 5);
    assert_int_equal(r.readbacks, 3);
    maker_finish(&c.m);
}

static void test_json_report(void **state)
{
    struct cw_execute_report r;
    struct cw_error err;
    struct chain c;
    char *text = NULL;
    size_t size = 0;
    json_t *json, *first;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    chain_init(&c, false);
    remove_edge(&c.m.t, c.scale, c.read);
    assert_int_equal(maker_run(&c.m, hundred, &r, &err), CW_ERR_MISMATCH);
    assert_int_equal(cw_execute_report_print(&r, &c.m.t, out, true), CW_OK);
    fclose(out);
    json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_true(json_is_false(json_object_get(json, "equal")));
    assert_int_equal(json_integer_value(json_object_get(json, "commands")), 6);
    first = json_array_get(json_object_get(json, "differences"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "what")), "readback");
    assert_int_equal(json_integer_value(json_object_get(first, "id")), c.read);
    json_decref(json);
    free(text);
    maker_finish(&c.m);
}

static void test_options(void **state)
{
    static const char *const bad[] = {
        "backwards", "", "drop", "drop:", "drop:3", "drop:3:", "drop:3:4:5", "drop:-1:4"};
    struct cw_execute_options o = CW_EXECUTE_OPTIONS_DEFAULT;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(cw_execute_parse_order(&o, bad[i], NULL), CW_ERR_INVALID);
    assert_int_equal(cw_execute_parse_order(&o, "drop:3:17", NULL), CW_OK);
    assert_true(o.drop && !o.drop_auto && o.drop_from == 3 && o.drop_to == 17 &&
                o.order == CW_EXECUTE_RANDOM);
    cw_execute_parse_on(&o, "17");
    assert_true(o.device == 17 && !o.on);
    cw_execute_parse_on(&o, "pocl");
    assert_string_equal(o.on, "pocl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_in_trace_and_random_order),
        cmocka_unit_test(test_undefined_bytes_are_left_out),
        cmocka_unit_test(test_wrong_capture_is_found),
        cmocka_unit_test(test_missing_edge_is_found),
        cmocka_unit_test(test_dropped_edge_is_found),
        cmocka_unit_test(test_implied_edge_is_refused),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nothing_to_compare_is_no_success),
        cmocka_unit_test(test_broken_program),
        cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_json_report),
        cmocka_unit_test(test_options),
    };
    if (!maker_has_device()) {
        puts("no OpenCL device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
