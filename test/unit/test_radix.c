/* Sorting many numbers: the same order as the C library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/groups_order.h"
#include "../../sched/random.h"

enum { MOST = 3000 };

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Numbers of so many bits, each moved up: one byte that differs, some, all; ends of the range; many alike. */
static void sorts_as_qsort(void **state)
{
    static const struct {
        unsigned bits, up;
    } of[] = {{1, 0}, {1, 63}, {8, 0}, {8, 24}, {13, 5}, {24, 40}, {33, 12}, {64, 0}};
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, MOST};
    static uint64_t numbers[MOST], want[MOST], scratch[MOST];
    uint64_t seed = 7;

    (void)state;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s];
            for (size_t i = 0; i < n; i++)
                numbers[i] = cw_random_next(&seed) >> (64 - of[k].bits) << of[k].up;
            memcpy(want, numbers, n * sizeof *want);
            qsort(want, n, sizeof *want, by_value);
            cw_radix_sort(numbers, scratch, n);
            assert_memory_equal(numbers, want, n * sizeof *want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_as_qsort)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
