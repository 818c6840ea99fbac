/* Records of the program's objects: one that commands still use when the vendor gives its handle to another
 * object ends with the last of them, without a release of the handle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../shim/run/core/record.c"

struct cw_run_state_all cw_run;
struct cw_dispatch cw_next, cw_native;

void cw_run_global_lock_take(void)
{
}

void cw_run_global_lock_give(void)
{
}

static void test_replaced(void **state)
{
    const void *handle = (const void *)0x7f0000002000u;
    struct cw_run_record *first = cw_run_record_create(handle, CW_RUN_MEMORY), *second;

    (void)state;
    cw_run_record_pin(first);
    cw_run_record_pin(first);
    second = cw_run_record_create(handle, CW_RUN_MEMORY);
    assert_ptr_equal(cw_run_record_find(handle, CW_RUN_MEMORY), second);
    assert_false(first->ended);
    cw_run_record_unpin(first);
    assert_null(cw_run_record_ended);
    cw_run_record_unpin(first);
    assert_ptr_equal(cw_run_record_ended, first);
    assert_null(first->next);
    assert_false(first->held_back);
    assert_ptr_equal(cw_run_record_find(handle, CW_RUN_MEMORY), second);
    cw_run_record_pin(second); /* one in use ends no sooner than its release */
    cw_run_record_unpin(second);
    assert_false(second->ended);
}

static void test_unused(void **state)
{
    const void *handle = (const void *)0x7f0000003000u;
    struct cw_run_record *first = cw_run_record_create(handle, CW_RUN_QUEUE);

    (void)state;
    cw_run_record_ended = NULL;
    assert_non_null(cw_run_record_create(handle, CW_RUN_QUEUE));
    assert_ptr_equal(cw_run_record_ended, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replaced), cmocka_unit_test(test_unused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
