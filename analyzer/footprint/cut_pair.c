/* cut_pair.c - whether two accesses of different slabs can meet. See cut_form.h.
 *
 * With D = first byte of a - first byte of b they meet exactly when -bytes(a) < D < bytes(b). Each of the
 * tests below excludes that; that one of them succeeds is enough, that all fail proves nothing. */
#include "cut_form.h"

/* What D is made of, beside digits: a constant and slack. */
struct difference {
    struct cw_range rest;
    int n;
    struct cut_digit digit[2 * CUT_MAX_DIGITS + 1];
    int slab; /* which digit is the difference of the group ids, which is not 0; -1 none */
};

static cw_wide least(cw_wide a, cw_wide b)
{
    return a < b ? a : b;
}

static cw_wide most(cw_wide a, cw_wide b)
{
    return a > b ? a : b;
}

/* The launch as a whole: one lies before the other. */
static bool apart(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                  const struct cut_way *y, int64_t shift)
{
    return x->total.hi + a->bytes <= y->total.lo + shift || y->total.hi + shift + b->bytes <= x->total.lo;
}

static cw_wide gcd(cw_wide a, cw_wide b)
{
    while (b) {
        cw_wide r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

static cw_wide common_stride(const struct cut_way *w, cw_wide g)
{
    for (int i = 0; i < w->n; i++)
        g = gcd(g, w->digit[i].stride);
    return gcd(g, w->slab);
}

/* Both move in steps of g and keep off each other's remainders (even and odd elements). */
static bool interleaved(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                        const struct cut_way *y, int64_t shift)
{
    if (!x->linear || !y->linear || x->mixed || y->mixed)
        return false;
    cw_wide g = common_stride(y, common_stride(x, 0));
    if (g == 0)
        return false; /* two fixed places: apart() has seen them */
    cw_wide remainder = (x->slack.lo - y->slack.lo - shift) % g;
    remainder += remainder < 0 ? g : 0;
    return remainder >= b->bytes && g - remainder >= a->bytes;
}

static void merge_digits(struct difference *d, const struct cut_way *x, const struct cut_way *y, cw_wide slab,
                         cw_wide slabs)
{
    int i = 0, k = 0;
    d->slab = -1;
    while (i < x->n || k < y->n || d->slab < 0) {
        cw_wide s = CW_WIDE_LIMIT;
        if (i < x->n)
            s = x->digit[i].stride;
        if (k < y->n)
            s = least(s, y->digit[k].stride);
        if (d->slab < 0 && slab < s) {
            d->slab = d->n;
            d->digit[d->n++] = (struct cut_digit){slab, -slabs, slabs};
            continue;
        }
        struct cut_digit sum = {s, 0, 0};
        if (i < x->n && x->digit[i].stride == s) {
            sum.lo += x->digit[i].lo;
            sum.hi += x->digit[i++].hi;
        }
        if (k < y->n && y->digit[k].stride == s) {
            sum.lo -= y->digit[k].hi;
            sum.hi -= y->digit[k++].lo;
        }
        d->digit[d->n++] = sum;
    }
}

/* Whole multiples of the strides above the slab's are taken out of the constant: they shift those digits. */
static void take_out_multiples(struct difference *d)
{
    for (int i = d->n - 1; i > d->slab; i--) {
        struct cut_digit *g = &d->digit[i];
        cw_wide q = cw_wide_floor_div(d->rest.lo + g->stride / 2, g->stride);
        g->lo += q;
        g->hi += q;
        d->rest.lo -= q * g->stride;
        d->rest.hi -= q * g->stride;
    }
}

/* D = rest + the digits, ascending. If each digit from the slab's on outweighs all that is below it, then D
 * is decided by the highest digit that is not 0; the slab's digit is not 0, so there is one at or above it,
 * and it puts D out of reach. */
static bool outweighed(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                       const struct cut_way *y, int64_t shift)
{
    if (x->mixed || y->mixed || x->slab != y->slab || x->slab == 0)
        return false;
    struct difference d;
    d.n = 0;
    d.rest = (struct cw_range){x->slack.lo - y->slack.hi - shift, x->slack.hi - y->slack.lo - shift};
    merge_digits(&d, x, y, x->slab < 0 ? -x->slab : x->slab,
                 most(a->slabs.hi, b->slabs.hi) - least(a->slabs.lo, b->slabs.lo));
    take_out_multiples(&d);
    struct cw_range below = d.rest;
    for (int i = 0; i < d.n; i++) {
        const struct cut_digit *g = &d.digit[i];
        if (i >= d.slab && ((g->hi > 0 && g->stride + below.lo < b->bytes) ||
                            (g->lo < 0 && -g->stride + below.hi > -a->bytes)))
            return false;
        below.lo += cw_wide_mul(g->stride, g->lo);
        below.hi += cw_wide_mul(g->stride, g->hi);
    }
    return true;
}

bool cut_disjoint(const struct cut_form *a, const struct cut_form *b, int64_t shift)
{
    if (a->never || b->never)
        return true;
    if (a->slabs.lo == a->slabs.hi && b->slabs.lo == b->slabs.hi && a->slabs.lo == b->slabs.lo)
        return true; /* one slab has both */
    if (a->whole || b->whole)
        return false;
    for (int i = 0; i < a->ways; i++)
        for (int k = 0; k < b->ways; k++) {
            const struct cut_way *x = &a->way[i], *y = &b->way[k];
            if (apart(a, x, b, y, shift) || interleaved(a, x, b, y, shift) || outweighed(a, x, b, y, shift))
                return true;
        }
    return false;
}

bool cut_aligned(const struct cut_form *f, int64_t bytes)
{
    const struct cut_way *w = &f->way[0];
    return !f->whole && w->linear && !w->mixed && common_stride(w, bytes) == bytes &&
           w->slack.lo % bytes == 0;
}

/* The slabs' hulls do not meet. */
static bool side_by_side(const struct cut_form *f, const struct cut_way *w)
{
    cw_wide extent = f->bytes + w->slack.hi - w->slack.lo;
    for (int i = 0; i < w->n; i++)
        extent += cw_wide_mul(w->digit[i].stride, w->digit[i].hi - w->digit[i].lo);
    return !w->mixed && (w->slab < 0 ? -w->slab : w->slab) >= extent;
}

int64_t cut_pieces(const struct cut_form *f)
{
    cw_wide pieces = 1;
    const struct cut_way *w = &f->way[0];
    if (f->never || f->slabs.lo == f->slabs.hi || (!f->whole && !w->mixed && w->slab == 0))
        return 1;
    for (int i = 0; i < f->ways; i++)
        if (side_by_side(f, &f->way[i]))
            return 1;
    struct cut_form plain = *f;
    plain.ways = f->ways > 0; /* the evaluator knows no other */
    if (f->whole || !w->linear || !cut_disjoint(&plain, &plain, 0))
        return CW_EVAL_MAX_SPANS + 1;
    for (int i = 0; i < w->n && pieces <= CW_EVAL_MAX_SPANS; i++)
        if (w->digit[i].stride > (w->slab < 0 ? -w->slab : w->slab))
            pieces = cw_wide_mul(pieces, w->digit[i].hi - w->digit[i].lo + 1);
    return pieces > CW_EVAL_MAX_SPANS ? CW_EVAL_MAX_SPANS + 1 : (int64_t)pieces;
}
