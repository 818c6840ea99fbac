/* commands.c - replay --execute on every kind of command, by hand-made traces. */
#include <stdio.h>
#include <unistd.h>

#include "common.h"

enum { N = 64 };

static const char source[] =
    "kernel void scale(global int *v, int by) { v[get_global_id(0)] *= by; }\n"
    "kernel void invert(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
    "    int2 p = (int2)(get_global_id(0), 0); for (; p.y < 4; p.y++) write_imageui(out, p, 255 - "
    "read_imageui(in, s, p)); }\n"
    "kernel void shout(global int *v) { v[0]++; printf(\"kernel output\\n\"); }\n";

static const struct cw_execute_options hundred = {
    .order = CW_EXECUTE_RANDOM, .seed = 1, .repeat = 100, .device = 0};
static const struct cw_execute_options drop_any = {
    .order = CW_EXECUTE_RANDOM, .repeat = 1, .drop = true, .drop_auto = true};
static const struct cw_execute_options trace_order = CW_EXECUTE_OPTIONS_DEFAULT;

enum { W = 16, H = 4 };

/* What test_transfers leaves in its two buffers. */
static void expect_transfers(int grid[H][W], int copy[H][W], int rows[2][4])
{
    for (int i = 0; i < W * H; i++)
        grid[i / W][i % W] = 9;
    for (int i = 0; i < 8; i++)
        grid[1 + i / 4][2 + i % 4] = rows[i / 4][i % 4]; /* the rectangle */
    for (int i = 0; i < W; i++)
        grid[2][i] *= 3; /* the sub-buffer */
    memcpy(copy, grid, sizeof(int) * W * H);
    copy[0][0] = 77, copy[3][15] = 88; /* host write, unmap */
}

/* Fills, copies, rectangles, sub-buffers, maps and host writes on one buffer of 4 x 16 ints. */
static void test_transfers(void **state)
{
    int grid[H][W], copy[H][W], rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, nine = 9, three = 3;
    struct cw_execute_report r;
    struct cw_error err;
    struct cw_t_transfer *f;
    struct cw_t_memory *sub;
    uint32_t a, b, s, scale;
    struct maker m;
    (void)state;
    maker_init(&m, false);
    scale = maker_kernel(&m, maker_program(&m, source), "scale", 2);
    expect_transfers(grid, copy, rows);
    a = maker_buffer(&m, CL_MEM_READ_WRITE, sizeof grid, NULL, grid);
    b = maker_buffer(&m, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof copy, grid, copy);
    sub = cw_trace_push(&m.t.memory, 1);
    *sub = (struct cw_t_memory){
        .kind = CW_MEM_SUBBUFFER, .parent = a, .offset = 2 * W * sizeof(int), .size = W * sizeof(int)};
    s = (uint32_t)m.t.memory.count - 1;
    f = maker_transfer(&m, CL_COMMAND_FILL_BUFFER);
    f->dst = a, f->bytes = sizeof grid, f->pattern_bytes = sizeof nine,
    f->pattern = maker_bytes(&m, &nine, sizeof nine);
    f = maker_transfer(&m, CL_COMMAND_WRITE_BUFFER_RECT);
    f->dst = a, f->dst_origin[0] = 2 * sizeof(int), f->dst_origin[1] = 1, f->dst_row_pitch = W * sizeof(int);
    f->region[0] = 4 * sizeof(int), f->region[1] = 2, f->region[2] = 1,
    f->data = maker_blob(&m, rows, sizeof rows);
    f->bytes = sizeof rows;
    maker_launch(&m, scale, W, 0);
    maker_arg_memory(&m, s), maker_arg_value(&m, &three, sizeof three);
    f = maker_transfer(&m, CL_COMMAND_COPY_BUFFER);
    f->src = a, f->dst = b, f->bytes = sizeof grid;
    f = maker_transfer(&m, CW_HOST_WRITE);
    f->dst = b, f->bytes = sizeof(int), f->data = maker_blob(&m, &(int){77}, sizeof(int));
    f = maker_transfer(&m, CL_COMMAND_MAP_BUFFER);
    f->src = b, f->src_offset = 63 * sizeof(int), f->bytes = sizeof(int),
    f->map_flags = CL_MAP_READ | CL_MAP_WRITE;
    f->data = maker_blob(&m, &grid[3][15], sizeof(int));
    f = maker_transfer(&m, CL_COMMAND_UNMAP_MEM_OBJECT);
    f->dst = b, f->dst_offset = 63 * sizeof(int), f->bytes = sizeof(int),
    f->map_flags = CL_MAP_READ | CL_MAP_WRITE;
    f->data = maker_blob(&m, &(int){88}, sizeof(int)), f->map_command = (uint32_t)m.t.commands.count - 2;
    f = maker_transfer(&m, CL_COMMAND_READ_BUFFER_RECT);
    f->src = b, f->src_origin[0] = W * sizeof(int) - 4, f->src_origin[1] = 2,
    f->src_row_pitch = W * sizeof(int);
    f->region[0] = 4, f->region[1] = 2, f->region[2] = 1, f->bytes = 8;
    f->data = maker_blob(&m, (int[]){copy[2][15], 88}, 8);
    maker_seal(&m);
    for (size_t i = 0; i < m.t.commands.count; i++) /* a file may say it of commands without a queue, too */
        m.t.commands.v[i].elsewhere = m.t.commands.v[i].type == CW_HOST_WRITE;
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.buffers, 2);
    assert_int_equal(r.readbacks, 2);
    assert_int_equal(maker_run(&m, drop_any, &r, &err), CW_ERR_MISMATCH);
    maker_finish(&m);
}

