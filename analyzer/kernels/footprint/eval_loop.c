/* eval_loop.c - how often a loop runs.
 *
 * A loop whose exit test reads "T*k + R < 0" (k: complete iterations; T a number; R without k and the same in
 * every iteration) is left at the first k with T*k + R >= 0 at the latest. The header runs for k = 0 .. that
 * value. The bound holds if nothing that was compared wrapped on the way, which is checked afterwards for the
 * whole range (induction over k). */
#include "eval_internal.h"

static bool inside(const struct cw_eval *e, int loop)
{
    return cw_model_loop_inside(e->m, e->access_loop, loop);
}

/* Takes T and R out of p; false when k occurs in another way. */
static bool separate(const struct cw_poly *p, int k, struct cw_value *t, struct cw_poly *rest)
{
    if (cw_poly_uses_value(p, k, t) != 1 || !t->v)
        return false;
    rest->n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->term[i].var[CW_POLY_DEGREE - 1] != k)
            rest->term[rest->n++] = p->term[i];
    return true;
}

/* The first k >= 0 with t * k + r >= 0, for t > 0. */
static struct cw_value first_failure(struct cw_value r, struct cw_value t)
{
    return cw_value_max(cw_value_number(0), cw_value_sub(cw_value_number(0), cw_poly_value_floor(r, t)));
}

bool cw_eval_test_range(enum relation relation, struct cw_value t, struct cw_range rest, struct cw_range *out)
{
    const struct cw_value zero = cw_value_number(0);
    struct cw_value lo = cw_range_lo(rest), hi = cw_range_hi(rest);
    if (relation == REL_ZERO) /* stays while equal: with t != 0 that is over after one step */
        return *out = cw_range_numbers(0, 1), true;
    bool falling = cw_value_less(t, zero);
    if (relation == REL_NEGATIVE) {
        if (!falling)
            *out = cw_range_of(first_failure(hi, t), first_failure(lo, t));
        return !falling;
    }
    if (falling) { /* p != 0 is -p != 0 */
        struct cw_value least = lo;
        t = cw_value_sub(zero, t);
        lo = cw_value_sub(zero, hi);
        hi = cw_value_sub(zero, least);
    }
    if (cw_value_less(zero, hi))
        return false;
    if (!cw_value_equal(t, cw_value_number(1)) &&
        (!cw_value_equal(lo, hi) || !cw_value_equal(cw_poly_value_mul(cw_poly_value_floor(lo, t), t), lo)))
        return false;
    *out = cw_range_of(cw_poly_value_floor(cw_value_sub(zero, hi), t),
                       cw_poly_value_floor(cw_value_sub(zero, lo), t));
    return true;
}

/* The variable is the counter of a loop that `loop` does not contain. */
static bool is_counter_outside(const struct cw_eval *e, int var, int loop)
{
    for (int l = 0; l < e->m->loops; l++)
        if (e->loop_var[l] == var && (e->loop[l] == LOOP_DONE || e->loop[l] == LOOP_PENDING))
            return !cw_model_loop_inside(e->m, l, loop);
    return false;
}

/* `rest` has the same value in every iteration of `loop`. Its range does not say so: a value that a loop
 * loads has one, and guards narrow it for the iterations that an access is in. */
static bool is_steady(const struct cw_eval *e, const struct cw_poly *rest, int loop)
{
    for (int i = 0; i < rest->n; i++)
        for (int d = 0; d < CW_POLY_DEGREE; d++) {
            int v = rest->term[i].var[d];
            if (v < VAR_DYNAMIC)
                continue;
            if (e->var[v].node < 0 ? !is_counter_outside(e, v, loop)
                                   : cw_model_varies_in(e->m, e->var[v].node, loop))
                return false;
        }
    return true;
}

