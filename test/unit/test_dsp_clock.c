/* The emulated board's time: one DDR for all, one command at a time per DSP, both clocks, several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "../../analyzer/settings/device_list.h"
#include "../../shim/device/device.h"
#include "../../shim/device/dsp_clock.h"
#include "../../analyzer/plan/ddr.h"

static void test_ddr_serves_one(void **state)
{
    struct cw_ddr d = {0};

    (void)state;
    assert_int_equal(cw_ddr_take(&d, 100, 50), 150);
    assert_int_equal(cw_ddr_take(&d, 100, 50), 200); /* after the first */
    assert_int_equal(cw_ddr_take(&d, 0, 100), 100);  /* before both */
    assert_int_equal(cw_ddr_take(&d, 0, 1), 201);    /* nothing left before 200 */
    assert_int_equal(cw_ddr_take(&d, 300, 10), 310);
    assert_int_equal(cw_ddr_take(&d, 250, 100), 360); /* 50 before the one at 300, 50 after it */
    assert_int_equal(cw_ddr_take(&d, 7, 0), 7);
}

/* Whatever comes in whatever order: the bytes served by any time never exceed what one memory serves. */
static void test_ddr_conserves(void **state)
{
    enum { TIMES = 4096 };
    static unsigned char busy[TIMES + 1];
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct cw_ddr d = {0};
        memset(busy, 0, sizeof busy);
        for (int k = 0; k < 60; k++) {
            seed = seed * 1664525 + 1013904223;
            uint64_t start = (seed >> 8) % 1000, ns = 1 + (seed >> 20) % 40, at = start, left = ns;
            for (; left; at++)
                if (!busy[at]) {
                    busy[at] = 1;
                    left--;
                }
            assert_int_equal(cw_ddr_take(&d, start, ns), at);
        }
    }
}

/* More gaps than the table holds: later ends, never earlier ones. */
static void test_ddr_overflows_safely(void **state)
{
    struct cw_ddr d = {0};

    (void)state;
    for (uint64_t k = 0; k < 1000; k++)
        assert_int_equal(cw_ddr_take(&d, 10 * k, 5), 10 * k + 5);
    assert_true(d.n <= CW_DDR_SPANS);
    assert_true(cw_ddr_take(&d, 0, 1) > 5);
    assert_int_equal(cw_ddr_take(&d, 9990, 5), 10000);
}

static void test_costs(void **state)
{
    struct cw_work k = {.kernel = "add", .items = 4000}, t = {.bytes = 16000}, half = {.bytes = 4000},
                   beyond = {.bytes = 40000}, none = {0};

    (void)state;
    assert_true(fabs(cw_dsp_cost_ns(cw_dsp_at(0), &k) - (224000 + 1080000)) < 1e-3);
    assert_true(cw_dsp_cost_ns(cw_dsp_at(3), &t) == 81000);
    assert_true(cw_dsp_cost_ns(cw_dsp_at(0), &half) == 18000);
    assert_true(cw_dsp_cost_ns(cw_dsp_at(0), &beyond) == 156000);
    assert_true(cw_dsp_cost_ns(cw_dsp_at(0), &none) == 0);
    assert_null(cw_dsp_at(6));
}

static struct cw_hold run(unsigned dsp, struct cw_work work, uint64_t ready)
{
    struct cw_hold h;

    cw_dsp_begin(cw_dsp_at(dsp), &work, ready, &h);
    cw_dsp_end(cw_dsp_at(dsp), &h);
    assert_true(h.submit_ns <= h.start_ns && h.start_ns <= h.end_ns);
    return h;
}

static void test_virtual_clock(void **state)
{
    uint64_t now = cw_dsp_now_ns();
    struct cw_work k = {.kernel = "add", .items = 2000}, t = {.bytes = 8000};
    struct cw_hold a, b;

    (void)state;
    a = run(0, t, 0);
    assert_int_equal(a.submit_ns, now);
    assert_int_equal(a.end_ns, now + 36000);
    b = run(1, t, 0); /* another DSP, the same DDR */
    assert_int_equal(b.end_ns, now + 72000);
    a = run(0, k, 0);
    assert_int_equal(a.submit_ns, now + 36000); /* after its own transfer */
    assert_int_equal(a.start_ns, now + 36000 + 224000);
    assert_int_equal(a.end_ns, now + 36000 + 764000);
    b = run(1, k, a.end_ns); /* waits for it */
    assert_int_equal(b.submit_ns, a.end_ns);
    assert_int_equal(cw_dsp_now_ns(), now); /* nobody has waited */
    cw_dsp_reached(b.end_ns);
    cw_dsp_reached(a.end_ns);
    assert_int_equal(cw_dsp_now_ns(), b.end_ns);
}

