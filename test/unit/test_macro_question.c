/* The question to a compiler about macros, and how its answer is read: names of kernels among other bytes.
 * The compilers here answer with fixed bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/vendor_macros.h"

struct answer {
    const char *bytes;
    size_t n;
    int asked;
    char seen[4000]; /* the last question */
};

static char *compile(void *data, const char *source, size_t *bytes)
{
    struct answer *a = data;
    char *copy = malloc(a->n + 1);

    a->asked++;
    assert_true(strlen(source) < sizeof a->seen);
    strcpy(a->seen, source);
    memcpy(copy, a->bytes, a->n);
    *bytes = a->n;
    return copy;
}

static void expect(struct cw_macro_value v, enum cw_macro_kind kind, int64_t number)
{
    assert_int_equal(v.kind, kind);
    assert_int_equal(v.number, number);
}

static char *names[] = {"A", "B", "C", "D", "E", "F", "M_PI", "M_PI_F", "M_PI_H", "INFINITY", "M_PIX"};

enum { N = sizeof names / sizeof *names };

static void test_read(void **state)
{
    /* an object file: no separators, bytes of zero; names of two digits do not answer for those of one */
    static const char object[] =
        "\0\1cw_n0_300_e\0cw_n2_0_ecw_n3_010_ecw_n4_word_ecw_n5_12L_e\377cw_n6_0_ecw_n7_0_e"
        "cw_n8_0_ecw_n10_7_ecw_last";
    struct answer a = {object, sizeof object - 1, 0, ""};
    struct cw_macro_value v[N];

    (void)state;
    assert_true(cw_macro_question(compile, &a, names, N, v));
    assert_int_equal(a.asked, 1);
    expect(v[0], CW_MACRO_NUMBER, 300);
    expect(v[1], CW_MACRO_UNDEFINED, 0);
    expect(v[2], CW_MACRO_NUMBER, 0);
    expect(v[3], CW_MACRO_OTHER, 0);
    expect(v[4], CW_MACRO_OTHER, 0);
    expect(v[5], CW_MACRO_OTHER, 0);
    expect(v[6], CW_MACRO_DOUBLE, 0);
    expect(v[7], CW_MACRO_FLOAT, 0);
    expect(v[8], CW_MACRO_OTHER, 0);
    expect(v[9], CW_MACRO_UNDEFINED, 0);
    expect(v[10], CW_MACRO_NUMBER, 7);
    assert_non_null(
        strstr(a.seen,
               "#ifdef M_PI\nkernel void CW_JOIN(cw_n6_, 0, _e)")); /* never its value: that does not paste */
    assert_null(strstr(a.seen, "cw_last"));                         /* a copy of the source does not answer */
}

static void test_operators(void **state)
{
    char *operators[] = {"__has_builtin", "__has_builtin(f)", "__has_feature( g )", "__has_attribute(h)"};
    struct answer a = {"cw_n0_1_e cw_n1_1_e cw_n3_x_e cw_last", 37, 0, ""};
    struct cw_macro_value v[4];

    (void)state;
    assert_true(cw_macro_question(compile, &a, operators, 4, v));
    expect(v[0], CW_MACRO_NUMBER, 1);
    expect(v[1], CW_MACRO_NUMBER, 1);
    expect(v[2], CW_MACRO_UNDEFINED, 0);
    expect(v[3], CW_MACRO_OTHER, 0);
    assert_non_null(strstr(a.seen, "#ifdef __has_builtin\nkernel void CW_JOIN(cw_n0_, 1, _e)"));
    assert_non_null(strstr(a.seen, "#ifdef __has_feature\n#if __has_feature( g ) == 1\n"));
    assert_null(strstr(a.seen, "cw_n1_1"));
}

static void test_cut_off(void **state)
{
    struct answer a = {"cw_lastcw_n0_30", 15, 0, ""};
    struct cw_macro_value v[1];

    (void)state;
    assert_true(cw_macro_question(compile, &a, names, 1, v));
    expect(v[0], CW_MACRO_OTHER, 0);
}

static void test_silent(void **state)
{
    struct answer a = {"cw_n0_300_e", 11, 0, ""}; /* not the names of all kernels */
    struct cw_macro_value v[3];

    (void)state;
    assert_true(cw_macro_question(compile, &a, names, 3, v));
    assert_int_equal(a.asked, 4);
    for (int i = 0; i < 3; i++)
        expect(v[i], CW_MACRO_OTHER, 0);
}

static void test_agree(void **state)
{
    struct cw_macro_value a[] = {
        {CW_MACRO_NUMBER, 1}, {CW_MACRO_NUMBER, 1}, {CW_MACRO_DOUBLE, 0}, {CW_MACRO_UNDEFINED, 0}};
    const struct cw_macro_value b[] = {
        {CW_MACRO_NUMBER, 1}, {CW_MACRO_NUMBER, 2}, {CW_MACRO_UNDEFINED, 0}, {CW_MACRO_UNDEFINED, 0}};

    (void)state;
    cw_macro_agree(a, b, 4);
    expect(a[0], CW_MACRO_NUMBER, 1);
    assert_int_equal(a[1].kind, CW_MACRO_OTHER);
    assert_int_equal(a[2].kind, CW_MACRO_OTHER);
    expect(a[3], CW_MACRO_UNDEFINED, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),   cmocka_unit_test(test_operators), cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_silent), cmocka_unit_test(test_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
