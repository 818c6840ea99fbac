/* test_rewrite_rows.c - which kernels have a form for rows, and which values are constant in it. That it
 * computes the same is checked on a device (test/rewrite/rows.sh). */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "rewrite_text.h"

#define K(parameters, body)                                                                                  \
    "kernel void k(global float *a, " parameters ") { int x = get_global_id(0), y = get_global_id(1); " body \
    " }"

/* expect: NULL: there is no such form; else pieces of the result, '|' between them. */
#define T4  "a[x] += 1; a[x] += 2; a[x] += 3; a[x] += 4; "
#define T16 T4 T4 T4 T4

static const struct {
    const char *why, *source, *options, *expect;
} cases[] = {
    {"an early return", K("int n", "if (x >= n) return; a[x] = 1;"), NULL,
     "__cw_inner_k|{ const int x = __cw_x , y = get_global_id(1); if ( 0 ) return; a[x] = 1; }"},
    {"a body in a test", K("int n", "if (x < n && y < n) a[y * n + x] = 1;"), NULL,
     "if ( 1 ) a[y * n + x]|__cw_edge1_k|if ( 0 ) a[y * n + x]"},
    {"the border itself", K("int n", "if (x == 0 || y == 0) return; a[x] = 1;"), NULL,
     "if ( 0 ) return|if ( 1 ) return"},
    {"one atom is not understood", K("int n", "if (x >= 1 && (x + y) % 2 == 1 && n > x) a[x] = 1;"), NULL,
     "if ( 1 && (x + y) % 2 == 1 && 1 ) a"},
    {"parentheses", K("int n", "if (((x < n)) && ((y > 0) && (1 < x))) a[x] = 1;"), NULL, "if ( 1 ) a"},
    {"falling", K("int n", "int left = n - 1 - x; if (left > 2) a[x] = 1;"), NULL,
     "if ( 1 ) a|, 1, 0, __cw_n"},
    {"casts", K("int n", "uint q = (uint)(x) + 1u; if (q < (uint)n) a[x] = 1;"), NULL, "if ( 1 ) a"},
    {"ids in the test",
     "kernel void k(global float *a, int n) { if (get_global_id(0) < n) a[get_global_id(0)] = 1; }", NULL,
     "if ( 1 ) a"},
    {"an int that is the id", K("int n", "const int q = get_global_id(0); if (q < n) a[q] = 1;"), NULL,
     "const int q = __cw_x ; if ( 1 ) a"},
    {"an int that is not",
     K("int n", "int q = get_global_id(0) + 1, r = get_global_id(1); if (q < n) a[q] = 1;"), NULL,
     "int q = get_global_id(0) + 1, r = get_global_id(1); if ( 1 ) a"},
    {"numbers are no constants for compilers yet", K("int n", "int p = 3, q = p; if (x < n) a[x] = q;"), NULL,
     "; int p = 3, q = p; if ( 1 )"},
    {"another type", K("int n", "long q = get_global_id(0); uint r = get_global_id(0); if (q < n) a[q] = 1;"),
     NULL, "const long q = get_global_id(0); const uint r = get_global_id(0); if ( 1 ) a"},
    {"lines go on",
     K("int n", "if (x >= n) return; a[x] = 1;") "\nkernel void l(global int *b) { b[0] = 1; }", NULL,
     "#endif\n#line 1\n\nkernel void l"},
    {"both ways", K("int n", "if (x < n && y < n || x > 5) a[x] = 1;"), NULL, NULL},
    {"one work-item inside", K("int n", "if (x == 3 && x == n) a[x] = 1;"), NULL, NULL},
    {"no tests", K("int n", "a[x] = 1;"), NULL, NULL},
    {"only one of many tests is for a border", K("int n", "if (a[x] > 1) a[x] = 2; if (x < n) a[x] = 1;"),
     NULL, "if (a[x] > 1) a[x] = 2; if ( 1 ) a"},
    {"a variable that changes", K("int n", "x++; if (x < n) a[0] = 1;"), NULL, NULL},
    {"a variable that changes later", K("int n", "if (x < n) a[0] = 1; x += 2;"), NULL, NULL},
    {"an address", K("int n", "int *q = &x; if (x < n) a[0] = 1; *q = 2;"), NULL, NULL},
    {"an address behind a cast", K("int n", "if (x < n) a[0] = 1; *(int *)&x = 2;"), NULL, NULL},
    {"an address after a logical and", K("int n", "if (x < n) a[0] = 1; if (n && &x) a[0] = 2;"), NULL, NULL},
    {"a parameter that changes", K("int n", "n -= 1; if (x < n) a[0] = 1;"), NULL, NULL},
    {"a macro that changes it", "#define UP(v) v += 1\n" K("int n", "UP(x); if (x < n) a[0] = 1;"), NULL,
     NULL},
    {"a build option that changes it", K("int n", "UP; if (x < n) a[0] = 1;"), "-DUP=x++", NULL},
    {"a macro that names it", "#define X x\n" K("int n", "if (x < n) a[0] = X;"), NULL,
     "if ( 1 ) a[0] =   x ;"},
    {"another variable of that name", K("int n", "{ float x = 1; a[0] = x; } if (x < n) a[0] = 1;"), NULL,
     NULL},
    {"a variable of another block",
     "constant int q = 3; " K("int n", "{ int q = x; a[q] = 2; } if (q < n) a[x] = 1;"), NULL, NULL},
    {"a parameter of that name", K("int n, int q", "{ int q = x; a[q] = 2; } if (q < n) a[x] = 1;"), NULL,
     NULL},
    {"a variable of an inner block", K("int n", "{ int q = x; if (q < n) a[x] = 1; }"), NULL, "if ( 1 ) a"},
    {"a word as a macro", "#define ulong uint\n" K("int n", "if (x < n) a[x] = 1;"), NULL, "if ( 1 ) a[x]"},
    {"another word as a macro", "#define const unsigned\n" K("int n", "if (x < n) a[x] = 1;"), NULL,
     "if ( 1 ) a[x]"},
    {"a word of functions as a macro", "#define __typeof__(v) uchar\n" K("int n", "if (x < n) a[x] = 1;"),
     NULL, "if ( 1 ) a[x]"},
    {"a parameter that a test reads", K("int n, int o", "if (x < n) a[x] = o;"), NULL,
     "{ const __typeof__(n) __cw_c = n; { const __typeof__(__cw_c) n = __cw_c;\n{ "},
    {"a list of which something is written", K("int n", "int p = x, q = 0; q++; if (p < n) a[x] = q;"), NULL,
     " int p = x, q = 0; q++; if ( 1 )"},
    {"a name in brackets", K("int n", "if ((x) < ((n))) a[x] = 1;"), NULL, "if ( 1 ) a"},
    {"written in brackets", K("int n", "int k = x; (k) += 5; if (k < n) a[x] = 1;"), NULL, NULL},
    {"counted in brackets", K("int n", "int k = x; --((k)); if (k < n) a[x] = 1;"), NULL, NULL},
    {"an address of brackets", K("int n", "int k = x; *&(k) = 3; if (k < n) a[x] = 1;"), NULL, NULL},
    {"declared in brackets", K("int n", "{ int (n) = 5; if (x < n) a[x] = 1; }"), NULL, NULL},
    {"an address by a macro",
     "#define AT(v) (private int *)&v\n" K("int n", "int k = x; *AT(k) = 3; if (k < n) a[x] = 1;"), NULL,
     NULL},
    {"a choice", K("int n", "if (y > n && x < n ? a[x] > 1 : a[x] < 1) a[x] = 1;"), NULL, NULL},
    {"what a comma ends", K("int n", "if (x < n || y < n, a[x] > 1) a[x] = 1;"), NULL, NULL},
    {"either within both", K("int n", "if ((y > n && x > 2 || a[x] > 1) && x < n) a[x] = 1;"), NULL,
     "if ((y > n && x > 2 || a[x] > 1) && 1 ) a"},
    {"a choice within both", K("int n", "if ((y > n && x > 2 ? a[x] > 1 : 1) && x < n) a[x] = 1;"), NULL,
     "1 : 1) && 1 ) a"},
    {"a loop behind else", K("int n", "if (x < n) a[x] = 1; else for (int i = 0; i < 3; i++) a[x] += 1;"),
     NULL, "else _Pragma"},
    {"a member of that name", K("int n", "float4 v; v.x = 1; if (x < n) a[x] = v.x;"), NULL, "if ( 1 ) a"},
    {"floating-point", K("float n", "if (x < n) a[x] = 1;"), NULL, NULL},
    {"memory", K("global int *b", "if (x < b[0]) a[x] = 1;"), NULL, NULL},
    {"a call", "int f(int i) { return i; } " K("int n", "if (x < f(n)) a[x] = 1;"), NULL, NULL},
    {"a side effect beside it",
     "int f(global float *i) { return *i += 1; } " K("int n", "if (f(a) || y == 0 || x < n) a[x] = 1;"), NULL,
     NULL},
    {"products", K("int n", "if (2 * x < n) a[x] = 1;"), NULL, NULL},
    {"a subscript that leaps", K("int n", "if (x < n) a[x * n + y] = 1;"), NULL, NULL},
    {"memory that names memory", K("global int *b, int n", "if (x < n) a[b[x]] = 1;"), NULL, NULL},
    {"private memory", K("int n", "float t[2]; t[0] = 1; if (x < n) a[x] = t[0];"), NULL, NULL},
    {"local memory", K("int n", "local float t; if (x < n) a[x] = t;"), NULL, NULL},
    {"local parameters", K("local float *t, int n", "if (x < n) a[x] = t[0];"), NULL, NULL},
    {"a barrier", K("int n", "barrier(1); if (x < n) a[x] = 1;"), NULL, NULL},
    {"an atomic", K("global int *b, int n", "if (x < n) atomic_inc(b);"), NULL, NULL},
    {"printf", K("int n", "if (x < n) printf(\"x\");"), NULL, NULL},
    {"a loop of few turns", K("int n", "if (x < n) for (int i = 0; i < 3; i++) a[x] += 1;"), NULL,
     "if ( 1 ) _Pragma(\"unroll\") for"},
    {"a loop of many", K("int n", "if (x < n) for (int i = 0; i < 17; i++) a[x] += 1;"), NULL, NULL},
    {"nested loops of many",
     K("int n", "if (x < n) for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) a[x] += 1;"), NULL, NULL},
    {"a loop of much text", K("int n", "if (x < n) for (int i = 0; i < 16; i++) { " T16 T16 T16 " }"), NULL,
     NULL},
    {"loops one after the other",
     K("int n",
       "if (x < n) { for (int i = 0; i < 9; i++) a[x] += 1; for (int j = 0; j < 9; j++) a[x] += 1; }"),
     NULL, "if ( 1 ) { _Pragma(\"unroll\") for"},
    {"a loop of nobody knows how many", K("int n", "if (x < n) for (int i = 0; i < n; i++) a[x] += 1;"), NULL,
     NULL},
    {"a loop that changes its variable", K("int n", "if (x < n) for (int i = 0; i < 3; i++) a[x] += i++;"),
     NULL, NULL},
    {"a loop by two", K("int n", "if (x < n) for (int i = 0; i < 3; i += 2) a[x] += 1;"), NULL, NULL},
    {"a loop over uint", K("int n", "if (x < n) for (uint i = 0; i < 3; i++) a[x] += 1;"), NULL, NULL},
    {"octal", K("int n", "if (x < n) for (int i = 0; i < 010; i++) a[x] += 1;"), NULL, NULL},
    {"a sum over work-items", K("int n", "if (x < n) for (int i = 0; i < 3; i++) a[y] += a[x];"), NULL, NULL},
    {"another one", K("int n", "if (x < n) for (int i = 0; i < 3; i++) a[y] -= -a[x]; a[y]++;"), NULL, NULL},
    {"a sum through a pointer", K("int n", "if (x < n) for (int i = 0; i < 3; i++) { *a += a[x]; }"), NULL,
     NULL},
    {"what is read by all",
     K("int n", "if (x < n) for (int i = 0; i < 3; i++) if (a[y] == 3) a[x] += a[y] + 1;"), NULL,
     "if ( 1 ) _Pragma"},
    {"while", K("int n", "if (x < n) while (a[x] < 1) a[x] += 1;"), NULL, NULL},
    {"a loop in a helper",
     "float f(float v) { for (int i = 0; i < 3; i++) v += i; return v; } " K("int n",
                                                                             "if (x < n) a[x] = f(1);"),
     NULL, NULL},
    {"what is subtracted in a loop",
     K("int n", "float t = a[y]; if (x < n) for (int i = 0; i < 3; i++) a[x] = a[x] - t;"), NULL, NULL},
    {"a test of a turn", K("int n", "for (int i = 0; i < 3; i++) if (x + i < n) a[x] += 1;"), NULL, NULL},
    {"a test of what a turn gives",
     K("int n", "for (int i = 0; i < 3; i++) { int k = i + x; if (k < n) a[x] += 1; }"), NULL, NULL},
    {"clamp", K("int n", "a[x] = a[clamp(x - 1, 0, n - 1)];"), NULL, "a[ +(x - 1) ]"},
    {"clamp in a loop", K("int n", "for (int i = -1; i < 2; ++i) a[x] += a[clamp(x + i, 0, n - 1)];"), NULL,
     "const int i = -1;"},
    {"clamp to its last turn", K("int n", "for (int i = -1; i < 2; ++i) a[x] += a[clamp(x + i, 0, n - 1)];"),
     NULL, "const int i = 1;"},
    {"clamp of two loops",
     K("int n", "for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; j++) a[x] += a[clamp(x + i + j, 0, n)];"),
     NULL, NULL},
    {"clamp to a turn", K("int n", "for (int i = 0; i < 2; ++i) a[x] += a[clamp(x, i, n)];"), NULL, NULL},
    {"clamp of other types", K("uint n", "a[x] = a[clamp((uint)x, 0u, n)];"), NULL, NULL},
    {"the program's own clamp",
     "int clamp(int a, int b, int c) { return a; } " K("int n", "a[x] = a[clamp(x, 0, n)];"), NULL, NULL},
    {"clamp of two arguments", K("int n", "a[x] = a[clamp(x, 0)];"), NULL, NULL},
    {"clamp in a test", K("int n", "if (clamp(y, 0, 5) == 3) a[x] = 1; if (x < n) a[x] = 2;"), NULL,
     "if ( 1 ) a[x] = 2"},
    {"a loop in a helper",
     "float f(float v) { while (v > 1) v--; return v; } " K("int n", "if (x < n) a[x] = f(a[x]);"), NULL,
     NULL},
    {"a loop in a macro",
     "#define TWICE(s) for (int i = 0; i < 2; i++) s\n" K("int n", "if (x < n) TWICE(a[x] += 1);"), NULL,
     "for (int i = 0; i < 2; i++) a[x] += 1"},
    {"work-groups", K("int n", "if (x < n) a[x] = get_local_id(0);"), NULL, NULL},
    {"ids in a helper", "int f() { return get_global_id(0); } " K("int n", "if (x < n) a[x] = f();"), NULL,
     NULL},
    {"a square of a turn", K("int n", "for (int i = -1; i < 2; ++i) a[x] += a[clamp(x + i * i, 0, n - 1)];"),
     NULL, NULL},
    {"turns in two factors",
     K("int n", "for (int i = -1; i < 2; ++i) a[x] += a[clamp(x + (i + 1) * (2 * i), 0, n - 1)];"), NULL,
     NULL},
    {"two of a turn", K("int n", "for (int i = -1; i < 2; ++i) a[x] += a[clamp(x + 2 * i + i, 0, n - 1)];"),
     NULL, "const int i = -1;"},
    {"the program's own clamp, made by a macro",
     "#define F(f) int f(int a, int b, int c) { return a; }\nF(clamp) " K("int n",
                                                                          "a[x] = a[clamp(x, 0, n)];"),
     NULL, NULL},
    {"a loop that may end behind a label",
     K("int n", "for (int i = 0; i < 3; i++) l: if (x < n) a[x] += 1; else i = 0;"), NULL, NULL},
    {"a loop of a case",
     K("int n", "for (int i = 0; i < 3; i++) switch (0) default: if (x < n) a[x] += 1; else i = 0;"), NULL,
     NULL},
    {"a macro that is else",
     "#define E else\n" K("int n", "for (int i = 0; i < 3; i++) if (x < n) a[x] += 1; E i = 0;"), NULL, NULL},
    {"a macro that ends a statement", "#define D(v) v;\n" K("int n", "D(int q = 2) if (x < n) a[x] = q;"),
     NULL, "int q = 2 ;  if ( 1 )"},
    {"subscripts and tests of macros",
     "#define AT(x, k) (x + W * (k))\n#define IN(x) x >= 1 && x < n\n" K("int n",
                                                                         "if (IN(x)) a[AT(x, y)] = 1;"),
     "-DW=21", "if ( 1 ) a"},
    {"two products of numbers", K("int n, float s", "if (x < n) a[x] = -0.5f * 2.0f * s * a[x] + a[x + 1];"),
     NULL, NULL},
    {"greater than what is counted", K("int n", "int k = x; if (y-- > k++) a[x] = 1; if (k < n) a[x] = 2;"),
     NULL, NULL},
    {"called like a built-in",
     "int get_global_next(int i) { return i; } " K("int n",
                                                   "if (get_global_next(2) || y == 0 || x < n) a[x] = 1;"),
     NULL, NULL},
    {"an operator given to a macro",
     "#define B(a, o, b) a o b\n" K("int n", "int k = x; B(k, +=, 5); if (k < n) a[x] = 1;"), NULL, NULL},
    {"a macro of nothing between", "#define N\n" K("int n", "int k = x; k N += 5; if (k < n) a[x] = 1;"),
     NULL, NULL},
    {"a macro of an operator before",
     "#define I(a) a\n" K("int n", "int k = x; I(++) k; if (k < n) a[x] = 1;"), NULL, NULL},
    {"a type given to a macro", "#define D(t, v) t v\n" K("int n", "{ D(int, n) = 5; if (x < n) a[x] = 1; }"),
     NULL, NULL},
    {"operands given to a macro",
     "#define M(a, b) ((a) < (b) ? (a) : (b))\n" K("int n", "if (x < n) a[x] = M(a[x], (float)(x + n));"),
     NULL, "if ( 1 ) a"},
    {"an enumerator", K("int n", "{ enum { n = 5 }; if (x < n) a[x] = 1; }"), NULL, NULL},
    {"a declaration that a macro drops", "#define I(a)\n" K("int n", "I(y; int q = 5;) if (x < n) a[x] = 1;"),
     NULL, "if ( 1 ) a"},
    {"an address by a cast of a macro",
     "#define A(v) (int *const)&v\n" K("int n", "int k = x; *A(k) = 3; if (k < n) a[x] = 1;"), NULL, NULL},
    {"generic", K("int n", "int k = x; _Generic(0, default: k) += 5; if (k < n) a[x] = 1;"), NULL, NULL},
    {"sums made loose by another pragma",
     "#pragma float_control(precise, off)\n" K("int n", "if (x < n) a[x] = 1;"), NULL, NULL},
    {"the number of dimensions", K("int n", "if (x < n) a[x] = get_work_dim();"), NULL, NULL},
    {"three factors of which the second moves",
     K("int n, float s", "if (x < n) a[x] = a[x] - a[y] * a[x] * a[x + 1];"), NULL, NULL},
    {"a product in a cast", K("int n, float s", "if (x < n) a[x] = a[x] - (float)(s * a[x]);"), NULL, NULL},
    {"times minus one", K("int n, float s", "if (x < n) a[x] = a[x] + s * -1.0f * a[x + 1];"), NULL, NULL},
    {"times minus one in brackets", K("int n, float s", "if (x < n) a[x] = (-1.0f) * s * a[x] + a[x + 1];"),
     NULL, NULL},
    {"times minus one of a variable",
     K("int n, float s", "const float m = -1; if (x < n) a[x] = m * s * a[x] + a[x + 1];"), NULL, NULL},
    {"times minus one of numbers",
     K("int n, float s", "if (x < n) a[x] = (0.5f * -2.0f) * s * a[x] + a[x + 1];"), NULL, NULL},
    {"minus one of a macro",
     "#define M -1.0f\n" K("int n, float s", "if (x < n) a[x] = s * M * a[x] + a[x + 1];"), NULL, NULL},
    {"minus one of a macro with brackets",
     "#define M() -1\n" K("int n, float s", "if (x < n) a[x] = s * M() * a[x] + a[x + 1];"), NULL, NULL},
    {"one less in a macro", "#define M(v) ((v) - 1)\n" K("int n", "if (x < n) a[x] = M(y);"), NULL,
     "if ( 1 ) a"},
    {"minus one of an option", K("int n, float s", "if (x < n) a[x] = s * M * a[x] + a[x + 1];"), "-DM=-1.0f",
     NULL},
    {"another number of an option", K("int n, float s", "if (x < n) a[x] = s * M * a[x] + a[x + 1];"),
     "-DM=-0.5f", "if ( 1 ) a"},
    {"a weight", K("int n, float s", "float m = -0.3f; if (x < n) a[x] = m * a[x] + -0.4f * a[x + 1];"), NULL,
     "if ( 1 ) a"},
    {"some of a vector written",
     K("int n, float s",
       "float2 t = (float2)(a[x], a[x]); t.x = s; if (x < n) a[x] = a[x] * a[x + 1] - t.x;"),
     NULL, NULL},
    {"nothing minus it", K("int n, float s", "if (x < n) a[x] = a[x] * (-0.0f - s) + a[x + 1];"), NULL, NULL},
    {"times one minus two", K("int n, float s", "if (x < n) a[x] = a[x] + s * (1 - 2) * a[x + 1];"), NULL,
     NULL},
    {"bits changed", K("int n, float s", "if (x < n) a[x] = as_float(as_int(s) ^ 1) * a[x] + a[x + 1];"),
     NULL, NULL},
    {"a call of whole numbers",
     K("int n", "float t = pow((float)(-1 - n), 0.5f); if (x < n) a[x] = a[x] * a[x + 1] - t;"), NULL, NULL},
    {"a quotient of whole numbers",
     K("int n, int m", "if (x < n) a[x] = a[x] - (float)n / (float)m * a[x + 1];"), NULL, NULL},
    {"an address by a macro's cast to a parameter",
     "#define A(t, v) (*(t *)&(v))\n" K("int n", "int k = x; A(int, k) = 3; if (k < n) a[x] = 1;"), NULL,
     NULL},
    {"an address by a macro's cast to an array",
     "#define A(v) ((int (*)[1])&v)\n" K("int n", "int k = x; int *z = *A(k); if (k < n) a[x] = *z;"), NULL,
     NULL},
    {"a macro that masks", "#define L(v) ((v) & 15)\n" K("int n", "if (x < n) a[x] = L(y);"), NULL,
     "if ( 1 ) a"},
    {"a product subtracted", K("int n, float s", "if (x < n) a[x] = a[x] - s * a[x + 1];"), NULL, NULL},
    {"one of an element of its own row",
     K("int n", "if (x < n) a[y * n + x] = a[y * n + x] - a[y * n] * a[x];"), NULL, NULL},
    {"in parentheses", K("int n, float s", "if (x < n) a[x] = a[x] - ((s) * a[x + 1]);"), NULL, NULL},
    {"by itself", K("int n, float s", "if (x < n) a[x] -= s * a[x + 1];"), NULL, NULL},
    {"of a variable", K("int n", "float s = a[y]; if (x < n) a[x] = a[x] - s * a[x + 1];"), NULL, NULL},
    {"that moves", K("int n", "float s = a[x + 1]; if (x < n) a[x] = a[x] - s * a[x];"), NULL, "if ( 1 ) a"},
    {"that moves beside one that does not",
     K("int n", "float s = a[x + 1]; if (x < n) a[x] = a[x] - s * a[y];"), NULL, NULL},
    {"that moves at first", K("int n", "float s = a[x + 1]; s = n; if (x < n) a[x] = a[x] - s * a[y];"), NULL,
     NULL},
    {"what moves before what does not, as operands may change places",
     K("int n, float s", "if (x < n) a[x] = a[x] - a[x + 1] * s;"), NULL, NULL},
    {"a number before it",
     K("int n, float s", "if (x < n) a[x] = a[x] - 0.5f * (a[x + 1] - a[x - 1]) - 2 * s;"), NULL,
     "if ( 1 ) a"},
    {"three factors", K("int n, float s", "if (x < n) a[x] = a[x] - s * s * a[x + 1];"), NULL, NULL},
    {"divided at last", K("int n, float s", "if (x < n) a[x] = a[x] - s * a[x + 1] / s;"), NULL,
     "if ( 1 ) a"},
    {"divided at first", K("int n, float s", "if (x < n) a[x] = a[x] - s / s * a[x + 1];"), NULL, NULL},
    {"from a product", K("int n, float s", "if (x < n) a[x] = a[x + 1] * s - s;"), NULL, NULL},
    {"what moves from a product",
     K("int n, float s", "if (x < n) a[x] = s * a[x + 1] - a[x] + s * (a[x] - 4.0f * a[x + 1]);"), NULL,
     "if ( 1 ) a"},
    {"from a sum", K("int n, float s", "if (x < n) a[x] = a[x] + a[x + 1] * s - s;"), NULL, "if ( 1 ) a"},
    {"negated", K("int n, float s", "if (x < n) a[x] = -s * a[x + 1];"), NULL, NULL},
    {"negated for a call", K("int n, float s", "if (x < n) a[x] = mad(-s, a[x + 1], 1.0f);"), NULL, NULL},
    {"what moves, negated", K("int n, float s", "if (x < n) a[x] = mad(-a[x], s, -2.0f);"), NULL,
     "if ( 1 ) a"},
    {"minus one, which a call may multiply with",
     K("int n, float s", "if (x < n) a[x] = mad(a[x], s, -1.0f);"), NULL, NULL},
    {"no product", K("int n, float s", "if (x < n) a[x] = a[x] - s - (a[y] - s);"), NULL, "if ( 1 ) a"},
    {"in another function",
     "float f(float s, float v) { return v - s * v; } " K("int n", "if (x < n) a[x] = f(2, a[x]);"), NULL,
     NULL},
    {"in a macro", "#define F(s, v) v - s\n" K("int n", "if (x < n) a[x] = F(a[y] * n, a[x]);"), NULL, NULL},
    {"numbers in a macro", "#define F(s) (s - 1)\n" K("int n", "if (x < n) a[x] = F(a[x]);"), NULL,
     "if ( 1 ) a"},
    {"in an option", K("int n, float s", "if (x < n) a[x] = a[x] + S * a[x];"), "-DS=-s", NULL},
    {"a number in an option", K("int n, float s", "if (x < n) a[x] = a[x] + S * a[x];"), "-DS=-1.5f -w",
     "if ( 1 ) a"},
    {"whole numbers", K("int n", "int q = n - n * y; if (x < n - n * y) a[x] = a[x - n * y] + q;"), NULL,
     "if ( 1 ) a"},
    {"a helper without", "float f(float v) { return v + 1; } " K("int n", "if (x < n) a[x] = f(a[x]);"), NULL,
     "if ( 1 ) a"},
    {"a directive inside", K("int n", "\n#ifdef A\nif (x < n)\n#endif\n a[x] = 1;"), NULL, NULL},
    {"loose sums", K("int n", "if (x < n) a[x] = 1;"), "-cl-unsafe-math-optimizations", NULL},
    {"products and sums of one expression", K("int n", "if (x < n) a[x] = 1;"), "-cl-mad-enable",
     "if ( 1 ) a"},
    {"loose zeros", K("int n", "if (x < n) a[x] = 1;"), "-cl-denorms-are-zero", NULL},
    {"sums made loose by a pragma", "#pragma clang fp contract(fast)\n" K("int n", "if (x < n) a[x] = 1;"),
     NULL, NULL},
    {"volatile memory",
     "kernel void k(volatile global float *a, int n) { int x = get_global_id(0); if (x < n) a[x] = 1; }",
     NULL, NULL},
    {"its own name", K("int n", "if (x < n) a[x] = sizeof(__func__);"), NULL, NULL},
    {"its own name, GNU's",
     "int f(void) { return sizeof(__FUNCTION__); } " K("int n", "if (x < n) a[x] = f();"), NULL, NULL},
    {"a macro among the parameters", "#define N int n\n" K("N", "if (x < n) a[x] = 1;"), NULL, NULL},
    {"pasted names", "#define P(a, b) a##b\n" K("int n", "P(x, ++); if (x < n) a[0] = 1;"), NULL, NULL},
};

