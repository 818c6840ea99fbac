/* The bytes that travel along edges (planner/flow.h), against arrays of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../shim/run/planner/flow.h"

enum { REGIONS = 2, BYTES = 80 };

/* The needs as bytes; no byte is in two ranges. */
static void spread(const struct cw_run_flow *f, const char *region, bool needed[REGIONS][BYTES])
{
    memset(needed, 0, REGIONS * BYTES * sizeof(bool));
    for (uint32_t k = 0; k < f->n; k++) {
        const struct cw_run_flow_range *r = &f->need[k];
        assert_true(r->low < r->high && r->high <= BYTES);
        for (uint64_t b = r->low; b < r->high; b++) {
            bool *byte = &needed[(const char *)r->region - region][b];
            assert_false(*byte);
            *byte = true;
        }
    }
}

static void test_random(void **state)
{
    static const char region[REGIONS] = "";
    bool expected[REGIONS][BYTES], found[REGIONS][BYTES];
    uint64_t random = 24;

    (void)state;
    for (int n = 0; n < 20000; n++) {
        struct cw_run_flow f = {.n = 0};

        memset(expected, 0, sizeof expected);
        for (int k = 0; k < 12; k++) {
            uint64_t r = cw_random_below(&random, REGIONS), low = cw_random_below(&random, BYTES),
                     high = low + cw_random_below(&random, BYTES - low + 1), bytes = 0;
            bool take = k > 3 && cw_random_below(&random, 2);

            for (uint64_t b = low; b < high; b++) {
                bytes += expected[r][b];
                expected[r][b] = !take;
            }
            if (take)
                assert_int_equal(cw_run_flow_take(&f, &region[r], low, high), bytes);
            else
                cw_run_flow_need(&f, &region[r], low, high);
        }
        spread(&f, region, found);
        assert_memory_equal(expected, found, sizeof expected);
    }
}

/* A command reads 100 bytes; 60 of them come from the latest of two writers, the rest from the other and from
 * before the window. */
static void test_latest_writer_first(void **state)
{
    struct cw_run_flow f = {.n = 0};
    static const char region;

    (void)state;
    cw_run_flow_need(&f, &region, 0, 100);
    assert_int_equal(cw_run_flow_take(&f, &region, 40, 120), 60);
    assert_int_equal(cw_run_flow_take(&f, &region, 10, 50), 30);
    assert_int_equal(f.n, 1);
    assert_true(f.need[0].low == 0 && f.need[0].high == 10);
}

/* Without room ranges stay whole: nothing is written beyond the array, and nothing counts less. */
static void test_no_space(void **state)
{
    struct cw_run_flow f = {.n = 0};
    static const char region;

    (void)state;
    for (uint64_t k = 0; k < 2 * CW_RUN_FLOW_RANGES; k++)
        cw_run_flow_need(&f, &region, 10 * k, 10 * k + 9);
    assert_int_equal(f.n, CW_RUN_FLOW_RANGES);
    assert_int_equal(cw_run_flow_take(&f, &region, 2, 4), 2);
    assert_int_equal(cw_run_flow_take(&f, &region, 0, 9), 9);
    assert_int_equal(f.n, CW_RUN_FLOW_RANGES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_latest_writer_first),
        cmocka_unit_test(test_no_space),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
