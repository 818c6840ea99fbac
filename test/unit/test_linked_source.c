/* Programs that were compiled apart as one source: the accepted ones, where common headers are cut, and the
 * refused ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/linked_source.h"

#define HEADER                                                                                               \
    "#ifndef H\n#define H\n#define W 4\nint far(int);\nstatic inline int near(int x) { return x * W; "       \
    "}\n#endif\n"
#define A "kernel void a(global int *p) { *p = far(1) + near(2); }\n"
#define B "int far(int x) { return near(x); }\n"

static void expect_with(const char *options, const char *one, const char *two, const char *all)
{
    const char *unit[] = {one, two};
    struct cw_error err = {0};
    char *text = cw_linked_source(unit, 2, options, &err);

    if (all) {
        assert_non_null(text);
        assert_string_equal(text, all);
    } else {
        assert_null(text);
        assert_int_equal(err.status, CW_ERR_UNSUPPORTED);
    }
    free(text);
}

static void expect(const char *one, const char *two, const char *all)
{
    expect_with(NULL, one, two, all);
}

static void test_taken(void **state)
{
    (void)state;
    expect("int f(int);\n" A, B, "int f(int);\n" A "\n" B "\n");
    expect(HEADER A, HEADER B, HEADER A "\n" B "\n");             /* the header once */
    expect(B, "int far(int);\n" A, B "\nint far(int);\n" A "\n"); /* called by who declares it */
    expect_with("-DREAL=float4 -DN=3", "static REAL f(REAL x) { return x * N; }\n",
                "float4 g(REAL x) { return x; }\n",
                "static REAL f(REAL x) { return x * N; }\n\nfloat4 g(REAL x) { return x; }\n\n");
    expect(A, "int g(void) { return pown(1.0f, 2); }\n", A "\nint g(void) { return pown(1.0f, 2); }\n\n");
    expect(HEADER "#define N 3\n" A, HEADER B, HEADER "#define N 3\n" A "\n" B "\n");
    expect("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;", "#pragma unroll\nint b;",
           "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;\n#pragma unroll\nint b;\n");
}

static void test_cut(void **state)
{
    (void)state;
    /* what both begin with ends between declarations only */
    expect("struct s { int x; }\na;\n", "struct s { int x; }\nb;\n",
           "struct s { int x; }\na;\n\nstruct s { int x; }\nb;\n\n");
    expect("int f(void)\n{ return 1; }\n", "int f(void)\n{ return 2; }\n",
           "int f(void)\n{ return 1; }\n\nint f(void)\n{ return 2; }\n\n");
    expect("int x;\n#if 1\nint a;\n#endif\n", "int x;\n#if 1\nint b;\n#endif\n",
           "int x;\n#if 1\nint a;\n#endif\n\n#if 1\nint b;\n#endif\n\n");
    expect("constant char *c = \"{\\\";\";\nint a;", "constant char *c = \"{\\\";\";\nint b;",
           "constant char *c = \"{\\\";\";\nint a;\nint b;\n");
    expect("int x;}\nint a;\n", "int x;}\nint b;\n", "int x;}\nint a;\n\nint x;}\nint b;\n\n");
}

static void test_refused(void **state)
{
    (void)state;
    expect("#define N 3\n" A, "#ifndef N\n#define N 4\n#endif\nint g(void) { return N; }\n", NULL);
    expect(HEADER "#undef W\n#define W 5\n" A, HEADER B, NULL); /* W is in near(), which the other one uses */
    expect("#define far close\n" A, B, NULL);
    expect("#define J(a, b) a##b\n" A, B, NULL);
    expect("#pragma OPENCL FP_CONTRACT OFF\n" A, B, NULL);
    expect("#pragma pack(1)\n" A, B, NULL);
    expect("int __attribute__((overloadable)) f(int);\n" A, B, NULL);
    expect("#include \"x.h\"\n" A, B, NULL);
    expect("int l = __LINE__;\n", B, NULL);
    expect("_Pragma(\"pack(1)\")\n", B, NULL);
    /* the other one means the built-in function */
    expect("static float pown(float a, uint b) { return a; }\n",
           "kernel void k(global float *a) { *a = pown(*a, 2u); }\n", NULL);
    expect("float pown(float a, uint b);\n", "kernel void k(global float *a) { *a = pown(*a, 2u); }\n", NULL);
    expect("#define F(name) float name(float a, uint b) { return a; }\nF(pown)\n",
           "float g(float a) { return pown(a, 2u); }\n", NULL);
    expect("#define F float pown(float a, uint b) { return a; }\n#define G F\nG\n",
           "float g(float a) { return pown(a, 2u); }\n", NULL);
    expect("#if 1\nint f(int x) {\n#else\nint f(long x) {\n#endif\nreturn x; }\nfloat pown(float a, uint b) "
           "{ return a; }\n",
           "float g(float a) { return pown(a, 2u); }\n", NULL);
    expect("float pown(float a, uint b) { return a; }\n",
           "#define K(name, body) kernel void name(global float *a) { body; }\nK(k, *a = pown(*a, 2u))\n",
           NULL);
    expect("float pown(float a, uint b) { return a; }\n",
           "#define K kernel void k(global float *a) { *a = pown(*a, 2u); }\nK\n", NULL);
    expect("static uint (add_sat)(uint a, uint b) { return a; }\n",
           "uint g(uint a) { return add_sat(a, 2); }\n", NULL);
    expect_with("-DF=pown", "float F(float a, uint b) { return a; }\n",
                "float g(float a) { return pown(a, 2u); }\n", NULL);
    expect_with("-DF=pown -DN=3", "float pown(float a, uint b) { return a; }\n",
                "float g(float a) { return F(a, 2u); }\n", NULL);
    expect("float pown(float a, uint b) { return a; }\n",
           "#define P pown\nfloat g(float a) { return P(a, 2u); }\n", NULL);
}

static void test_one(void **state)
{
    const char *unit = "#include \"x.h\"\n";
    char *text = cw_linked_source(&unit, 1, NULL, NULL);

    (void)state;
    assert_string_equal(text, unit);
    free(text);
    assert_null(cw_linked_source(&unit, 0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
