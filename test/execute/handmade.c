/* handmade.c - replay --execute on traces made by hand: it accepts what is right and notices every planted fault. */
#include "common.h"

enum { N = 64 };

static const char source[] =
    "typedef struct { int a, b, c; } triple;\n"
    "kernel void add(global int *out, global const int *x, global const int *y) {\n"
    "    size_t i = get_global_id(0); out[i] = x[i] + y[i]; }\n"
    "kernel void scale(global int *v, int by) { v[get_global_id(0)] *= by; }\n"
    "kernel void sum3(global int *v, triple t, local int *l) { size_t i = get_local_id(0); l[i] = t.a + t.b + t.c;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); v[get_global_id(0)] += l[get_local_size(0) - 1 - i]; }\n"
    "kernel void invert(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
    "    int2 p = (int2)(get_global_id(0), 0); for (; p.y < 4; p.y++) write_imageui(out, p, 255 - read_imageui(in, s, p)); }\n"
    "kernel void shout(global int *v) { v[0]++; printf(\"kernel output\\n\"); }\n";

/* Ids of the chain: x written, y created with contents; sum = x + y; sum *= 3; other += 7 thrice; reads. */
struct chain {
    struct maker m;
    uint32_t x, y, sum, other;                        /* memory */
    uint32_t write_x, add, scale, sum3, read, read_other; /* commands */
    int sums[N], others[N];
};

