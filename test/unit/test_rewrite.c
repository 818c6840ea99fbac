/* test_rewrite.c - rewritten sources: where the hidden parameter goes, and why a source is refused.
 * That the results compile and compute the same is checked on a device (test/rewrite/). */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite_text.h"

/* expect: what stands in the result, for every line of it; or, with '!' in front, words of the refusal. */
static const struct {
    const char *why, *source, *options, *expect;
} cases[] = {
    {"a kernel", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "kernel void k(global int *a, " P ") {"},
    {"no parameters", "kernel void k() { int i = get_group_id(0); }", NULL, "void k(" P ") {"},
    {"void", "__kernel void k(void) { int i = get_num_groups(0); }", NULL, "void k(" P ") {"},
    {"sees no ids", "kernel void k(global int *a) { a[get_local_id(0)] = 1; }", NULL,
     "void k(global int *a) {"},
    {"a helper that is called",
     "int f(int i) { return i + get_global_size(0); } kernel void k(global int *a) { a[0] = f(1); }", NULL,
     "#define f(...) f(__VA_ARGS__, __cw_t)\n|int (f)(int i, " P ") {|void k(global int *a, " P ")"},
    {"a helper without parameters, declared before",
     "int f(void); kernel void k(global int *a) { a[0] = f(); } int f(void) { return get_global_id(0); }",
     NULL, "#define f() f(__cw_t)\n|int (f)(" P ");|int (f)(" P ") { return"},
    {"a helper that needs nothing",
     "int f(int i) { return i; } kernel void k(global int *a) { a[get_global_id(0)] = f(1); }", NULL,
     "int f(int i) { return i; }"},
    {"a kernel called by a kernel",
     "kernel void k(global int *a) { a[get_global_id(0)]++; } kernel void l(global int *a) { k(a); }", NULL,
     "#define k(...) k(__VA_ARGS__, __cw_t)|void (k)(global int *a, " P ")|void l(global int *a, " P
     ") { k(a); }"},
    {"ids in an object-like macro", "#define I get_global_id(0)\nkernel void k(global int *a) { a[I] = 1; }",
     NULL, "void k(global int *a, " P ")"},
    {"ids in a build option", "kernel void k(global int *a) { a[I] = 1; }", "-DN=1 -D 'I=get_global_id(0)'",
     "void k(global int *a, " P ")"},
    {"ids by a macro's argument",
     "#define A(f) f(0)\nkernel void k(global int *a) { a[A(get_global_id)] = 1; }", NULL,
     "void k(global int *a, " P ")"},
    {"pasted ids", "#define G(x) get_##x##_id(0)\nkernel void k(global int *a) { a[G(global)] = 1; }", NULL,
     "void (k)(global int *a, " P ")"},
    {"a pasted call of a helper",
     "int f_1(int i) { return get_global_id(0); }\n#define F(n) f_##n(3)\nkernel void k(global int *a) { "
     "a[0] = F(1); }",
     NULL, "#define f_1(...) f_1(__VA_ARGS__, __cw_t)|void (k)(global int *a, " P ")"},
    {"attributes everywhere",
     "__attribute__((vec_type_hint(float4))) kernel __attribute__((reqd_work_group_size(8,1,1))) void "
     "k(global int *a) "
     "__attribute__((work_group_size_hint(8,1,1))) { a[get_global_id(0)] = 1; }",
     NULL, "void k(global int *a, " P ") __attribute__((work"},
    {"kernel by a macro", "#define K __kernel void\nK k(global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "K k(global int *a, " P ")"},
    {"heads in both branches",
     "#ifdef A\nkernel void k(global int *a)\n#else\nkernel void k(global int *a, int n)\n#endif\n{ "
     "a[get_global_id(0)] = 1; }",
     NULL, "void k(global int *a, " P ")\n#else\nkernel void k(global int *a, int n, " P ")"},
    {"parameters in a branch",
     "kernel void k(global int *a\n#ifdef A\n, int n\n#endif\n) { a[get_global_id(0)] = 1; }", NULL,
     "#endif\n, " P ")"},
    {"dead text",
     "#if 0\ndon't } \n#else\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }\n#endif\n", NULL,
     "void k(global int *a, " P ")"},
    {"a guard for C++",
     "#ifdef __cplusplus\nextern \"C\" {\n#endif\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
     "#ifdef __cplusplus\n}\n#endif\n",
     NULL, "void k(global int *a, " P ")"},
    {"C++ by an option", "#ifdef __cplusplus\n#endif\n", "-D__cplusplus", "!'__cplusplus' is redefined"},
    {"comments and splices", "kernel void k(/* get */ global int *a // )\n) { a[get_glo\\\nbal_id(0)] = 1; }",
     NULL, "global int *a \n, " P ") { a[get_global_id(0)]"},
    {"lines keep their numbers", "/* 1\n2 */ kernel void k(global int *a)\n{ a[get_global_id(0)] = 1; }",
     NULL, "#line 1\n \n kernel void k(global int *a, " P ")\n{"},
    {"a string", "kernel void k(global int *a) { a[get_global_id(0)] = \"}//\\\"{\"[0]; }", NULL,
     "\"}//\\\"{\"[0]"},
    {"overloads",
     "float __attribute__((overloadable)) f(float x) { return x + get_global_id(0); } float "
     "__attribute__((overloadable)) f(int x) { "
     "return x; } kernel void k(global float *a) { a[0] = f(1) + f(1.f); }",
     NULL, "(f)(float x, " P ")|(f)(int x, " P ")"},
    {"member of the name of a built-in",
     "struct s { int get_group_id; }; kernel void k(global int *a) { struct s v; a[get_global_id(0)] = "
     "v.get_group_id; }",
     NULL, "void k(global int *a, " P ")"},
    {"structs, enums, constants",
     "typedef struct { float x; } S; enum { A = 1 }; constant float t[2] = { 1, 2 }; constant int n = 3;\n"
     "struct R { int i; } r(global int *a) { struct R v = { get_global_id(0) }; return v; } kernel void "
     "k(global int *a) { a[0] = r(a).i; }",
     NULL, "struct R { int i; } (r)(global int *a, " P ")"},
    {"parameters of a macro that stands for some",
     "#define PARAMS global int *a, int n\nkernel void k(PARAMS) { a[get_global_id(0)] = 1; }", NULL,
     "void k(PARAMS, " P ")"},
    {"untouched where nothing sees ids", "#ifdef get_global_id\n#endif\nint f();", NULL,
     "!a directive asks about 'get_global_id'"},
    {"parameters of an unclear macro", "#define PARAMS\nkernel void k(PARAMS) { int i = get_global_id(0); }",
     NULL, "!hidden in macros"},
    {"macro and function",
     "#define f(x) f(x + 1)\nint f(int i) { return get_global_id(0); } kernel void k(global int *a) { a[0] = "
     "f(1); }",
     NULL, "!made by macros"},
    {"a built-in redefined",
     "#define get_global_id(x) 0\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "!'get_global_id' is redefined"},
    {"a built-in redefined by an option", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }",
     "-Dget_global_id=foo", "!'get_global_id' is redefined"},
    {"a built-in undefined", "#undef get_group_id\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }",
     NULL, "!'get_group_id' is redefined"},
    {"a built-in of the program's own",
     "int get_group_id(int x, int y) { return 1; } kernel void k(global int *a) { a[0] = get_group_id(0); }",
     NULL, "!declares a 'get_group_id' of its own"},
    {"macro that makes a kernel",
     "#define K(n) kernel void n(global int *a) { a[get_global_id(0)] = 1; }\nK(k)", NULL,
     "!macro 'K' makes functions that see ids"},
    {"macro that makes a head",
     "#define K(n) kernel void n\nK(k)(global int *a) { a[get_global_id(0)] = 1; }", NULL, "!made by macros"},
    {"open brackets in a macro",
     "#define K(n) kernel void n(\nK(k) global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "!the brackets in macro 'K' do not match"},
    {"a question about a function", "#ifndef f\nint f(int i) { return get_global_id(0); }\n#endif\n", NULL,
     "!a directive asks about function 'f'"},
    {"branches with different braces",
     "kernel void k(global int *a) {\n#ifdef A\nif (1) {\n#endif\na[get_global_id(0)] = 1; }", NULL,
     "!branches of a conditional"},
    {"a call that a directive splits",
     "kernel void k(global int *a) { a[get_group_id\n#ifdef A\n(0)\n#else\n(1)\n#endif\n] = 1; }", NULL,
     "!a directive stands behind 'get_group_id'"},
    {"a kernel named like a built-in",
     "kernel void convert_to_grey(global int *a) { a[get_global_id(0)] = convert_int(1.f); }", NULL,
     "void convert_to_grey(global int *a, " P ")"},
    {"a built-in that is called before the program has a kernel of its name",
     "kernel void k(global int *a) { atomic_and(a, 3); } kernel void atomic_and(global int *a) { "
     "a[get_global_id(0)] = 1; }",
     NULL, "!calls 'atomic_and'"},
    {"a built-in function of the program's own that sees ids",
     "int __attribute__((overloadable)) cross(int a) { return get_global_id(0); }", NULL, "!unusual"},
    {"attributes by a macro",
     "#define R(x) __attribute__((reqd_work_group_size(x, 1, 1)))\nkernel R(8) void k(global int *a) { "
     "a[get_global_id(0)] = 1; }",
     NULL, "void k(global int *a, " P ")"},
    {"line numbers as values", "kernel void k(global int *a) { a[get_global_id(0)] = __LINE__; }", NULL,
     "!uses __LINE__"},
    {"functions that nobody defines, in an option",
     "kernel void k(global int *a) { a[get_global_id(0)] = M; }", "-DM=mystery(0)", "!calls 'mystery'"},
    {"trigraphs", "kernel void k() { int a[3]; a?\?(0?\?) = get_global_id(0); }", NULL, "!trigraphs"},
    {"digraphs", "kernel void k() <% int i = get_global_id(0); %>", NULL, "!digraphs"},
    {"what tells parameters",
     "kernel void k(global int *a) { a[get_group_id(0)] = sizeof(__PRETTY_FUNCTION__); }", NULL,
     "!uses '__PRETTY_FUNCTION__'"},
    {"assembly", "kernel void k(global int *a) { asm(\"nop\"); }", NULL, "!uses 'asm'"},
    {"vendor built-ins", "kernel void k(global int *a) { a[__builtin_amdgcn_workgroup_id_x()] = 1; }", NULL,
     "!uses '__builtin_amdgcn_work"},
    {"functions that nobody defines", "kernel void k(global int *a) { a[get_global_id(0)] = mystery(3); }",
     NULL, "!calls 'mystery'"},
    {"device-side enqueue",
     "kernel void k(global int *a) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[0] = 1; }); "
     "}",
     NULL, "!blocks"},
    {"blocks",
     "kernel void k(global int *a) { int (^b)(int) = ^(int i) { return i; }; a[get_global_id(0)] = b(1); }",
     NULL, "!blocks"},
    {"exclusive or is no block",
     "kernel void k(global int *a) { a[0] = a[1] ^ get_global_id(0) ^ (a[2] ^ 3); }", NULL, ", " P ")"},
    {"an include", "#include \"x.h\"\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "!#include"},
    {"an old-style function", "int f(a) int a; { return get_global_id(0); }", NULL, "!unusual"},
    {"a name in parentheses", "int (f)(int a) { return get_global_id(0); }", NULL, "!unusual"},
    {"a declaration inside of a function",
     "kernel void k(global int *a) { int f(int); a[0] = f(3); } int f(int i) { return get_global_id(0); }",
     NULL, "!declared in an unusual way"},
    {"our own names", "int __cw_t; kernel void k(global int *a) { a[get_global_id(0)] = 1; }", NULL,
     "!uses '__cw_t'"},
    {"strings of arguments",
     "#define S(x) #x\nkernel void k(global int *a) { a[get_global_id(0)] = S(a)[0]; }", NULL,
     "!makes strings"},
    {"a pragma from a string",
     "#define U(n) _Pragma(#n)\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }", NULL, ", " P ")"},
    {"C++", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "-cl-std=CLC++",
     "!build option '-cl-std=CLC++'"},
    {"forced include", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "-include x.h",
     "!build option"},
    {"braces that do not match", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }}", NULL,
     "!do not match"},
    {"characters", "kernel void k(global int *\xc3\xa4) { }", NULL, "!not ASCII"},
    {"a name that ends the source", "kernel", NULL, "#line 1\nkernel"},
    {"a type outside of functions that asks for an id",
     "typedef struct { char b[sizeof(get_global_id(0))]; } s; kernel void k(global s *a) { "
     "a[get_global_id(0)].b[0] = "
     "1; }",
     NULL, "!outside of functions"},
    {"the size of an array by a macro",
     "#define I get_global_id(0)\nconstant int t[sizeof I] = { 1 }; kernel void k(global int *a) { a[I] = 1; "
     "}",
     NULL, "!outside of functions"},
    {"a parameter's type that asks for an id",
     "void f(char (*p)[sizeof(get_group_id(0))]) { } kernel void k(global int *a) { a[get_global_id(0)] = 1; "
     "}",
     NULL, "!outside of functions"},
    {"a value outside of functions that a helper's type makes",
     "int f(void) { return get_global_id(0); } constant int n = sizeof(f()); kernel void k(global int *a) { "
     "a[f()] = n; "
     "}",
     NULL, "!outside of functions"},
    {"a parameter named like a kernel",
     "kernel void sum(global int *a) { a[get_global_id(0)] = 1; } kernel void mean(global int *sum) { "
     "sum[get_group_id(0)] = 1; }",
     NULL, "void (sum)(global int *a, " P ")|void mean(global int *sum, " P ")"},
    {"a parameter named like a macro that sees ids",
     "#define C(i) C[i + get_global_id(0)]\nkernel void k(global int *C) { C(0) = 1; }", NULL,
     "void k(global int *C, " P ")"},
    {"nothing", "", NULL, "#line 1\n"},
};

static void sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_rewrite_unit unit = {cases[i].source, cases[i].options};
        const char *names[] = {"k"};
        struct cw_rewrite_in in = {.unit = &unit, .units = 1, .kernel = names, .kernels = 1};
        struct cw_rewrite_out out;
        assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
        if (cases[i].expect[0] == '!') {
            if (out.source && out.kernel[0].verdict != CW_REWRITE_REFUSED)
                fail_msg("%s: accepted:\n%s", cases[i].why, out.source[0]);
            expect_text(cases[i].why, out.kernel[0].reason, cases[i].expect + 1);
        } else {
            if (!out.source)
                fail_msg("%s: refused: %s", cases[i].why, out.reason);
            expect_text(cases[i].why, out.source[0], cases[i].expect);
        }
        cw_rewrite_finish(&out);
    }
}

