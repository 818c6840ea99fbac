/* test_kernel_times.c - launches by kernel and by NDRange, on a small trace counted by hand. */
#include "trace_builder.h"

#include "../../analyzer/explain/kernel_times.h"

static uint32_t launch(struct cw_trace *t, uint32_t kernel, uint64_t global, uint64_t local, uint64_t ns)
{
    uint32_t id = tb_launch(t, 0, kernel, 0, -1);
    struct cw_command *k = &t->commands.v[id];

    k->global_size[0] = global;
    k->local_null = !local;
    k->local_size[0] = local ? local : 1;
    k->start_ns = ns ? 100000 * (id + 1) : 0;
    k->end_ns = ns ? k->start_ns + ns : 0;
    return id;
}

/* Two kernel objects of one name, three NDRanges; one launch has no time, one failed. */
static void rows_are_by_name_and_range(void **state)
{
    struct cw_launch_work work[9] = {{0}};
    struct cw_kernel_times k;
    struct cw_trace t;
    char text[160];
    (void)state;
    tb_init(&t);
    tb_queue(&t, false);
    tb_buffer(&t, 4096, 0);
    uint32_t p = tb_program(&t, NULL), one = tb_kernel(&t, p, "k", 1), same = tb_kernel(&t, p, "k", 1),
             other = tb_kernel(&t, p, "little", 1);
    launch(&t, one, 64, 16, 400);
    launch(&t, same, 64, 16, 100);
    launch(&t, one, 64, 0, 3200);
    launch(&t, one, 128, 16, 200);
    launch(&t, one, 64, 16, 0);
    t.commands.v[launch(&t, one, 64, 16, 800)].status = -5;
    launch(&t, other, 8, 0, 50);
    tb_build(&t);
    for (int i = 0; i < 9; i++)
        work[i] =
            (struct cw_launch_work){.no_flops = "data", .no_bytes = i < 4 ? NULL : "an image", .bytes = 64};
    work[0] = (struct cw_launch_work){.single = 600, .twice = 200, .bytes = 64};
    work[2] = (struct cw_launch_work){.single = 3200, .bytes = 64};
    assert_int_equal(cw_kernel_times_init(&k, &t, work, NULL), CW_OK);
    assert_int_equal(k.kernel_count, 2);
    assert_int_equal(k.range_count, 4);
    assert_int_equal(k.ns, 400 + 100 + 3200 + 200 + 50);
    const struct cw_kernel_row *row = &k.kernels[0];
    assert_string_equal(t.kernels.v[row->kernel].name, "k");
    assert_int_equal(row->launches, 6);
    assert_int_equal(row->failed, 1);
    assert_int_equal(row->spread.count, 4);
    assert_int_equal(row->spread.min, 100);
    assert_int_equal(row->spread.median, 300);
    assert_int_equal(row->spread.max, 3200);
    assert_int_equal(row->bytes, 4 * 2 * 4096); /* reads and writes: the kernel is not known */
    assert_true(cw_kernel_times_gflops(row) > 4000. / 3600 - 1e-9 &&
                cw_kernel_times_gflops(row) < 4000. / 3600 + 1e-9);
    assert_true(row->single == 3800 && row->twice == 200);
    assert_int_equal(row->flops_ns, 3600);
    assert_string_equal(row->no_flops, "data");
    assert_int_equal(row->work_bytes, 4 * 64);
    assert_int_equal(row->bytes_ns, 400 + 100 + 3200 + 200);
    assert_null(row->no_bytes); /* of a launch without a time nothing counts */
    assert_string_equal(k.kernels[1].no_bytes, "an image");
    assert_int_equal(row->range_count, 3);
    const struct cw_kernel_row *range = &k.ranges[row->first_range];
    assert_int_equal(range[0].spread.sum, 3200);
    assert_int_equal(range[1].spread.sum, 500);
    assert_int_equal(range[1].launches, 4);
    assert_int_equal(range[2].spread.sum, 200);
    cw_kernel_times_range(&t.commands.v[range[2].launch], "x", text);
    assert_string_equal(text, "128 / 16");
    cw_kernel_times_range(&t.commands.v[range[0].launch], "x", text);
    assert_string_equal(text, "64");
    cw_kernel_times_finish(&k);
    cw_trace_finish(&t);
}

/* Bins are of equal ratio: 100 and 3200 ns are the ends, 200 and 400 a fifth and two fifths of the way. */
static void bins_hold_each_timed_launch_once(void **state)
{
    static const uint64_t times[] = {100, 100, 200, 400, 3200};
    struct cw_kernel_times k;
    struct cw_trace t;
    uint32_t sum = 0;
    (void)state;
    tb_init(&t);
    tb_queue(&t, false);
    tb_buffer(&t, 64, 0);
    uint32_t kernel = tb_kernel(&t, tb_program(&t, NULL), "k", 1);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        launch(&t, kernel, 64, 16, times[i]);
    assert_int_equal(cw_kernel_times_init(&k, &t, NULL, NULL), CW_OK);
    for (unsigned b = 0; b < CW_KERNEL_BINS; b++)
        sum += k.kernels[0].bins[b];
    assert_int_equal(sum, 5);
    assert_int_equal(k.kernels[0].bins[0], 2);
    assert_int_equal(k.kernels[0].bins[CW_KERNEL_BINS / 5], 1);
    assert_int_equal(k.kernels[0].bins[2 * CW_KERNEL_BINS / 5], 1);
    assert_int_equal(k.kernels[0].bins[CW_KERNEL_BINS - 1], 1);
    assert_true(cw_kernel_times_gflops(&k.kernels[0]) == 0);
    cw_kernel_times_finish(&k);
    cw_trace_finish(&t);
}

static void a_trace_without_launches_has_no_rows(void **state)
{
    struct cw_kernel_times k;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    tb_write(&t, tb_queue(&t, false), tb_buffer(&t, 8, 0), 0, 8);
    assert_int_equal(cw_kernel_times_init(&k, &t, NULL, NULL), CW_OK);
    assert_int_equal(k.kernel_count, 0);
    cw_kernel_times_finish(&k);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_by_name_and_range),
        cmocka_unit_test(bins_hold_each_timed_launch_once),
        cmocka_unit_test(a_trace_without_launches_has_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
