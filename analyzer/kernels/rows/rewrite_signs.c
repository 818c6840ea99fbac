/* rewrite_signs.c - whether the sign of a NaN may depend on where a kernel's text stands: see rewrite_rows.h.
 *
 * Clang makes one operation of `a - b * c` and of `b * c - a`, with b or a negated. Where that operand does
 * not change along a row LLVM takes the negation out of the loop, and a NaN in it has the other sign than
 * where the processor negates within the operation, which leaves NaNs as they are. LLVM may negate any factor
 * of a product, and makes negations of products with -1 and of 0 - a. So all that is negated, at any depth,
 * must be numbers, whole numbers, or change from work-item to work-item; no compiler takes that out of a
 * loop. In kernels with loops of their own it might be taken out of those: nothing but whole numbers may be
 * negated there. */
#include "rewrite_rows.h"

#include <stdlib.h>
#include <string.h>

typedef const struct cw_rw_token token;

static bool is(token *v, const char *these)
{
    return v->kind == CW_RW_PUNCT && v->c && strchr(these, v->c);
}

/* An operand may end there, so that the next token is an operator with two. */
static bool ends_operand(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = &r->t->v[i];

    return v->kind == CW_RW_NUMBER || is(v, ")]") ||
           (v->kind == CW_RW_NAME && !(r->s->names.v[v->name].flags & CW_RW_STATEMENT));
}

static uint32_t opening(const struct cw_rw_rows *r, uint32_t close, uint32_t least)
{
    uint32_t depth = 0;

    for (uint32_t i = close; i > least; i--) {
        depth += is(&r->t->v[i], ")]}");
        if (is(&r->t->v[i], "([{") && --depth == 0)
            return i;
    }
    return least;
}

static struct cw_rw_range stripped(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    while (x.end > x.first + 2 && r->t->v[x.first].c == '(' &&
           cw_rewrite_behind(r->t, x.first, x.end) == x.end) {
        x.first++;
        x.end--;
    }
    return x;
}

/* The factors behind token i, up to an operator that binds less than theirs. */
static struct cw_rw_range behind(const struct cw_rw_rows *r, uint32_t i, uint32_t end)
{
    struct cw_rw_range x = {i, i};

    while (x.end < end && !is(&r->t->v[x.end], ")]},;?:<>=&|^!") &&
           !(is(&r->t->v[x.end], "+-") && x.end > i && ends_operand(r, x.end - 1)))
        x.end = is(&r->t->v[x.end], "([{") ? cw_rewrite_behind(r->t, x.end, end) : x.end + 1;
    return x;
}

/* Those before it. *sum: they are the last ones of a sum. */
static struct cw_rw_range before(const struct cw_rw_rows *r, uint32_t end, uint32_t least, bool *sum)
{
    struct cw_rw_range x = {end, end};

    while (x.first > least + 1 && !is(&r->t->v[x.first - 1], "([{,;}?:<>=&|^!") &&
           !(is(&r->t->v[x.first - 1], "+-") && ends_operand(r, x.first - 2)))
        x.first = is(&r->t->v[x.first - 1], ")]") ? opening(r, x.first - 1, least) : x.first - 1;
    *sum = x.first > least + 1 && is(&r->t->v[x.first - 1], "+-");
    return x;
}

/* A product, or a call that may be one, at any depth. */
static bool has_product(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    for (uint32_t i = x.first; i < x.end; i++) {
        if (r->t->v[i].c == '[') {
            i = cw_rewrite_behind(r->t, i, x.end) - 1;
            continue;
        }
        if (i > x.first && is(&r->t->v[i], "*/") && ends_operand(r, i - 1))
            return true;
        if (r->t->v[i].kind == CW_RW_NAME && i + 1 < x.end && r->t->v[i + 1].c == '(' &&
            !cw_rewrite_integer_type(r, i, i + 1))
            return true;
    }
    return false;
}

static bool is_number(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    for (uint32_t i = x.first; i < x.end; i++)
        if (r->t->v[i].kind != CW_RW_NUMBER && r->t->v[i].kind != CW_RW_PUNCT)
            return false;
    return x.end > x.first;
}

/* 1, 1.0f, 0x1: times its negative is a negation. */
static bool is_one(const char *p)
{
    char *end;

    return strtod(p, &end) == 1 && end > p;
}

