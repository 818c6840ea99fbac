/* rewrite_loops.c - loops of few turns, and clamp, in kernels that have a form for rows: see rewrite_rows.h.
 */
#include "rewrite_rows.h"

#include <string.h>

typedef const struct cw_rw_token token;

/* MAX_TOKENS: of a loop's body in all turns, which stands there up to five times. */
enum { MAX_TURNS = 16, MAX_NESTED_TURNS = 64, MAX_TOKENS = 2048, MAX_DIGITS = 4 };

static bool is(token *v, char c)
{
    return v->kind == CW_RW_PUNCT && v->c == c;
}

/* ---- loops */

/* -1, 2: returns the number of tokens, 0: it is something else. */
static uint32_t number(const struct cw_rw_rows *r, uint32_t i, int32_t *value)
{
    bool minus = is(&r->t->v[i], '-');
    token *v = &r->t->v[i + minus];
    int32_t n = 0;

    if (v->kind != CW_RW_NUMBER || v->length > MAX_DIGITS || (v->length > 1 && r->t->text[v->at] == '0'))
        return 0;
    for (uint32_t k = 0; k < v->length; k++) {
        char c = r->t->text[v->at + k];
        if (c < '0' || c > '9')
            return 0;
        n = 10 * n + c - '0';
    }
    *value = minus ? -n : n;
    return 1 + minus;
}

/* Where a statement begins: a label, an attribute, a macro. */
static bool is_odd_statement(const struct cw_rw_rows *r, uint32_t i)
{
    return r->t->v[i].kind == CW_RW_NAME &&
           (r->s->names.v[r->t->v[i].name].flags & (CW_RW_MACRO | CW_RW_ATTRIBUTE) ||
            cw_rewrite_word(r, i, "case") || cw_rewrite_word(r, i, "default") || is(&r->t->v[i + 1], ':'));
}

/* The token behind the statement at i, 0: it may end elsewhere. */
static uint32_t behind_statement(const struct cw_rw_rows *r, uint32_t i)
{
    token *v = r->t->v;
    uint32_t end = r->f->body_close;

    if (is_odd_statement(r, i))
        return 0;
    while (i < end &&
           (cw_rewrite_word(r, i, "for") || cw_rewrite_word(r, i, "if") || cw_rewrite_word(r, i, "switch")) &&
           is(&v[i + 1], '(')) {
        bool may_else = cw_rewrite_word(r, i, "if");
        i = cw_rewrite_behind(r->t, i + 1, end);
        if (may_else) {
            i = behind_statement(r, i);
            if (!i || i >= end || !cw_rewrite_word(r, i, "else"))
                return i;
            i++;
        }
        if (is_odd_statement(r, i))
            return 0;
    }
    if (i < end && is(&v[i], '{'))
        return cw_rewrite_behind(r->t, i, end);
    while (i < end && !is(&v[i], ';'))
        i = is(&v[i], '(') || is(&v[i], '[') || is(&v[i], '{') ? cw_rewrite_behind(r->t, i, end) : i + 1;
    return i < end ? i + 1 : end;
}

/* for (int name = number; name < number; name++), or <=, or ++name. */
static bool read_head(const struct cw_rw_rows *r, uint32_t i, struct cw_rw_loop *l)
{
    token *v = r->t->v;
    uint32_t close = cw_rewrite_behind(r->t, i + 1, r->f->body_close) - 1, n;
    int32_t last = 0;

    if (!is(&v[i + 1], '(') || close > i + 20 || !cw_rewrite_word(r, i + 2, "int") ||
        v[i + 3].kind != CW_RW_NAME || !is(&v[i + 4], '='))
        return false;
    *l = (struct cw_rw_loop){.name = v[i + 3].name, .head = i, .body = close + 1};
    n = number(r, i + 5, &l->first);
    i += 5 + n;
    if (!n || !is(&v[i], ';') || v[i + 1].kind != CW_RW_NAME || v[i + 1].name != l->name ||
        !is(&v[i + 2], '<'))
        return false;
    i += 3;
    if (is(&v[i], '=') && !v[i].spaced)
        i++;
    else
        l->last--;
    n = number(r, i, &last);
    l->last += last;
    i += n;
    if (!n || !is(&v[i], ';') || close != i + 4)
        return false;
    if (v[i + 1].kind == CW_RW_NAME)
        return v[i + 1].name == l->name && is(&v[i + 2], '+') && is(&v[i + 3], '+') && !v[i + 3].spaced;
    return is(&v[i + 1], '+') && is(&v[i + 2], '+') && !v[i + 2].spaced && v[i + 3].kind == CW_RW_NAME &&
           v[i + 3].name == l->name;
}

