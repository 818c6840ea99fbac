/* form_line.c - polynomials and conditions of the evaluator as lines, curves and steps. See
 * form_internal.h.
 */
#include "form_internal.h"

#include <stdlib.h>
#include <string.h>

bool cw_form_space(void *v, int have, int n, int *capacity, size_t size)
{
    if (have + n <= *capacity)
        return true;
    int wider = *capacity ? 2 * *capacity : 32;
    while (wider < have + n)
        wider *= 2;
    void *old, *grown;
    memcpy(&old, v, sizeof old);
    grown = realloc(old, (size_t)wider * size);
    if (!grown)
        return false;
    memcpy(v, &grown, sizeof grown);
    *capacity = wider;
    return true;
}

/* Largest magnitude of a variable before conditions narrow it. */
static cw_wide magnitude(const struct cw_eval *e, int v)
{
    struct cw_range r = v < VAR_DYNAMIC ? e->range[v] : e->initial[v];
    if (v >= VAR_GLOBAL && v < VAR_GLOBAL + 3) {
        int d = v - VAR_GLOBAL;
        r = cw_range_numbers(e->launch->offset[d], (cw_wide)e->launch->offset[d] + e->launch->global[d]);
    } else if (v >= VAR_GROUP && v < VAR_LOCAL) {
        r = cw_range_numbers(0, e->launch->global[v - VAR_GROUP]);
    } else if (v >= VAR_LOCAL && v < VAR_DYNAMIC) {
        r = cw_range_numbers(0, e->launch->local[v - VAR_LOCAL]);
    }
    return r.hi > -r.lo ? r.hi : -r.lo;
}

static int by_size(const struct form_term *a, const struct form_term *b)
{
    int64_t x = llabs(a->coefficient), y = llabs(b->coefficient);
    return (x > y) - (x < y);
}

/* p as it is. FORM_SLOW when a variable may leave FORM_LIMIT, which the boxs of tiles do not hold. */
static enum outcome make_curve(struct cw_form *c, struct cw_code *code, const struct cw_poly *p,
                               struct form_line *l)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k] && magnitude(c->e, p->term[i].var[k]) > FORM_LIMIT)
                return FORM_SLOW;
    if (!cw_form_space(&code->curve, code->curves, 1, &code->curve_space, sizeof *code->curve))
        return FORM_NO_MEMORY;
    code->curve[code->curves++] = *p;
    l->curve = code->curves;
    return FORM_OK;
}

/* Is it linear, and within FORM_LIMIT in the whole launch? */
static bool is_line(struct cw_form *c, const struct cw_poly *p)
{
    cw_wide most = 0;
    if (!cw_poly_is_linear(p))
        return false;
    for (int i = 0; i < p->n; i++) {
        int v = p->term[i].var[CW_POLY_DEGREE - 1];
        int64_t k = p->term[i].coefficient;
        most += v ? (k < 0 ? -(cw_wide)k : k) * magnitude(c->e, v) : k < 0 ? -(cw_wide)k : k;
        if (most > FORM_LIMIT || magnitude(c->e, v) > FORM_LIMIT)
            return false;
    }
    return true;
}

void cw_form_sort_line(struct cw_code *code, const struct form_line *l)
{
    /* two or three elements: by insertion, stable */
    for (int i = 1; i < l->n; i++)
        for (int k = l->first + i; k > l->first && by_size(&code->term[k], &code->term[k - 1]) < 0; k--) {
            struct form_term t = code->term[k];
            code->term[k] = code->term[k - 1];
            code->term[k - 1] = t;
        }
}

enum outcome cw_form_make_line(struct cw_form *c, struct cw_code *code, const struct cw_poly *p, bool sorted,
                               struct form_line *l)
{
    *l = (struct form_line){.first = code->terms};
    if (!is_line(c, p)) {
        if (cw_poly_is_linear(p))
            cw_formula_give_up(); /* too large in this launch */
        return make_curve(c, code, p, l);
    }
    if (!cw_form_space(&code->term, code->terms, p->n, &code->term_space, sizeof *code->term))
        return FORM_NO_MEMORY;
    for (int i = 0; i < p->n; i++) {
        int v = p->term[i].var[CW_POLY_DEGREE - 1];
        if (v)
            code->term[l->first + l->n++] =
                (struct form_term){p->term[i].coefficient, p->term[i].id, (uint8_t)v};
        else
            *l = (struct form_line){p->term[i].coefficient, l->first, l->n, 0, p->term[i].id};
    }
    code->terms += l->n;
    if (sorted)
        cw_form_sort_line(code, l);
    return FORM_OK;
}

static enum outcome add_step(struct cw_code *code, struct form_step s)
{
    if (!cw_form_space(&code->step, code->steps, 1, &code->step_space, sizeof s))
        return FORM_NO_MEMORY;
    code->step[code->steps++] = s;
    return FORM_OK;
}

/* The condition `node` as steps; conditions nested deeper than `depth` are open. */
static enum outcome add_steps(struct cw_form *c, struct cw_code *code, int node, int depth)
{
    static const enum form_op of[] = {[CW_EXPR_AND] = FORM_AND,
                                      [CW_EXPR_OR] = FORM_OR,
                                      [CW_EXPR_XOR] = FORM_XOR,
                                      [CW_EXPR_SELECT] = FORM_SELECT};
    const struct cw_expr *x = &c->m->pool.node[cw_expr_resolve(&c->m->pool, node)];
    struct form_step s = {.op = FORM_OPEN};
    struct cw_poly p;
    enum outcome o = FORM_OK;
    enum tri known = cw_eval_decide(c->e, node);
    if (known != TRI_MAYBE) {
        s.op = known == TRI_YES ? FORM_YES : FORM_NO;
    } else if (x->op == CW_EXPR_CMP) {
        if (cw_eval_relation(c->e, node, true, &p, &s.relation))
            s.op = cw_form_make_line(c, code, &p, false, &s.line) == FORM_OK ? FORM_COMPARE : FORM_OPEN;
    } else if (depth > 0 && (size_t)x->op < sizeof of / sizeof *of && of[x->op]) {
        s.op = of[x->op];
        o = add_steps(c, code, x->a, depth - 1);
        o = o == FORM_OK ? add_steps(c, code, x->b, depth - 1) : o;
        o = o == FORM_OK && s.op == FORM_SELECT ? add_steps(c, code, x->c, depth - 1) : o;
    }
    return o == FORM_OK ? add_step(code, s) : o;
}

enum outcome cw_form_make_tree(struct cw_form *c, struct cw_code *code, struct cw_guard g,
                               struct form_guard *to)
{
    enum { DEPTH = 6 };
    enum outcome o;
    to->step = code->steps;
    c->e->weighing = true;
    o = add_steps(c, code, g.node, DEPTH);
    c->e->weighing = false;
    if (o == FORM_OK && !g.want)
        o = add_step(code, (struct form_step){.op = FORM_NOT});
    if (o == FORM_OK && code->steps - to->step > FORM_MAX_STEPS) {
        code->steps = to->step;
        o = add_step(code, (struct form_step){.op = FORM_OPEN});
    }
    to->steps = code->steps - to->step;
    return o == FORM_OK && (c->e->tile_bound || c->e->restart || c->e->failed) ? FORM_SLOW : o;
}