/* Of two numbers the second of which is less: a positive constant. */
static bool is_positive(const struct cw_rw_rows *r, struct cw_rw_range left, struct cw_rw_range right)
{
    const char *text = r->t->text;

    return left.end == left.first + 1 && right.end == right.first + 1 &&
           strtod(text + r->t->v[left.first].at, NULL) > strtod(text + r->t->v[right.first].at, NULL);
}

/* Made of zeros, or of two numbers at least, which might make zero or minus one. */
static bool may_be_zero(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    uint32_t numbers = 0;

    for (uint32_t i = x.first; i < x.end; i++) {
        const char *p = r->t->text + r->t->v[i].at;
        if (r->t->v[i].kind != CW_RW_NUMBER)
            continue;
        if (strspn(p, "0.") && !strchr("123456789xX", p[strspn(p, "0.")]))
            return true;
        numbers++;
    }
    return numbers > 1;
}

enum { DEEPEST = 4, USED = CW_RW_USED | CW_RW_CALLED | CW_RW_IN_MACRO | CW_RW_TOPLEVEL };

/* Names whose values are being looked at. */
struct trail {
    const struct trail *up;
    uint32_t name, depth;
};

static bool moves(const struct cw_rw_rows *r, struct cw_rw_range x, const struct trail *up);

/* The value given at token i, which is behind the operator that gives it. */
static struct cw_rw_range given(const struct cw_rw_rows *r, uint32_t i)
{
    struct cw_rw_range x = {i, i};

    while (x.end < r->f->body_close && !is(&r->t->v[x.end], ",;)"))
        x.end = is(&r->t->v[x.end], "([{") ? cw_rewrite_behind(r->t, x.end, r->f->body_close) : x.end + 1;
    return x;
}

/* A variable of the kernel: all that it is given moves. */
static bool variable_moves(const struct cw_rw_rows *r, uint32_t name, const struct trail *up)
{
    struct trail here = {up, name, up ? up->depth + 1 : 0};
    token *v = r->t->v;
    bool found = false;

    if (here.depth >= DEEPEST || !cw_rewrite_spend(r, r->f->body_close - r->f->body_open))
        return false;
    for (const struct trail *t = up; t; t = t->up)
        if (t->name == name)
            return true; /* its arguments otherwise */
    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close; i++) {
        bool compound = v[i + 1].c && strchr("+-*/", v[i + 1].c) && v[i + 2].c == '=';
        if (v[i].kind != CW_RW_NAME || v[i].name != name || v[i - 1].c == '.')
            continue;
        if (v[i + 1].c == '.' &&
            cw_rewrite_is_written(r, cw_rewrite_bracketed(r, (struct cw_rw_range){i, i + 3})))
            return false; /* some of a vector */
        if (v[i + 1].c == '=' || compound) {
            if (v[i + 1 + compound + 1].c == '=')
                continue; /* a comparison */
            if (!moves(r, given(r, i + 2 + compound), &here))
                return false;
            found = true;
        } else if (!cw_rewrite_only_read(r, i) && !(v[i - 1].kind == CW_RW_NAME || v[i - 1].c == ',')) {
            return false;
        }
    }
    return found;
}

static bool name_moves(const struct cw_rw_rows *r, uint32_t i, const struct trail *up)
{
    token *v = &r->t->v[i];

    if (r->s->names.v[v->name].flags & CW_RW_MACRO)
        return false;
    if (r->s->names.v[v->name].flags & CW_RW_KNOWN || cw_rewrite_integer_type(r, i, i + 1) || v[1].c == '(' ||
        v[-1].c == '.')
        return true; /* types, calls and members: their operands count */
    if (cw_rewrite_loop_of(r, i))
        return true;
    for (uint32_t k = 0; k < r->parameters; k++)
        if (r->parameter[k].name == v->name)
            return r->parameter[k].integer;
    for (uint32_t k = 0; k < r->variables; k++)
        if (r->variable[k].name == v->name)
            return true; /* a whole number */
    return variable_moves(r, v->name, up);
}

/* It holds an element that is another one in each work-item. */
static bool has_element(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    for (uint32_t i = x.first; i < x.end; i++)
        if (r->t->v[i].c == '[')
            return true; /* of which those that do not move were refused */
    return false;
}

