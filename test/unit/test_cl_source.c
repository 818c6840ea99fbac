/* What a source and its options may ask for, however it is spelt: files, and names by ##. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/cl_source.h"
#include "../../analyzer/kernels/source/header_files.h"

#define K     "kernel void k(global int *a) { a[0] = 1; }\n"
#define PASTE "#define C(a, b) a##b\n"

static void builds_that_ask_for_files(void **state)
{
    static const struct {
        const char *source, *options;
        bool needed;
    } of[] = {
        {K, NULL, false},
        {"/* #include \"y.h\" __has_include */\n" K, "-DQ=1", false},
        {PASTE "kernel void C(k, 1)(global int *a) { a[0] = 1; }\n", NULL, false},
        {K, "-I /opt/__has_include -DQ=1", false},
        {"#include \"y.h\"\n", NULL, true},
        {"#inc\\\r\nlude \"y.h\"\n", NULL, true},
        {"# import <y.h>\n", NULL, true},
        {"#include_next <y.h>\n", NULL, true},
        {"#embed \"y.h\"\n", NULL, true},
        {"int a;\r#include \"y.h\"\r", NULL, true},
        {"// a\r#include \"y.h\"\r", NULL, true},
        {"\xef\xbb\xbf#include \"y.h\"\n", NULL, true},
        {"%:include \"y.h\"\n", NULL, true},
        {"#if __has_include(\"y.h\")\n#endif\n", NULL, true},
        {"#if Q(\"y.h\")\n#endif\n", "-DQ=__has_include", true},
        {"#if Q(\"y.h\")\n#endif\n", "-D 'Q=__has_include'", true},
        {PASTE "#if C(__has_inc, lude)(\"y.h\")\n#endif\n", NULL, true},
        {PASTE "#define E(a, b) C(a, b)\n#if E(A, E(B, D))(\"y.h\")\n#endif\n", "-DA=__ha -DB=s_inc -DD=lude",
         true},
        {"#if Q(__has_inc, lude)(\"y.h\")\n#endif\n", "-DQ(a,b)=a##b", true},
        {"#if __has_embed(\"y.h\")\n#endif\n", NULL, true},
        {"#pragma GCC dependency \"y.h\"\n", NULL, true},
        {"_Pragma(\"GCC dependency \\\"y.h\\\"\")\n", NULL, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (cw_joined_source_is_needed(of[i].source, of[i].options) != of[i].needed)
            fail_msg("%s with %s: not %d", of[i].source, of[i].options, of[i].needed);
}

static void names_that_are_spelt_or_pasted(void **state)
{
    static const char *const words[] = {"__LINE__", "printf", "do ", NULL};
    static const struct {
        const char *source, *options, *found;
    } of[] = {
        {K, NULL, NULL},
        {"#if __LINE__ > 3\n#endif\n", NULL, "__LINE__"},
        {"int a = L;\n", "-DL=__LINE__", "__LINE__"},
        {"int a = L;\n", "-I/printf -DL=1", NULL},
        {"__LI NE__", NULL, NULL},
        {PASTE "int a = C(__LI, NE__);\n", NULL, "__LINE__"},
        {PASTE "kernel void k(void) { C(p, C(rint, f))(\"\"); }\n", NULL, "printf"},
        {PASTE "kernel void k(void) { C(print, e)(); }\n", NULL, NULL},
        {"kernel void k(void) { printf_like(); }\n", NULL, "printf"},
        {"double dot;\n", NULL, NULL},
        {"void f(void) { do ; while (1); }\n", NULL, "do "},
        {PASTE "void f(void) { C(d, o) ; while (1); }\n", NULL, "do "},
        {PASTE "int C(d, ouble);\n", NULL, NULL},
    };
    struct cw_cl_source s;
    const char *found;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        assert_true(cw_cl_source_init(&s, of[i].source, of[i].options));
        found = cw_cl_may_name(&s, words);
        if (!found != !of[i].found || (found && strcmp(found, of[i].found) != 0))
            fail_msg("%s with %s: %s", of[i].source, of[i].options, found ? found : "nothing");
        cw_cl_source_finish(&s);
    }
}

/* A source that the headers are in says where they were: it is another one then. */
static void places_are_no_text(void **state)
{
    static const struct {
        const char *source, *options;
    } of[] = {
        {"int a = __LINE__;\n", NULL},
        {"int a = L;\n", "-DL=__LINE__"},
        {PASTE "int a = C(__LI, NE__);\n", NULL},
        {"#if Q(\"y.h\")\n#endif\n", "-DQ=__has_include"},
    };
    struct cw_error err;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (cw_joined_source(of[i].source, of[i].options, &err))
            fail_msg("%s with %s", of[i].source, of[i].options);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_that_ask_for_files),
        cmocka_unit_test(names_that_are_spelt_or_pasted),
        cmocka_unit_test(places_are_no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
