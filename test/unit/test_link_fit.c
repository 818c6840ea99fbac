/* Latencies and rates of links, from the times of copies: exact ones are found, whatever was guessed; a
 * copy whose thread lost the processor does little harm; copies of one size say the time of that size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "../../shim/run/memory/link_fit.h"

static const struct cw_plan_link guess = {10000, 5, 0.2};

static double ns_of(const struct cw_plan_link *l, double bytes)
{
    return l->latency_ns + bytes / l->bytes_per_ns;
}

static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * b;
}

static void test_guess(void **state)
{
    struct cw_link_fit f;
    struct cw_plan_link l;

    (void)state;
    cw_link_fit_begin(&f, &guess);
    l = cw_link_fit_link(&f);
    assert_true(is_near(l.latency_ns, 10000, 1e-6) && is_near(l.bytes_per_ns, 5, 1e-6));
    assert_true(l.error_share == 0.2 && !cw_link_fit_differs(&l, &guess));
}

static void test_learns(void **state)
{
    const struct cw_plan_link real[] = {{1e6, 0.005, 0}, {500, 50, 0}, {100000, INFINITY, 0}, {1, 0.001, 0}};
    struct cw_link_fit f;
    struct cw_plan_link l;

    (void)state;
    for (size_t k = 0; k < sizeof real / sizeof *real; k++) {
        cw_link_fit_begin(&f, &guess);
        for (int i = 0; i < 46; i++)
            cw_link_fit_add(&f, UINT64_C(1) << i % 23, ns_of(&real[k], 1 << i % 23));
        l = cw_link_fit_link(&f);
        assert_true(l.latency_ns >= 0 && l.bytes_per_ns > 0 && f.copies == 46);
        for (int i = 0; i < 23; i += 11)
            assert_true(is_near(ns_of(&l, 1 << i), ns_of(&real[k], 1 << i), 0.1));
        assert_true(cw_link_fit_differs(&l, &guess));
    }
}

/* 20 copies of one size, of which every fifth takes a hundred times as long. */
static void test_one_size(void **state)
{
    struct cw_link_fit f;
    struct cw_plan_link l;

    (void)state;
    cw_link_fit_begin(&f, &guess);
    for (int i = 0; i < 20; i++)
        cw_link_fit_add(&f, 65536, i % 5 == 4 ? 5e6 : 50000);
    l = cw_link_fit_link(&f);
    assert_true(ns_of(&l, 65536) > 40000 && ns_of(&l, 65536) < 150000 && l.error_share >= 0.1);
    cw_link_fit_add(&f, 1, 0);
    cw_link_fit_add(&f, 1, NAN);
    cw_link_fit_add(&f, 1, INFINITY);
    assert_int_equal(f.copies, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guess), cmocka_unit_test(test_learns),
                                       cmocka_unit_test(test_one_size)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
