/* rewrite_signs.c - whether the sign of a NaN may depend on where a kernel's text stands: see rewrite_rows.h.
 *
 * Clang makes one operation of `a - b * c` and of `b * c - a`, with b or a negated. Where that operand does not change along a row
 * LLVM takes the negation out of the loop, and a NaN in it has the other sign than where the processor negates within the
 * operation, which leaves NaNs as they are. So what is negated must be a number, or change from work-item to work-item; nobody
 * takes that out of a loop. In kernels with loops of their own it might be taken out of those: nothing but whole numbers may be
 * negated there. */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

static bool is(token *v, const char *these)
{
    return v->kind == CW_RW_PUNCT && v->c && strchr(these, v->c);
}

/* An operand may end there, so that what follows is an operator with two. */
static bool ends_operand(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = &r->t->v[i];

    return v->kind == CW_RW_NUMBER || is(v, ")]") || (v->kind == CW_RW_NAME && !(r->s->names.v[v->name].flags & CW_RW_STATEMENT));
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
    while (x.end > x.first + 2 && r->t->v[x.first].c == '(' && cw_rw_behind(r->t, x.first, x.end) == x.end) {
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
        x.end = is(&r->t->v[x.end], "([{") ? cw_rw_behind(r->t, x.end, end) : x.end + 1;
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

/* The asterisk of a product, 0: it is none, or is divided at last. */
static uint32_t product(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    uint32_t last = 0;

    for (uint32_t i = x.first; i < x.end; i = is(&r->t->v[i], "([{") ? cw_rw_behind(r->t, i, x.end) : i + 1) {
        if (i == x.first || !ends_operand(r, i - 1))
            continue;
        if (is(&r->t->v[i], "+-?:<>=&|^,"))
            return 0;
        if (is(&r->t->v[i], "*/%"))
            last = r->t->v[i].c == '*' ? i : 0;
    }
    return last;
}

static bool is_number(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    for (uint32_t i = x.first; i < x.end; i++)
        if (r->t->v[i].kind != CW_RW_NUMBER && r->t->v[i].kind != CW_RW_PUNCT)
            return false;
    return x.end > x.first;
}

/* Some element of an array that is another one in each work-item, or a variable made of such. */
static bool moves(const struct cw_rw_rows *r, struct cw_rw_range x, uint32_t depth)
{
    token *v = r->t->v;

    for (uint32_t i = x.first; i < x.end; i++) {
        if (v[i].c == '[') {
            struct cw_rw_range at = {i + 1, cw_rw_behind(r->t, i, x.end) - 1};
            enum cw_rw_term term = cw_rw_term_of(r, at);
            if (term == CW_RW_T_UP || term == CW_RW_T_DOWN)
                return true;
            i = at.end;
        }
        /* T name = value; or T *name: the nearest one of that name before it */
        for (uint32_t k = i; v[i].kind == CW_RW_NAME && depth < 4 && --k > r->f->body_open;) {
            struct cw_rw_range value = {k + 2, k + 2};
            if (v[k].kind != CW_RW_NAME || v[k].name != v[i].name || v[k - 1].kind != CW_RW_NAME || v[k + 1].c != '=')
                continue;
            while (value.end < i && !is(&v[value.end], ",;"))
                value.end = is(&v[value.end], "([{") ? cw_rw_behind(r->t, value.end, i) : value.end + 1;
            if (cw_rw_steady(r, v[i].name, k) && moves(r, value, depth + 1))
                return true;
            break;
        }
    }
    return false;
}

static bool may_be_negated(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    return is_number(r, x) || moves(r, x, 0);
}

/* The operator at token i: what it may have negated can be. */
static bool minus(const struct cw_rw_rows *r, uint32_t i, uint32_t first, uint32_t end)
{
    token *v = r->t->v;
    bool sum = true, compound = v[i + 1].c == '=', binary = ends_operand(r, i - 1);
    struct cw_rw_range right = stripped(r, behind(r, i + 1 + compound, end)), left = right;
    uint32_t star = product(r, right);

    if (!binary) { /* -a * b is (-a) * b */
        struct cw_rw_range one = {i + 1, i + 1};
        while (one.end < end && !is(&v[one.end], "*/%") && one.end < right.end)
            one.end = is(&v[one.end], "([{") ? cw_rw_behind(r->t, one.end, end) : one.end + 1;
        return may_be_negated(r, one);
    }
    if (!compound)
        left = stripped(r, before(r, i, first, &sum));
    if (!sum && product(r, left))
        return may_be_negated(r, right);
    return !star || may_be_negated(r, (struct cw_rw_range){right.first, star});
}

/* Conditions see no sign of a NaN, and whole numbers have none. */
static uint32_t behind_whole(const struct cw_rw_rows *r, uint32_t i, uint32_t end)
{
    token *v = r->t->v;

    if (v[i].c == '[')
        return cw_rw_behind(r->t, i, end);
    if (v[i].kind == CW_RW_NAME && v[i + 1].c == '(' &&
        (cw_rw_name_is(&r->s->names, v[i].name, "if") || cw_rw_name_is(&r->s->names, v[i].name, "while") ||
         (r->loops && cw_rw_name_is(&r->s->names, v[i].name, "for"))))
        return cw_rw_behind(r->t, i + 1, end);
    if (v[i - 1].c && strchr("{};", v[i - 1].c) && cw_rw_integer_type(r, i, end))
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
        if (v[i].kind == CW_RW_NAME && cw_rw_name_is(&r->s->names, v[i].name, "cross"))
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

/* What macros stand for is not looked into: nothing but numbers is subtracted there. */
static bool macros_stay(const struct cw_rw_text *t)
{
    bool define = false;

    for (size_t i = 0; i + 1 < t->count; i++) {
        if (t->v[i].kind == CW_RW_DIRECTIVE)
            define = t->v[i].c == CW_RW_DEFINE;
        else if (t->v[i].kind == CW_RW_LINE_END)
            define = false;
        else if (define && is(&t->v[i], "-") && t->v[i + 1].kind != CW_RW_NUMBER)
            return false;
    }
    return true;
}

/* The same of "-DNAME=value". */
static bool options_stay(const char *p)
{
    bool value = false;

    for (; p && *p; p++) {
        if (value && *p == '-' && !strchr("0123456789.", p[1]))
            return false;
        value = !strchr(" \t\n", *p) && (value || *p == '=');
    }
    return true;
}

bool cw_rw_signs_stay(const struct cw_rw_rows *r, bool (*is_kernel)(const struct cw_rw_rows *r))
{
    for (size_t u = 0; u < r->s->units; u++) {
        const struct cw_rw_unit *unit = &r->s->unit[u];
        if (!macros_stay(&unit->text) || (r->s->options && !options_stay(r->s->options[u])))
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
