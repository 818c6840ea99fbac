/* eval_op.c - division by non-constants, shifts, bit operations, minimum, maximum, selection.
 *
 * Each becomes a polynomial where that is exact (a division whose remainder is known, an `or` of disjoint
 * bits, a decided selection), else a fresh variable with the bounds that interval arithmetic gives. */
#include "eval_internal.h"

struct operands {
    const struct cw_poly *a, *b;
    struct cw_range ra, rb;
};

static void read_operands(struct cw_eval *e, const struct cw_expr *x, bool is_signed, struct operands *o)
{
    o->a = cw_eval_node(e, x->a, is_signed ? READ_SIGNED : READ_UNSIGNED);
    o->b = cw_eval_node(e, x->b, is_signed ? READ_SIGNED : READ_UNSIGNED);
    o->ra = cw_eval_range(e, o->a);
    o->rb = cw_eval_range(e, o->b);
}

static const struct cw_poly *between(struct cw_eval *e, int node, struct cw_range r)
{
    if (r.lo == (int64_t)r.lo && cw_value_equal(cw_range_lo(r), cw_range_hi(r))) {
        struct cw_poly p;
        cw_poly_value(&p, cw_range_lo(r));
        return cw_eval_keep(e, &p);
    }
    return cw_eval_var_poly(e, cw_eval_new_var(e, node, r));
}

static const struct cw_poly *anything(struct cw_eval *e, int node)
{
    return between(e, node, cw_eval_type_range(e->m->pool.node[node].width, true));
}

/* ... where the bounds come from the ranges of a and b (NULL: of a alone). Not recorded. */
static const struct cw_poly *derived(struct cw_eval *e, int node, cw_wide lo, cw_wide hi,
                                     const struct cw_poly *a, const struct cw_poly *b)
{
    cw_eval_depends(e, a);
    if (b)
        cw_eval_depends(e, b);
    cw_formula_give_up();
    return between(e, node, cw_range_numbers(lo, hi));
}

struct cw_range cw_eval_rule_range(enum eval_rule rule, struct cw_value number, struct cw_range a,
                                   struct cw_range b)
{
    struct cw_value from, to, alo = cw_range_lo(a), ahi = cw_range_hi(a), blo = cw_range_lo(b),
                              bhi = cw_range_hi(b);
    switch (rule) {
    case RULE_FLOOR:
    case RULE_REMAINDER:
        from = cw_poly_value_floor(alo, number);
        to = cw_poly_value_floor(ahi, number);
        if (rule == RULE_FLOOR)
            return cw_range_of(from, to);
        if (!cw_value_equal(from, to))
            return cw_range_of(cw_value_number(0), cw_value_sub(number, cw_value_number(1)));
        from = cw_poly_value_mul(from, number);
        return cw_range_of(cw_value_sub(alo, from), cw_value_sub(ahi, from));
    case RULE_MIN:
        return cw_range_of(cw_value_min(alo, blo), cw_value_min(ahi, bhi));
    case RULE_MAX:
        return cw_range_of(cw_value_max(alo, blo), cw_value_max(ahi, bhi));
    default:
        return cw_range_of(cw_value_min(alo, blo), cw_value_max(ahi, bhi));
    }
}

const struct cw_poly *cw_eval_by_rule(struct cw_eval *e, int node, struct eval_recipe r)
{
    const struct cw_poly *p =
        between(e, node, cw_eval_rule_range(r.rule, r.number, cw_eval_range(e, r.a), cw_eval_range(e, r.b)));
    bool tiled = cw_eval_is_tiled(e, r.a) || cw_eval_is_tiled(e, r.b) ||
                 (r.rule == RULE_SELECT && (!r.condition || cw_eval_is_tiled(e, r.condition)));
    if (!tiled || cw_poly_is_const(p, NULL)) /* one number in the whole launch is one in every tile */
        return p;
    r.var = p->term[0].var[CW_POLY_DEGREE - 1];
    e->var[r.var].tiled = true;
    cw_eval_remember(e, r);
    return p;
}

/* 0 <= r.lo; remembered */
static bool not_negative(struct cw_range r)
{
    return !cw_value_less(cw_range_lo(r), cw_value_number(0));
}