static bool read_loop(struct cw_rw_rows *r, uint32_t i)
{
    struct cw_rw_loop l;
    int32_t turns, nested;

    if (r->loops == CW_RW_LOOPS || !read_head(r, i, &l) ||
        r->s->names.v[l.name].flags &
            (CW_RW_MACRO | CW_RW_IN_MACRO | CW_RW_FUNCTION | CW_RW_TYPEDEF | CW_RW_KNOWN))
        return false;
    l.until = behind_statement(r, l.body);
    if (!l.until || (is_odd_statement(r, l.until) && !is(&r->t->v[l.until - 1], '}')))
        return false;
    nested = turns = l.last - l.first + 1;
    for (uint32_t k = 0; k < r->loops; k++)
        if (r->loop[k].until > i)
            nested *= r->loop[k].last - r->loop[k].first + 1;
    if (turns < 1 || turns > MAX_TURNS || nested > MAX_NESTED_TURNS ||
        (l.until - l.body) * (uint32_t)nested > MAX_TOKENS)
        return false;
    for (uint32_t k = l.body; k < l.until; k++)
        if (r->t->v[k].kind == CW_RW_NAME && r->t->v[k].name == l.name && !cw_rewrite_only_read(r, k))
            return false;
    r->loop[r->loops++] = l;
    return true;
}

bool cw_rewrite_read_loops(struct cw_rw_rows *r)
{
    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close; i++) {
        if (r->t->v[i].kind != CW_RW_NAME || !(r->s->names.v[r->t->v[i].name].flags & CW_RW_LOOP))
            continue;
        if (!cw_rewrite_word(r, i, "for") || r->s->names.v[r->t->v[i].name].flags & CW_RW_MACRO ||
            !read_loop(r, i))
            return false;
    }
    return true;
}

const struct cw_rw_loop *cw_rewrite_loop_of(const struct cw_rw_rows *r, uint32_t i)
{
    for (uint32_t k = r->loops; k-- > 0;)
        if (r->t->v[i].name == r->loop[k].name && i > r->loop[k].head && i < r->loop[k].until)
            return &r->loop[k];
    return NULL;
}

static const struct cw_rw_variable *variable_of(const struct cw_rw_rows *r, uint32_t i)
{
    for (uint32_t k = r->variables; k-- > 0;)
        if (r->variable[k].name == r->t->v[i].name)
            return i >= r->variable[k].value.end && i < r->variable[k].until ? &r->variable[k] : NULL;
    return NULL;
}

bool cw_rewrite_turns(const struct cw_rw_rows *r, struct cw_rw_range a)
{
    for (uint32_t i = a.first; i < a.end && r->loops; i++) {
        const struct cw_rw_variable *x = r->t->v[i].kind == CW_RW_NAME ? variable_of(r, i) : NULL;
        if ((r->t->v[i].kind == CW_RW_NAME && cw_rewrite_loop_of(r, i)) || (x && x->turns))
            return true;
    }
    return false;
}

/* ---- clamp */

bool cw_rewrite_clamp(const struct cw_rw_rows *r, uint32_t i, uint32_t end, struct cw_rw_range argument[3],
                      uint32_t *behind)
{
    token *v = r->t->v;
    uint32_t n = 0, first = i + 2, close;

    if (i + 1 >= end || r->s->own_clamp || !cw_rewrite_word(r, i, "clamp") || !is(&v[i + 1], '(') ||
        r->s->names.v[v[i].name].flags & (CW_RW_MACRO | CW_RW_IN_MACRO | CW_RW_FUNCTION))
        return false;
    *behind = cw_rewrite_behind(r->t, i + 1, end);
    close = *behind - 1;
    if (!is(&v[close], ')'))
        return false;
    for (uint32_t k = first; k <= close; k++) {
        if (k < close && (is(&v[k], '(') || is(&v[k], '[') || is(&v[k], '{'))) {
            k = cw_rewrite_behind(r->t, k, close) - 1;
            continue;
        }
        if (k < close && !is(&v[k], ','))
            continue;
        if (n == 3)
            return false;
        argument[n++] = (struct cw_rw_range){first, k};
        first = k + 1;
    }
    return n == 3;
}