static void *drive(void *data)
{
    unsigned dsp = (unsigned)(uintptr_t)data;
    uint64_t last = 0;

    for (int i = 0; i < 2000; i++) {
        struct cw_hold h =
            run(dsp, i % 3 ? (struct cw_work){.bytes = 64} : (struct cw_work){.kernel = "k", .items = 1}, 0);
        assert_true(h.submit_ns >= last);
        last = h.end_ns;
        cw_dsp_reached(h.end_ns);
    }
    return NULL;
}

/* Four workers at once: no DSP does two things at a time. Under the thread sanitizer: no race. */
static void test_threads(void **state)
{
    pthread_t t[4];
    char text[256];

    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, drive, (void *)i), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    cw_dsp_built(cw_dsp_at(1));
    assert_true(cw_dsp_describe(text, sizeof text));
    assert_non_null(
        strstr(text, "6 DSPs, virtual clock: 8004 commands modelled, 0 overran (worst 0.00 x), 1 programs "
                     "built (141 us by the model), "));
}

static void test_refusals(void **state)
{
    struct cw_error err = {0};

    (void)state;
    assert_false(
        cw_dsp_board_start(&(struct cw_dsp_settings){2, "/nowhere/board.json", true, false, NULL}, &err));
    assert_int_equal(err.status, CW_ERR_IO);
    assert_null(cw_dsp_at(0));
}

static int start_board(void **state)
{
    struct cw_error err = {0};

    (void)state;
    return cw_dsp_board_start(&(struct cw_dsp_settings){6, "hxdsp", true, false, NULL}, &err)
               ? 0
               : -1; /* more than the file has: the last kind again */
}

static void test_gpu_lists(void **state)
{
    struct cw_device_list l;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_device_list_parse("gpu", &l, &err), CW_OK);
    assert_true(l.given && l.gpu == CW_HELPERS_ALL && !l.sub && !l.far);
    assert_int_equal(cw_device_list_parse("gpu:3,basic", &l, &err), CW_OK);
    assert_true(l.gpu == 3 && l.basic == CW_HELPERS_ALL);
    assert_int_equal(cw_device_list_parse("gpu:0", &l, &err), CW_ERR_INVALID);
    assert_int_equal(cw_device_list_parse("gpu,gpu", &l, &err), CW_ERR_INVALID);
    assert_int_equal(cw_device_list_parse("cpu,gpu:2", &l, &err), CW_OK);
    assert_true(l.cpu && l.gpu == 2 && !l.basic);
    assert_int_equal(cw_device_list_parse("all", &l, &err), CW_OK);
    assert_true(l.cpu && l.gpu == CW_HELPERS_ALL && l.basic == CW_HELPERS_ALL && l.dsp == CW_HELPERS_ALL &&
                !l.far);
    assert_int_equal(cw_device_list_parse("all,gpu", &l, &err), CW_ERR_INVALID);
}

static double far_pace(const struct cw_device_list *l, unsigned i)
{
    return cw_device_list_far_pace(l, cw_device_list_far_of(l, i));
}

