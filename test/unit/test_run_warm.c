/* Which launches are the first of their kind: exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../shim/run/tuning/tuning.h"

static bool is_first(struct cw_run_first_launch *w, uint64_t kind, uint64_t wide)
{
    const struct cw_run_warm_what what = {.kernel = {{kind, 1}}, .form = 1, .size = {64}};

    return cw_run_first_launch_is(w, &what, wide);
}

static void test_each_kind_once(void **state)
{
    struct cw_run_first_launch w = {0};

    (void)state;
    for (uint64_t kind = 1; kind <= 16; kind++) { /* in rows of their own */
        assert_true(is_first(&w, kind, 0));
        assert_false(is_first(&w, kind, 0));
    }
    for (uint64_t kind = 1; kind <= 16; kind++)
        assert_false(is_first(&w, kind, 0));
}

/* Never a kind that has not run, however many there are. */
static void test_never_another_one(void **state)
{
    struct cw_run_first_launch w = {0};

    (void)state;
    for (uint64_t kind = 1; kind <= 10000; kind++)
        assert_true(is_first(&w, kind * UINT64_C(0x9e3779b97f4a7c15), 0));
}

static void test_wider_is_compiled_again(void **state)
{
    struct cw_run_first_launch w = {0};

    (void)state;
    assert_true(is_first(&w, 5, 100));
    assert_false(is_first(&w, 5, 50));
    assert_true(is_first(&w, 5, 101));
    assert_false(is_first(&w, 5, 100));
}

/* Whatever a launch is compiled for is compared. */
static void test_all_of_it(void **state)
{
    const struct cw_run_warm_what one = {.kernel = {{5, 1}}, .form = 3, .size = {8, 4, 2}};
    struct cw_run_warm_what others[6] = {one, one, one, one, one, one};
    struct cw_run_first_launch w = {0};

    (void)state;
    others[0].kernel.half[0]++, others[1].kernel.half[1]++, others[2].form++, others[3].size[0]++,
        others[4].size[1]++, others[5].size[2]++;
    assert_true(cw_run_first_launch_is(&w, &one, 0));
    assert_false(cw_run_first_launch_is(&w, &one, 0));
    for (int i = 0; i < 6; i++)
        assert_true(cw_run_first_launch_is(&w, &others[i], 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_once), cmocka_unit_test(test_never_another_one),
        cmocka_unit_test(test_wider_is_compiled_again), cmocka_unit_test(test_all_of_it)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