/* Sums of ints alone, which cannot wrap. */
static bool is_int(const struct cw_rw_rows *r, struct cw_rw_range a)
{
    for (uint32_t i = a.first; i < a.end; i++) {
        token *v = &r->t->v[i];
        const struct cw_rw_variable *x = v->kind == CW_RW_NAME ? variable_of(r, i) : NULL;
        bool good = is(v, '+') || is(v, '-') || is(v, '*') || is(v, '(') || is(v, ')');

        if (v->kind == CW_RW_NUMBER)
            good = number(r, i, &(int32_t){0}) == 1;
        else if (v->kind == CW_RW_NAME && cw_rewrite_loop_of(r, i))
            good = true;
        else if (x)
            good = cw_rewrite_int_type(r, x->type.first, x->type.end);
        else if (v->kind == CW_RW_NAME)
            for (uint32_t k = 0; k < r->parameters; k++)
                good |= r->parameter[k].name == v->name && r->parameter[k].plain;
        if (!good)
            return false;
    }
    return a.first < a.end;
}

/* The one loop whose variable stands in `a`; false: several do, or it differs from turn to turn otherwise. */
static bool one_loop(const struct cw_rw_rows *r, struct cw_rw_range a, const struct cw_rw_loop **one)
{
    *one = NULL;
    for (uint32_t i = a.first; i < a.end; i++) {
        const struct cw_rw_loop *l = r->t->v[i].kind == CW_RW_NAME ? cw_rewrite_loop_of(r, i) : NULL;
        if ((!l && cw_rewrite_turns(r, (struct cw_rw_range){i, i + 1})) || (l && *one && l != *one))
            return false;
        *one = l ? l : *one;
    }
    return true;
}

static void clamp_test(struct cw_rw_rows *r, struct cw_rw_range all, const struct cw_rw_range a[3])
{
    struct cw_rw_condition *k = &r->condition[r->conditions];
    enum cw_rw_term t = cw_rewrite_term_of(r, a[0]);
    const struct cw_rw_loop *l;
    uint32_t atoms;

    for (size_t i = 0; i < 3; i++)
        if (!is_int(r, a[i]) ||
            (i && (cw_rewrite_turns(r, a[i]) || cw_rewrite_term_of(r, a[i]) != CW_RW_T_FIXED)))
            return;
    if (t == CW_RW_T_UNKNOWN || !one_loop(r, a[0], &l))
        return;
    atoms = l ? 4 : 2;
    if (r->atoms + atoms > CW_RW_ATOMS)
        return;
    *k = (struct cw_rw_condition){.all = all, .clamp = true, .sum = a[0], .join = '&', .known = true};
    for (uint32_t i = 0; i < atoms; i++)
        r->atom[r->atoms++] = (struct cw_rw_atom){.all = all,
                                                  .left = a[0],
                                                  .right = a[1 + i % 2],
                                                  .op = {i % 2 ? '<' : '>', '=', '\0'},
                                                  .moving = t != CW_RW_T_FIXED,
                                                  .down = t == CW_RW_T_DOWN,
                                                  .value = true,
                                                  .condition = r->conditions,
                                                  .loop = l ? (uint32_t)(l - r->loop) : 0,
                                                  .turn = l ? 1 + i / 2 : 0};
    *(t == CW_RW_T_FIXED ? &k->fixed : &k->moving) += atoms;
    r->conditions++;
}

void cw_rewrite_clamp_tests(struct cw_rw_rows *r)
{
    for (uint32_t i = r->f->body_open + 1; i < r->f->body_close && r->conditions < CW_RW_CONDITIONS; i++) {
        struct cw_rw_range a[3];
        uint32_t behind;
        bool within = false;
        if (!cw_rewrite_clamp(r, i, r->f->body_close, a, &behind))
            continue;
        for (uint32_t c = 0; c < r->conditions; c++) /* which becomes a constant */
            within |= i >= r->condition[c].all.first && i < r->condition[c].all.end;
        if (!within)
            clamp_test(r, (struct cw_rw_range){i, behind}, a);
    }
}