/* Words that may show ids keep out the kernels that reach them, in whichever branch. */
static void secrets(void **state)
{
    const char *names[] = {"plain", "direct", "called", "by_macro", "dead"};
    struct cw_rewrite_unit unit = {
        "#if __has_builtin(__builtin_amdgcn_workgroup_id_x)\n#endif\n#define NOP asm(\"nop\")\n"
        "void f(void) { __asm__(\"nop\"); }\n#define ID get_global_id(0)\n"
        "kernel void plain(global int *a) { a[ID] = __builtin_popcount(a[ID]); }\n"
        "kernel void direct(global int *a) { a[ID] = __builtin_ia32_rdtsc(); }\n"
        "kernel void called(global int *a) { f(); a[ID] = 1; }\n"
        "kernel void by_macro(global int *a) { NOP; a[ID] = 1; }\n"
        "kernel void dead(global int *a) {\n#ifdef NEVER\nf();\n#endif\na[ID] = 1; }\n",
        NULL};
    static const char *const outside[] = {"void f(void) asm(\"g\");", "int a[sizeof(__nv_x)];",
                                          "asm(\"nop\");", "#define L asm(\"g\")\nint f(void) L;",
                                          "struct s { int a[__nv_x(1)]; };"};
    struct cw_rewrite_in in = {.unit = &unit, .units = 1, .kernel = names, .kernels = 5};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    assert_non_null(out.source);
    assert_int_equal(out.kernel[0].verdict, CW_REWRITE_DONE);
    for (int i = 1; i < 5; i++)
        if (out.kernel[i].verdict != CW_REWRITE_REFUSED)
            fail_msg("%s: not refused", names[i]);
    expect_text("assembly", out.kernel[1].reason, "uses '");
    cw_rewrite_finish(&out);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\nkernel void plain(global int *a) { a[get_global_id(0)] = 1; }\n",
                 outside[i]);
        unit.source = text;
        assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
        if (out.source)
            fail_msg("accepted: %s", text);
        cw_rewrite_finish(&out);
    }
}

