/* test_trace_params.c - access modes of kernel parameters from their source: never bolder than the source
 * allows. */
#include "trace_builder.h"

#include "../../analyzer/kernels/source/cl_language.h"
#include "../../analyzer/kernels/source/cl_source.h"
#include "../../analyzer/kernels/source/kernel_params.h"

/* One letter per parameter: r read, w write, b both. */
static const struct {
    const char *why, *source, *options, *modes;
} cases[] = {
    {"plain pointers", "kernel void k(global float *a, int n) {}", NULL, "bb"},
    {"constant", "__kernel void k(__constant float *a, constant int b[], global int *c) {}", NULL, "rrb"},
    {"images",
     "kernel void k(read_only image2d_t a, __write_only image2d_t b, read_write image3d_t c, image1d_t d) {}",
     NULL, "rwbr"},
    {"const, indexed only",
     "kernel void k(global const float *a, global float *b) { int i = get_global_id(0); b[i] = a[i] + *a + "
     "*(a + i); }",
     NULL, "rb"},
    {"const after the type, restrict", "kernel void k(__global float const *restrict a) { float x = a[0]; }",
     NULL, "r"},
    {"const pointer to mutable", "kernel void k(global float *const a) { a[0] = 1; }", NULL, "b"},
    {"vector type, component", "kernel void k(global const float4 *a, global float *b) { b[0] = a[1].x; }",
     NULL, "rb"},
    {"vload", "kernel void k(global const float *a, global float4 *b) { b[0] = vload4(0, a + 4); }", NULL,
     "rb"},
    {"local copy",
     "kernel void k(global const float *a, local float *l) { async_work_group_copy(l, a + 8, 4, 0); }", NULL,
     "rb"},
    {"cast away", "kernel void k(global const float *a) { ((global float *)a)[0] = 1; }", NULL, "b"},
    {"assigned", "kernel void k(global const float *a) { global float *q = a; q[0] = 1; }", NULL, "b"},
    {"assigned with an offset", "kernel void k(global const float *a) { global float *q = a + 1; q[0] = 1; }",
     NULL, "b"},
    {"address of an element", "kernel void k(global const float *a) { global float *q = &a[1]; q[0] = 1; }",
     NULL, "b"},
    {"address of a bracketed element",
     "kernel void k(global const float *a) { global float *q = &((a[1])); q[0] = 1; }", NULL, "b"},
    {"address of a dereference", "kernel void k(global const float *a) { global float *q = &*a; q[0] = 1; }",
     NULL, "b"},
    {"given to a function",
     "void f(global float *q) { q[0] = 1; } kernel void k(global const float *a) { f(a); }", NULL, "b"},
    {"struct behind it",
     "struct s { float v[4]; }; kernel void k(global const struct s *a) { global float *q = a[0].v; q[0] = "
     "1; }",
     NULL, "b"},
    {"typedef behind it",
     "typedef float row[4]; kernel void k(global const row *a) { global float *q = a[0]; q[0] = 1; }", NULL,
     "b"},
    {"macro type", "#define T float\nkernel void k(global const T *a, global T *b) { b[0] = a[0]; }", NULL,
     "rb"},
    {"macro type, two definitions",
     "#ifdef D\n#define T double\n#else\n#define T float\n#endif\nkernel void k(global const T *a) { T x = "
     "a[0]; }",
     NULL, "r"},
    {"macro type from options", "kernel void k(global const T *a) { T x = a[0]; }", "-w -D T=float -DN=4",
     "r"},
    {"macro qualifier", "#define IN global const\nkernel void k(IN float *a) { float x = a[0]; }", NULL, "r"},
    {"macro qualifier of two minds",
     "#ifdef X\n#define Q const\n#else\n#define Q\n#endif\nkernel void k(global Q float *a) { a[0]; }", NULL,
     "b"},
    {"macro hides a star", "#define P float *\nkernel void k(global const P a) { a[0]; }", NULL, "b"},
    {"macro uses the parameter well",
     "#define A(i) a[(i) * 4]\nkernel void k(global const float *a) { float x = A(2); }", NULL, "r"},
    {"macro uses the parameter ill",
     "#define STEAL global float *q = a; q[0] = 1\nkernel void k(global const float *a) { STEAL; }", NULL,
     "b"},
    {"macro takes addresses",
     "#define ADDR(x) (&(x))\nkernel void k(global const float *a) { global float *q = ADDR(a[0]); q[0] = 1; "
     "}",
     NULL, "b"},
    {"macro ends in an address operator",
     "#define AT &\nkernel void k(global const float *a) { global float *q = AT a[0]; q[0] = 1; }", NULL,
     "b"},
    {"pasted name",
     "#define USE(x) x##n\nkernel void k(global const float *in) { global float *q = USE(i); q[0] = 1; }",
     NULL, "b"},
    {"keyword redefined",
     "#define const\nkernel void k(global const float *a, constant float *b) { a[0] = 1; }", NULL, "bb"},
    {"keyword redefined by an option", "kernel void k(constant float *a) {}", "-Dconstant=global", "b"},
    {"keyword redefined by a quoted option", "kernel void k(constant float *a) {}",
     "-D \"constant=global\" -w", "b"},
    {"keyword redefined by a digraph", "%:define constant global\nkernel void k(constant float *a) {}", NULL,
     "b"},
    {"keyword redefined by a trigraph",
     "?"
     "?=define constant global\nkernel void k(constant float *a) {}",
     NULL, "b"},
    {"conditional in the list", "kernel void k(global\n#ifdef X\nconst\n#endif\nfloat *a) { a[0] = 1; }",
     NULL, "b"},
    {"conditional in the body",
     "kernel void k(global const float *a) {\n#ifdef X\nglobal float *q = a;\n#endif\n}", NULL, "b"},
    {"two definitions, the weaker counts",
     "#ifdef X\nkernel void k(global const float *a) { a[0]; }\n#else\nkernel void k(global float *a) { a[0] "
     "= 1; }\n#endif",
     NULL, "b"},
    {"kernel by macro",
     "#define K(n) kernel void n(global float *a)\nkernel void k(constant float *a) {}\nK(j) {}", NULL, "b"},
    {"include hides macros",
     "#include \"x.h\"\nkernel void k(global const float *a, read_only image2d_t i) { a[0]; }", NULL, "br"},
    {"comments", "kernel /* void k(constant */ void k(global float *a, // constant\n constant float *b) {}",
     NULL, "br"},
    {"comment runs on after a splice",
     "kernel void k(global const float *a) {\n// x \\\n /* \nglobal float *q = a; q[0] = 1; }", NULL, "b"},
    {"strings", "kernel void k(global const float *a) { printf(\"a = & a )(\", a[0]); }", NULL, "r"},
    {"attributes before the name",
     "__attribute__((reqd_work_group_size(8, 8, 1))) kernel __attribute__((vec_type_hint(int))) void "
     "k(constant int *a) {}",
     NULL, "r"},
    {"another number of parameters", "kernel void k(constant int *a) {}", NULL, "bb"},
    {"no such kernel", "kernel void j(constant int *a) {}", NULL, "b"},
    {"pipe", "kernel void k(read_only pipe int a) {}", NULL, "b"},
    {"same name as a member", "kernel void k(global const float *x, global float4 *v) { v[0].x = x[0]; }",
     NULL, "rb"},
    {"other kernel's use does not count",
     "kernel void j(global float *a) { a[0] = 1; } kernel void k(global const float *a) { a[0]; }", NULL,
     "r"},
    {"unclosed", "kernel void k(constant int *a", NULL, "b"},
    {"address through a cast of a macro",
     "#define G(p) ((global float *)(p))\nkernel void k(global const float *a) { G(a)[0] = 1; }", NULL, "b"},
    {"array", "kernel void k(global const float a[4]) { a[0]; }", NULL, "r"},
    {"array of arrays", "kernel void k(global const float a[][4]) { global float *q = a[1]; q[0] = 1; }",
     NULL, "b"},
    {"pointer to arrays", "kernel void k(global const float (*a)[4]) { global float *q = a[1]; q[0] = 1; }",
     NULL, "b"},
    {"a type whose name looks like an image",
     "typedef struct { uchar r, g, b; } image_pixel_t; kernel void k(global image_pixel_t *a) { a[0].r = 1; "
     "}",
     NULL, "b"},
    {"a type whose name looks like a vector",
     "typedef struct { float v[4]; } float9; kernel void k(global const float9 *a) { global float *q = "
     "a[0].v; }",
     NULL, "b"},
    {"a type whose name looks like a vector of no kind",
     "typedef struct { float v[4]; } bool4; kernel void k(global const bool4 *a) { global float *q = a[0].v; "
     "}",
     NULL, "b"},
    {"braces in branches hide the end of the body",
     "kernel void k(global const float *a, int n) { if (n) {\n#ifdef X\n n++; }\n#else\n n--; }\n#endif\n"
     "w(a); }",
     NULL, "bb"},
    {"another kernel behind such branches does not count",
     "kernel void k(global const float *a, int n) {\n#ifdef X\n n++;\n#endif\n n = a[0]; }\n"
     "kernel void j(global float *a) { w(a); }",
     NULL, "rb"},
    {"address of what a macro makes of an element",
     "#define ID(x) x\nkernel void k(global const float *a) { global float *q = (global float *)&ID(a[0]); }",
     NULL, "b"},
    {"address of a macro that names an element",
     "#define A0 a[0]\nkernel void k(global const float *a) { global float *q = (global float *)&A0; }", NULL,
     "b"},
    {"address of a macro in a macro",
     "#define ID(x) x\n#define P(x) ((global float *)&ID(x))\nkernel void k(global const float *a) { "
     "P(a[0])[0] = 1; }",
     NULL, "b"},
    {"and with a macro that is a number",
     "#define MASK 0xff\nkernel void k(global const int *a, global int *b) { b[0] = a[0] & MASK; }", NULL,
     "rb"},
    {"assigned on the way",
     "kernel void k(global const float *a) { global float *q; vload4(0, q = a); q[0] = 1; }", NULL, "b"},
    {"target of a copy",
     "kernel void k(global const float *a, local float *l) { async_work_group_copy(a, l, 4, 0); }", NULL,
     "bb"},
    {"a function of that name",
     "void prefetch(global float *p, int n) { p[0] = n; } kernel void k(global const float *a) { prefetch(a, "
     "1); "
     "}",
     NULL, "b"},
    {"references of C++", "kernel void k(global const float *a) { f(a[0]); }", "-cl-std=CLC++2021", "b"},
    {"a definition that a macro hides",
     "#ifdef X\nkernel ATTR(8) void k(global float *a) { a[0] = 1; }\n#else\nkernel void k(constant float "
     "*a) "
     "{}\n#endif\n#define ATTR(x) __attribute__((reqd_work_group_size(x, 1, 1)))",
     NULL, "b"},
    {"comma and conditional hand it on",
     "kernel void k(global const float *a) { global float *q = (0, a); q = 1 ? a : 0; }", NULL, "b"},
};

