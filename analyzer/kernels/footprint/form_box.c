/* form_box.c - the box of a tile in 64-bit numbers: the work of eval_guard.c and eval_value.c, for lines that
 * were checked not to overflow. */
#include "form_internal.h"

void cw_form_set_tile(struct cw_form *c, const struct cw_tile *tile)
{
    const struct cw_launch *l = &c->launch;
    for (int d = 0; d < 3; d++) {
        int64_t size = l->local[d], first = tile->first[d], end = (first + tile->count[d]) * size;
        end = end > l->global[d] ? l->global[d] : end;
        c->lo[VAR_GLOBAL + d] = first * size + l->offset[d];
        c->hi[VAR_GLOBAL + d] = end - 1 + l->offset[d];
        c->lo[VAR_GROUP + d] = first;
        c->hi[VAR_GROUP + d] = first + tile->count[d] - 1;
        c->lo[VAR_LOCAL + d] = 0;
        c->hi[VAR_LOCAL + d] = size - 1;
    }
}

static int64_t saturate(cw_wide v)
{
    const cw_wide limit = 4 * (cw_wide)FORM_LIMIT;
    return (int64_t)(v > limit - 1 ? limit - 1 : v < -limit ? -limit : v);
}

static struct form_range curve_range(const struct cw_form *c, const struct cw_poly *p)
{
    struct cw_range range[VAR_COUNT], r;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            range[v] = cw_range_numbers(c->lo[v], c->hi[v]);
        }
    r = cw_poly_range(p, range);
    return (struct form_range){saturate(r.lo), saturate(r.hi)};
}

struct form_range cw_form_line_range(const struct cw_form *c, const struct cw_code *code,
                                     const struct form_line *l)
{
    if (l->curve)
        return curve_range(c, &code->curve[l->curve - 1]);
    struct form_range r = {l->constant, l->constant};
    for (int i = 0; i < l->n; i++) {
        const struct form_term *t = &code->term[l->first + i];
        int64_t lo = t->coefficient * c->lo[t->var], hi = t->coefficient * c->hi[t->var];
        r.lo += t->coefficient < 0 ? hi : lo;
        r.hi += t->coefficient < 0 ? lo : hi;
    }
    return r;
}

static enum tri decide_line(const struct cw_form *c, const struct cw_code *code, const struct form_line *l,
                            enum relation relation)
{
    struct form_range r = cw_form_line_range(c, code, l);
    if (relation == REL_NEGATIVE)
        return r.hi < 0 ? TRI_YES : r.lo >= 0 ? TRI_NO : TRI_MAYBE;
    enum tri zero = r.lo > 0 || r.hi < 0 ? TRI_NO : r.lo == 0 && r.hi == 0 ? TRI_YES : TRI_MAYBE;
    if (zero == TRI_MAYBE || relation == REL_ZERO)
        return zero;
    return zero == TRI_YES ? TRI_NO : TRI_YES;
}

/* Of the operands that are the last in v; *n is how many there are. */
static enum tri decide_step(enum form_op op, const enum tri *v, int *n)
{
    const enum tri *x = v + *n - (op == FORM_NOT ? 1 : op == FORM_SELECT ? 3 : 2);
    *n = (int)(x - v);
    switch (op) {
    case FORM_NOT:
        return tri_not(x[0]);
    case FORM_AND:
        return tri_and(x[0], x[1]);
    case FORM_OR:
        return tri_or(x[0], x[1]);
    case FORM_XOR:
        return tri_xor(x[0], x[1]);
    default:
        return x[0] == TRI_YES ? x[1] : x[0] == TRI_NO || x[1] == x[2] ? x[2] : TRI_MAYBE;
    }
}

static enum tri decide_steps(const struct cw_form *c, const struct cw_code *code, const struct form_guard *g)
{
    enum tri v[FORM_MAX_STEPS];
    int n = 0;
    for (const struct form_step *s = code->step + g->step, *end = s + g->steps; s < end; s++) {
        enum tri t = s->op == FORM_COMPARE ? decide_line(c, code, &s->line, s->relation)
                     : s->op == FORM_YES   ? TRI_YES
                     : s->op == FORM_NO    ? TRI_NO
                     : s->op == FORM_OPEN  ? TRI_MAYBE
                                           : decide_step(s->op, v, &n);
        v[n++] = t;
    }
    return v[0];
}