/* Which kernels see a tile's ids where they are launched at its base for an offset. */
static void offsets(void **state)
{
    const char *names[] = {"ids", "groups", "through", "macro", "none", "twice", "pasted"};
    struct cw_rewrite_unit unit = {
        "#define SIZE get_global_size(0)\n"
        "int first(void) { return get_group_id(0); }\n"
        "kernel void ids(global int *a) { a[get_global_id(1)] = get_local_id(0) + get_local_size(0); }\n"
        "kernel void groups(global int *a) { a[get_global_id(0)] = get_group_id(0); }\n"
        "kernel void through(global int *a) { a[first()] = 1; }\n"
        "kernel void macro(global int *a) { a[get_global_id(0)] = SIZE; }\n"
        "kernel void none(global int *a) { a[get_local_id(0)] = 1; }\n"
        "kernel void twice(global int *a) { ids(a); }\n"
        "#define ID(x) get_##x##_id(0)\n"
        "kernel void pasted(global int *a) { a[get_global_id(0)] = ID(group); }\n",
        NULL};
    struct cw_rewrite_in in = {.unit = &unit, .units = 1, .kernel = names, .kernels = 7};
    const bool expected[] = {true, false, false, false, true, true, false};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    for (size_t i = 0; i < 7; i++)
        if (out.kernel[i].verdict == CW_REWRITE_REFUSED || out.kernel[i].by_offset != expected[i])
            fail_msg("%s: %d %d", names[i], out.kernel[i].verdict, out.kernel[i].by_offset);
    cw_rewrite_finish(&out);
}