/* What is looked at is bounded: sums of products, each made of the ones before, would take hours. */
static void many_looks(void **state)
{
    static char text[64 * 1024];
    const char *names[] = {"k"};
    struct cw_rewrite_unit unit = {text, NULL};
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = names, .kernels = 1};
    struct cw_rewrite_out out;
    int n = snprintf(text, sizeof text,
                     "kernel void k(global float *a, global float *b, int n) { int x = get_global_id(0); "
                     "float s = b[x], t = b[x + 1], u = b[x + 2]; if (x < n) { ");

    (void)state;
    for (int i = 0; i < 45; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "s = s * u - t * s; t = t * u - s * t; u = u * s - t * u; ");
    snprintf(text + n, sizeof text - (size_t)n, "a[x] = s - t * u; } }");
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    assert_non_null(out.source);
    assert_false(out.kernel[0].rows);
    cw_rewrite_finish(&out);
}

/* Each looks at all of the source, so many of them do not have all of these looks: time is linear in the
 * source. */
static void many_kernels(void **state)
{
    enum { KERNELS = 3000, CAPACITY = 160 };
    char *source = malloc((size_t)KERNELS * CAPACITY), *at = source, last[16];
    const char *names[] = {"k0", last};
    struct cw_rewrite_unit unit = {source, NULL};
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = names, .kernels = 2};
    struct cw_rewrite_out out;

    (void)state;
    assert_non_null(source);
    for (int k = 0; k < KERNELS; k++)
        at += snprintf(
            at, CAPACITY,
            "kernel void k%d(global float *a, int n) { int x = get_global_id(0); if (x < n) a[x] = 1; }\n",
            k);
    snprintf(last, sizeof last, "k%d", KERNELS - 1);
    assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
    assert_true(out.kernel[0].rows);
    assert_int_equal(out.kernel[1].verdict, CW_REWRITE_DONE);
    assert_false(out.kernel[1].rows);
    cw_rewrite_finish(&out);
    free(source);
}

