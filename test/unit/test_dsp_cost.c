/* Costs of commands on emulated DSPs: operations, memory, staging, contention, faults; on the virtual clock.
 * */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/plan/platform_file.h"
#include "../../shim/device/device.h"
#include "../../shim/device/dsp_clock.h"
#include "../../analyzer/plan/ddr.h"
#include "../../analyzer/io/folders.h"

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-6 * fabs((double)(b)))

/* ---- operations */

static const struct cw_op_rates rates = {true, 30, 8, 4, 2, 0, 12 << 20};

static struct cw_work_ops ops_of(double integer, double fma, double load_bytes, double store_bytes)
{
    struct cw_work_ops o = {.groups = 16, .group_items = 64};

    o.per_item[CW_OP_INTEGER] = integer;
    o.per_item[CW_OP_SINGLE_FMA] = fma;
    o.per_item[CW_OP_LOAD_BYTES] = load_bytes;
    o.per_item[CW_OP_STORE_BYTES] = store_bytes;
    return o;
}

/* By hand: 30 operations and 8 multiply-adds per ns. */
static void test_rates(void **state)
{
    struct cw_work_ops o = ops_of(60, 16, 8, 4);

    (void)state;
    NEAR(cw_operations_rates_compute_ns(&rates, &o, 1024), 1024 * (60 / 30. + 16 / 8.));
    o.group_items = 5; /* on four lanes: 5 of 8 are used */
    NEAR(cw_operations_rates_compute_ns(&rates, &o, 80), 80 * 4 * 8 / 5.);
    o.group_items = 64;
    o.groups = 3; /* on two cores: 3 of 4 */
    NEAR(cw_operations_rates_compute_ns(&rates, &o, 192), 192 * 4 * 4 / 3.);
    o.groups = o.group_items = 0; /* not known: all are used */
    NEAR(cw_operations_rates_compute_ns(&rates, &o, 10), 40);
    o.per_item[CW_OP_DOUBLE] = 30; /* in software: 8 each */
    o.per_item[CW_OP_SPECIAL] = 15;
    NEAR(cw_operations_rates_compute_ns(&rates, &o, 1), 4 + 8 + 8);
    NEAR(cw_operations_rates_bytes(&o, 100, true), 1200);
    o.group_bytes = 128;
    o.groups = 2;
    NEAR(cw_operations_rates_bytes(&o, 100, true), 256);
    NEAR(cw_operations_rates_bytes(&o, 100, false), 1200);
    assert_true(cw_operations_rates_can_stage(&rates, &o));
    o.group_bytes = (12 << 20) / 4 + 1; /* two of them for each of two cores */
    assert_false(cw_operations_rates_can_stage(&rates, &o));
}

/* ---- platform files */

static struct cw_platform_model *model_of(const char *device)
{
    char name[PATH_MAX];
    struct cw_platform_model *m;
    struct cw_error err = {0};
    FILE *f;
    int fd;

    snprintf(name, sizeof name, "%s/test_dsp_costXXXXXX", cw_temporary_folder());
    fd = mkstemp(name);
    f = fdopen(fd, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"format\": \"clweave-platform\", \"version\": 1, \"ddr_bytes_per_ns\": 2, \"devices\": [%s]}",
            device);
    fclose(f);
    if (cw_platform_model_load(name, -1, &m, &err) != CW_OK)
        m = NULL;
    unlink(name);
    return m;
}

#define OPERATIONS                                                                                           \
    "\"operations\": {\"gops\": 30, \"gfmacs\": 8, \"lanes\": 4, \"cores\": 2, \"local_bytes\": 1024}"

static double cost(const struct cw_platform_model *m, const struct cw_work *w)
{
    bool traced;

    return cw_platform_model_cost(m, 0, w, &traced);
}

/* An exception's time holds, then operations, then the device's time. Memory adds to computing, or hides
 * behind it. */