static void kernels(void **state)
{
    const char *names[] = {"k", "local_only", "made", "missing"};
    struct cw_rewrite_unit unit = {
        "#define M(n) kernel void n(global int *a) { a[get_local_id(0)] = 1; }\nM(made)\n"
        "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
        "kernel void local_only(global int *a) { a[get_local_id(0)] = 1; }\n",
        NULL};
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = names, .kernels = 4};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    assert_non_null(out.source);
    assert_int_equal(out.kernel[0].verdict, CW_REWRITE_DONE);
    assert_int_equal(out.kernel[1].verdict, CW_REWRITE_AS_IS);
    assert_int_equal(out.kernel[2].verdict, CW_REWRITE_REFUSED);
    assert_non_null(strstr(out.kernel[2].reason, "macros"));
    assert_int_equal(out.kernel[3].verdict, CW_REWRITE_REFUSED);
    cw_rewrite_finish(&out);
}

/* A function that only another unit shows to see ids gets the parameter in all. */
static void linked_units(void **state)
{
    struct cw_rewrite_unit unit[] = {{"int f(int i); kernel void k(global int *a) { a[0] = f(1); }", NULL},
                                     {"int f(int i) { return get_global_id(0); }", "-DX"}};
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms, .unit = unit, .units = 2};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    assert_non_null(out.source);
    expect_text("first", out.source[0], "int (f)(int i, " P ");|void k(global int *a, " P ")");
    expect_text("second", out.source[1], "int (f)(int i, " P ")|#define f(...)");
    cw_rewrite_finish(&out);
}