static const struct cw_poly *divide(struct cw_eval *e, const struct cw_expr *x, int node)
{
    struct operands o;
    bool is_signed = x->op == CW_EXPR_SDIV || x->op == CW_EXPR_SREM;
    bool quotient = x->op == CW_EXPR_SDIV || x->op == CW_EXPR_UDIV;
    struct cw_value d;
    read_operands(e, x, is_signed, &o);
    if (not_negative(o.ra) && cw_poly_is_const(o.b, NULL) &&
        (d = cw_poly_constant_value(o.b), cw_value_less(cw_value_number(0), d)))
        return quotient ? cw_eval_floor_division(e, node, o.a, d) : cw_eval_remainder(e, node, o.a, d);
    if (o.rb.lo <= 0 && o.rb.hi >= 0) /* by zero: OpenCL C leaves the value open (6.3.a), for any later use */
        return anything(e, node);
    if (o.ra.lo < 0 || o.rb.hi <= 0) { /* C rounds towards zero: only the magnitude is bounded */
        cw_wide m = o.ra.hi > -o.ra.lo ? o.ra.hi : -o.ra.lo;
        return derived(e, node, -m, m, o.a, o.b);
    }
    if (!quotient) {
        cw_wide limit = o.rb.hi - 1 < o.ra.hi ? o.rb.hi - 1 : o.ra.hi;
        return derived(e, node, 0, limit, o.a, o.b);
    }
    return derived(e, node, o.ra.lo / o.rb.hi, o.ra.hi / o.rb.lo, o.a, o.b);
}

static const struct cw_poly *shift(struct cw_eval *e, const struct cw_expr *x, int node)
{
    int64_t by;
    const struct cw_poly *amount = cw_eval_node(e, x->b, READ_UNSIGNED);
    if (!cw_poly_is_const(amount, &by) || by < 0 || by >= x->width || by > 62) {
        if (x->op != CW_EXPR_LSHR)
            return anything(e, node);
        const struct cw_poly *a = cw_eval_node(e, x->a, READ_UNSIGNED);
        return derived(e, node, 0, cw_eval_range(e, a).hi, a, NULL);
    }
    if (x->op != CW_EXPR_SHL)
        return cw_eval_floor_division(
            e, node, cw_eval_node(e, x->a, x->op == CW_EXPR_LSHR ? READ_UNSIGNED : READ_SIGNED),
            cw_value_number((cw_wide)1 << by));
    struct cw_poly factor, product;
    cw_poly_const(&factor, INT64_C(1) << by);
    return cw_poly_mul(&product, cw_eval_node(e, x->a, READ_RAW), &factor) ? cw_eval_keep(e, &product)
                                                                           : anything(e, node);
}

/* The smallest 2^k - 1 that is at least v >= 0. */
static cw_wide all_ones(struct cw_value v)
{
    cw_wide m = 0;
    while (cw_value_less(cw_value_number(m), v))
        m = 2 * m + 1;
    return m;
}

static const struct cw_poly *bit_and(struct cw_eval *e, const struct cw_expr *x, int node)
{
    int64_t mask;
    if (cw_expr_is_const(&e->m->pool, x->b, &mask)) {
        if (mask > 0 && (mask & (mask + 1)) == 0)
            return cw_eval_remainder(e, node, cw_eval_node(e, x->a, READ_UNSIGNED),
                                     cw_value_number((cw_wide)mask + 1));
        if (mask < 0 && mask > INT64_MIN &&
            (-mask & (-mask - 1)) == 0) { /* rounds down to a multiple of -mask */
            const struct cw_poly *a = cw_eval_node(e, x->a, READ_SIGNED);
            struct cw_poly q, r, back;
            struct cw_range range = cw_eval_range(e, a);
            if (cw_eval_split(e, a, cw_value_number(-mask), &q, &r) && cw_poly_add(&back, a, &r, -1))
                return cw_eval_keep(e, &back);
            return derived(e, node, cw_poly_wide_floor_div(range.lo, -mask) * -mask,
                           cw_poly_wide_floor_div(range.hi, -mask) * -mask, a, NULL);
        }
    }
    struct operands o;
    read_operands(e, x, false, &o);
    return derived(e, node, 0, o.ra.hi < o.rb.hi ? o.ra.hi : o.rb.hi, o.a, o.b);
}

static const struct cw_poly *bit_or(struct cw_eval *e, const struct cw_expr *x, int node)
{
    struct operands o;
    struct cw_poly sum, q, r;
    read_operands(e, x, false, &o);
    for (int flip = 0; flip < 2; flip++) {
        const struct cw_poly *high = flip ? o.b : o.a, *low = flip ? o.a : o.b;
        cw_wide ones = all_ones(cw_range_hi(flip ? o.ra : o.rb));
        if (ones < INT64_MAX && cw_eval_split(e, high, cw_value_number(ones + 1), &q, &r) && r.n == 0 &&
            cw_poly_add(&sum, high, low, 1))
            return cw_eval_keep(e, &sum);
    }
    cw_wide lo = o.ra.lo > o.rb.lo ? o.ra.lo : o.rb.lo;
    return derived(e, node, lo, all_ones(cw_value_max(cw_range_hi(o.ra), cw_range_hi(o.rb))), o.a, o.b);
}

