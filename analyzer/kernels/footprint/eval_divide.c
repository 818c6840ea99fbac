/* eval_divide.c - floor(p / d) and p mod d, and putting the two together again.
 *
 * Where every coefficient of p is a multiple of d, or its remainder stays below d, both are polynomials. Else
 * they are variables; which division they came from is remembered, so that d * quotient + remainder is p
 * again. */
#include "eval_internal.h"

/* One term of a / d: its quotient and its remainder. */
static void split_term(struct cw_term t, struct cw_value d, struct cw_poly *quotient,
                       struct cw_poly *remainder)
{
    struct cw_value c = {t.coefficient, t.id}, zero = cw_value_number(0), q = cw_poly_value_floor(c, d),
                    rest = cw_value_sub(c, cw_poly_value_mul(q, d));
    bool comes_out = cw_value_equal(rest, zero);
    if (!comes_out && t.var[CW_POLY_DEGREE - 1]) {
        rest = c;
        q = zero;
    }
    if ((q.id || q.v) && !cw_value_equal(q, zero)) {
        t.coefficient = (int64_t)q.v;
        t.id = q.id;
        quotient->term[quotient->n++] = t;
    }
    if (!comes_out) {
        t.coefficient = (int64_t)rest.v;
        t.id = rest.id;
        remainder->term[remainder->n++] = t;
    }
}

bool cw_eval_split(struct cw_eval *e, const struct cw_poly *p, struct cw_value d, struct cw_poly *quotient,
                   struct cw_poly *remainder)
{
    quotient->n = remainder->n = 0;
    for (int i = 0; i < p->n; i++)
        split_term(p->term[i], d, quotient, remainder);
    struct cw_range r = cw_eval_range(e, remainder);
    return !cw_value_less(cw_range_lo(r), cw_value_number(0)) && cw_value_less(cw_range_hi(r), d);
}

/* The record of p / number; NULL when there is no room. */
static struct eval_division *division(struct cw_eval *e, const struct cw_poly *p, struct cw_value number)
{
    for (int i = 0; i < e->divisions; i++)
        if (e->division[i].number.v == number.v && e->division[i].number.id == number.id &&
            cw_poly_equal(e->division[i].p, p))
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
    if (var && *var)
        return cw_eval_var_poly(e, *var);
    const struct cw_poly *p = cw_eval_by_rule(e, node, r);
    bool constant = cw_poly_is_const(p, NULL);
    if (var && !constant)
        *var = p->term[0].var[CW_POLY_DEGREE - 1];
    if (v && constant && r.rule == RULE_FLOOR) {
        v->is_constant = true;
        v->constant = cw_poly_constant_value(p);
    }
    return p;
}

/* Puts c times the dividend in the place of c * remainder + c * number * quotient; false when p does not have
 * them. */
static bool put_together(const struct eval_division *v, struct cw_poly *p)
{
    struct cw_value c, k;
    struct cw_poly parts, product, q, r, number;
    if (!v->remainder || cw_poly_uses_value(p, v->remainder, &c) != 1 || !c.v)
        return false;
    cw_poly_var(&r, v->remainder);
    if (v->quotient) {
        cw_poly_var(&q, v->quotient);
        if (cw_poly_uses_value(p, v->quotient, &k) != 1 ||
            !cw_value_equal(k, cw_poly_value_mul(c, v->number)))
            return false;
    } else if (v->is_constant) {
        cw_poly_value(&q, v->constant);
    } else {
        return false;
    }
    cw_poly_value(&number, v->number);
    if (!cw_poly_mul(&product, &q, &number) || !cw_poly_add(&parts, &r, &product, 1) ||
        !cw_poly_add(&parts, v->p, &parts, -1))
        return false;
    cw_poly_value(&number, c);
    return cw_poly_mul(&product, &parts, &number) && cw_poly_add(p, p, &product, 1);
}

bool cw_eval_undivide(const struct cw_eval *e, const struct cw_poly *p, struct cw_poly *out)
{
    bool found = false;
    *out = *p;
    for (int i = 0; i < e->divisions; i++)
        found |= put_together(&e->division[i], out);
    return found;
}

const struct cw_poly *cw_eval_floor_division(struct cw_eval *e, int node, const struct cw_poly *p,
                                             struct cw_value d)
{
    struct cw_poly q, r;
    if (cw_eval_split(e, p, d, &q, &r))
        return cw_eval_keep(e, &q);
    struct eval_division *v = division(e, p, d);
    return part(e, node, v, (struct eval_recipe){.rule = RULE_FLOOR, .a = p, .b = p, .number = d});
}

const struct cw_poly *cw_eval_remainder(struct cw_eval *e, int node, const struct cw_poly *p,
                                        struct cw_value d)
{
    struct cw_poly q, r;
    if (cw_eval_split(e, p, d, &q, &r))
        return cw_eval_keep(e, &r);
    struct cw_range range = cw_eval_range(e, p);
    struct cw_value turns = cw_poly_value_floor(cw_range_lo(range), d), back = cw_poly_value_mul(turns, d);
    if (cw_value_equal(turns, cw_poly_value_floor(cw_range_hi(range), d)) && back.v == (int64_t)back.v) {
        cw_poly_value(&q, back);
        if (cw_poly_add(&r, p, &q, -1))
            return cw_eval_keep(e, &r);
    }
    struct eval_division *v = division(e, p, d);
    return part(e, node, v, (struct eval_recipe){.rule = RULE_REMAINDER, .a = p, .b = p, .number = d});
}