static void modes_are_never_too_bold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cw_cl_source s;
        uint8_t modes[8];
        char found[9] = "";
        uint32_t n = (uint32_t)strlen(cases[i].modes);
        assert_true(cw_cl_source_init(&s, cases[i].source, cases[i].options));
        cw_kernel_params(&s, "k", n, false, false, modes);
        for (uint32_t p = 0; p < n; p++)
            found[p] = modes[p] == CW_ACCESS_READ ? 'r' : modes[p] == CW_ACCESS_WRITE ? 'w' : 'b';
        if (strcmp(found, cases[i].modes) != 0)
            fail_msg("%s: %s\n  gives %s, expected %s", cases[i].why, cases[i].source, found, cases[i].modes);
        cw_cl_source_finish(&s);
    }
}

static void const_can_be_trusted_or_not(void **state)
{
    struct cw_cl_source s;
    uint8_t mode;
    (void)state;
    assert_true(cw_cl_source_init(
        &s, "void f(global float *); kernel void k(global const float *a) { f(a); }", NULL));
    cw_kernel_params(&s, "k", 1, true, false, &mode);
    assert_int_equal(mode, CW_ACCESS_READ);
    cw_cl_source_finish(&s);
    assert_true(cw_cl_source_init(&s, "kernel void k(global const float *a) { a[0]; }", NULL));
    cw_kernel_params(&s, "k", 1, false, true, &mode);
    assert_int_equal(mode, CW_ACCESS_READ_WRITE);
    cw_cl_source_finish(&s);
}

