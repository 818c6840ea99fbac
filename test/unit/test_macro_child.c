/* The words by which another process is asked about a vendor's macros: read as they were written, and damaged
 * bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/vendor_macros.h"

static char *names[] = {"M_PI", "cl_khr_fp64"};

static void test_words(void **state)
{
    struct cw_macro_asked asked;
    size_t bytes = 0;
    char *words = cw_macro_words("a device; 3.1;", "", names, 2, &bytes);

    (void)state;
    assert_non_null(words);
    assert_true(cw_macro_words_read(words, bytes, &asked));
    assert_string_equal(asked.identity, "a device; 3.1;");
    assert_string_equal(asked.options, "");
    assert_int_equal(asked.n, 2);
    assert_string_equal(asked.names[0], "M_PI");
    assert_string_equal(asked.names[1], "cl_khr_fp64");
    free(words);
}

static void test_damaged(void **state)
{
    struct cw_macro_asked asked;
    char *many[CW_TESTED_NAMES_MAX + 1];
    size_t bytes = 0;
    char *words = cw_macro_words("device", "-cl-std=CL2.0", names, 2, &bytes);

    (void)state;
    assert_non_null(words);
    assert_false(cw_macro_words_read(words, 0, &asked));
    assert_false(cw_macro_words_read(words, bytes - 1, &asked)); /* no end */
    words[0] ^= 1;
    assert_false(cw_macro_words_read(words, bytes, &asked)); /* another version */
    free(words);
    words = cw_macro_words("device", "", names, 0, &bytes); /* nothing asked */
    assert_non_null(words);
    assert_false(cw_macro_words_read(words, bytes, &asked));
    free(words);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        many[i] = names[0];
    words = cw_macro_words("device", "", many, sizeof many / sizeof *many, &bytes); /* too much */
    assert_non_null(words);
    assert_false(cw_macro_words_read(words, bytes, &asked));
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
