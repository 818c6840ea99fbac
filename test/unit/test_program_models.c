/* Which of a vendor's macros a source depends on; and models of programs from a helper, kept between runs:
 * the helpers here are scripts that give prepared answers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/kernels/footprint/model_file.h"
#include "../../analyzer/kernels/models/program_models.h"
#include "../../analyzer/kernels/source/vendor_macros.h"
#include "../../analyzer/io/folders.h"

/* ---- names */

static void depends(const char *source, const char *options, const char *expected)
{
    struct cw_tested_names n;
    char text[400] = "";

    assert_true(cw_tested_names_init(&n, source, options));
    for (size_t i = 0; i < n.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", n.v[i]);
    for (size_t i = 0; i < n.n; i++)
        if (n.given[i])
            snprintf(text + strlen(text), sizeof text - strlen(text), " given:%s", n.v[i]);
    if (n.dated)
        strcat(text, " dated");
    if (n.unknowable)
        strcpy(text, "?");
    assert_string_equal(text, expected);
    cw_tested_names_finish(&n);
}

#define K "kernel void k(global int *a) { a[0] = 1; }\n"

static void test_names(void **state)
{
    (void)state;
    depends(K, NULL, "");
    depends("#ifdef FAST\nint x;\n#endif\n" K, "", "FAST");
    depends("#ifdef FAST\nint x;\n#endif\n" K, "-DFAST", "");
    depends("#ifdef FAST\nint x;\n#endif\n" K, "-D FAST=2", "");
    depends("#if defined(A) && !defined B || C > 10 + 0x1fUL\nint x;\n#elif D\n#else\nint y;\n#endif\n" K, "",
            "A B C D");
    depends("#if 1\n#ifdef A\nint x;\n#endif\n#endif\n" K, "", "A");
    depends("#ifdef A\n#ifdef B\n#endif\n#endif\n" K, "", "");
    depends("#ifdef OUTER\n#ifdef INNER\nint x;\n#endif\n#endif\n" K, "", "INNER OUTER");
    /* pragmas of OpenCL change no footprint */
    depends("#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#else\n#error no "
            "double\n#endif\n" K,
            "", "");
    depends("#ifdef cl_khr_fp64\n#pragma pack(1)\n#endif\n" K, "", "cl_khr_fp64");
    depends("#ifdef A\n#define N 2\n#endif\n" K, "", "A");
    /* what the source settles before it asks */
    depends("#define N 4\n#if N > 3\nint x;\n#endif\n" K, "", "");
    depends("#ifndef N\n#define N 4\n#endif\n#if N > 3\nint x;\n#endif\n" K, "", "N");
    depends("#if N > 3\nint x;\n#endif\n#define N 4\n" K, "", "N");
    depends("#undef N\n#ifdef N\nint x;\n#endif\n" K, "", "");
    depends("#define N M\n#define M (P + 1)\n#if N > 3\nint x;\n#endif\n" K, "", "M P");
    depends("#if N > 3\nint x;\n#endif\n" K, "-DN=Q", "Q");
    /* names that implementations define, wherever they stand */
    depends("kernel void k(global int *a) { a[__OPENCL_VERSION__] = CL_VERSION_1_2; }", "",
            "CL_VERSION_1_2 __OPENCL_VERSION__");
    depends("#define V _Width\nkernel void k(global int *a) { a[V] = 1; }", "", "_Width");
    depends("__kernel void k(__global int *restrict a) { a[N] = 1; }", "-DN=__GPU__", "__GPU__");
    depends("/* __GPU__ */ // _Bad\nkernel void k(constant char *s) { const char *t = \"__x #ifdef\"; }", "",
            "");
    /* what nobody can say */
    depends("#include \"x.h\"\n" K, "", "?");
    depends("kernel void k(global int *a) { a[__LINE__] = 1; }", "", "?");
    depends("#ifdef A\n" K, "", "?");
    depends("#endif\n" K, "", "?");
    depends(K, "-Dcl_khr_fp64=0", "?");
    depends("%:ifdef A\nint x;\n%:endif\n" K, "", "?");
    depends("#if\\\ndef A\nint x;\n#endif\n" K, "", "A");
    depends("#/* */if/* */A\nint x;\n#endif\n" K, "", "A");
}

static void test_questions(void **state)
{
    (void)state;
    /* questions to the compiler, in conditionals only */
    depends("#if defined(__has_builtin) && __has_builtin(f)\nint x;\n#elif __has_feature( g )\n#endif\n" K,
            "", "__has_builtin __has_builtin(f) __has_feature __has_feature( g )");
    depends("#ifndef __has_attribute\n#define __has_attribute(x) 0\n#endif\n#if __has_attribute(a)\nint "
            "x;\n#endif\n" K,
            "", "__has_attribute __has_attribute(a)");
    depends("#define HAS(x) __has_builtin(x)\n#if HAS(f)\nint x;\n#endif\n" K, "", "?");
    depends("#if __has_attribute(clang::a)\nint x;\n#endif\n" K, "", "?");
    depends("#if __has_include(\"x.h\")\nint x;\n#endif\n" K, "", "?");
    depends("#if Q(\"x.h\")\nint x;\n#endif\n" K, "-DQ=__has_include", "?");
    depends("#define C(a, b) a##b\n#if C(_, _GPU__)\nint x;\n#endif\n" K, "", "?");
    depends("#if __has_something(a)\nint x;\n#endif\n" K, "", "?");
    depends("#if __has_builtin(\nint x;\n#endif\n" K, "", "?");
    depends("constant int x = __has_builtin(f);\n" K, "", "?");
    /* a compiler may put a macro's text in place of the name in brackets */
    depends("#define A noinline\n#if __has_attribute(A)\nint x;\n#endif\n" K, "", "?");
    depends("#if __has_attribute( A )\nint x;\n#endif\n" K, "-DA=noinline", "?");
    /* reserved names in options */
    depends("#ifdef CL_GPU\nint x;\n#endif\n" K, "-DCL_GPU -D __OWN__=2 -Dplain",
            "CL_GPU __OWN__ given:CL_GPU given:__OWN__");
    depends("#ifdef CL_GPU\nint x;\n#endif\n" K, "-UCL_GPU -U plain", "CL_GPU given:CL_GPU");
    depends(K, "-U__OPENCL_VERSION__", "?");
    depends(K, "-DCL_VERSION_2_0=1", "?");
    depends(K, "-D__opencl_c_images", "?");
    depends(K, "-D__OPENCL_C_VERSION__=100", "?");
    depends("constant char x[] = __DATE__;\n" K, "", " dated");
    /* the text of a macro in its place would be the date's */
    depends("#define S_(x) #x\n#define S(x) S_(x)\nconstant char x[] = S(__DATE__);\n" K, "", "?");
    depends(K, "-DS(x)=#x -DB=__TIME__", "?");
}

/* ---- models */

static char parent[200], script[260], calls[260];
static struct cw_models_source *source;

static int make_folder(void **state)
{
    char folder[260];
    sigset_t all;

    (void)state;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    snprintf(parent, sizeof parent, "%s/clweave-models.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(parent))
        return -1;
    snprintf(folder, sizeof folder, "%s/store", parent);
    snprintf(script, sizeof script, "%s/helper", parent);
    snprintf(calls, sizeof calls, "%s/calls", parent);
    setenv("CLWEAVE_FOOTPRINT", script, 1);
    source = calloc(1, sizeof *source);
    return source ? 0 : -1;
}

static int drop_folder(void **state)
{
    char command[240];

    (void)state;
    free(source);
    snprintf(command, sizeof command, "rm -rf '%s'", parent);
    return system(command);
}

static void helper(const char *does)
{
    char folder[260];
    FILE *f;

    unlink(script);
    unlink(calls);
    f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho \"$@\" >> %s\n%s\n", calls, does);
    fclose(f);
    assert_int_equal(chmod(script, 0755), 0);
    snprintf(folder, sizeof folder, "%s/store", parent);
    cw_program_models_init(source, folder);
}

static int times_called(void)
{
    FILE *f = fopen(calls, "r");
    int n = 0, c;

    while (f && (c = fgetc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static enum cw_status get(const char *text, const char *options, const struct cw_models_vendor *vendor,
                          bool *kept)
{
    struct cw_model_set set;
    struct cw_error err = {0};
    enum cw_status status = cw_program_models_get(source, text, options, vendor, &set, kept, &err);

    if (status == CW_OK)
        cw_model_set_finish(&set);
    else
        assert_true(*err.text);
    return status;
}

#define FRAME "{\"format\":\"clweave-footprint\",\"version\":1,"

static void good_helper(void)
{
    char does[200];

    snprintf(does, sizeof does, "printf '%%s%d%%s\\n' '" FRAME "\"model_version\":' ',\"models\":[]}'",
             CW_MODEL_VERSION);
    helper(does);
}

static void test_kept(void **state)
{
    char folder[260];
    bool kept;

    (void)state;
    snprintf(folder, sizeof folder, "%s/store", parent);
    good_helper();
    assert_int_equal(get(K, "-DA=1", NULL, &kept), CW_OK);
    assert_false(kept);
    assert_int_equal(get(K, "-DA=1", NULL, &kept), CW_OK);
    assert_true(kept);
    assert_int_equal(times_called(), 1);
    assert_int_equal(get(K, "-DA=2", NULL, &kept), CW_OK);
    assert_int_equal(get(K " ", "-DA=1", NULL, &kept), CW_OK);
    assert_int_equal(times_called(), 3);
    unlink(script);
    cw_program_models_init(source, folder); /* elsewhere: no helper, but the store */
    assert_int_equal(get(K, "-DA=2", NULL, &kept), CW_OK);
    assert_true(kept);
    assert_int_equal(get(K, "-DA=3", NULL, &kept), CW_ERR_NOTFOUND);
}

static void test_bad_helpers(void **state)
{
    static const char *const bad[] = {"true",
                                      "echo garbage",
                                      "printf '{\"format\":\"clweave-footprint\",\"version\":1,\"mod'",
                                      "kill -SEGV $$",
                                      "head -c 100000000 /dev/zero",
                                      "printf '%s\\n' '" FRAME "\"models\":[7]}'",
                                      "echo '" FRAME
                                      "\"error\":{\"status\":\"out of memory\",\"message\":\"m\"}}'",
                                      NULL};
    bool kept;

    (void)state;
    for (int i = 0; bad[i]; i++) {
        helper(bad[i]);
        assert_int_not_equal(get(K, "", NULL, &kept), CW_OK);
        assert_int_not_equal(get(K, "", NULL, &kept), CW_OK);
        assert_int_equal(times_called(), 2); /* perhaps it is better next time */
    }
    helper("echo '" FRAME "\"error\":{\"status\":\"malformed input\",\"message\":\"syntax\"}}'");
    assert_int_equal(get(K, "", NULL, &kept), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "", NULL, &kept), CW_ERR_UNSUPPORTED);
    assert_int_equal(times_called(), 1);
}

static void test_options(void **state)
{
    (void)state;
    good_helper();
    assert_int_equal(get(K, "-D 'A=1 2'", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "-I\"a b\"", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "-DA=1\t-DB=2", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "--eval x.json", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "-D @file", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(K, "-DA -cl-opt-disable", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get("#include \"a.h\"\n" K, "", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(times_called(), 0);
    assert_int_equal(get(K, "-w -I\"/some/folder\" -DA=9", NULL, NULL), CW_OK);
    setenv("POCL_EXTRA_BUILD_FLAGS", "-DX", 1);
    good_helper();
    assert_int_equal(get(K, "", NULL, NULL), CW_ERR_UNSUPPORTED);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
}

static int asked;

static bool answer(void *data, const char *options, char *const *names, size_t n,
                   struct cw_macro_value *values)
{
    (void)data;
    assert_string_equal(options, "-cl-std=CL2.0 ");
    assert_int_equal(n, 3);
    assert_string_equal(names[0], "A");
    assert_string_equal(names[2], "M_PI");
    values[0] = (struct cw_macro_value){CW_MACRO_NUMBER, 300};
    values[1] = (struct cw_macro_value){CW_MACRO_UNDEFINED, 0};
    values[2] = (struct cw_macro_value){CW_MACRO_DOUBLE, 0};
    asked++;
    return true;
}

static bool odd(void *data, const char *options, char *const *names, size_t n, struct cw_macro_value *values)
{
    (void)data, (void)options, (void)names;
    for (size_t i = 0; i < n; i++)
        values[i] = (struct cw_macro_value){CW_MACRO_OTHER, 0};
    return true;
}

static bool answer_no(void *data, const char *options, char *const *names, size_t n,
                      struct cw_macro_value *values)
{
    (void)data, (void)options, (void)names;
    memset(values, 0, n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i].kind = CW_MACRO_UNDEFINED;
    return true;
}

/* An option's own macro holds only where the vendor has none of its name. */
static void test_given(void **state)
{
    struct cw_models_vendor vendor = {"device 3", answer_no, NULL};

    (void)state;
    good_helper();
    assert_int_equal(get(K, "-DCL_GPU=float", &vendor, NULL), CW_OK);
    vendor = (struct cw_models_vendor){"device 4", odd, NULL};
    assert_int_equal(get(K, "-DCL_GPU=float", &vendor, NULL), CW_ERR_UNSUPPORTED);
}

static void test_vendor(void **state)
{
    static const char text[] = "#if A > B && defined M_PI\nint x;\n#endif\n" K;
    struct cw_models_vendor vendor = {"device 1", answer, NULL};
    char line[400] = "";
    FILE *f;

    (void)state;
    good_helper();
    f = fopen(script, "a");
    fprintf(f, "cat /proc/self/fd/3 > %s/seen\n", parent);
    fclose(f);
    assert_int_equal(get(text, "-cl-std=CL2.0 -DC", NULL, NULL), CW_ERR_UNSUPPORTED);
    assert_int_equal(get(text, "-cl-std=CL2.0 -DC", &vendor, NULL), CW_OK);
    f = fopen(calls, "r");
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_non_null(strstr(line, "-cl-std=CL2.0 -DC /proc/self/fd/3"));
    snprintf(line, sizeof line, "%s/seen", parent);
    f = fopen(line, "r");
    assert_non_null(f);
    line[fread(line, 1, sizeof line - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(
        line, "#undef A\n#define A 300\n#undef B\n#undef M_PI\nextern constant double cw_number_2;\n"
              "#define M_PI cw_number_2\n#line 1\n#if A > B && defined M_PI\nint x;\n#endif\n" K);
    vendor.ask = NULL; /* it is known by now */
    assert_int_equal(get(text, "-DC -cl-std=CL2.0", &vendor, NULL), CW_OK);
    assert_int_equal(asked, 1);
    vendor = (struct cw_models_vendor){"device 2", odd, NULL};
    assert_int_equal(get(text, "-cl-std=CL2.0 -DC", &vendor, NULL), CW_ERR_UNSUPPORTED);
}

/* All keys are the same: what is kept of one source, or of one compiler's macros, is no other's. */
static void test_one_key(void **state)
{
    static const char text[] = "#if A > B && defined M_PI\nint x;\n#endif\n" K;
    struct cw_models_vendor vendor = {"device 1", answer, NULL};
    bool kept;

    (void)state;
    cw_identity_one_key = true;
    asked = 0;
    good_helper();
    assert_int_equal(get(K, "-DA=1", NULL, &kept), CW_OK);
    assert_int_equal(get(K, "-DA=1", NULL, &kept), CW_OK);
    assert_true(kept);
    assert_int_equal(get(K, "-DA=2", NULL, &kept), CW_OK);
    assert_false(kept);
    assert_int_equal(get(K " ", "-DA=1", NULL, &kept), CW_OK);
    assert_false(kept);
    assert_int_equal(get(K "// -DA=1", "-DB", NULL, &kept), CW_OK);
    assert_int_equal(get(K "//", "-DA=1 -DB", NULL, &kept), CW_OK);
    assert_false(kept);
    assert_int_equal(times_called(), 5);
    assert_int_equal(get(text, "-cl-std=CL2.0 ", &vendor, &kept), CW_OK);
    assert_int_equal(asked, 1);
    vendor.identity = "device 2";
    assert_int_equal(get(text, "-cl-std=CL2.0 ", &vendor, &kept), CW_OK);
    assert_int_equal(asked, 2);
    cw_identity_one_key = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_questions),
        cmocka_unit_test_setup_teardown(test_kept, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_bad_helpers, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_options, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_vendor, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_given, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_one_key, make_folder, drop_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