/* One letter per parameter: n number, o object, ? in doubt. */
static void kinds_are_never_too_bold(void **state)
{
    static const struct {
        const char *source, *kinds;
    } of[] = {
        {"kernel void k(ulong a, unsigned long b, const uint2 c, global ulong *d, sampler_t e, read_only "
         "image2d_t "
         "f, local int g[8], pipe int h) {}",
         "nnnooooo"},
        {"typedef ulong t; struct s {int a;}; kernel void k(t a, struct s b, double c) {}", "??n"},
        {"#define N ulong\n#define S sampler_t\n#define P global int *\nkernel void k(N a, S b, P c) {}",
         "?o?"},
        {"#ifdef X\n#define N ulong\n#else\ntypedef global ulong *N;\n#endif\nkernel void k(N a, ulong b) {}",
         "?n"},
        {"typedef global ulong *t; kernel void k(t uint, t size_t, ulong uint) {}", "??n"},
        {"#ifdef X\n#define N ulong\n#else\n#define N sampler_t\n#endif\nkernel void k(N a) {}", "?"},
        {"#ifdef X\nkernel void k(ulong a, int b) {}\n#else\nkernel void k(sampler_t a, int b) {}\n#endif",
         "?n"},
        {"#define ulong sampler_t\nkernel void k(ulong a) {}", "?"},
        {"#include \"not_there.h\"\nkernel void k(ulong a) {}", "?"},
        {"#define K kernel\nK void k(ulong a) {}", "?"},
        {"kernel void other(ulong a) {}", "?"},
        {"kernel void k(ulong a, ulong b) {}", "?"},
    };
    struct cw_cl_source s;
    uint8_t kinds[8];

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        uint32_t n = (uint32_t)strlen(of[i].kinds);

        assert_true(cw_cl_source_init(&s, of[i].source, NULL));
        cw_kernel_params_kinds(&s, "k", n, kinds);
        for (uint32_t p = 0; p < n; p++)
            if (of[i].kinds[p] != "?no"[kinds[p]])
                fail_msg("%s: parameter %u is %c", of[i].source, p, "?no"[kinds[p]]);
        cw_cl_source_finish(&s);
    }
}

