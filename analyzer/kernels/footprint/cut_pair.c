/* cut_pair.c - whether two accesses of different slabs can meet. See cut_form.h.
 *
 * With D = first byte of a - first byte of b they meet exactly when -bytes(a) < D < bytes(b). Each of the
 * tests below excludes that; that one of them succeeds is enough, that all fail proves nothing. */
#include "cut_form.h"

#include <string.h>

/* D = rest + the sum of stride * x, ascending. */
struct difference {
    const struct cut_form *a, *b;
    const struct cut_way *x, *y;
    int64_t shift;
    struct cw_range rest;
    int n;
    struct cut_digit digit[2 * CUT_MAX_DIGITS + 2];
    cw_wide moved[2 * CUT_MAX_DIGITS + 2]; /* from rest to that digit, bytes */
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
static bool distant(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                    const struct cut_way *y, int64_t shift)
{
    return x->total.hi + a->bytes <= y->total.lo + shift || y->total.hi + shift + b->bytes <= x->total.lo;
}

cw_wide cw_cut_gcd(cw_wide a, cw_wide b)
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
        g = cw_cut_gcd(g, w->digit[i].stride);
    return cw_cut_gcd(g, w->slab);
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

/* `merge`: with another digit of the same stride */
static void add_digit(struct difference *d, cw_wide stride, cw_wide lo, cw_wide hi, bool merge)
{
    if (stride < 0) {
        add_digit(d, -stride, -hi, -lo, merge);
        return;
    }
    if (lo == hi || stride == 0) { /* a constant */
        d->rest.lo += cw_poly_wide_mul(stride, lo);
        d->rest.hi += cw_poly_wide_mul(stride, lo);
        return;
    }
    int at = 0;
    while (at < d->n && d->digit[at].stride < stride)
        at++;
    if (at < d->n && d->digit[at].stride == stride && merge) {
        d->digit[at].lo += lo;
        d->digit[at].hi += hi;
        return;
    }
    while (at < d->n && d->digit[at].stride == stride)
        at++;
    memmove(&d->digit[at + 1], &d->digit[at], (size_t)(d->n - at) * sizeof *d->digit);
    d->digit[at] = (struct cut_digit){stride, lo, hi};
    d->n++;
}

/* Everything in D but the group ids. */
static void subtract(struct difference *d)
{
    const struct cut_way *x = d->x, *y = d->y;
    d->rest = cw_range_numbers(x->slack.lo - y->slack.hi - d->shift, x->slack.hi - y->slack.lo - d->shift);
    for (int i = 0; i < x->n; i++)
        add_digit(d, x->digit[i].stride, x->digit[i].lo, x->digit[i].hi, true);
    for (int i = 0; i < y->n; i++)
        add_digit(d, y->digit[i].stride, -y->digit[i].hi, -y->digit[i].lo, true);
}

/* Whole multiples of the strides from digit `from` on are taken out of the constant: they shift those digits.
 */
static void take_out_multiples(struct difference *d, int from)
{
    for (int i = d->n - 1; i >= from; i--) {
        struct cut_digit *g = &d->digit[i];
        cw_wide q = cw_poly_wide_floor_div(d->rest.lo + g->stride / 2, g->stride);
        g->lo += q;
        g->hi += q;
        d->rest.lo -= q * g->stride;
        d->rest.hi -= q * g->stride;
        d->moved[i] = q * g->stride;
    }
}

/* Bounds of the sum of all terms below `stride`, slabs included, as guards narrow it; `moved` of it has been
 * moved to digits at or above. */
static struct cw_range known_below(const struct difference *d, cw_wide stride, cw_wide moved)
{
    const struct cut_way *x = d->x, *y = d->y;
    int i = 0, k = 0;
    while (i < x->n && x->digit[i].stride < stride)
        i++;
    while (k < y->n && y->digit[k].stride < stride)
        k++;
    return cw_range_numbers(x->below[i].lo - y->below[k].hi - d->shift - moved,
                            x->below[i].hi - y->below[k].lo - d->shift - moved);
}

/* Suppose that each digit from `from` on outweighs all that is below it. Then either one of them is not 0,
 * and the highest such puts D out of reach; or all are 0 and D is the sum below `from`. */
static bool out_of_reach(struct difference d, int from)
{
    const int64_t up = d.b->bytes, down = -d.a->bytes;
    cw_wide slab = d.x->slab < 0 ? -d.x->slab : d.x->slab, other = d.y->slab < 0 ? -d.y->slab : d.y->slab;
    cw_wide moved = 0; /* to this digit and those above */
    bool nonzero = false;
    take_out_multiples(&d, from);
    for (int i = from; i < d.n; i++)
        moved += d.moved[i];
    struct cw_range below = d.rest, at_from = below;
    for (int i = 0; i < d.n; i++) {
        const struct cut_digit *g = &d.digit[i];
        if (i >= from && g->stride > slab && g->stride > other) {
            struct cw_range known = known_below(&d, g->stride, moved);
            below.lo = most(below.lo, known.lo);
            below.hi = least(below.hi, known.hi);
        }
        if (i >= from && ((g->hi > 0 && (g->lo > 0 ? g->lo : 1) * g->stride + below.lo < up) ||
                          (g->lo < 0 && (g->hi < 0 ? g->hi : -1) * g->stride + below.hi > down)))
            return false;
        nonzero |= i >= from && (g->lo > 0 || g->hi < 0);
        below.lo += cw_poly_wide_mul(g->stride, g->lo);
        below.hi += cw_poly_wide_mul(g->stride, g->hi);
        moved -= i >= from ? d.moved[i] : 0;
        if (i < from)
            at_from = below;
    }
    return nonzero || at_from.lo >= up || at_from.hi <= down;
}

static bool excluded(const struct difference *d)
{
    for (int from = d->n; from >= 0; from--)
        if (out_of_reach(*d, from))
            return true;
    return false;
}

/* The same, when the group ids differ by lo .. hi. */
static bool excluded_at(const struct difference *d, cw_wide slab, cw_wide lo, cw_wide hi)
{
    struct difference with = *d;
    if (lo > hi)
        return true;
    add_digit(&with, slab, lo, hi, false);
    return excluded(&with);
}

/* Near slabs one by one, for those that are woven into each other (blocks along a diagonal), far ones at
 * once. */
static bool weighed(const struct cut_form *a, const struct cut_way *x, const struct cut_form *b,
                    const struct cut_way *y, int64_t shift)
{
    enum { NEAR = 4 };
    struct difference d = {.a = a, .b = b, .x = x, .y = y, .shift = shift};
    if (x->mixed || y->mixed)
        return false;
    subtract(&d);
    cw_wide slabs = most(a->slabs.hi, b->slabs.hi) - least(a->slabs.lo, b->slabs.lo);
    if (x->slab != y->slab || x->slab == 0) {
        add_digit(&d, x->slab, a->slabs.lo, a->slabs.hi, true);
        add_digit(&d, y->slab, -b->slabs.hi, -b->slabs.lo, true);
        return excluded(&d);
    }
    for (int sign = 0; sign < 2; sign++) {
        cw_wide c = sign ? -x->slab : x->slab;
        if (excluded_at(&d, c, 1, slabs))
            continue;
        for (int near = 1; near <= NEAR && near <= slabs; near++)
            if (!excluded_at(&d, c, near, near))
                return false;
        if (!excluded_at(&d, c, NEAR + 1, slabs))
            return false;
    }
    return true;
}

bool cw_cut_disjoint(const struct cut_form *a, const struct cut_form *b, int64_t shift)
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
            if (distant(a, x, b, y, shift) || interleaved(a, x, b, y, shift) || weighed(a, x, b, y, shift) ||
                cw_cut_incongruent(a, x, b, y, shift))
                return true;
        }
    return false;
}

bool cw_cut_aligned(const struct cut_form *f, int64_t bytes)
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
        extent += cw_poly_wide_mul(w->digit[i].stride, w->digit[i].hi - w->digit[i].lo);
    return !w->mixed && (w->slab < 0 ? -w->slab : w->slab) >= extent;
}

int64_t cw_cut_pieces(const struct cut_form *f)
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
    if (f->whole || !w->linear || !cw_cut_disjoint(&plain, &plain, 0))
        return CW_EVAL_MAX_SPANS + 1;
    for (int i = 0; i < w->n && pieces <= CW_EVAL_MAX_SPANS; i++)
        if (w->digit[i].stride > (w->slab < 0 ? -w->slab : w->slab))
            pieces = cw_poly_wide_mul(pieces, w->digit[i].hi - w->digit[i].lo + 1);
    return pieces > CW_EVAL_MAX_SPANS ? CW_EVAL_MAX_SPANS + 1 : (int64_t)pieces;
}
