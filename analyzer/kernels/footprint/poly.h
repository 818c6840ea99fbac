/* poly.h - integer polynomials over small sets of variables, with checked arithmetic.
 *
 * A polynomial is a sum of terms: a 64-bit coefficient times a product of up to four variables, named by
 * numbers 1..255. Terms are kept sorted, without zero coefficients (but for a constant that is a formula and
 * happens to be zero) and without duplicates, so that equal polynomials have equal terms. Too many terms, too
 * high a degree or too large a coefficient is refused, never rounded. While a launch is recorded, the
 * formulas of coefficients are carried along, and that they are zero, or not, is remembered. */
#ifndef CW_FOOTPRINT_POLY_H
#define CW_FOOTPRINT_POLY_H

#include "formula.h"

#define CW_POLY_TERMS  24
#define CW_POLY_DEGREE 4

/* Bounds beyond ±CW_WIDE_LIMIT are cut to it: "at least that far out". */
#define CW_WIDE_LIMIT ((cw_wide)1 << 100)

struct cw_range {
    cw_wide lo, hi;        /* both inclusive; empty when lo > hi */
    uint32_t lo_id, hi_id; /* their formulas, while a launch is recorded (formula.h); else 0 */
};

struct cw_term {
    int64_t coefficient;
    uint8_t var[CW_POLY_DEGREE]; /* ascending, zeros (no variable) first */
    uint32_t id;                 /* formula of the coefficient; 0: none */
};

struct cw_poly {
    int n;
    struct cw_term term[CW_POLY_TERMS];
};

void cw_poly_const(struct cw_poly *p, int64_t value);
void cw_poly_value(struct cw_poly *p, struct cw_value value); /* the value fits 64 bits */
void cw_poly_var(struct cw_poly *p, int var);

/* dst = a + scale * b; dst may be a or b. False, dst undefined, when the result does not fit. */
bool cw_poly_add(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b, int64_t scale);
/* dst = a * b; dst must be neither. False when the result does not fit. */
bool cw_poly_mul(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b);

/* *value, which may be NULL, as a plain number (cw_formula_value_pin). */
bool cw_poly_is_const(const struct cw_poly *p, int64_t *value);
int64_t cw_poly_constant(const struct cw_poly *p);
struct cw_value cw_poly_constant_value(const struct cw_poly *p);
/* How many terms mention `var`; *coefficient gets the coefficient of the term that is `var` alone, or 0, as a
 * plain number; it may be NULL. */
int cw_poly_uses(const struct cw_poly *p, int var, int64_t *coefficient);
/* The same, with the formula. */
int cw_poly_uses_value(const struct cw_poly *p, int var, struct cw_value *coefficient);
bool cw_poly_equal(const struct cw_poly *a, const struct cw_poly *b);
/* No term has two variables. */
bool cw_poly_is_linear(const struct cw_poly *p);

/* Bounds of p when every variable v lies, independently of the others, in range[v]. Exact for linear
 * polynomials and, for up to 8 variables, for multilinear ones (a multilinear polynomial has its extrema at
 * corners). */
struct cw_range cw_poly_range(const struct cw_poly *p, const struct cw_range *range);

static inline struct cw_value cw_range_lo(struct cw_range r)
{
    return (struct cw_value){r.lo, r.lo_id};
}

static inline struct cw_value cw_range_hi(struct cw_range r)
{
    return (struct cw_value){r.hi, r.hi_id};
}

static inline struct cw_range cw_range_of(struct cw_value lo, struct cw_value hi)
{
    return (struct cw_range){lo.v, hi.v, lo.id, hi.id};
}

/* Plain numbers. */
static inline struct cw_range cw_range_numbers(cw_wide lo, cw_wide hi)
{
    return (struct cw_range){lo, hi, 0, 0};
}

/* floor(a / b), b > 0 */
struct cw_value cw_poly_value_floor(struct cw_value a, struct cw_value b);
struct cw_value cw_poly_value_mul(struct cw_value a, struct cw_value b);

/* Saturating helpers for bounds. */
cw_wide cw_poly_wide_mul(cw_wide a, cw_wide b);
cw_wide cw_poly_wide_floor_div(cw_wide a, cw_wide b); /* b != 0 */
cw_wide cw_poly_wide_ceil_div(cw_wide a, cw_wide b);

#endif