static void test_platform(void **state)
{
    struct cw_work_ops o = ops_of(60, 0, 8, 4); /* 2 ns and 12 bytes an item */
    struct cw_work w = {.kernel = "k", .items = 1024, .ops = &o}, plain = {.kernel = "k", .items = 1024},
                   listed = {.kernel = "listed", .items = 1024, .ops = &o};
    struct cw_platform_model *m =
        model_of("{\"class\": \"dsp\", \"launch_ns\": 7, \"ns_per_item\": 5, " OPERATIONS
                 ", \"kernels\": [{\"name\": \"listed\", \"ns_per_item\": 9}]}");
    struct cw_work_cost c;

    (void)state;
    assert_non_null(m);
    NEAR(cost(m, &w), 7 + 1024 * (2 + 6));
    NEAR(cost(m, &plain), 7 + 1024 * 5);
    NEAR(cost(m, &listed), 7 + 1024 * 9);
    assert_true(cw_platform_model_by_operations(m, 0));
    cw_platform_model_preload(
        m); /* memory is the longer; of its 16 parts the first has nothing to hide behind */
    NEAR(cost(m, &w), 7 + 1024 * 6);
    o.group_bytes = 256; /* 16 * 256 bytes instead of 12 * 1024: 2048 ns in 16 parts, as long as computing */
    NEAR(cost(m, &w), 7 + 2048 + 2048 / 16);
    o.group_bytes = 257; /* does not fit twice in each core's half of the local memory */
    NEAR(cost(m, &w), 7 + 1024 * (2 + 6));
    assert_true(cw_platform_model_parts(m, 0, &w, &c));
    assert_false(c.overlapped);
    cw_platform_model_destroy(m);
}

static void test_bad_files(void **state)
{
    static const char *const bad[] = {
        "{\"class\": \"dsp\", \"operations\": {\"gops\": 30}}",
        "{\"class\": \"dsp\", \"operations\": {\"gops\": 0, \"gfmacs\": 8}}",
        "{\"class\": \"dsp\", \"operations\": {\"gops\": 30, \"gfmacs\": 8, \"lanes\": -1}}",
        "{\"class\": \"dsp\", \"operations\": {\"gops\": 30, \"gfmacs\": 8, \"gflops\": 1}}",
        "{\"class\": \"dsp\", \"operations\": 3}",
        "{\"class\": \"dsp\", \"bytes_per_item\": -1}",
        "{\"class\": \"dsp\", \"preload_poststore\": 1}",
    };

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_null(model_of(bad[k]));
}

/* ---- one memory for several */

/* Half the time on the memory each: by hand, the second gets half of it during the first's 200 ns (its memory
 * takes twice as long: 200 ns are 2/3 of that: 2/3 of its own 200), and the rest alone: 200 + 200/3. */
static void test_contention(void **state)
{
    struct cw_ddr d = {0};
    struct cw_ddr_work half = {100, 100, false}, staged = {100, 40, true}, none = {50, 0, false};

    (void)state;
    assert_int_equal(cw_ddr_run(&d, 1000, &half), 1200);
    assert_int_equal(cw_ddr_run(&d, 1000, &half), 1267);
    assert_int_equal(cw_ddr_run(&d, 1000, &none), 1050);
    d.n = 0;
    assert_int_equal(cw_ddr_run(&d, 0, &staged), 100); /* 40 % of the memory */
    assert_int_equal(cw_ddr_run(&d, 0, &staged), 100); /* 40 of the 60 % that are left */
    /* 20 %: memory takes 200 ns, so that half of all is done in 100; the rest alone */
    assert_int_equal(cw_ddr_run(&d, 0, &staged), 150);
}

