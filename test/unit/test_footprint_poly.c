/* test_footprint_poly.c - bounds of polynomials: never inside of the true ones, also where they are too far
 * out to be numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../analyzer/kernels/footprint/poly.h"

static uint64_t seed = 88172645463325252u;

static int draw(int below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)((uint32_t)(seed >> 32) % (unsigned)below);
}

enum { X = 1, Y = 2, Z = 3 };

static int64_t value(const struct cw_poly *p, const int64_t at[4])
{
    int64_t sum = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t t = p->term[i].coefficient;
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            t *= p->term[i].var[k] ? at[p->term[i].var[k]] : 1;
        sum += t;
    }
    return sum;
}

static void random_poly(struct cw_poly *p)
{
    cw_poly_const(p, draw(11) - 5);
    for (int terms = draw(5); terms > 0; terms--) {
        struct cw_poly t, factor, product;
        cw_poly_const(&t, draw(11) - 5);
        for (int degree = draw(3); degree > 0; degree--) {
            cw_poly_var(&factor, 1 + draw(3));
            assert_true(cw_poly_mul(&product, &t, &factor));
            t = product;
        }
        assert_true(cw_poly_add(p, p, &t, 1));
    }
}

static void bounds_hold_in_every_point(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct cw_poly p;
        struct cw_range range[256] = {{0}};
        random_poly(&p);
        for (int v = X; v <= Z; v++) {
            range[v].lo = draw(9) - 4;
            range[v].hi = range[v].lo + draw(4);
        }
        struct cw_range r = cw_poly_range(&p, range), seen = cw_range_numbers(INT64_MAX, INT64_MIN);
        for (int64_t x = (int64_t)range[X].lo; x <= range[X].hi; x++)
            for (int64_t y = (int64_t)range[Y].lo; y <= range[Y].hi; y++)
                for (int64_t z = (int64_t)range[Z].lo; z <= range[Z].hi; z++) {
                    int64_t v = value(&p, (int64_t[]){0, x, y, z});
                    seen.lo = v < seen.lo ? v : seen.lo;
                    seen.hi = v > seen.hi ? v : seen.hi;
                }
        assert_true(r.lo <= seen.lo && r.hi >= seen.hi);
        if (cw_poly_is_linear(&p))
            assert_true(r.lo == seen.lo && r.hi == seen.hi);
    }
}

/* 2^62 x - 2^62 y with x, y so large that each term is cut: their difference may be anything. */
static void bounds_that_were_cut_do_not_cancel(void **state)
{
    const int64_t big = INT64_C(1) << 62;
    struct cw_poly p, x, y;
    struct cw_range range[256] = {{0}};
    (void)state;
    cw_poly_const(&p, 0);
    cw_poly_var(&x, X);
    cw_poly_var(&y, Y);
    assert_true(cw_poly_add(&p, &p, &x, big) && cw_poly_add(&p, &p, &y, -big));
    range[X] = cw_range_numbers(big, (cw_wide)big + 5);
    range[Y] = cw_range_numbers(big / 2, big / 2 + 5);
    struct cw_range r = cw_poly_range(&p, range);
    assert_true(r.hi >= CW_WIDE_LIMIT); /* the truth is beyond 2^123 */
    range[X] = cw_range_numbers(big / 2, big / 2 + 5);
    range[Y] = cw_range_numbers(big, (cw_wide)big + 5);
    r = cw_poly_range(&p, range);
    assert_true(r.lo <= -CW_WIDE_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_in_every_point),
                                       cmocka_unit_test(bounds_that_were_cut_do_not_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
