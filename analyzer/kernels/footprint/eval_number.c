/* eval_number.c - the SIGNED and UNSIGNED readings of a node: polynomials equal to the number that its bits
 * stand for. */
#include "eval_internal.h"

/* Are all variables of p free, so that nothing but the launch decides about its value? */
static bool of_launch_only(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k] && !e->var[p->term[i].var[k]].free)
                return false;
    return true;
}

bool cw_eval_within(struct cw_range r, struct cw_range limit)
{
    return !cw_value_less(cw_range_lo(r), cw_range_lo(limit)) &&
           !cw_value_less(cw_range_hi(limit), cw_range_hi(r));
}

/* How often 2^width has to be taken from r to come into the range of the type; false when that differs within
 * r or is too much. */
static bool turns_of(struct cw_range r, struct cw_range type, int width, int64_t *turns)
{
    struct cw_value modulus = cw_value_number((cw_wide)1 << width),
                    lo = cw_poly_value_floor(cw_value_sub(cw_range_lo(r), cw_range_lo(type)), modulus),
                    hi = cw_poly_value_floor(cw_value_sub(cw_range_hi(r), cw_range_lo(type)), modulus);
    if (!cw_value_equal(lo, hi))
        return false;
    *turns = (int64_t)cw_formula_value_pin(lo);
    return lo.v == *turns;
}

/* The number behind the bits: p itself when it fits the type, p shifted by a multiple of 2^width when that
 * fits and is no overflow, else any number of the type. (32- and 64-bit arithmetic that leaves its type may
 * be signed overflow, which is undefined; narrower types only come from conversions.) A pending counter
 * counts as zero here and leaves a duty behind. */
const struct cw_poly *cw_eval_number(struct cw_eval *e, int node, bool is_signed)
{
    const struct cw_poly *p = cw_eval_node(e, node, READ_RAW);
    int width = e->m->pool.node[node].width;
    int64_t turns = 0;
    if (e->mode != EVAL_LAUNCH)
        return p;
    bool pending = cw_eval_pending(e, p), used = e->pending_used;
    struct cw_range r = cw_eval_range(e, p), type = cw_eval_type_range(width, is_signed);
    e->pending_used = used;
    bool inside = cw_eval_within(r, type);
    if (!pending && inside)
        return p;
    if (inside || (width < 62 && turns_of(r, type, width, &turns))) {
        struct cw_poly shift, q = *p;
        bool fits = turns == 0;
        if (!fits && (width < 32 || cw_poly_is_const(p, NULL)) && turns <= INT64_MAX >> width &&
            turns >= INT64_MIN >> width) {
            cw_poly_const(&shift, turns * (INT64_C(1) << width));
            fits = cw_poly_add(&q, p, &shift, -1);
        }
        if (fits && (!pending || e->duties < EVAL_MAX_DUTIES)) {
            const struct cw_poly *stored = turns ? cw_eval_keep(e, &q) : p;
            if (pending)
                e->duty[e->duties++] = (struct eval_duty){stored, type};
            return stored;
        }
    }
    if (pending)
        e->pending_used = true;
    cw_eval_depends(e, p);
    const struct cw_poly *any = cw_eval_unknown(e, node, is_signed);
    e->var[any->term[0].var[CW_POLY_DEGREE - 1]].wrapped = of_launch_only(e, p);
    return any;
}
