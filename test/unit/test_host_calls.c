/* test_host_calls.c - calls by function, and the run's time by phase, on small traces counted by hand. */
#include "trace_builder.h"

#include "../../analyzer/explain/host_calls.h"
#include "../../analyzer/explain/figures.h"

static void call(struct cw_trace *t, const char *name, int32_t status, uint64_t begin, uint64_t end)
{
    *cw_trace_push(&t->calls, 1) = (struct cw_t_call){
        name, 0, status, CW_NONE, CW_NONE, CW_NONE, CW_NONE, CW_NONE, CW_NONE, -1, begin, end, {0, 0}};
}

static const struct cw_host_call *row(const struct cw_host_calls *h, const char *name)
{
    for (size_t i = 0; i < h->row_count; i++)
        if (!strcmp(h->rows[i].name, name))
            return &h->rows[i];
    fail_msg("no row of %s", name);
    return NULL;
}

static void the_spread_of_few_and_of_many(void **state)
{
    uint64_t few[] = {30, 10, 20}, many[100];
    struct cw_spread s = cw_spread_of(few, 3);
    (void)state;
    assert_int_equal(s.sum, 60);
    assert_int_equal(s.min, 10);
    assert_int_equal(s.median, 20);
    assert_int_equal(s.p95, 30);
    assert_int_equal(s.max, 30);
    for (uint64_t i = 0; i < 100; i++)
        many[i] = 100 - i;
    s = cw_spread_of(many, 100);
    assert_int_equal(s.median, 50);
    assert_int_equal(s.p95, 95);
    assert_int_equal(s.max, 100);
    assert_int_equal(cw_spread_of(many, 0).max, 0);
    assert_int_equal(cw_spread_of(many, 1).p95, 1);
}

/* Commands count as calls, polls and host writes do not; a call without a time counts, its time does not. */
static void calls_are_counted_by_function(void **state)
{
    struct cw_host_calls h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0);
    tb_write(&t, q, a, 0, 8);
    tb_write(&t, q, a, 0, 8);
    t.commands.v[1].status = -5;
    tb_command(&t, CW_HOST_POLL, CW_NONE);
    tb_command(&t, CW_HOST_FINISH, q);
    call(&t, "clGetDeviceIDs", -1, 50, 60);
    call(&t, "clBuildProgram", 0, 100, 400);
    call(&t, "clSetKernelArg", -51, 500, 500);
    call(&t, "clSetKernelArg", -51, 600, 600);
    assert_int_equal(cw_host_calls_init(&h, &t, NULL), CW_OK);
    assert_int_equal(h.calls, 7);
    assert_int_equal(h.failed, 4);
    assert_int_equal(h.row_count, 5);
    assert_string_equal(h.rows[0].name, "clEnqueueWriteBuffer"); /* 2 of 500 ns each */
    assert_int_equal(row(&h, "clEnqueueWriteBuffer")->spread.sum, 1000);
    assert_int_equal(row(&h, "clEnqueueWriteBuffer")->failed, 1);
    assert_int_equal(row(&h, "clSetKernelArg")->calls, 2);
    assert_int_equal(row(&h, "clSetKernelArg")->spread.count, 0);
    assert_int_equal(h.failure_count, 3);
    assert_string_equal(h.failures[0].name, "clEnqueueWriteBuffer");
    assert_string_equal(h.failures[1].name, "clSetKernelArg");
    assert_int_equal(h.failures[1].calls, 2);
    assert_true(h.failures[2].question);
    assert_int_equal(h.builds, 1);
    assert_int_equal(h.build_ns, 300);
    cw_host_calls_finish(&h);
    cw_trace_finish(&t);
}

/* Set-up 0-100, build 100-400, a launch's call 1000-1500 and its run 1200-1700, a wait 1600-2000; the rest of
 * 0-3000 is the host's. Two things at once count for the first kind. */