/* Bounds of the k at which `stay` fails first; false when there may be none. The test is remembered. */
static bool failure_of(struct cw_eval *e, struct cw_guard stay, int loop, int k, struct cw_range *out)
{
    struct cw_poly p, rest;
    struct eval_recipe test = {.rule = RULE_TEST, .var = k};
    if (!cw_eval_relation(e, stay.node, stay.want, &p, &test.relation) ||
        !separate(&p, k, &test.number, &rest))
        return false;
    if (test.relation == REL_NEGATIVE && cw_value_less(test.number, cw_value_number(0)))
        return false;
    if (!is_steady(e, &rest, loop))
        return false;
    test.a = cw_eval_keep(e, &rest);
    if (!cw_eval_test_range(test.relation, test.number, cw_eval_range(e, &rest), out)) {
        cw_eval_depends(e, &rest);
        return false;
    }
    cw_eval_remember(e, test);
    return true;
}

static bool duties_hold(struct cw_eval *e, int first)
{
    for (int i = first; i < e->duties; i++) {
        if (cw_eval_within(cw_poly_range(e->duty[i].p, e->range), e->duty[i].limit))
            continue;
        cw_eval_depends(e, e->duty[i].p);
        return false;
    }
    return true;
}

/* The range of a counter whose tests have been looked at, `best` being the first to fail; it depends on the
 * tile when one of them does. */
static bool settle(struct cw_eval *e, int loop, int k, struct cw_range best, bool sole)
{
    bool within = inside(e, loop),
         certain = sole && best.hi <= INT64_MAX && cw_value_equal(cw_range_lo(best), cw_range_hi(best));
    for (int i = 0; i < e->recipes; i++)
        e->var[k].tiled |=
            e->recipe[i].rule == RULE_TEST && e->recipe[i].var == k && cw_eval_is_tiled(e, e->recipe[i].a);
    if (e->var[k].tiled)
        cw_eval_remember(e,
                         (struct eval_recipe){.rule = RULE_LOOP, .var = k, .sole = sole, .inside = within});
    if (best.hi > INT64_MAX) {
        e->tile_bound |= e->var[k].tiled;
        return false;
    }
    e->range[k] = e->initial[k] = cw_range_of(cw_value_number(0), cw_range_hi(best));
    e->var[k].free = certain && within;
    if (certain && !within) /* seen from behind the loop: its value when the test failed */
        e->initial[k] = cw_range_of(cw_range_hi(best), cw_range_hi(best));
    return true;
}

static bool bound(struct cw_eval *e, int loop, int k)
{
    struct cw_range best = cw_range_numbers(0, CW_WIDE_LIMIT);
    int tests = 0, first_duty = e->duties;
    bool outer_used = e->pending_used;
    e->pending_used = false;
    for (int i = 0; i < e->m->exits; i++) {
        if (e->m->exit[i].loop != loop)
            continue;
        struct cw_guard_range stay = e->m->exit[i].stay;
        for (int g = stay.first; g < stay.first + stay.n; g++) {
            struct cw_range r;
            tests++;
            if (!failure_of(e, e->m->guard[g], loop, k, &r) ||
                !cw_value_less(cw_range_hi(r), cw_range_hi(best)))
                continue;
            best = r;
        }
    }
    bool ok = !e->pending_used && !e->restart;
    e->pending_used = outer_used;
    e->var[k].pending = false;
    if (!ok || !settle(e, loop, k, best, tests == 1 && e->m->loop[loop].exits == 1) ||
        !duties_hold(e, first_duty))
        return false;
    e->range[k] = e->initial[k];
    return true;
}

const struct cw_poly *cw_eval_loop_counter(struct cw_eval *e, int loop)
{
    if (e->loop[loop] == LOOP_NEW) {
        int k = cw_eval_new_var(e, -1, cw_range_numbers(0, 0));
        e->loop_var[loop] = (uint8_t)k;
        e->loop[loop] = LOOP_PENDING;
        e->var[k].pending = true;
        if (bound(e, loop, k)) {
            e->loop[loop] = LOOP_DONE;
        } else {
            e->loop[loop] = LOOP_FAILED;
            e->restart = true;
        }
    } else if (e->loop[loop] == LOOP_FAILED && !e->restart) {
        /* after a restart: any count at all */
        return cw_eval_var_poly(e, cw_eval_new_var(e, -1, cw_range_numbers(0, INT64_MAX)));
    }
    return cw_eval_var_poly(e, e->loop_var[loop]);
}
