/* Which launches are the first of their kind: exactly, whatever the hashes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../shim/run/plan/run_warm.h"

static void test_each_kind_once(void **state)
{
    struct cw_run_warm w = {0};

    (void)state;
    for (uint64_t kind = 1; kind <= 16; kind++) { /* in rows of their own */
        assert_true(cw_run_warm_is_first(&w, kind, 0));
        assert_false(cw_run_warm_is_first(&w, kind, 0));
    }
    for (uint64_t kind = 1; kind <= 16; kind++)
        assert_false(cw_run_warm_is_first(&w, kind, 0));
}

/* Never a kind that has not run, however many there are. */
static void test_never_another_one(void **state)
{
    struct cw_run_warm w = {0};

    (void)state;
    for (uint64_t kind = 1; kind <= 10000; kind++)
        assert_true(cw_run_warm_is_first(&w, kind * UINT64_C(0x9e3779b97f4a7c15), 0));
}

static void test_wider_is_compiled_again(void **state)
{
    struct cw_run_warm w = {0};

    (void)state;
    assert_true(cw_run_warm_is_first(&w, 5, 100));
    assert_false(cw_run_warm_is_first(&w, 5, 50));
    assert_true(cw_run_warm_is_first(&w, 5, 101));
    assert_false(cw_run_warm_is_first(&w, 5, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_kind_once), cmocka_unit_test(test_never_another_one),
                                       cmocka_unit_test(test_wider_is_compiled_again)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