static void each_moment_counts_once(void **state)
{
    struct cw_first_launches none = {0};
    struct cw_phases p;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    t.process.start_ns = 10;
    t.process.end_ns = 3000;
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0), program = tb_program(&t, NULL),
             kernel = tb_kernel(&t, program, "k", 1);
    uint32_t launch = tb_launch(&t, q, kernel, (int)a, -1), wait = tb_command(&t, CW_HOST_FINISH, q);
    call(&t, "clCreateContext", 0, 10, 100);
    call(&t, "clCompileProgram", 0, 100, 400);
    call(&t, "clGetDeviceInfo", 0, 200, 300); /* another thread asks meanwhile */
    t.commands.v[launch].start_ns = 1200;
    t.commands.v[launch].end_ns = 1700;
    t.commands.v[wait].call_begin_ns = 1600;
    t.commands.v[wait].call_end_ns = 2000;
    assert_int_equal(cw_phases_measure(&p, &t, &none, NULL), CW_OK);
    assert_int_equal(p.total_ns, 2990);
    assert_int_equal(p.ns[CW_PHASE_SETUP], 90);
    assert_int_equal(p.ns[CW_PHASE_BUILD], 300);
    assert_int_equal(p.ns[CW_PHASE_CALLS], 200);
    assert_int_equal(p.ns[CW_PHASE_KERNELS], 500);
    assert_int_equal(p.ns[CW_PHASE_WAITING], 300);
    assert_int_equal(p.ns[CW_PHASE_HOST], 2990 - 90 - 300 - 200 - 500 - 300);
    assert_false(p.no_device_times);
    t.commands.v[launch].start_ns = t.commands.v[launch].end_ns = 0;
    assert_int_equal(cw_phases_measure(&p, &t, &none, NULL), CW_OK);
    assert_true(p.no_device_times);
    assert_int_equal(p.ns[CW_PHASE_CALLS], 500);
    cw_trace_finish(&t);
}

/* A first enqueue of a kernel that takes much longer than later ones is presumably the compiler's, and no
 * waiting. */
static void long_first_enqueues_are_told_apart(void **state)
{
    const uint64_t ms = 1000000;
    struct cw_first_launches f;
    struct cw_phases p;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    uint32_t q = tb_queue(&t, false), a = tb_buffer(&t, 8, 0), program = tb_program(&t, NULL),
             kernel = tb_kernel(&t, program, "k", 1);
    for (uint64_t i = 0; i < 3; i++) {
        uint32_t id = tb_launch(&t, q, kernel, (int)a, -1);
        struct cw_command *k = &t.commands.v[id];
        k->call_begin_ns = (1 + 100 * i) * ms;
        k->call_end_ns = k->call_begin_ns + (i ? 1000 : 50 * ms);
    }
    assert_int_equal(cw_first_launches_find(&f, &t, NULL), CW_OK);
    assert_int_equal(f.calls, 1);
    assert_int_equal(f.call_ns, 50 * ms);
    assert_int_equal(f.count, 0);
    assert_int_equal(cw_phases_measure(&p, &t, &f, NULL), CW_OK);
    assert_int_equal(p.ns[CW_PHASE_FIRST], 50 * ms);
    cw_first_launches_finish(&f);
    t.commands.v[0].call_end_ns = t.commands.v[0].call_begin_ns + ms / 2; /* not long */
    assert_int_equal(cw_first_launches_find(&f, &t, NULL), CW_OK);
    assert_int_equal(f.calls, 0);
    cw_first_launches_finish(&f);
    cw_trace_finish(&t);
}

static void errors_have_names(void **state)
{
    char text[32];
    (void)state;
    assert_string_equal(cw_error_names_of(-51, text), "CL_INVALID_ARG_SIZE");
    assert_string_equal(cw_error_names_of(-1001, text), "CL_PLATFORM_NOT_FOUND_KHR");
    assert_string_equal(cw_error_names_of(-9999, text), "error -9999");
}

/* Three builds of one text, of which one has other options, and one of another text. */
static void builds_of_the_same_are_told(void **state)
{
    const char *const options[] = {"-w", "", "-w", "-w"};
    struct cw_host_calls h;
    struct cw_trace t;
    (void)state;
    tb_init(&t);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t p = tb_program(&t, "kernel void k() {}");
        t.programs.v[p].source_hash = i == 3 ? 2 : 1;
        t.programs.v[p].options = options[i];
        call(&t, "clBuildProgram", 0, 100 * i + 100, 100 * i + 150);
        t.calls.v[i].program = p;
        t.calls.v[i].callsite = (struct cw_slice){i, 1};
    }
    assert_int_equal(cw_host_calls_init(&h, &t, NULL), CW_OK);
    assert_int_equal(h.builds, 4);
    assert_int_equal(h.same.builds, 2);
    assert_int_equal(h.same.callsite.first, 0);
    cw_host_calls_finish(&h);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spread_of_few_and_of_many),      cmocka_unit_test(calls_are_counted_by_function),
        cmocka_unit_test(builds_of_the_same_are_told),        cmocka_unit_test(each_moment_counts_once),
        cmocka_unit_test(long_first_enqueues_are_told_apart), cmocka_unit_test(errors_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
