/* poly.c - see poly.h. */
#include "poly.h"

#include <string.h>

void cw_poly_const(struct cw_poly *p, int64_t value)
{
    p->n = value != 0;
    p->term[0] = (struct cw_term){.coefficient = value};
}

void cw_poly_var(struct cw_poly *p, int var)
{
    p->n = 1;
    p->term[0] = (struct cw_term){.coefficient = 1};
    p->term[0].var[CW_POLY_DEGREE - 1] = (uint8_t)var;
}

/* The variables of a term as one number that orders terms. */
static uint32_t key(const struct cw_term *t)
{
    return (uint32_t)t->var[0] << 24 | (uint32_t)t->var[1] << 16 | (uint32_t)t->var[2] << 8 | t->var[3];
}

bool cw_poly_add(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b, int64_t scale)
{
    struct cw_poly r; /* not dst: it may be a or b */
    int i = 0, j = 0;
    r.n = 0;
    while (i < a->n || j < b->n) {
        uint32_t x = i < a->n ? key(&a->term[i]) : UINT32_MAX, y = j < b->n ? key(&b->term[j]) : UINT32_MAX;
        bool ours = i < a->n && x <= y, theirs = j < b->n && y <= x;
        struct cw_term t = ours ? a->term[i] : b->term[j];
        int64_t other = 0;
        if (theirs && __builtin_mul_overflow(b->term[j].coefficient, scale, &other))
            return false;
        if (!ours)
            t.coefficient = other;
        else if (theirs && __builtin_add_overflow(t.coefficient, other, &t.coefficient))
            return false;
        i += ours;
        j += theirs;
        if (t.coefficient == 0)
            continue;
        if (r.n == CW_POLY_TERMS)
            return false;
        r.term[r.n++] = t;
    }
    dst->n = r.n;
    memcpy(dst->term, r.term, (size_t)r.n * sizeof *r.term);
    return true;
}

/* Merges two sorted variable lists; false when the degree is too high. */
static bool join(uint8_t out[CW_POLY_DEGREE], const uint8_t *a, const uint8_t *b)
{
    int i = CW_POLY_DEGREE - 1, j = CW_POLY_DEGREE - 1;
    for (int k = CW_POLY_DEGREE - 1; k >= 0; k--) {
        uint8_t x = i >= 0 ? a[i] : 0, y = j >= 0 ? b[j] : 0;
        out[k] = x > y ? x : y;
        if (x > y)
            i--;
        else if (y)
            j--;
    }
    return (i < 0 || !a[i]) && (j < 0 || !b[j]);
}

static bool scale(struct cw_poly *dst, const struct cw_poly *a, int64_t by)
{
    dst->n = by ? a->n : 0;
    for (int i = 0; i < dst->n; i++) {
        dst->term[i] = a->term[i];
        if (__builtin_mul_overflow(a->term[i].coefficient, by, &dst->term[i].coefficient))
            return false;
    }
    return true;
}

bool cw_poly_mul(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b)
{
    int64_t c;
    if (cw_poly_is_const(b, &c))
        return scale(dst, a, c);
    if (cw_poly_is_const(a, &c))
        return scale(dst, b, c);
    dst->n = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            struct cw_poly one;
            one.n = 1;
            if (!join(one.term[0].var, a->term[i].var, b->term[j].var) ||
                __builtin_mul_overflow(a->term[i].coefficient, b->term[j].coefficient,
                                       &one.term[0].coefficient) ||
                !cw_poly_add(dst, dst, &one, 1))
                return false;
        }
    return true;
}

bool cw_poly_divide(struct cw_poly *dst, const struct cw_poly *a, int64_t d)
{
    for (int i = 0; i < a->n; i++)
        if (a->term[i].coefficient % d != 0)
            return false;
    *dst = *a;
    for (int i = 0; i < a->n; i++)
        dst->term[i].coefficient /= d;
    return true;
}

int64_t cw_poly_constant(const struct cw_poly *p)
{
    return p->n && !key(&p->term[0]) ? p->term[0].coefficient : 0;
}

bool cw_poly_is_const(const struct cw_poly *p, int64_t *value)
{
    *value = cw_poly_constant(p);
    return p->n == 0 || (p->n == 1 && !key(&p->term[0]));
}

int cw_poly_uses(const struct cw_poly *p, int var, int64_t *coefficient)
{
    int uses = 0;
    *coefficient = 0;
    for (int i = 0; i < p->n; i++) {
        const uint8_t *v = p->term[i].var;
        if (v[0] != var && v[1] != var && v[2] != var && v[3] != var)
            continue;
        uses++;
        if (v[CW_POLY_DEGREE - 1] == var && v[CW_POLY_DEGREE - 2] == 0)
            *coefficient = p->term[i].coefficient;
    }
    return uses;
}

