/* eval_guard.c - comparisons as linear constraints on the box. */
#include "eval_internal.h"

/* a - b, as the numbers that the comparison compares. */
static bool difference(struct cw_eval *e, const struct cw_expr *x, bool is_signed, struct cw_poly *p)
{
    enum reading how = is_signed ? READ_SIGNED : READ_UNSIGNED;
    return cw_poly_add(p, cw_eval_node(e, x->a, how), cw_eval_node(e, x->b, how), -1);
}

bool cw_eval_relation(struct cw_eval *e, int node, bool want, struct cw_poly *p, enum relation *relation)
{
    node = cw_expr_resolve(&e->m->pool, node);
    const struct cw_expr *x = &e->m->pool.node[node];
    if (x->op != CW_EXPR_CMP)
        return false;
    enum cw_expr_cmp cmp = x->dim;
    if (cmp == CW_CMP_EQ || cmp == CW_CMP_NE) { /* equal bits are equal numbers, in either reading */
        *relation = (cmp == CW_CMP_EQ) == want ? REL_ZERO : REL_NONZERO;
        return difference(e, x, true, p);
    }
    bool is_signed = cmp >= CW_CMP_SGT;
    int kind = is_signed ? cmp - CW_CMP_SGT : cmp - CW_CMP_UGT; /* 0 >, 1 >=, 2 <, 3 <= */
    if (!want)
        kind = 3 - kind;
    struct cw_poly d, one;
    if (!difference(e, x, is_signed, &d))
        return false;
    *relation = REL_NEGATIVE;
    p->n = 0;
    if (!cw_poly_add(p, p, &d, kind < 2 ? -1 : 1)) /* a > b: b - a < 0 */
        return false;
    cw_poly_const(&one, 1);
    return kind % 2 == 0 || cw_poly_add(p, p, &one, -1);
}

enum tri cw_eval_decide_relation(struct cw_eval *e, const struct cw_poly *p, enum relation relation)
{
    struct cw_range r = cw_eval_range(e, p);
    struct cw_value lo = cw_range_lo(r), hi = cw_range_hi(r), none = cw_value_number(0);
    if (relation == REL_NEGATIVE)
        return cw_value_less(hi, none) ? TRI_YES : !cw_value_less(lo, none) ? TRI_NO : TRI_MAYBE;
    enum tri zero = cw_value_less(none, lo) || cw_value_less(hi, none)     ? TRI_NO
                    : cw_value_equal(lo, none) && cw_value_equal(hi, none) ? TRI_YES
                                                                           : TRI_MAYBE;
    if (zero == TRI_MAYBE || relation == REL_ZERO)
        return zero;
    return zero == TRI_YES ? TRI_NO : TRI_YES;
}

static enum tri decide_select(struct cw_eval *e, const struct cw_expr *x)
{
    enum tri c = cw_eval_decide(e, x->a), yes, no;
    if (c != TRI_MAYBE)
        return cw_eval_decide(e, c == TRI_YES ? x->b : x->c);
    yes = cw_eval_decide(e, x->b);
    no = cw_eval_decide(e, x->c);
    return yes == no ? yes : TRI_MAYBE;
}

static enum tri decide_comparison(struct cw_eval *e, int node)
{
    struct cw_poly p;
    enum relation relation;
    bool weighing = e->weighing;
    e->weighing = false; /* values are compared, which are remembered */
    bool compared = cw_eval_relation(e, node, true, &p, &relation);
    e->weighing = weighing;
    enum tri t = compared ? cw_eval_decide_relation(e, &p, relation) : TRI_MAYBE;
    if (compared && t == TRI_MAYBE) {
        e->swayed |= cw_eval_is_tiled(e, &p);
        if (!weighing)
            cw_eval_depends(e, &p);
    }
    return t;
}

static enum tri decide(struct cw_eval *e, int node)
{
    node = cw_expr_resolve(&e->m->pool, node);
    const struct cw_expr *x = &e->m->pool.node[node];
    switch (x->op) {
    case CW_EXPR_CONST:
        return x->value & 1 ? TRI_YES : TRI_NO;
    case CW_EXPR_CMP:
        return decide_comparison(e, node);
    case CW_EXPR_AND:
        return tri_and(cw_eval_decide(e, x->a), cw_eval_decide(e, x->b));
    case CW_EXPR_OR:
        return tri_or(cw_eval_decide(e, x->a), cw_eval_decide(e, x->b));
    case CW_EXPR_XOR:
        return tri_xor(cw_eval_decide(e, x->a), cw_eval_decide(e, x->b));
    case CW_EXPR_SELECT:
        return decide_select(e, x);
    default:
        return TRI_MAYBE;
    }
}

enum tri cw_eval_decide(struct cw_eval *e, int node)
{
    e->depth++;
    enum tri t = e->depth > e->max_depth || ++e->decisions > EVAL_MAX_DECISIONS ? TRI_MAYBE : decide(e, node);
    e->depth--;
    return t;
}