enum tri cw_form_decide(const struct cw_form *c, const struct cw_code *code, const struct form_guard *g)
{
    return g->steps ? decide_steps(c, code, g) : decide_line(c, code, &g->line, g->relation);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static void shrink(struct cw_form *c, int v, int64_t lo, int64_t hi)
{
    if (lo <= c->lo[v] && hi >= c->hi[v])
        return;
    c->lo[v] = lo > c->lo[v] ? lo : c->lo[v];
    c->hi[v] = hi < c->hi[v] ? hi : c->hi[v];
    c->inexact |= !c->free[v];
    c->empty |= c->lo[v] > c->hi[v];
}

/* sign * line + shift < 0: bounds each variable by the extreme of the rest. */
static void narrow_negative(struct cw_form *c, const struct cw_code *code, const struct form_line *l,
                            int sign, int64_t shift)
{
    const struct form_term *t = l->n ? &code->term[l->first] : NULL;
    for (int i = 0; i < l->n; i++) {
        int v = t[i].var;
        int64_t coefficient = sign * t[i].coefficient, least = sign * l->constant + shift;
        if (c->lo[v] >= c->hi[v])
            continue;
        for (int k = 0; k < l->n; k++) {
            int64_t other = sign * t[k].coefficient;
            if (k != i)
                least += other * (other < 0 ? c->hi[t[k].var] : c->lo[t[k].var]);
        }
        int64_t capacity = -1 - least; /* coefficient * v <= room */
        if (coefficient > 0)
            shrink(c, v, INT64_MIN, floor_div(capacity, coefficient));
        else
            shrink(c, v, -floor_div(-capacity, coefficient), INT64_MAX);
    }
}

static enum tri narrow(struct cw_form *c, const struct cw_code *code, const struct form_guard *g)
{
    enum tri t = cw_form_decide(c, code, g);
    if (t != TRI_MAYBE || g->steps)
        return t;
    if (g->relation == REL_NEGATIVE) {
        narrow_negative(c, code, &g->line, 1, 0);
    } else if (g->relation == REL_ZERO) {
        narrow_negative(c, code, &g->line, 1, -1);
        narrow_negative(c, code, &g->line, -1, -1);
    } else {
        struct form_range r = cw_form_line_range(c, code, &g->line);
        if (r.hi == 0)
            narrow_negative(c, code, &g->line, 1, 0);
        else if (r.lo == 0)
            narrow_negative(c, code, &g->line, -1, 0);
    }
    return c->empty ? TRI_NO : TRI_MAYBE;
}

/* Sets the range of the recipe's variable from the box as it is now. A loop's variable holds the best of its
 * tests until LOOP, at first the range in the whole launch. */
static void cook(struct cw_form *c, const struct cw_code *code, const struct form_recipe *r)
{
    struct form_range a = cw_form_line_range(c, code, &r->a), b = cw_form_line_range(c, code, &r->b);
    struct cw_range x = cw_range_numbers(a.lo, a.hi), y = cw_range_numbers(b.lo, b.hi), k;
    int v = r->var;
    enum tri t = r->rule == RULE_SELECT ? cw_form_decide(c, code, &r->condition) : TRI_MAYBE;
    if (r->rule == RULE_TEST) {
        if (cw_eval_test_range(r->relation, cw_value_number(r->number), x, &k) && k.hi <= c->hi[v]) {
            c->lo[v] = (int64_t)k.lo;
            c->hi[v] = (int64_t)k.hi;
        }
    } else if (r->rule == RULE_LOOP) {
        bool certain = r->sole && c->lo[v] == c->hi[v];
        c->free[v] = certain && r->inside;
        if (!certain || r->inside)
            c->lo[v] = 0;
    } else {
        k = t == TRI_YES  ? x
            : t == TRI_NO ? y
                          : cw_eval_rule_range(r->rule, cw_value_number(r->number), x, y);
        c->lo[v] = (int64_t)k.lo;
        c->hi[v] = (int64_t)k.hi;
    }
}

bool cw_form_enter_box(struct cw_form *c, const struct cw_code *code, const struct form_box *b, bool *certain)
{
    int r = b->recipe, end = b->recipe + b->recipes;
    c->inexact = c->empty = false;
    for (int i = 0; i < b->vars; i++) {
        const struct form_var *v = &code->var[b->first_var + i];
        c->lo[VAR_DYNAMIC + i] = v->lo;
        c->hi[VAR_DYNAMIC + i] = v->hi;
        c->free[VAR_DYNAMIC + i] = v->free;
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < b->guards; i++) {
            const struct form_guard *g = &code->guard[b->guard + i];
            for (; r < end && code->recipe[r].stage <= g->at; r++)
                cook(c, code, &code->recipe[r]);
            if (narrow(c, code, g) == TRI_NO)
                return false;
        }
    for (; r < end; r++)
        cook(c, code, &code->recipe[r]);
    bool hold = !c->inexact;
    for (int i = 0; i < b->guards && hold; i++)
        hold = cw_form_decide(c, code, &code->guard[b->guard + i]) == TRI_YES;
    for (int d = 0; d < 3; d++)
        hold = hold && !(b->by_group[d] && code->ragged[d]);
    *certain = hold;
    return true;
}