/* A call, or a quotient, of whole numbers alone may be a NaN, the same in all work-items. */
static bool makes_nan(const struct cw_rw_rows *r, uint32_t i, struct cw_rw_range x)
{
    token *v = &r->t->v[i];

    if (v->kind == CW_RW_NAME && v[1].c == '(' && !cw_rewrite_integer_type(r, i, i + 1) &&
        !(r->s->names.v[v->name].flags & CW_RW_ID) && strncmp(r->t->text + v->at, "convert_", 8))
        return !has_element(r, (struct cw_rw_range){i + 1, cw_rewrite_behind(r->t, i + 1, x.end)});
    if (!is(v, "/") || v[1].kind == CW_RW_NUMBER)
        return false;
    for (i++; r->t->v[i].c == '(' && cw_rewrite_integer_type(r, i + 1, x.end) + i + 1 ==
                                         cw_rewrite_behind(r->t, i, x.end) - 1;) /* a cast */
        i = cw_rewrite_behind(r->t, i, x.end);
    return !(r->t->v[i].c == '(' ? has_element(r, (struct cw_rw_range){i, cw_rewrite_behind(r->t, i, x.end)})
                                 : r->t->v[i + 1].c == '[');
}

/* All of it is numbers, whole numbers, and elements that are others in each work-item. */
static bool moves(const struct cw_rw_rows *r, struct cw_rw_range x, const struct trail *up)
{
    token *v = r->t->v;

    if (!cw_rewrite_spend(r, x.end - x.first))
        return false;
    for (uint32_t i = x.first; i < x.end; i++) {
        if (makes_nan(r, i, x))
            return false;
        if (v[i].kind != CW_RW_NAME)
            continue;
        if (v[i + 1].c == '[') {
            struct cw_rw_range at = {i + 2, cw_rewrite_behind(r->t, i + 1, r->f->body_close) - 1};
            enum cw_rw_term term = cw_rewrite_term_of(r, at);
            if (term != CW_RW_T_UP && term != CW_RW_T_DOWN)
                return false;
            i = at.end;
        } else if (!name_moves(r, i, up)) {
            return false;
        }
    }
    return true;
}

static bool may_be_negated(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    return is_number(r, x) || moves(r, x, NULL);
}

/* A quotient at last, which no compiler negates; or a number times a term that is no product, of which the
 * number is negated. */
static bool is_safe(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    token *v = r->t->v;
    uint32_t last = 0;

    for (uint32_t i = x.first; i < x.end; i = is(&v[i], "([{") ? cw_rewrite_behind(r->t, i, x.end) : i + 1) {
        if (is(&v[i], "+-?:<>=&|^,") && (i == x.first || !is(&v[i], "+-") || ends_operand(r, i - 1)))
            return false;
        if (i > x.first && is(&v[i], "*/%") && ends_operand(r, i - 1))
            last = i;
    }
    if (last && v[last].c == '/')
        return true;
    return last == x.first + 1 && v[x.first].kind == CW_RW_NUMBER &&
           !has_product(r, (struct cw_rw_range){last + 1, x.end});
}

/* The sign at token i is that of a number in a product, which no other number makes minus one. */
static bool is_constant(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = &r->t->v[i];

    return v[1].kind == CW_RW_NUMBER && !is_one(r->t->text + v[1].at) &&
           (!is(&v[-1], "*/") || v[-2].kind == CW_RW_NAME || is(&v[-2], "]")) &&
           (!is(&v[2], "*/") || v[3].kind == CW_RW_NAME);
}

/* The operator at token i: the operands that it may negate are safe. Compilers move a negation into any
 * factor of a product. */
static bool minus(const struct cw_rw_rows *r, uint32_t i, uint32_t first, uint32_t end)
{
    token *v = r->t->v;
    bool sum = true, compound = v[i + 1].c == '=', binary = ends_operand(r, i - 1);
    struct cw_rw_range right = stripped(r, behind(r, i + 1 + compound, end)), left = right;

    if (!binary) { /* of the whole product that it stands in; of a number by itself it is none */
        struct cw_rw_range all = {before(r, i, first, &sum).first, behind(r, i + 1, end).end};
        if (is_number(r, all))
            return all.first == i && right.end == right.first + 1 && !is_one(r->t->text + v[right.first].at);
        return is_constant(r, i) || moves(r, all, NULL);
    }
    if (!compound)
        left = stripped(r, before(r, i, first, &sum));
    if (!compound && is_number(r, left) && (is_number(r, right) || may_be_zero(r, left)))
        return is_number(r, right) ? is_positive(r, left, right)
                                   : moves(r, right, NULL); /* 0 - a is -a; 1 - 2 may be a factor */
    if (!sum && has_product(r, left))
        return may_be_negated(r, right);
    return !has_product(r, right) || is_safe(r, right) || may_be_negated(r, right);
}