static void variables_of_the_program_are_found(void **state)
{
    static const struct {
        const char *source;
        bool has;
    } of[] = {
        {"global int n; kernel void k(global int *a) {}", true},
        {"int n = 3;", true},
        {"__attribute__((aligned(8))) int n;", true},
        {"struct s { int a; } n;", true},
        {"struct s { int a; }; struct s n;", true},
        {"global int n[2] = {1, 2};", true},
        {"kernel void k(void) { static global int n; }", true},
        {"void f(void) {} int n;", true},
        {"#include \"h\"", true},
        {"typedef struct { int a[2]; } s; typedef int t[4]; struct u { int a; } __attribute__((packed)); "
         "enum {A, B};",
         false},
        {"constant int n = 3; __constant float f[2] = {1, 2}; struct s; int f(global int *a); static int "
         "g(int);",
         false},
        {"static inline int f(int a[2]) { int x = 3; { static constant int c = 1; } return x; }", false},
        {"kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *a) { int n[3] = {1}; a[0] "
         "= n[0]; "
         "}",
         false},
    };
    struct cw_cl_source s;
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        assert_true(cw_cl_source_init(&s, of[i].source, NULL));
        if (cw_cl_has_variables(&s, "-w -cl-std=CL2.0", CW_CL_LANGUAGE_1) != of[i].has)
            fail_msg("%s: expected %d", of[i].source, of[i].has);
        assert_false(cw_cl_has_variables(&s, "-cl-std=CL1.2", CW_CL_LANGUAGE_3));
        assert_false(cw_cl_has_variables(&s, NULL, CW_CL_LANGUAGE_1));
        assert_int_equal(cw_cl_has_variables(&s, NULL, CW_CL_LANGUAGE_3), of[i].has);
        cw_cl_source_finish(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_never_too_bold), cmocka_unit_test(const_can_be_trusted_or_not),
        cmocka_unit_test(kinds_are_never_too_bold), cmocka_unit_test(variables_of_the_program_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
