/* test_command_times.c - times from the call to the end by kind of command, on a trace counted by hand. */
#include <math.h>

#include "trace_builder.h"

#include "../../analyzer/explain/command_times.h"

/* Times of command `id`: the call, then queued, submit, start, end of the device's clock; 0: none. */
static void set_times(struct cw_trace *t, uint32_t id, uint64_t call, const uint64_t device[4])
{
    struct cw_command *k = &t->commands.v[id];

    k->call_begin_ns = 1000;
    k->call_end_ns = 1000 + call;
    k->queued_ns = device[0];
    k->submit_ns = device[1];
    k->start_ns = device[2];
    k->end_ns = device[3];
}

static void stages_are_by_kind(void **state)
{
    static const uint64_t one[] = {100, 110, 130, 170}, two[] = {200, 230, 290, 300}, none[4] = {0};
    struct cw_command_times k;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    tb_queue(&t, false);
    uint32_t buffer = tb_buffer(&t, 64, 0), kernel = tb_kernel(&t, tb_program(&t, NULL), "k", 1);
    set_times(&t, tb_launch(&t, 0, kernel, buffer, -1), 5, one);
    set_times(&t, tb_launch(&t, 0, kernel, buffer, -1), 7, two);
    set_times(&t, tb_launch(&t, 0, kernel, buffer, -1), 9, none); /* its device says nothing */
    tb_write(&t, 0, buffer, 0, 64);
    uint32_t write = tb_write(&t, 0, buffer, 0, 64);
    set_times(&t, write - 1, 3, none);
    set_times(&t, write, 4, none);
    t.commands.v[write].blocking = !t.commands.v[write - 1].blocking;
    assert_int_equal(cw_command_times_init(&k, &t, NULL), CW_OK);
    assert_int_equal(k.count, 3); /* blocking writes are another kind */
    const struct cw_command_times_row *row = &k.rows[0];
    assert_string_equal(row->name, "k");
    assert_true(row->kernel && row->commands == 3);
    assert_int_equal(row->stage[CW_STAGE_CALL].count, 3);
    assert_int_equal(row->stage[CW_STAGE_CALL].sum, 21);
    assert_int_equal(row->stage[CW_STAGE_QUEUED].count, 2);
    assert_int_equal(row->stage[CW_STAGE_QUEUED].sum, 10 + 30);
    assert_int_equal(row->stage[CW_STAGE_SUBMIT].max, 60);
    assert_int_equal(row->stage[CW_STAGE_RUN].min, 10);
    assert_int_equal(row->stage[CW_STAGE_RUN].max, 40);
    assert_false(k.rows[1].kernel || k.rows[2].kernel);
    assert_true(k.rows[1].blocking != k.rows[2].blocking);
    assert_int_equal(k.rows[1].commands + k.rows[2].commands, 2);
    assert_int_equal(k.rows[1].stage[CW_STAGE_RUN].count, 0);
    cw_command_times_finish(&k);
    cw_trace_finish(&t);
}

/* Of six launches four have times, 10, 20, 30 and 40: the mean is 25, the variance 500 / 3, and half of the
 * interval 3.182 * sqrt(500 / 3 * 6 * 2 / 4). */
static void commands_without_times_are_estimated(void **state)
{
    static const uint64_t ends[] = {110, 120, 0, 130, 140, 0};
    const double half = 3.182 * sqrt(500. / 3 * 6 * 2 / 4);
    struct cw_command_times k;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    tb_queue(&t, false);
    uint32_t buffer = tb_buffer(&t, 64, 0), kernel = tb_kernel(&t, tb_program(&t, NULL), "k", 1);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        set_times(&t, tb_launch(&t, 0, kernel, buffer, -1), 5,
                  (uint64_t[]){0, 0, ends[i] ? 100 : 0, ends[i]});
    set_times(&t, tb_write(&t, 0, buffer, 0, 64), 5, (uint64_t[]){0, 0, 100, 107});
    tb_write(&t, 0, buffer, 0, 64);
    assert_int_equal(cw_command_times_init(&k, &t, NULL), CW_OK);
    const struct cw_estimate *e = &k.rows[0].all, *write = &k.rows[1].all;
    assert_true(e->timed == 4 && e->untimed == 2);
    assert_true(fabs(e->ns - 150) < 1e-9);
    assert_true(fabs(e->half_ns - half) < 1e-9);
    assert_true(write->timed == 1 && write->untimed == 1 && isnan(write->half_ns));
    assert_true(fabs(write->ns - 14) < 1e-9);
    assert_true(fabs(k.all.ns - 150) < 1e-9); /* the writes have no interval */
    assert_int_equal(k.all.unknown, 2);
    cw_command_times_finish(&k);
    cw_trace_finish(&t);
}

static void a_trace_without_commands_has_no_rows(void **state)
{
    struct cw_command_times k;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    assert_int_equal(cw_command_times_init(&k, &t, NULL), CW_OK);
    assert_int_equal(k.count, 0);
    cw_command_times_finish(&k);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_are_by_kind),
        cmocka_unit_test(commands_without_times_are_estimated),
        cmocka_unit_test(a_trace_without_commands_has_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
