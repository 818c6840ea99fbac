/* rewrite_writes.c - declarations, changes and addresses of variables in a kernel's body: see
 * rewrite_rows.h. */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

/* The token in front of token i may be the operator that takes an address. */
static bool addressed(const struct cw_rw_rows *r, uint32_t i)
{
    /* (i) is declared or written as i is */
    token *v = r->t->v;
    uint32_t run = 0;

    while (v[i - 1 - run].c == '&')
        run++;
    if (run != 1)
        return run > 2 || (run == 2 && v[i - 1].spaced);
    return !(v[i - 2].c == ']' || v[i - 2].kind == CW_RW_NUMBER ||
             (v[i - 2].kind == CW_RW_NAME &&
              !(r->s->names.v[v[i - 2].name].flags & (CW_RW_STATEMENT | CW_RW_MACRO | CW_RW_KNOWN))));
}

static bool is_macro(const struct cw_rw_rows *r, uint32_t i)
{
    return r->t->v[i].kind == CW_RW_NAME && r->s->names.v[r->t->v[i].name].flags & CW_RW_MACRO;
}

/* The bracket that token i, a closing one, closes; or, `i` within brackets, the one that opens the innermost.
 */
static uint32_t opening(const struct cw_rw_rows *r, uint32_t i, bool within)
{
    uint32_t depth = within;

    for (uint32_t k = i - within; k > r->f->body_open; k--) {
        depth += r->t->v[k].c == ')';
        if (r->t->v[k].c == '(' && --depth == 0) {
            cw_rewrite_spend(r, i - k);
            return k;
        }
    }
    cw_rewrite_spend(r, i - r->f->body_open);
    return 0;
}

/* The argument of a macro there, [first, end), is no operand: an operator or part of one, a type, nothing, or
 * something that writes. */
static bool is_odd_argument(const struct cw_rw_rows *r, uint32_t first, uint32_t end)
{
    token *v = r->t->v;
    uint32_t depth = 0;

    if (first == end || (v[first].kind == CW_RW_PUNCT && !strchr("(-+!~", v[first].c)) ||
        (v[end - 1].kind == CW_RW_PUNCT && v[end - 1].c != ')' && v[end - 1].c != ']'))
        return true;
    for (uint32_t i = first; i < end; i++) {
        depth += v[i].c == '(';
        depth -= v[i].c == ')';
        if (!depth && v[i].kind == CW_RW_NAME &&
            (i + 1 == end ? r->s->names.v[v[i].name].flags & (CW_RW_KNOWN | CW_RW_TYPEDEF)
                          : v[i + 1].kind == CW_RW_NAME))
            return true; /* not a cast, which is in brackets */
        if ((v[i].c == '+' || v[i].c == '-') && v[i + 1].c == v[i].c)
            return true;
        if (v[i].c == '=' && v[i + 1].c != '=' &&
            !(strchr("=!<>", v[i - 1].c) && v[i - 1].c && v[i - 2].c != v[i - 1].c))
            return true;
    }
    return false;
}

/* Token i stands in a call of a macro that is given something that is no operand. */
static bool in_odd_call(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = r->t->v;

    for (uint32_t open = opening(r, i, true); open; open = opening(r, open, true)) {
        uint32_t close, first = open + 1;
        if (!is_macro(r, open - 1))
            continue;
        close = cw_rewrite_behind(r->t, open, r->f->body_close) - 1;
        if (!cw_rewrite_spend(r, 2 * (close - open)))
            return true;
        for (uint32_t k = first; k <= close; k++) {
            if (k < close && (v[k].c == '(' || v[k].c == '[' || v[k].c == '{')) {
                k = cw_rewrite_behind(r->t, k, close) - 1;
                continue;
            }
            if (k < close && v[k].c != ',')
                continue;
            if (is_odd_argument(r, first, k))
                return true;
            first = k + 1;
        }
    }
    return false;
}

/* Some macro beside `x` may stand for an operator. */
static bool beside_macro(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    uint32_t open = r->t->v[x.first - 1].c == ')' ? opening(r, x.first - 1, false) : 0;

    return is_macro(r, x.end) || (open && is_macro(r, open - 1));
}

struct cw_rw_range cw_rewrite_bracketed(const struct cw_rw_rows *r, struct cw_rw_range a)
{
    token *v = r->t->v;

    while (v[a.first - 1].c == '(' && v[a.end].c == ')')
        a.first--, a.end++;
    return a;
}

bool cw_rewrite_is_written(const struct cw_rw_rows *r, struct cw_rw_range x)
{
    token *b = &r->t->v[x.first - 1], *a = &r->t->v[x.end];

    if ((b->c == '+' || b->c == '-') && b[-1].c == b->c)
        return true;
    if (a->c == '=')
        return a[1].c != '=';
    if ((a->c == '+' || a->c == '-') && a[1].c == a->c)
        return true;
    if (a->c && strchr("+-*/%&|^", a->c) && a[1].c == '=')
        return true;
    return (a->c == '<' || a->c == '>') && a[1].c == a->c && a[2].c == '=';
}

bool cw_rewrite_only_read(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = r->t->v, *b = &v[i - 1];
    struct cw_rw_range x = cw_rewrite_bracketed(r, (struct cw_rw_range){i, i + 1});

    if (!cw_rewrite_spend(r, 1))
        return false;
    if (b->c == '.' || (b->c == '>' && !b->spaced && v[i - 2].c == '-' && v[i - 3].c != '-'))
        return true; /* a member of something */
    if (b->kind == CW_RW_NAME && !(r->s->names.v[b->name].flags & CW_RW_STATEMENT))
        return false; /* another one of that name */
    if (v[x.first - 1].c == '&' && addressed(r, x.first))
        return false;
    return v[x.end].c != '[' && !cw_rewrite_is_written(r, x) && !beside_macro(r, x) && !in_odd_call(r, i);
}

bool cw_rewrite_steady(const struct cw_rw_rows *r, uint32_t id, uint32_t declared)
{
    token *v = r->t->v;

    if (!cw_rewrite_spend(r, r->f->body_close - r->f->body_open) ||
        r->s->names.v[id].flags & (CW_RW_MACRO | CW_RW_IN_MACRO | CW_RW_FUNCTION | CW_RW_TYPEDEF))
        return false;
    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close; i++)
        if (v[i].kind == CW_RW_NAME && v[i].name == id && i != declared && !cw_rewrite_only_read(r, i))
            return false;
    return true;
}
