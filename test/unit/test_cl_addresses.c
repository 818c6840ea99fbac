/* Programs whose kernels may hand addresses on in memory, by their text, and ordinary ones that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../analyzer/kernels/source/cl_source.h"

static bool may(const char *text, const char *options)
{
    struct cw_cl_source s;
    bool answer;

    assert_true(cw_cl_source_init(&s, text, options));
    answer = cw_cl_may_hold_addresses(&s);
    cw_cl_source_finish(&s);
    return answer;
}

#define K "kernel void k"

static void addresses_are_seen(void **state)
{
    static const char *const texts[] = {
        K "(global ulong *p, global int *x) { p[0] = (ulong)x; }",
        K "(global ulong *p, global int *x) { p[0] = (uintptr_t)&x[3]; }",
        K "(global ulong *p, global int *x) { p[0] = (size_t)(x + 3) * 2; }",
        K "(global ulong *p, global int *x) { p[0] = as_ulong(x); }",
        K "(global ulong *p, global int *x, int n) { p[0] = (ulong)(n ? x : x + 1); }",
        K "(global ulong2 *p, global int *x) { p[0] = (ulong2)((ulong)x, 1); }",
        K "(global ulong *p, global int *x) { union { global int *p; ulong u; } w; w.p = x; p[0] = w.u; }",
        K "(global const ulong *p, int v) { global int *x = (global int *)p[0]; x[0] = v; }",
        K "(ulong w, int v) { global int *x = (global int *)w; x[0] = v; }",
        K "(global ulong *p) { *(global int *)(p[0] + 8) = 1; }",
        K "(global ulong *p, ulong d) { *(global int *)(d + p[1]) = 1; }",
        K "(global ulong *p) { ulong x = p[0], y = 2; *(global int *)y = 1; }",
        K "(global ulong *p) { ulong w[2]; w[0] = p[0]; global int *x = *(global int **)w; *x = 1; }",
        K "(global ulong *p, local ulong *w) { w[0] = p[0]; global int *x = (global int *)*w; *x = 1; }",
        K "(global ulong *q) { global int *global *p = (global int *global *)q; **p = 1; }",
        "struct s { global int *p; int n; }; " K "(global struct s *q) { q->p[0] = 1; }",
        "struct s { ulong p; }; " K "(global struct s *q) { *(global int *)q->p = 1; }",
        "typedef global int *gp; " K "(global gp *q) { *q[0] = 1; }",
        "ulong f(global ulong *q) { return q[0]; } " K "(global ulong *q) { ((global int *)f(q))[0] = 1; }",
        "#define GP global int *\n" K "(global ulong *q) { GP p = (GP)q[0]; *p = 1; }",
        "#define N(x) ((ulong)(x))\n" K "(global ulong *q, global int *y) { q[0] = N(y); }",
        "#define P *\n" K "(global ulong P q, global int P y) { q[0] = (ulong)y; }",
        "#define PTR(t) global t *\n" K "(PTR(ulong) q, PTR(int) y) { q[0] = (ulong)y; }",
        "#define A y\n" K "(global ulong *q, global int *y) { q[0] = (ulong)A; }",
        "#if X\n#define A y\n#else\n#define A q\n#endif\n" K
        "(global ulong *q, global int *y) { q[0] = (ulong)A; }",
        K "(global int *x, global ulong *q) { *x = (int)q[0]; } kernel void b(ulong x) { *(global int *)x = "
          "1; }",
        K "(global int *x) { __auto_type y = x; *y = 1; }",
        "#if X\n" K "(global int *x) {\n#else\n" K "(global uint *x) {\n#endif\n *(global char *)x = 1; }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!may(texts[i], ""))
            fail_msg("not seen: %s", texts[i]);
    assert_true(may(K "(global int *x) { *x = 1; }", "-cl-std=CLC++"));
    assert_true(may(K "(global ulong *q, global int *y) { q[0] = (W)y; }", "-DW=ulong"));
}

static void ordinary_programs_are_not_doubted(void **state)
{
    static const char *const texts[] = {
        K "(global float *a, int n) { int i = (int)get_global_id(0); a[i] = (float)n * (float)i; }",
        K "(global float *a) { ((global float4 *)a)[0] = (float4)(1, 2, 3, 4); }",
        K "(global float *a, int i) { *(global float4 *)(a + i * 4) = (float4)(0); }",
        K "(global float *a, int i) { *(global float4 *)&a[i * 4] = (float4)(0); }",
        K "(global float *a, int i) { local float t[64]; a[i] = ((local float4 *)t)[1].x; }",
        K "(global float *a, int w) { int i = a[0] * w; a[1] = (float)w; a[2] = (uint)(w * i) + (int)(i * "
          "w); }",
        K "(global int *a, global uchar *b) { a[0] = (int)*b; a[1] = (int)b[3] << 8; a[2] = (int)(*b + "
          "b[1]); }",
        K "(global int *a, int w, int y) { int x = y * w; long z = (long)w; a[x] = (int)z + (int)(w & 3); }",
        K "(global int *x) { x[0] = 1; } kernel void l(float x, global int *y) { y[0] = (int)x; }",
        "typedef struct { float x; int n; } S; " K
        "(global S *a) { a[0].n = (int)a[0].x; a->x = (float)a->n; }",
        "struct s { float x; int n[4]; }; " K
        "(global struct s *a, struct s b) { *a = b; a->n[1 * 2] = 3 * b.n[0]; }",
        "float f(global float *p, int i) { return p[i]; } " K
        "(global float *p) { p[0] = (int)f(p, 1) + (uint)(vload4(0, p).x); }",
        "void g(float *o) { *o = 1; } " K "(global float *p) { float t; g(&t); p[0] = t; }",
        "#define LD(p) (*(global float4 *)(p))\n#define F(x) ((uint)(x))\n" K
        "(global float *a, int i) { float4 v = LD(a + i); a[0] = F(i) + v.x; }",
        "#define T float\n#define T4 float4\n" K
        "(global T *a, int n) { global T4 *p = (global T4 *)a; p[n] = (T4)(n); }",
        "constant int table[4] = {1, 2, 3, 4}; " K
        "(global int *a) { a[0] = ((constant int2 *)table)[1].x; }",
        "#define W 4\n" K "(global int *a, int n) { a[n] = W * n + (int)n; }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (may(texts[i], ""))
            fail_msg("doubted: %s", texts[i]);
}

/* Any text has an answer, in bounded time. */
static void odd_texts(void **state)
{
    enum { BYTES = 1 << 18 };
    static const char *const texts[] = {"",
                                        "(",
                                        ")",
                                        "*",
                                        "{",
                                        "}",
                                        "(int",
                                        "(int)",
                                        "(int *)",
                                        "as_int(",
                                        "struct",
                                        "struct {",
                                        "typedef",
                                        "#define A (int)\n",
                                        "#define A A\nA(A)"};
    char *text = malloc(BYTES + 1);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        (void)may(texts[i], "");
    assert_non_null(text);
    text[BYTES] = '\0';
    for (size_t i = 0; i < BYTES; i++)
        text[i] = "(int)x,*y("[i % 10];
    (void)may(text, "");
    for (size_t i = 0; i < BYTES; i++)
        text[i] = "((a*b)"[i % 6];
    (void)may(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses_are_seen),
                                       cmocka_unit_test(ordinary_programs_are_not_doubted),
                                       cmocka_unit_test(odd_texts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
