/* rewrite_rows_emit.c - the text of a kernel's form for rows: see rewrite_rows.h. */
#include "rewrite_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* __cw_narrow: of n work-items whose moving side goes from l0 to l1, by one each, those before it reaches r
 * (op 0), until it is there (1), behind that (2), from there on (3), or all but that one (4) are left in
 * [*first, *end). Differences of two numbers of one type are right as ulong, as the larger is known. Of those
 * that are not equal to r, the larger part stays.
 */
const char cw_rewrite_rows_head[] =
    "#ifndef CW_RUN_NO_ROWS\n"
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 120\n"
    "#define __cw_row static inline __attribute__((__always_inline__)) void\n"
    "#else\n"
    "#define __cw_row inline __attribute__((__always_inline__)) void\n"
    "#endif\n"
    "__cw_function __cw_row_id(int __cw_x, size_t __cw_y, size_t __cw_z, uint __cw_d)\n"
    "{ return __cw_d == 0 ? (size_t)__cw_x : __cw_d == 1 ? __cw_y : __cw_d == 2 ? __cw_z : 0; }\n"
    "#define __cw_as(a, b, v) (ulong)(__typeof__((a) + (b)))(v)\n"
    "#define __cw_signed(a, b) ((__typeof__((a) + (b)))-1 < (__typeof__((a) + (b)))1)\n"
    "__cw_function __cw_less(ulong __cw_a, ulong __cw_b, int __cw_s) { return __cw_s ? (long)__cw_a < "
    "(long)__cw_b : __cw_a < __cw_b; }\n"
    "__cw_row __cw_narrow(ulong __cw_l0, ulong __cw_l1, ulong __cw_r, int __cw_s, int __cw_down, int "
    "__cw_op, ulong __cw_n,\n"
    "                     __private ulong *__cw_first, __private ulong *__cw_end)\n"
    "{\n"
    "  ulong __cw_far = __cw_down ? __cw_l0 - __cw_r : __cw_r - __cw_l0;\n"
    "  int __cw_ahead = __cw_down ? __cw_less(__cw_r, __cw_l0, __cw_s) : __cw_less(__cw_l0, __cw_r, "
    "__cw_s);\n"
    "  ulong __cw_under = __cw_ahead ? (__cw_far < __cw_n ? __cw_far : __cw_n) : 0;\n"
    "  ulong __cw_until = __cw_ahead || __cw_l0 == __cw_r ? (__cw_far < __cw_n ? __cw_far + 1 : __cw_n) : "
    "0;\n"
    "  ulong __cw_a = 0, __cw_b = __cw_n;\n"
    "  if ((__cw_down ? __cw_l0 - __cw_l1 : __cw_l1 - __cw_l0) != __cw_n - 1 || (__cw_down ? "
    "__cw_less(__cw_l0, __cw_l1, __cw_s) : __cw_less(__cw_l1, __cw_l0, __cw_s))) __cw_b = 0;\n"
    "  else if (__cw_op == 0) __cw_b = __cw_under;\n"
    "  else if (__cw_op == 1) __cw_b = __cw_until;\n"
    "  else if (__cw_op == 2) __cw_a = __cw_until;\n"
    "  else if (__cw_op == 3) __cw_a = __cw_under;\n"
    "  else if (__cw_under != __cw_until) { if (__cw_under < __cw_n / 2) __cw_a = __cw_until; else __cw_b = "
    "__cw_under; }\n"
    "  if (__cw_a > *__cw_first) *__cw_first = __cw_a;\n"
    "  if (__cw_b < *__cw_end) *__cw_end = __cw_b;\n"
    "}\n"
    "#endif\n";

typedef struct cw_rw_rows_writer writer;

static void put(writer *w, const char *text, size_t length)
{
    cw_rewrite_put(&w->out, text, length);
}