static void tiles(void **state)
{
    struct cw_rewrite_tile t;

    (void)state;
    cw_rewrite_tile_fill(&t, 2, (size_t[]){100, 64}, (size_t[]){16, 8}, (size_t[]){5, 0}, (size_t[]){0, 3});
    assert_int_equal(sizeof t, 120);
    assert_int_equal(t.base[0], 5);
    assert_int_equal(t.base[1], 24);
    assert_int_equal(t.base[2], 0);
    assert_int_equal(t.first_group[1], 3);
    assert_int_equal(t.groups[0], 7); /* a ragged last one */
    assert_int_equal(t.groups[1], 8);
    assert_int_equal(t.groups[2], 1);
    assert_int_equal(t.size[0], 100);
    assert_int_equal(t.size[2], 1);
    assert_int_equal(t.offset[0], 5);
    cw_rewrite_tile_fill(&t, 1, (size_t[]){SIZE_MAX}, (size_t[]){1}, NULL, NULL);
    assert_true(t.groups[0] == SIZE_MAX && t.base[0] == 0);
}

/* Fields stand where the program's macros hold: one of them may be called as a field was. */
static void field_names(void **state)
{
    const char *source = "#define base offset\n#define groups size\n"
                         "kernel void k(global float *a, int n) { int i = get_global_id(0); if (i < n) a[i] "
                         "= get_num_groups(0) + get_group_id(0)"
                         " + get_global_size(0) + get_global_offset(0) + get_global_linear_id(); }\n";
    const char *name = "k";
    struct cw_rewrite_unit unit = {source, ""};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(
        cw_rewrite(&(struct cw_rewrite_in){.unit = &unit, .units = 1, .kernel = &name, .kernels = 1}, &out,
                   NULL),
        CW_OK);
    assert_int_equal(out.kernel[0].verdict, CW_REWRITE_DONE);
    for (const char *p = out.source[0]; (p = strstr(p, "__cw_t.")); p++)
        assert_memory_equal(p + strlen("__cw_t."), "__cw_", 5);
    cw_rewrite_finish(&out);
}

