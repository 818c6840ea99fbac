/* rewrite_terms.c - sums of ids, and of values that do not change along a row: see rewrite_rows.h. */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

struct parser {
    const struct cw_rw_rows *r;
    uint32_t i, end;
    uint32_t depth;
};
enum { MAX_DEPTH = 64 };

static enum cw_rw_term sum(struct parser *p);

bool cw_rewrite_spend(const struct cw_rw_rows *r, uint32_t n)
{
    uint64_t *left = r->s->looks;

    *left -= *left < n ? *left : n;
    return *left > 0;
}

bool cw_rewrite_word(const struct cw_rw_rows *r, uint32_t i, const char *text)
{
    return r->t->v[i].kind == CW_RW_NAME && cw_tokens_name_is(&r->s->names, r->t->v[i].name, text);
}

static bool is_macro(const struct cw_rw_rows *r, uint32_t i)
{
    return r->t->v[i].kind == CW_RW_NAME && r->s->names.v[r->t->v[i].name].flags & CW_RW_MACRO;
}

static bool is_integer(const struct cw_rw_rows *r, uint32_t i)
{
    const char *p = r->t->text + r->t->v[i].at, *end = p + r->t->v[i].length;
    const char *digits = "0123456789";

    if (r->t->v[i].kind != CW_RW_NUMBER)
        return false;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        digits = "0123456789abcdefABCDEF";
        p += 2;
    }
    while (p < end && strchr(digits, *p))
        p++;
    while (p < end && strchr("uUlL", *p))
        p++;
    return p == end;
}

uint32_t cw_rewrite_integer_type(const struct cw_rw_rows *r, uint32_t i, uint32_t end)
{
    static const char *const whole[] = {"int",    "uint", "long",  "ulong",    "size_t", "short",
                                        "ushort", "char", "uchar", "unsigned", "signed", NULL};
    uint32_t begin = i, types = 0;

    for (; i < end && r->t->v[i].kind == CW_RW_NAME && !is_macro(r, i); i++) {
        const char *const *w = whole;
        if (cw_rewrite_word(r, i, "const") || cw_rewrite_word(r, i, "private") ||
            cw_rewrite_word(r, i, "__private"))
            continue;
        while (*w && !cw_rewrite_word(r, i, *w))
            w++;
        if (!*w)
            break;
        types++;
    }
    return types ? i - begin : 0;
}

bool cw_rewrite_int_type(const struct cw_rw_rows *r, uint32_t first, uint32_t end)
{
    bool whole = false;

    for (uint32_t i = first; i < end; i++) {
        bool names = cw_rewrite_word(r, i, "int");
        bool tells = cw_rewrite_word(r, i, "const") || cw_rewrite_word(r, i, "private") ||
                     cw_rewrite_word(r, i, "__private");
        if (is_macro(r, i) || !(names || tells))
            return false;
        whole |= names;
    }
    return whole;
}

uint32_t cw_rewrite_behind(const struct cw_rw_text *t, uint32_t open, uint32_t end)
{
    uint32_t depth = 0;

    for (uint32_t i = open; i < end; i++) {
        char c = t->v[i].c;
        if (t->v[i].kind != CW_RW_PUNCT)
            continue;
        depth += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i + 1;
    }
    return end;
}

/* ---- sums */

static enum cw_rw_term name(struct parser *p)
{
    const struct cw_rw_rows *r = p->r;
    uint32_t at = p->i++, id = r->t->v[at].name;

    if (is_macro(r, at))
        return CW_RW_T_UNKNOWN;
    if (cw_rewrite_loop_of(r, at)) /* in one turn */
        return CW_RW_T_FIXED;
    for (uint32_t v = r->variables; v-- > 0;)
        if (r->variable[v].name == id)
            return at >= r->variable[v].value.end && at < r->variable[v].until ? r->variable[v].term
                                                                               : CW_RW_T_UNKNOWN;
    for (uint32_t k = 0; k < r->parameters; k++)
        if (r->parameter[k].name == id)
            return r->parameter[k].integer && cw_rewrite_steady(r, id, 0) ? CW_RW_T_FIXED : CW_RW_T_UNKNOWN;
    return CW_RW_T_UNKNOWN;
}

/* get_global_id(0), get_global_size(1): the built-in at p->i. */
static enum cw_rw_term builtin(struct parser *p, bool id)
{
    const struct cw_rw_rows *r = p->r;
    token *v = r->t->v;
    uint32_t at = p->i;

    p->i = p->end;
    if (at + 3 >= p->end || v[at + 1].c != '(' || v[at + 3].c != ')' || v[at + 2].kind != CW_RW_NUMBER ||
        v[at + 2].length != 1)
        return CW_RW_T_UNKNOWN;
    p->i = at + 4;
    switch (r->t->text[v[at + 2].at]) {
    case '0':
        return id ? CW_RW_T_UP : CW_RW_T_FIXED;
    case '1':
    case '2':
        return CW_RW_T_FIXED;
    default:
        return CW_RW_T_UNKNOWN;
    }
}