enum tri cw_eval_weigh(struct cw_eval *e, int node, bool *tiles_decide)
{
    bool weighing = e->weighing, swayed = e->swayed;
    e->weighing = true;
    e->swayed = false;
    enum tri t = cw_eval_decide(e, node);
    *tiles_decide = e->swayed;
    e->weighing = weighing;
    e->swayed = swayed;
    return t;
}

/* v <= bound, or v >= bound. A variable narrowed by something that depends on the tile does so itself:
 * whether it was is remembered where that matters. */
static void shrink(struct cw_eval *e, int v, struct cw_value bound, bool above, bool tiled)
{
    struct cw_range *r = &e->range[v];
    struct cw_value end = above ? cw_range_hi(*r) : cw_range_lo(*r);
    bool matters = tiled && !e->var[v].tiled;
    if (matters || !(bound.id | end.id)) {
        if (above ? !cw_value_less(bound, end) : !cw_value_less(end, bound))
            return;
        e->var[v].tiled |= tiled;
    }
    e->inexact |= !e->var[v].free;
    if (above)
        *r = cw_range_of(cw_range_lo(*r), cw_value_min(bound, end));
    else
        *r = cw_range_of(cw_value_max(bound, end), cw_range_hi(*r));
    e->empty |= cw_value_less(cw_range_hi(*r), cw_range_lo(*r));
}

/* p < 0: for each variable that occurs once, alone, bound it by the extreme of the rest. */
static void narrow_negative(struct cw_eval *e, const struct cw_poly *p)
{
    bool tiled = cw_eval_is_tiled(e, p);
    for (int i = 0; i < p->n; i++) {
        int v = p->term[i].var[CW_POLY_DEGREE - 1];
        struct cw_value c, zero = cw_value_number(0);
        if (!v || cw_poly_uses_value(p, v, &c) != 1 || !c.v || e->var[v].pending ||
            !cw_value_less(cw_range_lo(e->range[v]), cw_range_hi(e->range[v])))
            continue;
        struct cw_poly rest = *p;
        rest.term[i].coefficient = 0;
        rest.term[i].id = 0;
        struct cw_value capacity =
            cw_value_sub(cw_value_number(-1), cw_range_lo(cw_poly_range(&rest, e->range)));
        if (!cw_value_less(c, zero)) /* c * v <= room */
            shrink(e, v, cw_poly_value_floor(capacity, c), true, tiled);
        else
            shrink(e, v, cw_value_sub(zero, cw_poly_value_floor(capacity, cw_value_sub(zero, c))), false,
                   tiled);
    }
}

static void narrow_zero(struct cw_eval *e, const struct cw_poly *p)
{
    struct cw_poly one, above, below, nothing = {0};
    cw_poly_const(&one, 1);
    if (cw_poly_add(&above, p, &one, -1))
        narrow_negative(e, &above);
    if (cw_poly_add(&below, &nothing, p, -1) && cw_poly_add(&below, &below, &one, -1))
        narrow_negative(e, &below);
}

/* p != 0 helps only where it cuts off an end. */
static void narrow_nonzero(struct cw_eval *e, const struct cw_poly *p)
{
    struct cw_range r = cw_poly_range(p, e->range);
    struct cw_poly copy = {0};
    if (cw_value_equal(cw_range_hi(r), cw_value_number(0)))
        narrow_negative(e, p);
    else if (cw_value_equal(cw_range_lo(r), cw_value_number(0)) && cw_poly_add(&copy, &copy, p, -1))
        narrow_negative(e, &copy);
}

/* Undecided, and group and global ids are mixed: the dimension is better described by group and local ids,
 * also in ranges of groups where it would have been decided. */
static void want_group_basis(struct cw_eval *e, const struct cw_poly *p)
{
    for (int d = 0; d < 3; d++)
        if (!e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, NULL))
            e->by_group[d] = e->restart = true;
}

/* The same for a relation. */
static enum tri eval_narrow_by(struct cw_eval *e, const struct cw_poly *p, enum relation relation)
{
    enum tri t = cw_eval_decide_relation(e, p, relation);
    if (t != TRI_MAYBE)
        return t;
    if (relation == REL_NEGATIVE)
        narrow_negative(e, p);
    else if (relation == REL_ZERO)
        narrow_zero(e, p);
    else
        narrow_nonzero(e, p);
    return e->empty ? TRI_NO : cw_eval_decide_relation(e, p, relation);
}

enum tri cw_eval_narrow(struct cw_eval *e, struct cw_guard g)
{
    struct cw_poly p;
    enum relation relation;
    if (!cw_eval_relation(e, g.node, g.want, &p, &relation)) {
        bool tiles_decide;
        enum tri t = cw_eval_weigh(e, g.node, &tiles_decide);
        return g.want ? t : tri_not(t);
    }
    enum tri t = cw_eval_decide_relation(e, &p, relation);
    if (t == TRI_MAYBE)
        want_group_basis(e, &p);
    return t != TRI_MAYBE || e->restart ? t : eval_narrow_by(e, &p, relation);
}