static uint32_t make_image(struct maker *m, size_t side, const void *initial, const void *final)
{
    struct cw_t_memory *o = cw_trace_push(&m->t.memory, 1);
    size_t size = side * side * 4;
    *o = (struct cw_t_memory){.kind = CW_MEM_IMAGE,
                              .parent = CW_NONE,
                              .size = size,
                              .flags = CL_MEM_READ_WRITE,
                              .image_type = CL_MEM_OBJECT_IMAGE2D,
                              .channel_order = CL_RGBA,
                              .channel_type = CL_UNSIGNED_INT8,
                              .element_bytes = 4,
                              .width = side,
                              .height = side};
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
    maker_arg_memory(&m, a), maker_arg_memory(&m, b),
        maker_arg(&m, CW_ARG_SAMPLER, maker_sampler(&m), sizeof(cl_sampler));
    f = maker_transfer(&m, CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    f->src = b, f->dst = c, f->region[0] = f->region[1] = SIDE, f->region[2] = 1, f->bytes = sizeof out;
    f = maker_transfer(&m, CL_COMMAND_READ_IMAGE);
    f->src = b, f->src_origin[1] = 1, f->region[0] = SIDE, f->region[1] = 2, f->region[2] = 1;
    f->data = maker_blob(&m, out[1], 2 * sizeof out[1]);
    maker_seal(&m);
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    assert_int_equal(r.buffers, 3);
    assert_int_equal(r.readbacks, 1);
    assert_int_equal(maker_run(&m, drop_any, &r, &err), CW_ERR_MISMATCH);
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
        maker_arg_memory(&m, buffer), maker_arg_value(&m, i ? &(int){0} : &two, sizeof two);
        m.t.commands.v[launch].wait_list = (struct cw_slice){(uint32_t)m.t.waits.count, 1};
        *cw_trace_push(&m.t.waits, 1) = i ? 4 : 3; /* the first is set behind the write, the second never */
    }
    for (int i = 0; i < N; i++)
        ones[i] = 2;
    maker_write(&m, buffer, 0, ones, sizeof ones);
    maker_command(&m, CW_HOST_USER_EVENT)->exec_status = 0;
    m.t.commands.v[3].wait_list = (struct cw_slice){(uint32_t)m.t.waits.count, 1};
    *cw_trace_push(&m.t.waits, 1) = 2; /* set by a program that knew the write to be done */
    maker_command(&m, CW_HOST_USER_EVENT)->exec_status = 1;
    maker_seal(&m);
    assert_int_equal(maker_run(&m, trace_order, &r, &err), CW_OK);
    assert_int_equal(r.skipped, 1);
    assert_int_equal(maker_run(&m, hundred, &r, &err), CW_OK);
    maker_finish(&m);
}

static bool file_has(FILE *f, const char *words)
{
    char text[4096] = "";
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    return strstr(text, words) != NULL;
}

/* Standard output belongs to the report; what kernels print goes to standard error. */
static void test_kernel_output(void **state)
{
    int saved[2], status, one = 1, zero = 0;
    FILE *seen[2] = {tmpfile(), tmpfile()};
    struct cw_execute_report r;
    struct cw_error err = {0};
    struct maker m;
    (void)state;
    maker_init(&m, false);
    maker_launch(&m, maker_kernel(&m, maker_program(&m, source), "shout", 1), 1, 0);
    maker_arg_memory(&m, maker_buffer(&m, CL_MEM_READ_WRITE, sizeof one, &zero, &one));
    maker_seal(&m);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        saved[i] = dup(i + 1);
        dup2(fileno(seen[i]), i + 1);
    }
    status = cw_execute_run(&m.t, &hundred, NULL, 0, &r, &err);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], i + 1);
        close(saved[i]);
    }
    assert_int_equal(status, CW_OK);
    assert_false(file_has(seen[0], "kernel output"));
    assert_true(file_has(seen[1], "kernel output"));
    fclose(seen[0]);
    fclose(seen[1]);
    maker_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_user_events),
        cmocka_unit_test(test_kernel_output),
    };
    if (!maker_has_device()) {
        puts("no OpenCL device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
