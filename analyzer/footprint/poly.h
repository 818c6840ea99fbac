/* poly.h - integer polynomials over small sets of variables, with checked arithmetic.
 *
 * A polynomial is a sum of terms: a 64-bit coefficient times a product of up to four variables, named by
 * numbers 1..255. Terms are kept sorted, without zero coefficients and without duplicates, so that equal
 * polynomials have equal terms. Whatever does not fit (terms, degree, coefficient) is refused, never
 * rounded. */
#ifndef CW_FOOTPRINT_POLY_H
#define CW_FOOTPRINT_POLY_H

#include <stdbool.h>
#include <stdint.h>

#define CW_POLY_TERMS  24
#define CW_POLY_DEGREE 4

typedef __int128 cw_wide;

/* Bounds beyond ±CW_WIDE_LIMIT are cut to it: "at least that far out". */
#define CW_WIDE_LIMIT ((cw_wide)1 << 100)

struct cw_range {
    cw_wide lo, hi; /* both inclusive; empty when lo > hi */
};

struct cw_term {
    int64_t coefficient;
    uint8_t var[CW_POLY_DEGREE]; /* ascending, zeros (no variable) first */
};

struct cw_poly {
    int n;
    struct cw_term term[CW_POLY_TERMS];
};

void cw_poly_const(struct cw_poly *p, int64_t value);
void cw_poly_var(struct cw_poly *p, int var);

/* dst = a + scale * b; dst may be a or b. False, dst undefined, when the result does not fit. */
bool cw_poly_add(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b, int64_t scale);
/* dst = a * b; dst must be neither. False when the result does not fit. */
bool cw_poly_mul(struct cw_poly *dst, const struct cw_poly *a, const struct cw_poly *b);
/* dst = a / d when every coefficient is a multiple of d > 0; else false. */
bool cw_poly_divide(struct cw_poly *dst, const struct cw_poly *a, int64_t d);

bool cw_poly_is_const(const struct cw_poly *p, int64_t *value);
int64_t cw_poly_constant(const struct cw_poly *p);
/* How many terms mention `var`; *coefficient gets the coefficient of the term that is `var` alone, or 0. */
int cw_poly_uses(const struct cw_poly *p, int var, int64_t *coefficient);
bool cw_poly_equal(const struct cw_poly *a, const struct cw_poly *b);
/* No term has two variables. */
bool cw_poly_is_linear(const struct cw_poly *p);

/* Bounds of p when every variable v lies, independently of the others, in range[v]. Exact for linear
 * polynomials and, for up to 8 variables, for multilinear ones (a multilinear polynomial has its extrema at
 * corners). */
struct cw_range cw_poly_range(const struct cw_poly *p, const struct cw_range *range);

/* Saturating helpers for bounds. */
cw_wide cw_wide_mul(cw_wide a, cw_wide b);
cw_wide cw_wide_floor_div(cw_wide a, cw_wide b); /* b != 0 */
cw_wide cw_wide_ceil_div(cw_wide a, cw_wide b);

#endif