/* `half`: the kernels cover only the first half of sum, whose rest stays undefined. */
static void chain_init(struct chain *c, bool half)
{
    int xs[N], ys[N], three = 3, triple[3] = { 1, 2, 4 }, zeros[N] = { 0 };
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
static const struct cw_execute_options hundred = { .order = CW_EXECUTE_RANDOM, .seed = 1, .repeat = 100, .device = 0 };

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
    assert_int_equal(r.undefined_bytes, 2 * N / 2 * sizeof(int)); /* in the buffer and in what was read of it */
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
        if (t->edges.v[i].from != from || t->edges.v[i].to != to || !cw_edge_binds(&t->edges.v[i]))
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
    struct cw_error err = { 0 };
    struct chain c;
    char pair[32];
    (void)state;
    chain_init(&c, false);
    assert_int_equal(cw_execute_options_parse(&o, "drop-edge", "auto", &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_MISMATCH);
    assert_int_equal(r.dropped_from, c.write_x);
    snprintf(pair, sizeof pair, "%u:%u", c.add, c.scale);
    assert_int_equal(cw_execute_options_parse(&o, "drop-edge", pair, &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_MISMATCH);
    snprintf(pair, sizeof pair, "%u:%u", c.add, c.sum3); /* in-order, but nothing in common */
    assert_int_equal(cw_execute_options_parse(&o, "drop-edge", pair, &err), CW_OK);
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_NOTFOUND);
    maker_finish(&c.m);
}

/* An edge that others imply cannot be left out: saying "still equal" would prove nothing. */
static void test_implied_edge_is_refused(void **state)
{
    struct cw_execute_options o = CW_EXECUTE_OPTIONS_DEFAULT;
    struct cw_execute_report r;
    struct cw_error err = { 0 };
    struct chain c;
    (void)state;
    chain_init(&c, false);
    *cw_trace_push(&c.m.t.edges, 1) = (struct cw_edge){ .from = c.add, .to = c.read, .kind = CW_EDGE_DATA, .hazard = CW_HAZARD_RAW };
    o.drop = true, o.drop_from = c.add, o.drop_to = c.read;
    assert_int_equal(maker_run(&c.m, o, &r, &err), CW_ERR_INVALID);
    maker_finish(&c.m);
}

static enum cw_status run_plan(struct chain *c, const uint32_t *plan, size_t count, struct cw_error *err)
{
    struct cw_execute_options o = { .order = CW_EXECUTE_PLAN, .repeat = 1 };
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
    assert_int_equal(run_plan(&c, (uint32_t[]){ c.sum3, c.write_x, c.read_other, c.add, c.scale, c.read }, 6, &err), CW_OK);
    assert_int_equal(run_plan(&c, (uint32_t[]){ c.sum3, c.add, c.write_x, c.read_other, c.scale, c.read }, 6, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "command 1 before command 0"));
    assert_int_equal(run_plan(&c, (uint32_t[]){ 0, 0 }, 2, &err), CW_ERR_INVALID);
    assert_int_equal(run_plan(&c, (uint32_t[]){ 99 }, 1, &err), CW_ERR_INVALID);
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
    expect_refused(&c, CW_ERR_UNSUPPORTED, "command 2 (CL_COMMAND_NATIVE_KERNEL");
    t->commands.v[c.scale].type = CL_COMMAND_NDRANGE_KERNEL;
    arg = t->args.v[0], t->args.v[0].kind = CW_ARG_SVM;
    expect_refused(&c, CW_ERR_UNSUPPORTED, "command 1 (CL_COMMAND_NDRANGE_KERNEL add): shared virtual memory");
    t->args.v[0] = arg, t->memory.v[c.sum].kind = CW_MEM_PIPE;
    expect_refused(&c, CW_ERR_UNSUPPORTED, "pipes");
    t->memory.v[c.sum].kind = CW_MEM_BUFFER, t->transfers.v[0].data.size = 0;
    expect_refused(&c, CW_ERR_NOTFOUND, "command 0 (CL_COMMAND_WRITE_BUFFER): the bytes that it sends were not captured");
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

/* Fills, copies, rectangles, sub-buffers, maps and host writes on one buffer of 4 x 16 ints. */
static void test_transfers(void **state)
{
    enum { W = 16, H = 4 };
    int grid[H][W], copy[H][W], rows[2][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, nine = 9, three = 3;
    struct cw_execute_report r;
    struct cw_error err;
    struct cw_t_transfer *f;
    struct cw_t_memory *sub;
    uint32_t a, b, s, scale;
    struct maker m;
    (void)state;
    maker_init(&m, false);
    scale = maker_kernel(&m, maker_program(&m, source), "scale", 2);
    for (int i = 0; i < W * H; i++)
        grid[i / W][i % W] = 9;
    for (int i = 0; i < 8; i++)
        grid[1 + i / 4][2 + i % 4] = rows[i / 4][i % 4]; /* the rectangle */
    for (int i = 0; i < W; i++)
        grid[2][i] *= 3; /* the sub-buffer */
    memcpy(copy, grid, sizeof copy);
    copy[0][0] = 77, copy[3][15] = 88; /* host write, unmap */
    a = maker_buffer(&m, CL_MEM_READ_WRITE, sizeof grid, NULL, grid);
    b = maker_buffer(&m, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof copy, grid, copy);
    sub = cw_trace_push(&m.t.memory, 1);
    *sub = (struct cw_t_memory){ .kind = CW_MEM_SUBBUFFER, .parent = a, .offset = 2 * W * sizeof(int), .size = W * sizeof(int) };
    s = (uint32_t)m.t.memory.count - 1;
    f = maker_transfer(&m, CL_COMMAND_FILL_BUFFER);
    f->dst = a, f->bytes = sizeof grid, f->pattern_bytes = sizeof nine, f->pattern = maker_bytes(&m, &nine, sizeof nine);
    f = maker_transfer(&m, CL_COMMAND_WRITE_BUFFER_RECT);
    f->dst = a, f->dst_origin[0] = 2 * sizeof(int), f->dst_origin[1] = 1, f->dst_row_pitch = W * sizeof(int);
    f->region[0] = 4 * sizeof(int), f->region[1] = 2, f->region[2] = 1, f->data = maker_blob(&m, rows, sizeof rows);
    f->bytes = sizeof rows;
    maker_launch(&m, scale, W, 0);
    maker_arg_memory(&m, s), maker_arg_value(&m, &three, sizeof three);
    f = maker_transfer(&m, CL_COMMAND_COPY_BUFFER);
    f->src = a, f->dst = b, f->bytes = sizeof grid;
    f = maker_transfer(&m, CW_HOST_WRITE);
    f->dst = b, f->bytes = sizeof(int), f->data = maker_blob(&m, &(int){ 77 }, sizeof(int));
    f = maker_transfer(&m, CL_COMMAND_MAP_BUFFER);
    f->src = b, f->src_offset = 63 * sizeof(int), f->bytes = sizeof(int), f->map_flags = CL_MAP_READ | CL_MAP_WRITE;
    f->data = maker_blob(&m, &grid[3][15], sizeof(int));
    f = maker_transfer(&m, CL_COMMAND_UNMAP_MEM_OBJECT);
    f->dst = b, f->dst_offset = 63 * sizeof(int), f->bytes = sizeof(int), f->map_flags = CL_MAP_READ | CL_MAP_WRITE;
    f->data = maker_blob(&m, &(int){ 88 }, sizeof(int)), f->map_command = (uint32_t)m.t.commands.count - 2;
    f = maker_transfer(&m, CL_COMMAND_READ_BUFFER_RECT);
    f->src = b, f->src_origin[0] = W * sizeof(int) - 4, f->src_origin[1] = 2, f->src_row_pitch = W * sizeof(int);
    f->region[0] = 4, f->region[1] = 2, f->region[2] = 1, f->bytes = 8;
    f->data = maker_blob(&m, (int[]){ copy[2][15], 88 }, 8);
    maker_seal(&m);
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.buffers, 2);
    assert_int_equal(r.readbacks, 2);
    assert_int_equal(maker_run(&m, (struct cw_execute_options){ .order = CW_EXECUTE_RANDOM, .repeat = 1, .drop = true, .drop_auto = true },
                               &r, &err), CW_ERR_MISMATCH);
    maker_finish(&m);
}

static uint32_t make_image(struct maker *m, size_t side, const void *initial, const void *final)
{
    struct cw_t_memory *o = cw_trace_push(&m->t.memory, 1);
    size_t size = side * side * 4;
    *o = (struct cw_t_memory){ .kind = CW_MEM_IMAGE, .parent = CW_NONE, .size = size, .flags = CL_MEM_READ_WRITE,
                               .image_type = CL_MEM_OBJECT_IMAGE2D, .channel_order = CL_RGBA, .channel_type = CL_UNSIGNED_INT8,
                               .element_bytes = 4, .width = side, .height = side };
    o->initial = maker_blob(m, initial, size);
    o->final = maker_blob(m, final, size);
    return (uint32_t)m->t.memory.count - 1;
}

static void test_images(void **state)
{
    enum { SIDE = 4 };
    uint8_t in[SIDE][SIDE][4], out[SIDE][SIDE][4];
    struct cw_execute_report r;
    struct cw_error err;
    struct cw_t_transfer *f;
    uint32_t a, b, c, kernel;
    struct maker m;
    (void)state;
    maker_init(&m, true);
    for (size_t i = 0; i < sizeof in; i++)
        (&in[0][0][0])[i] = (uint8_t)(i * 3), (&out[0][0][0])[i] = (uint8_t)(255 - i * 3);
    kernel = maker_kernel(&m, maker_program(&m, source), "invert", 3);
    a = make_image(&m, SIDE, NULL, in);
    b = make_image(&m, SIDE, NULL, out);
    c = maker_buffer(&m, CL_MEM_READ_WRITE, sizeof out, NULL, out);
    f = maker_transfer(&m, CL_COMMAND_WRITE_IMAGE);
    f->dst = a, f->region[0] = f->region[1] = SIDE, f->region[2] = 1, f->data = maker_blob(&m, in, sizeof in);
    maker_launch(&m, kernel, SIDE, 0);
    maker_arg_memory(&m, a), maker_arg_memory(&m, b), maker_arg(&m, CW_ARG_SAMPLER, maker_sampler(&m), sizeof(cl_sampler));
    f = maker_transfer(&m, CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    f->src = b, f->dst = c, f->region[0] = f->region[1] = SIDE, f->region[2] = 1, f->bytes = sizeof out;
    f = maker_transfer(&m, CL_COMMAND_READ_IMAGE);
    f->src = b, f->src_origin[1] = 1, f->region[0] = SIDE, f->region[1] = 2, f->region[2] = 1;
    f->data = maker_blob(&m, out[1], 2 * sizeof out[1]);
    maker_seal(&m);
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.buffers, 3);
    assert_int_equal(r.readbacks, 1);
    assert_int_equal(maker_run(&m, (struct cw_execute_options){ .order = CW_EXECUTE_RANDOM, .repeat = 1, .drop = true, .drop_auto = true },
                               &r, &err), CW_ERR_MISMATCH);
    maker_finish(&m);
}

/* Set later than the enqueue, a user event holds its waiter back; never set, for ever. */
static void test_user_events(void **state)
{
    int two = 2, ones[N], fours[N];
    uint32_t buffer, scale, launch;
    struct cw_execute_report r;
    struct cw_error err;
    struct maker m;
    (void)state;
    for (int i = 0; i < N; i++)
        ones[i] = 1, fours[i] = 4;
    maker_init(&m, true);
    scale = maker_kernel(&m, maker_program(&m, source), "scale", 2);
    buffer = maker_buffer(&m, CL_MEM_READ_WRITE, sizeof ones, NULL, fours);
    for (int i = 0; i < 2; i++) {
        launch = maker_launch(&m, scale, N, 0);
        maker_arg_memory(&m, buffer), maker_arg_value(&m, i ? &(int){ 0 } : &two, sizeof two);
        m.t.commands.v[launch].wait_list = (struct cw_slice){ (uint32_t)m.t.waits.count, 1 };
        *cw_trace_push(&m.t.waits, 1) = i ? 4 : 3; /* the first is set behind the write, the second never */
    }
    for (int i = 0; i < N; i++)
        ones[i] = 2;
    maker_write(&m, buffer, 0, ones, sizeof ones);
    maker_command(&m, CW_HOST_USER_EVENT)->exec_status = 0;
    m.t.commands.v[3].wait_list = (struct cw_slice){ (uint32_t)m.t.waits.count, 1 };
    *cw_trace_push(&m.t.waits, 1) = 2; /* set by a program that knew the write to be done */
    maker_command(&m, CW_HOST_USER_EVENT)->exec_status = 1;
    maker_seal(&m);
    assert_int_equal(maker_run(&m, trace_order, &r, &err), CW_OK);
    assert_int_equal(r.skipped, 1);
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    maker_finish(&m);
}

static void test_options(void **state)
{
    static const char *const bad[][2] = { { "order", "backwards" }, { "seed", "-1" }, { "seed", "" }, { "repeat", "0" },
                                          { "repeat", "1x" }, { "device", "a" }, { "drop-edge", "3" }, { "drop-edge", "3:" },
                                          { "drop-edge", "3:4:5" }, { "nonsense", "1" } };
    struct cw_execute_options o = CW_EXECUTE_OPTIONS_DEFAULT;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_error err = { 0 };
        assert_int_equal(cw_execute_options_parse(&o, bad[i][0], bad[i][1], &err), CW_ERR_INVALID);
    }
    assert_int_equal(cw_execute_options_parse(&o, "seed", "18446744073709551615", NULL), CW_OK);
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(cw_execute_options_parse(&o, "drop-edge", "3:17", NULL), CW_OK);
    assert_true(o.drop && !o.drop_auto && o.drop_from == 3 && o.drop_to == 17 && o.order == CW_EXECUTE_RANDOM);
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
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_user_events),
        cmocka_unit_test(test_options),
    };
    if (!maker_has_device()) {
        puts("no OpenCL device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
