/* cut_congruence.c - accesses of one colour: each happens only where a sum of ids has a certain remainder, as
 * in `if ((x + y) % 2 == colour) v[i] = v[i - 1] + v[i + w] ...`, and two of them meet only where those sums
 * differ.
 *
 * All solutions of "the offsets of a and b are less than a store apart" are listed, from the largest stride
 * down: each digit leaves few values to those below it. Then each is tried on the remainders. */
#include "cut_form.h"

#include <string.h>

/* p is c * r + constant, for the remainder r of a division that is remembered; *c is 1 or -1. */
static const struct eval_division *remainder_of(const struct cw_eval *e, const struct cw_poly *p, int64_t *c,
                                                int64_t *constant)
{
    bool has_constant = p->n == 2 && !p->term[0].var[CW_POLY_DEGREE - 1];
    const struct cw_term *t = p->n ? &p->term[p->n - 1] : NULL;
    if (!t || (p->n != 1 && !has_constant) || t->var[CW_POLY_DEGREE - 2] ||
        (t->coefficient != 1 && t->coefficient != -1))
        return NULL;
    *c = t->coefficient;
    *constant = has_constant ? p->term[0].coefficient : 0;
    for (int i = 0; i < e->divisions; i++)
        if (e->division[i].remainder && e->division[i].remainder == t->var[CW_POLY_DEGREE - 1])
            return &e->division[i];
    return NULL;
}

bool cw_cut_find_congruence(struct cw_eval *e, const struct cw_access *a, const struct cw_poly **p,
                            struct cut_congruence *found)
{
    *found = (struct cut_congruence){0};
    for (int i = a->guards.first; i < a->guards.first + a->guards.n; i++) {
        struct cw_poly d;
        enum relation relation;
        int64_t c, constant;
        if (!cw_eval_relation(e, e->m->guard[i].node, e->m->guard[i].want, &d, &relation) ||
            relation == REL_NEGATIVE)
            continue;
        const struct eval_division *v = remainder_of(e, &d, &c, &constant);
        if (!v || (relation == REL_NONZERO && v->number.v != 2) || constant == INT64_MIN)
            continue;
        cw_wide r = (cw_wide)-constant * c; /* c * r + constant = 0, or != 0 */
        if (relation == REL_NONZERO && (r < 0 || r > 1))
            continue;
        *p = v->p;
        found->modulus = v->number.v;
        found->rest = relation == REL_NONZERO ? 1 - r : r;
        return true;
    }
    return false;
}

/* The congruence's coefficient of a variable that the offset has with factor `factor`. */
static bool coefficient_of(const struct cw_poly *p, int var, cw_wide factor, cw_wide *out)
{
    struct cw_value c;
    int uses = cw_poly_uses_value(p, var, &c);
    *out = factor < 0 ? -c.v : c.v;
    return uses == 0 || (uses == 1 && c.v != 0);
}

void cw_cut_place_congruence(const struct cw_eval *e, const struct cw_poly *p,
                             const struct cut_congruence *found, const struct cw_poly *offset, int dim,
                             struct cut_way *w)
{
    struct cut_congruence r = *found;
    bool met[CUT_MAX_DIGITS] = {false}, known[VAR_COUNT] = {false};
    known[0] = true;
    for (int i = 0; i < offset->n; i++) {
        const struct cw_term *t = &offset->term[i];
        int v = t->var[CW_POLY_DEGREE - 1], k = 0;
        cw_wide size = t->coefficient < 0 ? -(cw_wide)t->coefficient : t->coefficient, c;
        if (!v || e->range[v].lo >= e->range[v].hi)
            continue;
        if (t->var[CW_POLY_DEGREE - 2] || !coefficient_of(p, v, t->coefficient, &c))
            return;
        known[v] = true;
        if (v == VAR_GROUP + dim) {
            r.slab = t->coefficient < 0 ? -c : c; /* i keeps its sign */
            continue;
        }
        while (k < w->n && w->digit[k].stride != size)
            k++;
        if (k == w->n || (met[k] && r.digit[k] != c)) /* several variables in one digit, not alike */
            return;
        met[k] = true;
        r.digit[k] = c;
    }
    for (int i = 0; i < p->n; i++) { /* all that the congruence has must be in the offset, or a number */
        const struct cw_term *t = &p->term[i];
        int v = t->var[CW_POLY_DEGREE - 1];
        if (t->var[CW_POLY_DEGREE - 2])
            return;
        if (!v)
            r.rest -= t->coefficient;
        else if (e->range[v].lo == e->range[v].hi)
            r.rest -= cw_poly_wide_mul(t->coefficient, e->range[v].lo);
        else if (!known[v])
            return;
    }
    w->congruence = r;
}