/* Together they never get more than the memory serves, and nobody ends sooner than alone. */
static void test_conserves(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct cw_ddr d = {0};
        double served = 0, sum = 0;
        for (int k = 0; k < 60; k++) {
            struct cw_ddr_work w;
            uint64_t start;
            double alone;
            seed = seed * 1664525 + 1013904223;
            w = (struct cw_ddr_work){(seed >> 6) % 500, (seed >> 15) % 300, seed >> 30 & 1};
            start = (seed >> 20) % 3000;
            alone = w.overlapped ? fmax(w.compute_ns, w.memory_ns) : w.compute_ns + w.memory_ns;
            assert_true((double)(cw_ddr_run(&d, start, &w) - start) >= alone - 1);
            served += w.memory_ns;
        }
        for (size_t k = 0; k < d.n; k++) {
            assert_true(d.used[k] >= -1e-9 && d.used[k] <= 1 + 1e-6);
            sum += k + 1 < d.n ? d.used[k] * (double)(d.at[k + 1] - d.at[k]) : 0;
        }
        assert_true(fabs(d.used[d.n - 1]) < 1e-9);
        if (d.n < CW_DDR_SPANS - 8) /* nothing was given up */
            assert_true(fabs(sum - served) < 60);
    }
}

/* ---- faults */

static void test_fault_lists(void **state)
{
    static const char *const bad[] = {"0",         "0:",         "2:die@1",     "0:die@0",  "0:die@",
                                      "0:die@x",   "0:burn@1",   ",",           "0:die@1,", "0:slow@1",
                                      "0:slow@*2", "0:slow@1*0", "0:slow@1*-2", "-1:die@1", "0:die@1;",
                                      "0:die@1 ",  "0:hang@0",   "0:slow@1*2*3"};
    struct cw_dsp_faults f[2];
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_dsp_faults_read("", 2, f, &err), CW_OK);
    assert_int_equal(cw_dsp_faults_read("0:die@3,1:hang@4,1:slow@500*2.5", 2, f, &err), CW_OK);
    assert_true(f[0].dies_at == 3 && f[1].hangs_at == 4 && f[1].slow_from_ns == 500000 &&
                f[1].slow_by == 2.5);
    assert_int_equal(cw_dsp_faults_end(&f[1], 100000, 400000), 400000); /* before */
    assert_int_equal(cw_dsp_faults_end(&f[1], 600000, 700000), 850000); /* after */
    assert_int_equal(cw_dsp_faults_end(&f[1], 400000, 600000), 750000); /* half of it */
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        err = (struct cw_error){0};
        assert_int_equal(cw_dsp_faults_read(bad[k], 2, f, &err), CW_ERR_INVALID);
    }
}

static struct cw_hold run(unsigned dsp, const char *kernel)
{
    struct cw_work work = {.kernel = kernel, .items = 1000};
    struct cw_hold h;

    cw_dsp_begin(cw_dsp_at(dsp), &work, 0, &h);
    if (!h.failed)
        cw_dsp_end(cw_dsp_at(dsp), &h);
    return h;
}

static void test_faults(void **state)
{
    struct cw_error err = {0};
    const struct cw_dsp_settings s = {4, "hxdsp", true, false, "0:die@2,1:hang@1,2:slow@0*20"};
    struct cw_hold h;
    char text[512];

    (void)state;
    assert_true(cw_dsp_board_start(&s, &err));
    h = run(2, "k"); /* the first: nobody is in its way */
    assert_int_equal(h.end_ns - h.submit_ns, 20 * (224000 + 270000));
    assert_false(cw_dsp_refuses(cw_dsp_at(0)));
    assert_false(run(0, "k").failed);
    assert_true(cw_dsp_refuses(cw_dsp_at(0)));
    assert_true(run(0, "k").failed);
    assert_true(run(0, "k").failed);   /* and stays so */
    assert_false(run(0, NULL).failed); /* transfers are the host's */
    h = run(1, "k");
    assert_true(h.failed && h.end_ns - h.submit_ns == 3 * (224000 + 270000));
    h = run(1, "k");
    assert_true(h.failed && h.end_ns == h.submit_ns);
    h = run(3, "k");
    assert_true(!h.failed && h.end_ns - h.submit_ns >= 224000 + 270000);
    assert_true(cw_dsp_describe(text, sizeof text));
    assert_non_null(strstr(text, ", dsp0 died, dsp1 hung"));
    assert_null(strstr(text, "dsp2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),     cmocka_unit_test(test_platform),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_contention),
        cmocka_unit_test(test_conserves), cmocka_unit_test(test_fault_lists),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
