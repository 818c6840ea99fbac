/* judge.c - see cut.h.
 *
 * The evaluator decides; this only foresees it from the shape of the polynomials: a value is *known* when it
 * is built from ids, sizes, arguments and counters by + - *, *bounded* when an operation or a narrow type
 * limits it, else *open*. */
#include "cut.h"

#include "eval_internal.h"

#include <stdlib.h>
#include <string.h>

/* COUNTER: linear in loop counters; LINEAR: in ids and counters */
enum shape { SHAPE_UNIFORM, SHAPE_COUNTER, SHAPE_LINEAR, SHAPE_KNOWN, SHAPE_BOUNDED, SHAPE_OPEN };

struct judge {
    const struct cw_model *m;
    struct cw_eval *e; /* symbolic */
    int depth;
    uint8_t *shape; /* shape + 1 per node, 0: not looked at */
    uint8_t *loop;  /* per loop: 0 not looked at, else shape + 1 of its bound */
};

static enum shape shape_of(struct judge *j, int node);

static enum shape worse(enum shape a, enum shape b)
{
    return a > b ? a : b;
}

static enum shape product(enum shape a, enum shape b)
{
    if (a == SHAPE_UNIFORM || b == SHAPE_UNIFORM)
        return worse(a, b);
    return worse(SHAPE_KNOWN, worse(a, b));
}

static enum shape poly_shape(struct judge *j, const struct cw_poly *p)
{
    enum shape worst = SHAPE_UNIFORM;
    for (int i = 0; i < p->n; i++) {
        enum shape term = SHAPE_UNIFORM;
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k])
                term = product(term, shape_of(j, j->e->var[p->term[i].var[k]].node));
        worst = worse(worst, term);
    }
    return worst;
}

/* Of the difference of a comparison's operands, where much cancels; OPEN for other conditions. */
static enum shape relation_shape(struct judge *j, const struct cw_guard *g)
{
    struct cw_poly p;
    enum relation relation;
    return cw_eval_relation(j->e, g->node, g->want, &p, &relation) ? poly_shape(j, &p) : SHAPE_OPEN;
}

/* The test compares the counter of `loop` with a value that differs between its iterations, by which the
 * evaluator bounds nothing. */
static bool is_unsteady(struct judge *j, const struct cw_guard *g, int loop)
{
    struct cw_poly p;
    enum relation relation;
    if (!cw_eval_relation(j->e, g->node, g->want, &p, &relation))
        return false;
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < CW_POLY_DEGREE; d++) {
            int node = p.term[i].var[d] ? j->e->var[p.term[i].var[d]].node : -1;
            const struct cw_expr *x = node < 0 ? NULL : &j->m->pool.node[node];
            if (x && !(x->op == CW_EXPR_LOOP && x->a == loop) && cw_model_varies_in(j->m, node, loop))
                return true;
        }
    return false;
}

/* A loop is as known as the best of the tests that end it; when they depend on ids its length does. */
static enum shape loop_shape(struct judge *j, int loop)
{
    if (j->loop[loop])
        return j->loop[loop] - 1;
    j->loop[loop] = SHAPE_COUNTER + 1; /* for the counter inside of its own test */
    enum shape best = SHAPE_OPEN;
    for (int i = 0; i < j->m->exits; i++) {
        const struct cw_exit *x = &j->m->exit[i];
        for (int g = x->stay.first; x->loop == loop && g < x->stay.first + x->stay.n; g++) {
            enum shape s =
                is_unsteady(j, &j->m->guard[g], loop) ? SHAPE_OPEN : relation_shape(j, &j->m->guard[g]);
            best = s < best ? s : best;
        }
    }
    if (best <= SHAPE_COUNTER)
        best = SHAPE_COUNTER;
    else
        best = best <= SHAPE_BOUNDED ? SHAPE_KNOWN : SHAPE_OPEN;
    j->loop[loop] = (uint8_t)(best + 1);
    return best;
}

/* Operations that are no polynomials: a remainder or a mask of something known is bounded for any operand.
 */
static enum shape bounded_by(struct judge *j, const struct cw_expr *x)
{
    enum shape a = shape_of(j, x->a), b = shape_of(j, x->b);
    if (a == SHAPE_UNIFORM && b == SHAPE_UNIFORM)
        return SHAPE_UNIFORM;
    bool either = x->op == CW_EXPR_AND || x->op == CW_EXPR_UMIN;
    bool limited = either || x->op == CW_EXPR_UREM || x->op == CW_EXPR_SREM;
    if (either)
        b = a < b ? a : b;
    if (limited)
        return b <= SHAPE_BOUNDED ? SHAPE_BOUNDED : SHAPE_OPEN;
    return worse(SHAPE_BOUNDED, worse(a, b));
}

