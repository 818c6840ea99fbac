/* Identities of cache entries: fields that cannot run into each other, keys that say nothing alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_alloc.h"

#include "../../analyzer/history/history.h"
#include "../../analyzer/io/identity.h"

static struct cw_identity of(const char *kind, const char *a, const char *b)
{
    struct cw_identity id;

    cw_identity_begin(&id, kind);
    cw_identity_text(&id, a);
    cw_identity_text(&id, b);
    return id;
}

static void test_fields(void **state)
{
    static const char *const others[][3] = {{"k", "ab", "c"}, {"k", "a", "bc"},   {"k", "abc", ""},
                                            {"k", "", "abc"}, {"k", NULL, "abc"}, {"k", "abc", NULL},
                                            {"ka", "b", "c"}, {"k", "a", "b"}};
    struct cw_identity all[sizeof others / sizeof *others], again = of("k", "ab", "c");
    size_t n = sizeof others / sizeof *others;

    (void)state;
    for (size_t i = 0; i < n; i++)
        all[i] = of(others[i][0], others[i][1], others[i][2]);
    assert_true(cw_identity_same(&all[0], &again));
    assert_true(cw_key_same(cw_identity_key(&all[0]), cw_identity_key(&again)));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            assert_false(cw_identity_same(&all[i], &all[k]));
            assert_false(cw_key_same(cw_identity_key(&all[i]), cw_identity_key(&all[k])));
        }
    cw_identity_number(&again, 5);
    assert_false(cw_identity_same(&all[0], &again));
    for (size_t i = 0; i < n; i++)
        cw_identity_finish(&all[i]);
    cw_identity_finish(&again);
}

/* The text of source and options together is the same. */
static void test_source_and_options(void **state)
{
    struct cw_key a = cw_history_program("kernel // -DA=1", " -DB=2"),
                  b = cw_history_program("kernel //", " -DA=1 -DB=2");

    (void)state;
    assert_false(cw_key_same(a, b));
    assert_true(cw_key_same(a, cw_history_program("kernel // -DA=1", " -DB=2")));
    assert_true(cw_key_same(cw_history_program("kernel", NULL), cw_history_program("kernel", "")));
    assert_false(cw_key_same(cw_history_kernel(a, "f"), cw_history_kernel(b, "f")));
    assert_false(cw_key_same(cw_history_kernel(a, "f"), cw_history_kernel(a, "g")));
    assert_false(cw_key_none(cw_history_kernel((struct cw_key){{0}}, "f")));
}

/* Members are told apart, whatever their keys are. */
static void test_sets(void **state)
{
    struct cw_identity a = of("k", "a", "b"), b = of("k", "ab", ""), c = of("k", "", "ab");

    (void)state;
    for (int one_key = 0; one_key < 2; one_key++) {
        struct cw_identity_set s = {0};

        cw_identity_one_key = one_key;
        assert_int_equal(cw_identity_set_find(&s, &a), CW_IDENTITY_NONE);
        assert_int_equal(cw_identity_set_add(&s, &a), 0);
        assert_int_equal(cw_identity_set_find(&s, &b), CW_IDENTITY_NONE);
        assert_int_equal(cw_identity_set_add(&s, &b), 1);
        assert_int_equal(cw_identity_set_add(&s, &a), 0);
        assert_int_equal(cw_identity_set_find(&s, &b), 1);
        assert_int_equal(cw_identity_set_find(&s, &c), CW_IDENTITY_NONE);
        cw_identity_set_finish(&s);
    }
    cw_identity_one_key = false;
    cw_identity_finish(&a);
    cw_identity_finish(&b);
    cw_identity_finish(&c);
}

/* Where memory runs out it stands for nothing, and nothing leaks. */
static void test_no_memory(void **state)
{
    char *large = calloc(1, 5000);
    struct cw_identity other = of("k", "a", "b");
    bool failed = true;

    (void)state;
    memset(large, 'x', 4999);
    for (long n = 0; REPLACED && failed; n++) {
        struct cw_identity_set set = {0};
        struct cw_identity id;
        uint32_t number;

        countdown = n, live = 0, counting = true;
        id = of("k", large, large);
        number = cw_identity_set_add(&set, &id);
        failed = number == CW_IDENTITY_NONE;
        counting = false;
        if (id.failed) {
            assert_true(cw_key_none(cw_identity_key(&id)));
            assert_false(cw_identity_same(&id, &id));
        }
        assert_int_equal(failed ? CW_IDENTITY_NONE : 0, number);
        assert_int_equal(cw_identity_set_add(&set, &other), failed ? 0 : 1);
        counting = true;
        cw_identity_finish(&id);
        cw_identity_set_finish(&set);
        counting = false;
    }
    cw_identity_finish(&other);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),
                                       cmocka_unit_test(test_source_and_options), cmocka_unit_test(test_sets),
                                       cmocka_unit_test(test_no_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
