/* test_formula.c - numbers of a launch as formulas: the program gives other launches theirs, or says that it
 * would have taken another course. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../analyzer/kernels/footprint/formula.h"
#include "../../analyzer/kernels/footprint/poly.h"

enum { N, M, INPUTS };

struct recorded {
    struct cw_recorder *recorder;
    struct cw_value in[INPUTS];
    struct cw_formulas f;
};

static void begin(struct recorded *r, int64_t n, int64_t m)
{
    assert_non_null(r->recorder = cw_formula_recorder_create());
    cw_formula_record_into(r->recorder);
    r->in[N] = cw_formula_value_input(N, n);
    r->in[M] = cw_formula_value_input(M, m);
}

static bool end(struct recorded *r, struct cw_value wanted)
{
    cw_formula_record_into(NULL);
    bool ok = cw_formula_recorder_take(r->recorder, &wanted.id, wanted.id != 0, &r->f);
    cw_formula_recorder_destroy(r->recorder);
    return ok;
}

static bool run(struct recorded *r, int64_t n, int64_t m)
{
    for (int i = 0; i < r->f.inputs; i++)
        r->f.value[r->f.input[i].to] = r->f.input[i].which == N ? n : m;
    return cw_formulas_run(&r->f);
}

static void other_numbers(void **state)
{
    struct recorded r;
    (void)state;
    begin(&r, 100, 7);
    struct cw_value v = cw_value_max(cw_value_add(cw_poly_value_mul(r.in[N], r.in[M]), cw_value_number(-3)),
                                     cw_poly_value_floor(r.in[N], r.in[M]));
    assert_true(v.v == 697 && end(&r, v));
    assert_true(run(&r, 20, 5) && r.f.value[v.id] == 97);
    assert_true(run(&r, -9, 2) && r.f.value[v.id] == -5);
    cw_formulas_finish(&r.f);
}

static void another_course(void **state)
{
    struct recorded r;
    (void)state;
    begin(&r, 100, 7);
    assert_false(cw_value_less(r.in[N], r.in[M]));
    assert_false(cw_value_equal(r.in[N], cw_value_number(5)));
    assert_int_equal(cw_formula_value_pin(r.in[M]), 7);
    assert_true(end(&r, cw_value_number(0)));
    assert_true(run(&r, 100, 7) && run(&r, 7, 7));
    assert_false(run(&r, 6, 7));   /* less */
    assert_false(run(&r, 100, 8)); /* pinned */
    cw_formulas_finish(&r.f);
}

static void what_does_not_fit(void **state)
{
    struct recorded r;
    struct cw_value v;
    (void)state;
    begin(&r, 100, 7);
    v = cw_poly_value_mul(cw_poly_value_mul(r.in[N], r.in[N]), cw_poly_value_floor(r.in[N], r.in[M]));
    assert_true(end(&r, v));
    assert_true(run(&r, 3, 1) && r.f.value[v.id] == 27);
    assert_false(run(&r, INT64_C(1) << 40, 7)); /* beyond 64 bits */
    assert_false(run(&r, 100, 0));
    assert_false(run(&r, 100, -7)); /* floors are of positive numbers */
    cw_formulas_finish(&r.f);

    begin(&r, INT64_C(1) << 40, 7); /* while recording: the number all the same, but no program */
    v = cw_poly_value_mul(r.in[N], r.in[N]);
    assert_true(v.v == (cw_wide)1 << 80 && v.id == 0);
    assert_false(end(&r, v));
}

/* A coefficient that was not zero must not be zero: the term would not be there. */
static void terms_that_vanish(void **state)
{
    struct recorded r;
    struct cw_poly p, x, n, m;
    (void)state;
    begin(&r, 100, 7);
    cw_poly_var(&x, 1);
    cw_poly_value(&n, r.in[N]);
    cw_poly_value(&m, r.in[M]);
    assert_true(cw_poly_add(&n, &n, &m, -1) && cw_poly_mul(&p, &x, &n) && p.n == 1);
    struct cw_value c = {p.term[0].coefficient, p.term[0].id};
    assert_true(end(&r, c));
    assert_true(run(&r, 9, 4) && r.f.value[c.id] == 5);
    assert_false(run(&r, 4, 4));
    cw_formulas_finish(&r.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_numbers), cmocka_unit_test(another_course),
                                       cmocka_unit_test(what_does_not_fit),
                                       cmocka_unit_test(terms_that_vanish)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