/* Conditions see no sign of a NaN, and whole numbers have none. */
static uint32_t behind_whole(const struct cw_rw_rows *r, uint32_t i, uint32_t end)
{
    token *v = r->t->v;

    if (v[i].c == '[')
        return cw_rewrite_behind(r->t, i, end);
    if (v[i].kind == CW_RW_NAME && v[i + 1].c == '(' &&
        (cw_tokens_name_is(&r->s->names, v[i].name, "if") ||
         cw_tokens_name_is(&r->s->names, v[i].name, "while") ||
         (r->loops && cw_tokens_name_is(&r->s->names, v[i].name, "for"))))
        return cw_rewrite_behind(r->t, i + 1, end);
    if (v[i - 1].c && strchr("{};", v[i - 1].c) && cw_rewrite_integer_type(r, i, end))
        while (i < end && v[i].c != ';')
            i++;
    return i;
}

static bool range_stays(const struct cw_rw_rows *r, uint32_t first, uint32_t end)
{
    token *v = r->t->v;

    for (uint32_t i = first + 1; i < end; i++) {
        uint32_t whole = behind_whole(r, i, end);
        if (whole > i) {
            i = whole - 1;
            continue;
        }
        if (v[i].kind == CW_RW_NAME && cw_tokens_name_is(&r->s->names, v[i].name, "cross"))
            return false; /* which is such differences */
        if (!is(&v[i], "-") || v[i + 1].c == '>')
            continue;
        if (v[i + 1].c == '-' && !v[i + 1].spaced)
            i++;
        else if (r->loops || !minus(r, i, first, end))
            return false;
    }
    return true;
}

/* The beginning of the text of the macro whose name is token i. */
static size_t macro_body(const struct cw_rw_text *t, size_t i)
{
    bool function_like = i + 1 < t->count && t->v[i + 1].c == '(' && !t->v[i + 1].spaced;

    return function_like ? cw_rewrite_behind(t, (uint32_t)i + 1, (uint32_t)t->count) : i + 1;
}

/* The text of macros that are used (macros.h leaves those that are not plain) is not looked into:
 * nothing but numbers is subtracted there, and nothing is -1. */
static bool macros_stay(const struct cw_rw *s, const struct cw_rw_text *t)
{
    size_t body = 0; /* 0: in no definition */

    for (size_t i = 0; i + 1 < t->count; i++) {
        token *v = &t->v[i];
        if (v->kind == CW_RW_DIRECTIVE)
            body =
                v->c == CW_RW_DEFINE && s->names.v[t->v[i + 2].name].flags & USED ? macro_body(t, i + 2) : 0;
        else if (v->kind == CW_RW_LINE_END)
            body = 0;
        if (!body || i < body || !is(v, "-"))
            continue;
        if (v[1].kind != CW_RW_NUMBER)
            return false;
        if (is_one(t->text + v[1].at) &&
            (i == body || !(v[-1].kind == CW_RW_NAME || v[-1].kind == CW_RW_NUMBER || is(&v[-1], ")]"))))
            return false; /* not `a - 1` */
    }
    return true;
}

/* The same of "-DNAME=value". */
static bool options_stay(const char *p)
{
    bool value = false;

    for (; p && *p; p++) {
        if (value && *p == '-' && (!strchr("0123456789.", p[1]) || is_one(p + 1)))
            return false;
        value = !strchr(" \t\n", *p) && (value || *p == '=');
    }
    return true;
}

bool cw_rewrite_signs_stay(const struct cw_rw_rows *r, bool (*is_kernel)(const struct cw_rw_rows *r))
{
    for (size_t u = 0; u < r->s->units; u++) {
        const struct cw_rw_unit *unit = &r->s->unit[u];
        if (!cw_rewrite_spend(r, (uint32_t)unit->text.count) || /* all is looked at, for each kernel */
            !macros_stay(r->s, &unit->text) || (r->s->options && !options_stay(r->s->options[u])))
            return false;
        for (size_t k = 0; k < unit->functions; k++) {
            struct cw_rw_rows other = {.s = r->s, .t = &unit->text, .f = &unit->function[k]};
            if (other.f->body_open && other.f != r->f && !is_kernel(&other) &&
                !range_stays(&other, other.f->body_open, other.f->body_close))
                return false;
        }
    }
    return range_stays(r, r->f->body_open, r->f->body_close);
}
