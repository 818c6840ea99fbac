/* Objects of the trace: one whose record finds no memory leaves its entry to the next one of its kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned calls, fails; /* of calloc; the number of the one that fails, 0: none does */

static void *counted_calloc(size_t n, size_t size)
{
    return ++calls == fails ? NULL : calloc(n, size);
}

#define calloc counted_calloc
#include "../../shim/door/registry.c"
#include "../../shim/trace/object.c"

uint32_t cw_log_generation;
static unsigned stops;

void cw_log_stop(const char *format, ...)
{
    (void)format;
    stops++;
}

void cw_define_object_dropped(enum cw_log_object kind, void *state)
{
    (void)kind, (void)state;
}

void cw_maps_free(struct cw_object *memory)
{
    assert_int_equal(memory->kind, CW_LOG_O_MEMORY);
}

static void test_memory_out(void **state)
{
    const void *handle = (const void *)0x7f0000001000u;

    (void)state;
    fails = 2; /* the entry is there, its record not */
    assert_null(cw_object_insert(handle, CW_LOG_O_MEMORY));
    assert_int_equal(stops, 1);
    assert_null(cw_object_find(handle, CW_LOG_O_MEMORY));
    calls = fails = 0;
    assert_non_null(cw_object_insert(handle, CW_LOG_O_MEMORY));
    assert_int_equal(calls, 1); /* no other entry */
    assert_non_null(cw_object_find(handle, CW_LOG_O_MEMORY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
