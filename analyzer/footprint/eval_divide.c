/* eval_divide.c - floor(p / d) and p mod d, and putting the two together again.
 *
 * Where every coefficient of p is a multiple of d, or what is left of it stays below d, both are polynomials.
 * Else they are variables; which division they came from is remembered, so that d * quotient + remainder is p
 * again. */
#include "eval_internal.h"

bool eval_split(struct cw_eval *e, const struct cw_poly *p, int64_t d, struct cw_poly *quotient,
                struct cw_poly *remainder)
{
    quotient->n = remainder->n = 0;
    for (int i = 0; i < p->n; i++) {
        struct cw_term t = p->term[i];
        bool plain = !t.var[CW_POLY_DEGREE - 1];
        int64_t rest = t.coefficient % d;
        if (rest && plain && rest < 0)
            rest += d;
        if (rest && !plain)
            rest = t.coefficient;
        if (__builtin_sub_overflow(t.coefficient, rest, &t.coefficient))
            return false;
        t.coefficient /= d;
        if (t.coefficient)
            quotient->term[quotient->n++] = t;
        t.coefficient = rest;
        if (rest)
            remainder->term[remainder->n++] = t;
    }
    struct cw_range r = eval_range(e, remainder);
    return r.lo >= 0 && r.hi < d;
}

/* What is remembered of p / number; NULL when there is no room. */
static struct eval_division *division(struct cw_eval *e, const struct cw_poly *p, int64_t number)
{
    for (int i = 0; i < e->divisions; i++)
        if (e->division[i].number == number && cw_poly_equal(e->division[i].p, p))
            return &e->division[i];
    if (e->divisions == EVAL_MAX_DIVISIONS)
        return NULL;
    e->division[e->divisions] = (struct eval_division){.p = p, .number = number};
    return &e->division[e->divisions++];
}

/* The variable of a division that is there already, or a new one. */
static const struct cw_poly *part(struct cw_eval *e, int node, struct eval_division *v, struct eval_recipe r)
{
    int *var = v ? r.rule == RULE_FLOOR ? &v->quotient : &v->remainder : NULL;
    int64_t c;
    if (var && *var)
        return eval_var_poly(e, *var);
    const struct cw_poly *p = eval_by_rule(e, node, r);
    bool constant = cw_poly_is_const(p, &c);
    if (var && !constant)
        *var = p->term[0].var[CW_POLY_DEGREE - 1];
    if (v && constant && r.rule == RULE_FLOOR) {
        v->is_constant = true;
        v->constant = c;
    }
    return p;
}

/* c times what was divided in the place of c * remainder + c * number * quotient; false when p does not have
 * them. */
static bool put_together(const struct eval_division *v, struct cw_poly *p)
{
    int64_t c, k, wanted;
    struct cw_poly parts, q, r;
    if (!v->remainder || cw_poly_uses(p, v->remainder, &c) != 1 || c == 0)
        return false;
    cw_poly_var(&r, v->remainder);
    if (v->quotient) {
        cw_poly_var(&q, v->quotient);
        if (cw_poly_uses(p, v->quotient, &k) != 1 || __builtin_mul_overflow(c, v->number, &wanted) ||
            k != wanted)
            return false;
    } else if (v->is_constant) {
        cw_poly_const(&q, v->constant);
    } else {
        return false;
    }
    return cw_poly_add(&parts, &r, &q, v->number) && cw_poly_add(&parts, v->p, &parts, -1) &&
           cw_poly_add(p, p, &parts, c);
}

bool eval_undivide(const struct cw_eval *e, const struct cw_poly *p, struct cw_poly *out)
{
    bool found = false;
    *out = *p;
    for (int i = 0; i < e->divisions; i++)
        found |= put_together(&e->division[i], out);
    return found;
}

const struct cw_poly *eval_floor_division(struct cw_eval *e, int node, const struct cw_poly *p, int64_t d)
{
    struct cw_poly q, r;
    if (eval_split(e, p, d, &q, &r))
        return eval_keep(e, &q);
    struct eval_division *v = division(e, p, d);
    return part(e, node, v, (struct eval_recipe){.rule = RULE_FLOOR, .a = p, .b = p, .number = d});
}

const struct cw_poly *eval_remainder(struct cw_eval *e, int node, const struct cw_poly *p, int64_t d)
{
    struct cw_poly q, r;
    if (eval_split(e, p, d, &q, &r))
        return eval_keep(e, &r);
    struct cw_range range = eval_range(e, p);
    cw_wide turns = cw_wide_floor_div(range.lo, d), back = turns * d;
    if (turns == cw_wide_floor_div(range.hi, d) && back == (int64_t)back) {
        cw_poly_const(&q, (int64_t)back);
        if (cw_poly_add(&r, p, &q, -1))
            return eval_keep(e, &r);
    }
    struct eval_division *v = division(e, p, d);
    return part(e, node, v, (struct eval_recipe){.rule = RULE_REMAINDER, .a = p, .b = p, .number = d});
}