void cw_rewrite_rows_say(writer *w, const char *format, ...)
{
    char text[2048];
    va_list list;

    va_start(list, format);
    if (vsnprintf(text, sizeof text, format, list) >= (int)sizeof text)
        w->out.ok = false; /* half of it would be another kernel */
    va_end(list);
    put(w, text, strlen(text));
}

/* The tokens as they are written. */
void cw_rewrite_rows_copy(writer *w, struct cw_rw_range a)
{
    const struct cw_rw_text *t = w->r->t;
    uint32_t from = t->v[a.first].at;

    if (a.first < a.end)
        put(w, t->text + from, t->v[a.end - 1].at + t->v[a.end - 1].length - from);
}

void cw_rewrite_rows_name(writer *w, const char *which)
{
    const struct cw_rw_name *n = &w->r->s->names.v[w->r->t->v[w->r->f->name_token].name];

    cw_rewrite_rows_say(w, "__cw_%s_", which);
    put(w, n->text, n->length);
}

void cw_rewrite_rows_parameters(writer *w)
{
    cw_rewrite_rows_copy(w, (struct cw_rw_range){w->r->f->open_token + 1, w->r->f->close_token});
}

static void arguments(writer *w)
{
    for (uint32_t i = 0; i < w->r->parameters; i++) {
        const struct cw_rw_name *n = &w->r->s->names.v[w->r->parameter[i].name];
        put(w, n->text, n->length);
        cw_rewrite_rows_say(w, ", ");
    }
}

/* ---- the ends of a row */

/* The variables that atoms need, declared as they are. */
static void declarations(writer *w)
{
    const struct cw_rw_rows *r = w->r;
    bool need[CW_RW_VARIABLES];

    cw_rewrite_rows_need(r, need);
    for (uint32_t k = 0; k < r->variables; k++) {
        if (!need[k])
            continue;
        cw_rewrite_rows_say(w, "  ");
        cw_rewrite_rows_copy(w, r->variable[k].type);
        cw_rewrite_rows_say(w, " ");
        cw_rewrite_rows_copy(w, (struct cw_rw_range){r->variable[k].token, r->variable[k].value.end});
        cw_rewrite_rows_say(w, ";\n");
    }
}

/* Expression of one side, as ulong of the type in which it is compared. */
static void side(writer *w, const struct cw_rw_atom *a, struct cw_rw_range v)
{
    cw_rewrite_rows_say(w, "__cw_as(");
    cw_rewrite_rows_copy(w, a->left);
    cw_rewrite_rows_say(w, ", ");
    cw_rewrite_rows_copy(w, a->right);
    cw_rewrite_rows_say(w, ", ");
    cw_rewrite_rows_copy(w, v);
    cw_rewrite_rows_say(w, ")");
}

static void ends(writer *w)
{
    const struct cw_rw_rows *r = w->r;

    cw_rewrite_rows_say(w, "__cw_row ");
    cw_rewrite_rows_name(w, "ends");
    cw_rewrite_rows_say(w, "(");
    cw_rewrite_rows_parameters(w);
    cw_rewrite_rows_say(w, ", int __cw_x, size_t __cw_y, size_t __cw_z, __cw_tile __cw_t, __private ulong "
                           "*__cw_l, __private ulong *__cw_r, "
                           "__private int *__cw_s)\n{\n");
    declarations(w);
    for (uint32_t i = 0; i < r->atoms; i++) {
        const struct cw_rw_atom *a = &r->atom[i];
        if (a->turn) {
            const struct cw_rw_loop *l = &r->loop[a->loop];
            const struct cw_rw_name *n = &r->s->names.v[l->name];
            cw_rewrite_rows_say(w, "  { const int ");
            put(w, n->text, n->length);
            cw_rewrite_rows_say(w, " = %d;\n", (int)(a->turn == 1 ? l->first : l->last));
        }
        cw_rewrite_rows_say(w, "  __cw_l[%u] = ", i);
        if (a->moving) {
            side(w, a, a->swapped ? a->right : a->left);
            cw_rewrite_rows_say(w, "; __cw_r[%u] = ", i);
            side(w, a, a->swapped ? a->left : a->right);
            cw_rewrite_rows_say(w, "; __cw_s[%u] = __cw_signed(", i);
            cw_rewrite_rows_copy(w, a->left);
            cw_rewrite_rows_say(w, ", ");
            cw_rewrite_rows_copy(w, a->right);
            cw_rewrite_rows_say(w, ");\n");
        } else {
            cw_rewrite_rows_say(w, "((");
            cw_rewrite_rows_copy(w, a->left);
            cw_rewrite_rows_say(w, ") %s (", a->op);
            cw_rewrite_rows_copy(w, a->right);
            cw_rewrite_rows_say(w, ")) != %d;\n", a->value);
        }
        if (a->turn)
            cw_rewrite_rows_say(w, "  }\n");
    }
    cw_rewrite_rows_say(w, "}\n");
}