static void test_far_lists(void **state)
{
    char text[CW_DEVICE_LIST_TEXT];
    struct cw_device_list l;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_device_list_parse("cpu", &l, &err), CW_OK);
    assert_string_equal(cw_device_list_far(&l, 2, text), "");
    assert_int_equal(cw_device_list_parse("far:2/cap=64M/gbps=5/us=20,sub:2", &l, &err), CW_OK);
    assert_true(l.far == 2 && l.sub == 2 && l.far_item[0].memory.capacity == 64 << 20);
    assert_string_equal(cw_device_list_far(&l, 8, text),
                        "2 with memories of their own, 64 MiB each, copies at 5 GB/s, 20 us a copy");
    assert_int_equal(cw_device_list_parse("far", &l, &err), CW_OK);
    assert_string_equal(cw_device_list_far(&l, 1, text), "1 with a memory of its own");
    assert_true(l.pace == 0 && far_pace(&l, 0) == 0);
    assert_int_equal(cw_device_list_parse("far:2/speed=.5", &l, &err), CW_OK);
    assert_true(l.pace == 0 && far_pace(&l, 0) == 2);
    assert_string_equal(cw_device_list_far(&l, 1, text), "2 with memories of their own, 0.5 times as fast");
    assert_int_equal(cw_device_list_parse("cpu/pace=8,far:2/us=20/speed=0.5", &l, &err), CW_OK);
    assert_true(l.pace == 8 && far_pace(&l, 0) == 16);
    assert_int_equal(cw_device_list_parse("far,cpu/pace=8", &l, &err), CW_OK);
    assert_true(l.far == CW_HELPERS_ALL && l.pace == 8 && far_pace(&l, 0) == 8);
    assert_int_equal(cw_device_list_parse("far:2/gbps=5,cpu/pace=8,far:1/speed=0.5/us=7", &l, &err), CW_OK);
    assert_true(l.far == 3 && l.far_items == 2 && cw_device_list_far_of(&l, 1)->memory.bytes_per_ns == 5);
    assert_true(far_pace(&l, 1) == 8 && far_pace(&l, 2) == 16);
    assert_true(cw_device_list_far_of(&l, 2)->memory.latency_ns == 7000);
    assert_string_equal(cw_device_list_far(&l, 8, text),
                        "2 with memories of their own, copies at 5 GB/s; "
                        "1 with a memory of its own, 7 us a copy, 0.5 times as fast");
}

static void test_device_lists(void **state)
{
    static const char *const bad[] = {",",
                                      "basic,",
                                      "cuda",
                                      "basic:0",
                                      "basic:65",
                                      "basic:x",
                                      "sub,sub",
                                      "none,sub",
                                      "basic:",
                                      " basic",
                                      "dsp:-1",
                                      "basic:99999999999999999999",
                                      "far:2/cap=0",
                                      "far:32",
                                      "far:1/gbps",
                                      "far:1/gbps=.",
                                      "far/us=1x",
                                      "sub/cap=1",
                                      "far/speed=0",
                                      "far/pace=8",
                                      "cpu/",
                                      "cpu/pace=0",
                                      "cpu/speed=1",
                                      "cpu/pace=1/pace=2",
                                      "far,far:1",
                                      "far:1,far",
                                      "far:16,far:16",
                                      "far:1,far:1,far:1,far:1,far:1,far:1,far:1,far:1,far:1"};
    struct cw_device_list l;
    struct cw_error err = {0};

    (void)state;
    assert_int_equal(cw_device_list_parse("", &l, &err), CW_OK);
    assert_false(l.given);
    assert_int_equal(cw_device_list_parse("none", &l, &err), CW_OK);
    assert_true(l.given && !l.sub && !l.basic && !l.dsp);
    assert_int_equal(cw_device_list_parse("basic:64,dsp,sub:2", &l, &err), CW_OK);
    assert_true(l.basic == 64 && l.dsp == CW_HELPERS_ALL && l.sub == 2);
    assert_int_equal(cw_device_list_parse("cpu,sub:2", &l, &err), CW_OK);
    assert_true(l.given && l.sub == 2 && !l.basic && !l.dsp);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct cw_error){0};
        assert_int_equal(cw_device_list_parse(bad[i], &l, &err), CW_ERR_INVALID);
        assert_non_null(strstr(err.text, "--devices"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ddr_serves_one),
        cmocka_unit_test(test_ddr_conserves),
        cmocka_unit_test(test_ddr_overflows_safely),
        cmocka_unit_test(test_device_lists),
        cmocka_unit_test(test_far_lists),
        cmocka_unit_test(test_gpu_lists),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test_setup(test_costs, start_board),
        cmocka_unit_test(test_virtual_clock),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