/* clamp(sum, least, most) at p->i: moves as its sum does, or not at all. */
static enum cw_rw_term clamped(struct parser *p)
{
    struct cw_rw_range a[3];
    uint32_t behind;

    if (p->depth >= MAX_DEPTH || !cw_rewrite_clamp(p->r, p->i, p->end, a, &behind)) {
        p->i = p->end;
        return CW_RW_T_UNKNOWN;
    }
    p->i = behind;
    if (cw_rewrite_term_of(p->r, a[1]) != CW_RW_T_FIXED || cw_rewrite_term_of(p->r, a[2]) != CW_RW_T_FIXED)
        return CW_RW_T_UNKNOWN;
    return cw_rewrite_term_of(p->r, a[0]);
}

static enum cw_rw_term opposite(enum cw_rw_term t)
{
    return t == CW_RW_T_UP ? CW_RW_T_DOWN : t == CW_RW_T_DOWN ? CW_RW_T_UP : t;
}

static enum cw_rw_term group(struct parser *p)
{
    const struct cw_rw_rows *r = p->r;
    uint32_t close = cw_rewrite_behind(r->t, p->i, p->end), type;
    struct parser inner = {r, p->i + 1, close - 1, p->depth + 1};
    enum cw_rw_term t;

    if (p->depth >= MAX_DEPTH || r->t->v[close - 1].c != ')') {
        p->i = p->end;
        return CW_RW_T_UNKNOWN;
    }
    p->i = close;
    type = cw_rewrite_integer_type(r, inner.i, inner.end);
    if (type && inner.i + type == inner.end) { /* a cast */
        p->depth++;
        if (p->i < p->end && r->t->v[p->i].c == '(')
            return group(p);
        if (p->i < p->end && is_integer(r, p->i)) {
            p->i++;
            return CW_RW_T_FIXED;
        }
        if (p->i >= p->end || r->t->v[p->i].kind != CW_RW_NAME)
            return CW_RW_T_UNKNOWN;
        return cw_rewrite_word(r, p->i, "get_global_id") ? builtin(p, true) : name(p);
    }
    t = sum(&inner);
    return inner.i == inner.end ? t : CW_RW_T_UNKNOWN;
}

static enum cw_rw_term factor(struct parser *p)
{
    const struct cw_rw_rows *r = p->r;

    if (p->i >= p->end)
        return CW_RW_T_UNKNOWN;
    if (r->t->v[p->i].c == '(')
        return group(p);
    if (is_integer(r, p->i)) {
        p->i++;
        return CW_RW_T_FIXED;
    }
    if (cw_rewrite_word(r, p->i, "get_global_id"))
        return builtin(p, true);
    if (cw_rewrite_word(r, p->i, "get_global_size") || cw_rewrite_word(r, p->i, "get_global_offset") ||
        cw_rewrite_word(r, p->i, "get_num_groups"))
        return builtin(p, false);
    if (cw_rewrite_word(r, p->i, "clamp"))
        return clamped(p);
    if (r->t->v[p->i].kind == CW_RW_NAME)
        return name(p);
    p->i = p->end;
    return CW_RW_T_UNKNOWN;
}

static enum cw_rw_term product(struct parser *p)
{
    struct cw_rw_range before = {p->i, p->i};
    enum cw_rw_term t = factor(p);

    while (p->i < p->end && p->r->t->v[p->i].c == '*') {
        struct cw_rw_range one = {p->i + 1, p->i + 1};
        enum cw_rw_term u;
        before.end = p->i++;
        u = factor(p);
        one.end = p->i;
        t = t == CW_RW_T_FIXED && u == CW_RW_T_FIXED ? CW_RW_T_FIXED : CW_RW_T_UNKNOWN;
        if (t == CW_RW_T_FIXED && cw_rewrite_turns(p->r, before) && cw_rewrite_turns(p->r, one))
            t = CW_RW_T_UNKNOWN; /* squares have their ends elsewhere than in the first and the last turn */
    }
    return t;
}

static enum cw_rw_term sum(struct parser *p)
{
    token *v = p->r->t->v;
    bool minus = p->i < p->end && v[p->i].c == '-';
    enum cw_rw_term t;

    p->i += minus;
    t = product(p);
    if (minus)
        t = opposite(t);
    while (p->i < p->end && (v[p->i].c == '+' || v[p->i].c == '-')) {
        enum cw_rw_term u;
        minus = v[p->i++].c == '-';
        u = product(p);
        if (minus)
            u = opposite(u);
        t = t == CW_RW_T_FIXED ? u : u == CW_RW_T_FIXED ? t : CW_RW_T_UNKNOWN;
    }
    return t;
}

enum cw_rw_term cw_rewrite_term_of(const struct cw_rw_rows *r, struct cw_rw_range at)
{
    struct parser p = {r, at.first, at.end, 0};
    enum cw_rw_term t =
        at.first < at.end && cw_rewrite_spend(r, at.end - at.first) ? sum(&p) : CW_RW_T_UNKNOWN;

    return p.i == p.end ? t : CW_RW_T_UNKNOWN;
}