/* ---- the kernel */

/* 0 to 3: before r, until it, behind it, from it on; 4: not at it. What falls goes by the other way. */
static int number_of(const struct cw_rw_atom *a)
{
    static const char *const op[] = {"<", "<=", ">", ">=", "!="}, *const turned[] = {">", ">=", "<",
                                                                                     "<=", "!="};

    for (int i = 0; i < 4; i++)
        if (!strcmp(a->op, a->swapped ? turned[i] : op[i]))
            return a->down ? i ^ 2 : i;
    return 4;
}

/* Loops unrolled have many subscripts, so many that LLVM looks at run time for overlaps only where it is
 * asked to. (It may then reorder sums over work-items, too; so there are none: rewrite_rows.c.) */
static void loop(writer *w, const char *which, const char *from, const char *to)
{
    if (w->r->loops && !strcmp(which, "inner"))
        cw_rewrite_rows_say(w, "_Pragma(\"clang loop vectorize(enable)\") ");
    cw_rewrite_rows_say(w, "for (int __cw_x = %s; __cw_x < %s; __cw_x++) ", from, to);
    cw_rewrite_rows_name(w, which);
    cw_rewrite_rows_say(w, "(");
    arguments(w);
    cw_rewrite_rows_say(w, "__cw_x, __cw_y, __cw_z, __cw_t);\n");
}

/* Where conditions before `c` are as inside; and, when a fixed atom decides c, copy c + 1 it is. */
static void choose(writer *w)
{
    const struct cw_rw_rows *r = w->r;

    for (uint32_t c = 0; c < r->conditions; c++) {
        if (r->condition[c].fixed) {
            cw_rewrite_rows_say(w, "  if (!__cw_which && (0");
            for (uint32_t i = 0; i < r->atoms; i++)
                if (r->atom[i].condition == c && !r->atom[i].moving)
                    cw_rewrite_rows_say(w, " || __cw_l[%u]", i);
            cw_rewrite_rows_say(w, ")) __cw_which = %u;\n", c + 1);
        }
        for (uint32_t i = 0; i < r->atoms; i++)
            if (r->atom[i].condition == c && r->atom[i].moving)
                cw_rewrite_rows_say(w,
                                    "  if (!__cw_which) __cw_narrow(__cw_l[%u], __cw_m[%u], __cw_r[%u], "
                                    "__cw_s[%u], %d, %d, __cw_n, "
                                    "&__cw_first, &__cw_end);\n",
                                    i, i, i, i, r->atom[i].down, number_of(&r->atom[i]));
    }
}