/* Few colours leave few solutions; where strides do not outweigh each other there is no end of them. */
enum { MAX_TRIED = 200 };

/* D = the sum of digits, and their sum modulo `modulus`. */
struct solver {
    struct {
        cw_wide stride, lo, hi, weight;
        bool slab; /* is not 0 */
    } digit[2 * CUT_MAX_DIGITS + 1];
    int n, tried;
    cw_wide modulus, down, up; /* solutions lie in down < D < up */
};

static bool add(struct solver *s, struct cut_digit d, cw_wide weight, bool slab)
{
    int at = 0;
    while (at < s->n && s->digit[at].stride < d.stride)
        at++;
    if (at < s->n && s->digit[at].stride == d.stride) {
        if (s->digit[at].slab || slab || (s->digit[at].weight - weight) % s->modulus)
            return false;
        s->digit[at].lo += d.lo;
        s->digit[at].hi += d.hi;
        return true;
    }
    memmove(&s->digit[at + 1], &s->digit[at], (size_t)(s->n - at) * sizeof *s->digit);
    s->digit[at].stride = d.stride;
    s->digit[at].lo = d.lo;
    s->digit[at].hi = d.hi;
    s->digit[at].weight = weight;
    s->digit[at].slab = slab;
    s->n++;
    return true;
}

/* Is there a solution with digits k and below free, `sum` of D and `weight` of the remainders being settled?
 * True also when there is no telling. */
static bool solvable(struct solver *s, int k, cw_wide sum, cw_wide weight)
{
    cw_wide least = 0, most = 0;
    if (++s->tried > MAX_TRIED)
        return true;
    if (k < 0)
        return sum > s->down && sum < s->up && weight % s->modulus == 0;
    for (int i = 0; i < k; i++) {
        least += cw_poly_wide_mul(s->digit[i].stride, s->digit[i].lo);
        most += cw_poly_wide_mul(s->digit[i].stride, s->digit[i].hi);
    }
    cw_wide stride = s->digit[k].stride, from = cw_poly_wide_ceil_div(s->down + 1 - sum - most, stride),
            to = cw_poly_wide_floor_div(s->up - 1 - sum - least, stride);
    from = from < s->digit[k].lo ? s->digit[k].lo : from;
    to = to > s->digit[k].hi ? s->digit[k].hi : to;
    for (cw_wide v = from; v <= to; v++)
        if ((v != 0 || !s->digit[k].slab) &&
            solvable(s, k - 1, sum + v * stride, weight + v * s->digit[k].weight))
            return true;
    return false;
}

bool cw_cut_incongruent(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                        const struct cut_way *y, int64_t shift)
{
    const struct cut_congruence *p = &x->congruence, *q = &y->congruence;
    struct solver s = {.modulus = p->modulus, .down = -a->bytes, .up = b->bytes};
    cw_wide slab = x->slab < 0 ? -x->slab : x->slab,
            far = a->slabs.hi > b->slabs.hi ? a->slabs.hi : b->slabs.hi;
    if (!p->modulus || p->modulus != q->modulus || !x->linear || !y->linear || x->mixed || y->mixed ||
        x->slab != y->slab || x->slab == 0 || (p->slab - q->slab) % p->modulus)
        return false;
    far -= a->slabs.lo < b->slabs.lo ? a->slabs.lo : b->slabs.lo;
    bool ok = add(&s, (struct cut_digit){slab, -far, far}, x->slab < 0 ? -p->slab : p->slab, true);
    for (int i = 0; i < x->n && ok; i++)
        ok = add(&s, x->digit[i], p->digit[i], false);
    for (int i = 0; i < y->n && ok; i++)
        ok = add(&s, (struct cut_digit){y->digit[i].stride, -y->digit[i].hi, -y->digit[i].lo}, q->digit[i],
                 false);
    return ok && !solvable(&s, s.n - 1, x->slack.lo - y->slack.lo - shift, q->rest - p->rest);
}