static enum shape look(struct judge *j, const struct cw_expr *x)
{
    switch (x->op) {
    case CW_EXPR_GLOBAL_ID:
    case CW_EXPR_LOCAL_ID:
    case CW_EXPR_GROUP_ID:
        return SHAPE_LINEAR;
    case CW_EXPR_OPAQUE:
        return x->width <= 16 ? SHAPE_BOUNDED : SHAPE_OPEN;
    case CW_EXPR_MUL24:
        return product(shape_of(j, x->a), shape_of(j, x->b));
    case CW_EXPR_CMP:
        return SHAPE_BOUNDED;
    case CW_EXPR_SELECT:
        return worse(SHAPE_BOUNDED, worse(shape_of(j, x->b), shape_of(j, x->c)));
    default:
        return x->op < CW_EXPR_FORWARD ? SHAPE_UNIFORM : bounded_by(j, x);
    }
}

static enum shape shape_of(struct judge *j, int node)
{
    node = cw_expr_resolve(&j->m->pool, node);
    if (j->m->pool.node[node].op ==
        CW_EXPR_LOOP) /* its test contains the counter: not to be remembered half-way */
        return loop_shape(j, j->m->pool.node[node].a);
    if (!j->shape[node] && j->depth > EVAL_MAX_DEPTH)
        return SHAPE_OPEN;
    if (!j->shape[node]) {
        j->depth++;
        j->shape[node] = SHAPE_OPEN + 1;
        const struct cw_poly *p = cw_eval_node(j->e, node, READ_RAW);
        int64_t c;
        bool atom = p->n == 1 && cw_poly_uses(p, p->term[0].var[CW_POLY_DEGREE - 1], &c) && c == 1 &&
                    j->e->var[p->term[0].var[CW_POLY_DEGREE - 1]].node == node;
        enum shape s = atom ? look(j, &j->m->pool.node[node]) : poly_shape(j, p);
        j->shape[node] = (uint8_t)(s + 1);
        j->depth--;
    }
    return j->shape[node] - 1;
}

static bool is_node(struct judge *j, int var, enum cw_expr_op one, enum cw_expr_op other)
{
    int node = j->e->var[var].node;
    return node >= 0 && (j->m->pool.node[node].op == one || j->m->pool.node[node].op == other);
}

/* c * (x % y) + c * (x / y) * y in the place of p's is c * x; false when p has no such pair. */
static bool put_together(struct judge *j, const struct cw_poly *p, int remainder, int quotient,
                         struct cw_poly *out)
{
    const struct cw_expr *r = &j->m->pool.node[j->e->var[remainder].node],
                         *q = &j->m->pool.node[j->e->var[quotient].node];
    struct cw_poly parts, product, one;
    int64_t c, k;
    if (cw_expr_resolve(&j->m->pool, r->a) != cw_expr_resolve(&j->m->pool, q->a) ||
        cw_expr_resolve(&j->m->pool, r->b) != cw_expr_resolve(&j->m->pool, q->b) ||
        cw_poly_uses(p, remainder, &c) != 1 || c == 0)
        return false;
    cw_poly_var(&one, quotient);
    if (!cw_poly_mul(&product, &one, cw_eval_node(j->e, r->b, READ_RAW)))
        return false;
    cw_poly_var(&one, remainder);
    return cw_poly_add(&parts, &one, &product, 1) &&
           cw_poly_add(&parts, cw_eval_node(j->e, r->a, READ_RAW), &parts, -1) &&
           cw_poly_add(out, p, &parts, c) && !cw_poly_uses(out, quotient, &k) &&
           !cw_poly_uses(out, remainder, &k);
}