bool cw_poly_equal(const struct cw_poly *a, const struct cw_poly *b)
{
    bool equal = a->n == b->n;
    for (int i = 0; i < a->n && equal; i++) /* not byte by byte: terms are padded */
        equal = a->term[i].coefficient == b->term[i].coefficient && key(&a->term[i]) == key(&b->term[i]);
    return equal;
}

bool cw_poly_is_linear(const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->term[i].var[CW_POLY_DEGREE - 2])
            return false;
    return true;
}

static cw_wide clamp(cw_wide v)
{
    return v > CW_WIDE_LIMIT ? CW_WIDE_LIMIT : v < -CW_WIDE_LIMIT ? -CW_WIDE_LIMIT : v;
}

cw_wide cw_wide_mul(cw_wide a, cw_wide b)
{
    cw_wide r;
    if (__builtin_mul_overflow(a, b, &r))
        return (a < 0) == (b < 0) ? CW_WIDE_LIMIT : -CW_WIDE_LIMIT;
    return clamp(r);
}

cw_wide cw_wide_floor_div(cw_wide a, cw_wide b)
{
    cw_wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

cw_wide cw_wide_ceil_div(cw_wide a, cw_wide b)
{
    return -cw_wide_floor_div(-a, b);
}

static struct cw_range range_mul(struct cw_range a, struct cw_range b)
{
    cw_wide c[4] = {cw_wide_mul(a.lo, b.lo), cw_wide_mul(a.lo, b.hi), cw_wide_mul(a.hi, b.lo),
                    cw_wide_mul(a.hi, b.hi)};
    struct cw_range r = {c[0], c[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = c[i] < r.lo ? c[i] : r.lo;
        r.hi = c[i] > r.hi ? c[i] : r.hi;
    }
    return r;
}

static bool fits_64(const struct cw_range *r)
{
    return r->lo == (int64_t)r->lo && r->hi == (int64_t)r->hi;
}

/* Bounds as the sum of the bounds of the terms. A bound that was cut ("at least that far out") must not be
 * added to as if it were the term's own: the sum is as far out too. */
static struct cw_range range_by_terms(const struct cw_poly *p, const struct cw_range *range)
{
    struct cw_range sum = {0, 0};
    bool below = false, above = false;
    for (int i = 0; i < p->n; i++) {
        int64_t c = p->term[i].coefficient;
        struct cw_range t = {c, c};
        const uint8_t *v = p->term[i].var;
        if (!v[CW_POLY_DEGREE - 2] && fits_64(&range[v[CW_POLY_DEGREE - 1]])) {
            const struct cw_range *r = &range[v[CW_POLY_DEGREE - 1]];
            int64_t least = (int64_t)(c < 0 ? r->hi : r->lo), most = (int64_t)(c < 0 ? r->lo : r->hi);
            if (v[CW_POLY_DEGREE - 1])
                t = (struct cw_range){clamp((cw_wide)c * least), clamp((cw_wide)c * most)};
        } else {
            for (int k = 0; k < CW_POLY_DEGREE; k++)
                if (v[k])
                    t = range_mul(t, range[v[k]]);
        }
        below |= t.lo <= -CW_WIDE_LIMIT;
        above |= t.hi >= CW_WIDE_LIMIT;
        sum.lo += t.lo; /* few terms of at most 2^100: no overflow */
        sum.hi += t.hi;
    }
    return (struct cw_range){below ? -CW_WIDE_LIMIT : clamp(sum.lo), above ? CW_WIDE_LIMIT : clamp(sum.hi)};
}

/* Collects the variables that are not single values; false when there are more than `max` or one is squared.
 */
static bool corners_of(const struct cw_poly *p, const struct cw_range *range, uint8_t *var, int max, int *n)
{
    *n = 0;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            uint8_t v = p->term[i].var[k];
            if (!v || range[v].lo == range[v].hi)
                continue;
            if (k > 0 && p->term[i].var[k - 1] == v)
                return false;
            if (memchr(var, v, (size_t)*n))
                continue;
            if (*n == max)
                return false;
            var[(*n)++] = v;
        }
    return true;
}

struct cw_range cw_poly_range(const struct cw_poly *p, const struct cw_range *range)
{
    struct cw_range loose = range_by_terms(p, range);
    uint8_t var[8];
    int n;
    if (cw_poly_is_linear(p) || !corners_of(p, range, var, 8, &n))
        return loose;
    struct cw_range corner[256], tight = {CW_WIDE_LIMIT, -CW_WIDE_LIMIT};
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            corner[p->term[i].var[k]] = range[p->term[i].var[k]];
    for (int bits = 0; bits < 1 << n; bits++) {
        for (int k = 0; k < n; k++) {
            cw_wide end = bits >> k & 1 ? range[var[k]].hi : range[var[k]].lo;
            corner[var[k]] = (struct cw_range){end, end};
        }
        struct cw_range at = range_by_terms(p, corner);
        tight.lo = at.lo < tight.lo ? at.lo : tight.lo;
        tight.hi = at.hi > tight.hi ? at.hi : tight.hi;
    }
    return tight;
}