static void kernel(writer *w)
{
    const struct cw_rw_rows *r = w->r;
    char which[16];

    cw_rewrite_rows_say(w, "__kernel void ");
    cw_rewrite_rows_name(w, "rows");
    cw_rewrite_rows_say(w, "(");
    cw_rewrite_rows_parameters(w);
    cw_rewrite_rows_say(
        w,
        ", __cw_tile __cw_t, int2 __cw_row_size)\n{\n"
        "  size_t __cw_y = __cw_global_id(__cw_t.__cw_base[0], __cw_t.__cw_base[1], "
        "__cw_t.__cw_base[2], 1);\n"
        "  size_t __cw_z = __cw_global_id(__cw_t.__cw_base[0], __cw_t.__cw_base[1], "
        "__cw_t.__cw_base[2], 2);\n"
        "  int __cw_skip = (int)__cw_global_id(0, 0, 0, 0) * __cw_row_size.y, __cw_left = "
        "__cw_row_size.x - __cw_skip;\n"
        "  int __cw_a = (int)__cw_t.__cw_base[0] + __cw_skip;\n"
        "  int __cw_b = __cw_a + (__cw_left < __cw_row_size.y ? __cw_left : __cw_row_size.y);\n"
        "  ulong __cw_l[%u], __cw_m[%u], __cw_r[%u], __cw_n = __cw_b - __cw_a, __cw_first = 0, "
        "__cw_end = __cw_n;\n"
        "  int __cw_s[%u], __cw_which = 0, __cw_lo, __cw_hi;\n",
        r->atoms, r->atoms, r->atoms, r->atoms);
    for (int last = 1; last >= 0; last--) {
        cw_rewrite_rows_say(w, "  ");
        cw_rewrite_rows_name(w, "ends");
        cw_rewrite_rows_say(w, "(");
        arguments(w);
        cw_rewrite_rows_say(w, "%s, __cw_y, __cw_z, __cw_t, __cw_%c, __cw_r, __cw_s);\n",
                            last ? "__cw_b - 1" : "__cw_a", last ? 'm' : 'l');
    }
    choose(w);
    cw_rewrite_rows_say(w, "  __cw_lo = __cw_first < __cw_end ? __cw_a + (int)__cw_first : __cw_b;\n"
                           "  __cw_hi = __cw_first < __cw_end ? __cw_a + (int)__cw_end : __cw_b;\n"
                           "  ");
    loop(w, "item", "__cw_a", "__cw_lo");
    for (uint32_t c = r->conditions; c > 0; c--) {
        if (!r->condition[c - 1].fixed)
            continue;
        snprintf(which, sizeof which, "edge%u", c);
        cw_rewrite_rows_say(w, "  if (__cw_which == %u) ", c);
        loop(w, which, "__cw_lo", "__cw_hi");
        cw_rewrite_rows_say(w, "  else\n");
    }
    cw_rewrite_rows_say(w, "  ");
    loop(w, "inner", "__cw_lo", "__cw_hi");
    cw_rewrite_rows_say(w, "  ");
    loop(w, "item", "__cw_hi", "__cw_b");
    cw_rewrite_rows_say(w, "}\n");
}

char *cw_rewrite_rows_text(const struct cw_rw_rows *r)
{
    writer w = {.r = r, .out.ok = true};
    char which[16];

    cw_rewrite_rows_say(&w,
                        "\n#ifndef CW_RUN_NO_ROWS\n#undef __cw_get_global_id\n"
                        "#define __cw_get_global_id(...) __cw_row_id(__cw_x, __cw_y, __cw_z, __VA_ARGS__)\n");
    cw_rewrite_rows_body(&w, "item", CW_RW_ITEM);
    cw_rewrite_rows_body(&w, "inner", CW_RW_INNER);
    for (uint32_t c = 1; c <= r->conditions; c++) {
        if (!r->condition[c - 1].fixed)
            continue;
        snprintf(which, sizeof which, "edge%u", c);
        cw_rewrite_rows_body(&w, which, c);
    }
    ends(&w);
    kernel(&w);
    cw_rewrite_rows_say(&w, "#undef __cw_get_global_id\n#define __cw_get_global_id(...) "
                            "__cw_global_id(__cw_t.__cw_base[0], __cw_t.__cw_base[1], "
                            "__cw_t.__cw_base[2], __VA_ARGS__)\n#endif\n");
    if (w.out.ok)
        return w.out.text;
    free(w.out.text);
    return NULL;
}
