/* poly.c - see poly.h. */
#include "poly.h"

#include <string.h>

void cw_poly_const(struct cw_poly *p, int64_t value)
{
    p->n = value != 0;
    p->term[0] = (struct cw_term){.coefficient = value};
}

void cw_poly_value(struct cw_poly *p, struct cw_value value)
{
    p->n = value.v != 0 || value.id;
    p->term[0] = (struct cw_term){.coefficient = (int64_t)value.v, .id = value.id};
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

static struct cw_value value_of(const struct cw_term *t)
{
    return (struct cw_value){t->coefficient, t->id};
}

/* The formula of t = a + b * scale; b, or a, may be NULL. */
static uint32_t sum_id(const struct cw_term *a, const struct cw_term *b, int64_t scale)
{
    struct cw_value sum = cw_value_number(0);
    if (b)
        sum = cw_poly_value_mul(value_of(b), cw_value_number(scale));
    return cw_value_add(a ? value_of(a) : cw_value_number(0), sum).id;
}

/* A term may be left out: it is zero, now and whenever the recording is used. */
static bool vanishes(const struct cw_term *t)
{
    if (!t->id)
        return t->coefficient == 0;
    return t->var[CW_POLY_DEGREE - 1] && cw_value_equal(value_of(t), cw_value_number(0));
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
        if (theirs && (t.id | b->term[j].id))
            t.id = sum_id(ours ? &a->term[i] : NULL, &b->term[j], scale);
        i += ours;
        j += theirs;
        if (vanishes(&t))
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

/* dst = a * by */
static bool scale(struct cw_poly *dst, const struct cw_poly *a, struct cw_value by)
{
    dst->n = 0;
    for (int i = 0; i < a->n; i++) {
        struct cw_term t = a->term[i];
        if (__builtin_mul_overflow(a->term[i].coefficient, (int64_t)by.v, &t.coefficient))
            return false;
        t.id = by.id | t.id ? cw_poly_value_mul(value_of(&a->term[i]), by).id : 0;
        if (!vanishes(&t))
            dst->term[dst->n++] = t;
    }
    return true;
}

static struct cw_value constant_of(const struct cw_poly *p)
{
    return p->n ? value_of(&p->term[0]) : cw_value_number(0);
}

bool cw_poly_mul(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b)
{
    if (cw_poly_is_const(b, NULL))
        return scale(dst, a, constant_of(b));
    if (cw_poly_is_const(a, NULL))
        return scale(dst, b, constant_of(a));
    dst->n = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            struct cw_poly one;
            one.n = 1;
            if (!join(one.term[0].var, a->term[i].var, b->term[j].var) ||
                __builtin_mul_overflow(a->term[i].coefficient, b->term[j].coefficient,
                                       &one.term[0].coefficient))
                return false;
            one.term[0].id = a->term[i].id | b->term[j].id
                                 ? cw_poly_value_mul(value_of(&a->term[i]), value_of(&b->term[j])).id
                                 : 0;
            if (!cw_poly_add(dst, dst, &one, 1))
                return false;
        }
    return true;
}

struct cw_value cw_poly_constant_value(const struct cw_poly *p)
{
    return p->n && !key(&p->term[0]) ? value_of(&p->term[0]) : cw_value_number(0);
}

int64_t cw_poly_constant(const struct cw_poly *p)
{
    return (int64_t)cw_formula_value_pin(cw_poly_constant_value(p));
}

bool cw_poly_is_const(const struct cw_poly *p, int64_t *value)
{
    bool is_const = p->n == 0 || (p->n == 1 && !key(&p->term[0]));
    if (value)
        *value = is_const ? cw_poly_constant(p) : (int64_t)cw_poly_constant_value(p).v;
    return is_const;
}

int cw_poly_uses_value(const struct cw_poly *p, int var, struct cw_value *coefficient)
{
    int uses = 0;
    *coefficient = cw_value_number(0);
    for (int i = 0; i < p->n; i++) {
        const uint8_t *v = p->term[i].var;
        if (v[0] != var && v[1] != var && v[2] != var && v[3] != var)
            continue;
        uses++;
        if (v[CW_POLY_DEGREE - 1] == var && v[CW_POLY_DEGREE - 2] == 0)
            *coefficient = value_of(&p->term[i]);
    }
    return uses;
}

int cw_poly_uses(const struct cw_poly *p, int var, int64_t *coefficient)
{
    struct cw_value v;
    int uses = cw_poly_uses_value(p, var, &v);
    if (coefficient)
        *coefficient = (int64_t)cw_formula_value_pin(v);
    return uses;
}

bool cw_poly_equal(const struct cw_poly *a, const struct cw_poly *b)
{
    bool equal = a->n == b->n;
    for (int i = 0; i < a->n && equal; i++) /* not byte by byte: terms are padded */
        equal = a->term[i].coefficient == b->term[i].coefficient && a->term[i].id == b->term[i].id &&
                key(&a->term[i]) == key(&b->term[i]);
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

struct cw_value cw_poly_value_mul(struct cw_value a, struct cw_value b)
{
    return a.id | b.id ? cw_formula_of(CW_FORMULA_MUL, a, b) : cw_value_number(cw_poly_wide_mul(a.v, b.v));
}

struct cw_value cw_poly_value_floor(struct cw_value a, struct cw_value b)
{
    if (a.id | b.id)
        return cw_formula_of(CW_FORMULA_FLOOR, a, b);
    if (a.v == (int64_t)a.v && b.v == (int64_t)b.v) { /* much the shorter division */
        int64_t x = (int64_t)a.v, y = (int64_t)b.v, q = x / y;
        return cw_value_number(x % y < 0 ? q - 1 : q);
    }
    return cw_value_number(cw_poly_wide_floor_div(a.v, b.v));
}

cw_wide cw_poly_wide_mul(cw_wide a, cw_wide b)
{
    cw_wide r;
    if (__builtin_mul_overflow(a, b, &r))
        return (a < 0) == (b < 0) ? CW_WIDE_LIMIT : -CW_WIDE_LIMIT;
    return clamp(r);
}

cw_wide cw_poly_wide_floor_div(cw_wide a, cw_wide b)
{
    cw_wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

cw_wide cw_poly_wide_ceil_div(cw_wide a, cw_wide b)
{
    return -cw_poly_wide_floor_div(-a, b);
}

static struct cw_range range_mul(struct cw_range a, struct cw_range b)
{
    cw_wide c[4] = {cw_poly_wide_mul(a.lo, b.lo), cw_poly_wide_mul(a.lo, b.hi), cw_poly_wide_mul(a.hi, b.lo),
                    cw_poly_wide_mul(a.hi, b.hi)};
    struct cw_range r = cw_range_numbers(c[0], c[0]);
    for (int i = 1; i < 4; i++) {
        r.lo = c[i] < r.lo ? c[i] : r.lo;
        r.hi = c[i] > r.hi ? c[i] : r.hi;
    }
    return r;
}

/* The same for bounds of which some have formulas. */
static struct cw_range recorded_mul(struct cw_range a, struct cw_range b)
{
    struct cw_value zero = cw_value_number(0), lo, hi;
    if (!cw_value_less(cw_range_lo(a), zero) && !cw_value_less(cw_range_lo(b), zero))
        return cw_range_of(cw_poly_value_mul(cw_range_lo(a), cw_range_lo(b)),
                           cw_poly_value_mul(cw_range_hi(a), cw_range_hi(b)));
    lo = hi = cw_poly_value_mul(cw_range_lo(a), cw_range_lo(b));
    for (int i = 1; i < 4; i++) {
        struct cw_value c = cw_poly_value_mul(i & 1 ? cw_range_hi(a) : cw_range_lo(a),
                                              i & 2 ? cw_range_hi(b) : cw_range_lo(b));
        lo = cw_value_min(lo, c);
        hi = cw_value_max(hi, c);
    }
    return cw_range_of(lo, hi);
}

static struct cw_range recorded_range(const struct cw_poly *p, const struct cw_range *range)
{
    struct cw_value zero = cw_value_number(0), lo = zero, hi = zero;
    for (int i = 0; i < p->n; i++) {
        const uint8_t *v = p->term[i].var;
        struct cw_value c = value_of(&p->term[i]);
        struct cw_range t = cw_range_of(c, c);
        if (v[CW_POLY_DEGREE - 1] && !v[CW_POLY_DEGREE - 2]) {
            struct cw_range r = range[v[CW_POLY_DEGREE - 1]];
            bool negative = cw_value_less(c, zero);
            t = cw_range_of(cw_poly_value_mul(c, negative ? cw_range_hi(r) : cw_range_lo(r)),
                            cw_poly_value_mul(c, negative ? cw_range_lo(r) : cw_range_hi(r)));
        } else {
            for (int k = 0; k < CW_POLY_DEGREE; k++)
                if (v[k])
                    t = recorded_mul(t, range[v[k]]);
        }
        lo = cw_value_add(lo, cw_range_lo(t));
        hi = cw_value_add(hi, cw_range_hi(t));
    }
    return cw_range_of(lo, hi);
}

static bool fits_64(const struct cw_range *r)
{
    return r->lo == (int64_t)r->lo && r->hi == (int64_t)r->hi;
}

/* Bounds as the sum of the bounds of the terms. A bound that was cut ("at least that far out") must not be
 * added to as if it were the term's own: the sum is as far out too. */
static struct cw_range range_by_terms(const struct cw_poly *p, const struct cw_range *range)
{
    struct cw_range sum = cw_range_numbers(0, 0);
    bool below = false, above = false;
    uint32_t ids = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t c = p->term[i].coefficient;
        struct cw_range t = cw_range_numbers(c, c);
        const uint8_t *v = p->term[i].var;
        ids |= p->term[i].id;
        for (int k = CW_POLY_DEGREE - 1; k >= 0 && v[k]; k--)
            ids |= range[v[k]].lo_id | range[v[k]].hi_id;
        if (!v[CW_POLY_DEGREE - 2] && fits_64(&range[v[CW_POLY_DEGREE - 1]])) {
            const struct cw_range *r = &range[v[CW_POLY_DEGREE - 1]];
            int64_t least = (int64_t)(c < 0 ? r->hi : r->lo), most = (int64_t)(c < 0 ? r->lo : r->hi);
            if (v[CW_POLY_DEGREE - 1])
                t = cw_range_numbers(clamp((cw_wide)c * least), clamp((cw_wide)c * most));
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
    if (ids)
        return recorded_range(p, range);
    return cw_range_numbers(below ? -CW_WIDE_LIMIT : clamp(sum.lo), above ? CW_WIDE_LIMIT : clamp(sum.hi));
}

/* Collects the variables that are not single values; false when there are more than `max` or one is squared.
 */
static bool corners_of(const struct cw_poly *p, const struct cw_range *range, uint8_t *var, int max, int *n)
{
    *n = 0;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            uint8_t v = p->term[i].var[k];
            if (!v || cw_value_equal(cw_range_lo(range[v]), cw_range_hi(range[v])))
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
    struct cw_range corner[256], tight = {0};
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            corner[p->term[i].var[k]] = range[p->term[i].var[k]];
    for (int bits = 0; bits < 1 << n; bits++) {
        for (int k = 0; k < n; k++) {
            struct cw_value end = bits >> k & 1 ? cw_range_hi(range[var[k]]) : cw_range_lo(range[var[k]]);
            corner[var[k]] = cw_range_of(end, end);
        }
        struct cw_range at = range_by_terms(p, corner);
        tight = bits ? cw_range_of(cw_value_min(cw_range_lo(tight), cw_range_lo(at)),
                                   cw_value_max(cw_range_hi(tight), cw_range_hi(at)))
                     : at;
    }
    return tight;
}