static void bad_calls(void **state)
{
    struct cw_rewrite_unit unit = {NULL, NULL};
    struct cw_rewrite_out out;

    (void)state;
    assert_int_equal(cw_rewrite(&(struct cw_rewrite_in){.unit = &unit, .units = 1}, &out, NULL),
                     CW_ERR_INVALID);
    assert_int_equal(cw_rewrite(&(struct cw_rewrite_in){.units = 0}, &out, NULL), CW_ERR_INVALID);
    cw_rewrite_finish(&out);
    cw_rewrite_finish(NULL);
}

/* Long and deep sources: linear time, bounded stack. */
static void hostile(void **state)
{
    size_t n = 1 << 20;
    char *text = malloc(n + 64);
    static const char *const piece[] = {"(",  "{",    "#if A\n", "f(", "#define a(\n", "kernel void f(int a)",
                                        "/*", "\\\n", "\"",      "a ", "#else\n",      "x{}"};

    (void)state;
    assert_non_null(text);
    for (size_t p = 0; p < sizeof piece / sizeof *piece; p++) {
        struct cw_rewrite_unit unit = {text, NULL};
        struct cw_rewrite_out out;
        size_t length = 0;
        while (length + 32 < n)
            length += (size_t)sprintf(text + length, "%s", piece[p]);
        assert_int_equal(cw_rewrite(&(struct cw_rewrite_in){.unit = &unit, .units = 1}, &out, NULL), CW_OK);
        cw_rewrite_finish(&out);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources),     cmocka_unit_test(secrets),      cmocka_unit_test(kernels),
        cmocka_unit_test(offsets),     cmocka_unit_test(linked_units), cmocka_unit_test(tiles),
        cmocka_unit_test(field_names), cmocka_unit_test(bad_calls),    cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