static const struct cw_poly *bit_xor(struct cw_eval *e, const struct cw_expr *x, int node)
{
    int64_t mask;
    struct cw_poly p;
    if (cw_expr_is_const(&e->m->pool, x->b, &mask) && mask == -1) { /* ~a = -a - 1 */
        struct cw_poly minus_one;
        cw_poly_const(&minus_one, -1);
        if (cw_poly_add(&p, &minus_one, cw_eval_node(e, x->a, READ_RAW), -1))
            return cw_eval_keep(e, &p);
    }
    struct operands o;
    read_operands(e, x, false, &o);
    return derived(e, node, 0, all_ones(cw_value_max(cw_range_hi(o.ra), cw_range_hi(o.rb))), o.a, o.b);
}

static const struct cw_poly *extremum(struct cw_eval *e, const struct cw_expr *x, int node)
{
    struct operands o;
    struct cw_poly difference;
    bool least = x->op == CW_EXPR_SMIN || x->op == CW_EXPR_UMIN;
    read_operands(e, x, x->op == CW_EXPR_SMIN || x->op == CW_EXPR_SMAX, &o);
    if (cw_poly_add(&difference, o.a, o.b, -1)) {
        struct cw_range d = cw_eval_range(e, &difference);
        bool below = !cw_value_less(cw_value_number(0), cw_range_hi(d)), above = not_negative(d);
        if (below && above) /* the same in this box: the simpler one */
            return o.a->n <= o.b->n ? o.a : o.b;
        if (below)
            return least ? o.a : o.b;
        if (above)
            return least ? o.b : o.a;
    }
    return cw_eval_by_rule(e, node,
                           (struct eval_recipe){.rule = least ? RULE_MIN : RULE_MAX, .a = o.a, .b = o.b});
}

/* Decides `condition` for a recipe of SELECT, or of EITHER when no tile decides it. */
static enum tri weigh(struct cw_eval *e, int condition, struct eval_recipe *r)
{
    struct cw_poly p;
    bool tiles_decide;
    r->rule = RULE_SELECT;
    r->node = condition;
    if (cw_eval_relation(e, condition, true, &p, &r->relation)) {
        r->condition = cw_eval_keep(e, &p);
        return cw_eval_decide_relation(e, &p, r->relation);
    }
    enum tri t = cw_eval_weigh(e, condition, &tiles_decide);
    if (!tiles_decide)
        r->rule = RULE_EITHER;
    return t;
}

static const struct cw_poly *choose(struct cw_eval *e, const struct cw_expr *x, int node)
{
    struct eval_recipe r = {0};
    enum tri t = weigh(e, x->a, &r);
    if (t != TRI_MAYBE)
        return cw_eval_node(e, t == TRI_YES ? x->b : x->c, READ_RAW);
    r.a = cw_eval_node(e, x->b, READ_SIGNED);
    r.b = cw_eval_node(e, x->c, READ_SIGNED);
    return cw_eval_by_rule(e, node, r);
}

static const struct cw_poly *multiply24(struct cw_eval *e, const struct cw_expr *x, int node)
{
    struct operands o;
    struct cw_range type = cw_eval_type_range(24, x->dim);
    struct cw_poly p;
    read_operands(e, x, x->dim, &o);
    if (cw_eval_within(o.ra, type) && cw_eval_within(o.rb, type) && cw_poly_mul(&p, o.a, o.b))
        return cw_eval_keep(e, &p);
    cw_eval_depends(e, o.a);
    cw_eval_depends(e, o.b);
    return anything(e, node);
}

static const struct cw_poly *truth(struct cw_eval *e, int node)
{
    struct eval_recipe r = {0};
    enum tri t = weigh(e, node, &r);
    r.a = between(e, node, cw_range_numbers(t != TRI_NO, t != TRI_NO));
    r.b = between(e, node, cw_range_numbers(0, 0));
    return t == TRI_MAYBE ? cw_eval_by_rule(e, node, r) : r.a;
}

const struct cw_poly *cw_eval_operation(struct cw_eval *e, int node)
{
    const struct cw_expr *x = &e->m->pool.node[node];
    if (x->width == 1)
        return truth(e, node);
    switch (x->op) {
    case CW_EXPR_UDIV:
    case CW_EXPR_SDIV:
    case CW_EXPR_UREM:
    case CW_EXPR_SREM:
        return divide(e, x, node);
    case CW_EXPR_SHL:
    case CW_EXPR_LSHR:
    case CW_EXPR_ASHR:
        return shift(e, x, node);
    case CW_EXPR_AND:
        return bit_and(e, x, node);
    case CW_EXPR_OR:
        return bit_or(e, x, node);
    case CW_EXPR_XOR:
        return bit_xor(e, x, node);
    case CW_EXPR_SMIN:
    case CW_EXPR_SMAX:
    case CW_EXPR_UMIN:
    case CW_EXPR_UMAX:
        return extremum(e, x, node);
    case CW_EXPR_MUL24:
        return multiply24(e, x, node);
    case CW_EXPR_SELECT:
        return choose(e, x, node);
    default:
        return anything(e, node);
    }
}