/* The shape of an offset, also where it only takes a number apart and puts it together again. */
static enum shape offset_shape(struct judge *j, int node)
{
    enum shape s = shape_of(j, node);
    const struct cw_poly *p = cw_eval_node(j->e, node, READ_RAW);
    for (int r = VAR_DYNAMIC; r < j->e->vars && s == SHAPE_BOUNDED; r++)
        for (int q = VAR_DYNAMIC; q < j->e->vars && s == SHAPE_BOUNDED; q++) {
            struct cw_poly whole;
            if (is_node(j, r, CW_EXPR_UREM, CW_EXPR_SREM) && is_node(j, q, CW_EXPR_UDIV, CW_EXPR_SDIV) &&
                put_together(j, p, r, q, &whole))
                s = poly_shape(j, &whole);
        }
    return s;
}

static struct cw_judgement judge(struct judge *j, const struct cw_access *a)
{
    if (a->offset < 0)
        return (struct cw_judgement){CW_ANSWER_UNKNOWN, "touched through a pointer that was not followed"};
    enum shape s = offset_shape(j, a->offset);
    if (a->count >= 0)
        s = worse(s, worse(shape_of(j, a->count), shape_of(j, a->stride)));
    if (s == SHAPE_OPEN)
        return (struct cw_judgement){CW_ANSWER_UNKNOWN,
                                     "the index depends on data or on a loop without a known bound"};
    if (s == SHAPE_BOUNDED)
        return (struct cw_judgement){CW_ANSWER_AT_MOST, "only bounds of the index are known"};
    if (s == SHAPE_KNOWN)
        return (struct cw_judgement){CW_ANSWER_AT_MOST, "the index is not linear in independent variables"};
    if (a->doubt)
        return (struct cw_judgement){CW_ANSWER_AT_MOST, a->doubt};
    if (a->kind & CW_ACCESS_ATOMIC)
        return (struct cw_judgement){CW_ANSWER_AT_MOST, "an atomic operation may leave the value as it was"};
    for (int g = a->guards.first; g < a->guards.first + a->guards.n; g++)
        if (relation_shape(j, &j->m->guard[g]) > SHAPE_LINEAR)
            return (struct cw_judgement){CW_ANSWER_AT_MOST,
                                         "it depends on a condition that is not known before the launch"};
    return (struct cw_judgement){CW_ANSWER_EXACT, NULL};
}

struct cw_judgement cw_judge_access(const struct cw_model *m, const struct cw_access *a)
{
    struct judge j = {m, cw_eval_symbolic(m, EVAL_SYMBOLIC), 0, calloc((size_t)m->pool.n + 1, 1),
                      calloc((size_t)m->loops + 1, 1)};
    struct cw_judgement v = {CW_ANSWER_UNKNOWN, "out of memory"};
    bool ready = j.e && j.shape && j.loop;
    for (int l = 0; ready && l < m->loops; l++) { /* outer loops first: nothing is looked at half-way */
        (void)loop_shape(&j, l);
        memset(j.shape, 0, (size_t)m->pool.n); /* shapes found while the loop's own shape was a guess */
    }
    if (ready)
        v = judge(&j, a);
    if (ready && j.e->failed)
        v = (struct cw_judgement){CW_ANSWER_UNKNOWN, "too large to look at"};
    cw_eval_destroy(j.e);
    free(j.shape);
    free(j.loop);
    return v;
}

/* Another access touches the same bytes with certainty (a store in both branches of a condition). */
static bool is_covered(const struct cw_model *m, int i)
{
    const struct cw_access *a = &m->access[i];
    for (int j = 0; j < m->accesses; j++) {
        const struct cw_access *b = &m->access[j];
        if (j != i && b->arg == a->arg && b->kind == a->kind && b->offset == a->offset &&
            b->bytes_must == a->bytes_may && b->loop == a->loop && b->guards.n < a->guards.n &&
            cw_judge_access(m, b).answer == CW_ANSWER_EXACT)
            return true;
    }
    return false;
}

struct cw_judgement cw_judge_argument(const struct cw_model *m, int arg, unsigned kind)
{
    const char *unknown = cw_model_anywhere_in(m, arg, kind == CW_ACCESS_WRITE, true);
    struct cw_judgement worst = {CW_ANSWER_NONE, NULL};
    if (unknown)
        return (struct cw_judgement){CW_ANSWER_UNKNOWN, unknown};
    for (int i = 0; i < m->accesses; i++) {
        if (m->access[i].arg != arg || !(m->access[i].kind & kind))
            continue;
        struct cw_judgement v = cw_judge_access(m, &m->access[i]);
        if (v.answer > worst.answer && !(v.answer == CW_ANSWER_AT_MOST && is_covered(m, i)))
            worst = v;
    }
    return worst;
}