static void forms(void **state)
{
    const char *names[] = {"k"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_rewrite_unit unit = {cases[i].source, cases[i].options};
        struct cw_rewrite_in in = {
            .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = names, .kernels = 1};
        struct cw_rewrite_out out;
        assert_int_equal(cw_rewrite(&in, &out, NULL), CW_OK);
        if (!out.source)
            fail_msg("%s: refused: %s", cases[i].why, out.reason);
        if (out.kernel[0].rows != (cases[i].expect != NULL) ||
            (strstr(out.source[0], "__cw_rows_k") != NULL) != out.kernel[0].rows)
            fail_msg("%s: rows %d in:\n%s", cases[i].why, out.kernel[0].rows, out.source[0]);
        if (cases[i].expect)
            expect_text(cases[i].why, out.source[0], cases[i].expect);
        cw_rewrite_finish(&out);
    }
}

/* For others to look at (test/rewrite/proof.sh): a folder of sources, options beside them, and, per case,
 * whether it has a form. */
static int write_cases(const char *folder)
{
    char path[4096];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const ends[] = {"cl", "options", "why"};
        const char *const texts[] = {cases[i].source, cases[i].options ? cases[i].options : "", cases[i].why};
        for (size_t k = 0; k < 3; k++) {
            FILE *f;
            snprintf(path, sizeof path, "%s/%03zu%s.%s", folder, i, cases[i].expect ? "yes" : "no", ends[k]);
            f = fopen(path, "w");
            if (!f || fputs(texts[k], f) == EOF || fclose(f) != 0)
                return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return write_cases(argv[1]);

    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(many_looks),
                                       cmocka_unit_test(many_kernels)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
