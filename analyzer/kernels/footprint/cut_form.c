/* cut_form.c - from the polynomial of an access to digits. See cut_form.h. */
#include "cut_form.h"

#include <string.h>

static void add_digit(struct cut_way *w, cw_wide stride, struct cw_range r)
{
    if (stride < 0) {
        stride = -stride;
        r = cw_range_numbers(-r.hi, -r.lo);
    }
    int at = 0;
    while (at < w->n && w->digit[at].stride < stride)
        at++;
    if (at < w->n && w->digit[at].stride == stride) {
        w->digit[at].lo += r.lo;
        w->digit[at].hi += r.hi;
        return;
    }
    memmove(&w->digit[at + 1], &w->digit[at], (size_t)(w->n - at) * sizeof *w->digit);
    w->digit[at] = (struct cut_digit){stride, r.lo, r.hi};
    w->n++;
}

enum { MAX_TIES = 8 };

/* Guards of an access that tie variables together: each polynomial is below 0. */
struct ties {
    int n;
    struct cw_poly p[MAX_TIES];
};

static void find_ties(struct cw_eval *e, const struct cw_access *a, struct ties *t)
{
    t->n = 0;
    for (int i = a->guards.first; i < a->guards.first + a->guards.n && t->n < MAX_TIES; i++) {
        struct cw_poly *g = &t->p[t->n];
        enum relation relation;
        if (cw_eval_relation(e, e->m->guard[i].node, e->m->guard[i].want, g, &relation) &&
            relation == REL_NEGATIVE && cw_poly_is_linear(g) && g->n > 1 && cw_eval_range(e, g).hi >= 0)
            t->n++;
    }
}

/* Bounds of q, also by the tie between its variables: q = c * tie + rest. */
static struct cw_range tied_range(struct cw_eval *e, const struct cw_poly *q, const struct ties *t)
{
    struct cw_range r = cw_eval_range(e, q);
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->p[i].n; k++) {
            int64_t ours, theirs = t->p[i].term[k].coefficient;
            int x = t->p[i].term[k].var[CW_POLY_DEGREE - 1];
            struct cw_poly rest;
            if (!x || !cw_poly_uses(q, x, &ours) || ours == 0 || ours == INT64_MIN || theirs == INT64_MIN ||
                ours % theirs || !cw_poly_add(&rest, q, &t->p[i], -(ours / theirs)))
                continue;
            struct cw_range left = cw_eval_range(e, &rest);
            cw_wide c = ours / theirs;
            if (c > 0 && left.hi - c < r.hi)
                r.hi = left.hi - c;
            if (c < 0 && left.lo - c > r.lo)
                r.lo = left.lo - c;
        }
    return r;
}

static void bound_sums(struct cw_eval *e, const struct cw_poly *p, const struct ties *t, struct cut_way *w)
{
    cw_wide slab = w->slab < 0 ? -w->slab : w->slab;
    w->below[w->n] = tied_range(e, p, t);
    w->total = w->below[w->n];
    for (int k = 0; k < w->n; k++) {
        struct cw_poly q = {0};
        if (w->digit[k].stride <= slab)
            continue;
        for (int i = 0; i < p->n; i++) {
            cw_wide c = p->term[i].coefficient;
            int v = p->term[i].var[CW_POLY_DEGREE - 1];
            bool digit = v && !p->term[i].var[CW_POLY_DEGREE - 2] && e->range[v].lo < e->range[v].hi;
            if (!digit || (c < 0 ? -c : c) < w->digit[k].stride)
                q.term[q.n++] = p->term[i];
        }
        w->below[k] = tied_range(e, &q, t);
    }
}

/* Terms of several variables, and those of variables with one value, are slack. */
static void write_down(struct cw_eval *e, const struct cw_poly *p, int dim, const struct ties *ties,
                       struct cut_way *w)
{
    struct cw_poly slack = {0};
    memset(w, 0, sizeof *w);
    for (int i = 0; i < p->n; i++) {
        const struct cw_term *t = &p->term[i];
        int v = t->var[CW_POLY_DEGREE - 1];
        bool alone = v && !t->var[CW_POLY_DEGREE - 2];
        if (memchr(t->var, VAR_GROUP + dim, CW_POLY_DEGREE)) {
            if (alone)
                w->slab = t->coefficient;
            else
                w->mixed = true;
        } else if (alone && e->range[v].lo < e->range[v].hi) {
            add_digit(w, t->coefficient, e->range[v]);
        } else {
            slack.term[slack.n++] = *t;
        }
    }
    w->slack = cw_poly_range(&slack, e->range);
    w->linear = w->slack.lo == w->slack.hi;
    if (w->mixed)
        w->slab = 0;
    bound_sums(e, p, ties, w);
}

/* With a guard g < 0 that ties x to other variables, p = p - c * g + c * t where t stands for g: for the c
 * that takes x out of p this is another way of writing p down, in which the guard holds. */
static void other_ways(struct cw_eval *e, const struct ties *ties, const struct cw_poly *p, int dim,
                       struct cut_form *f)
{
    for (int i = 0; i < ties->n; i++) {
        const struct cw_poly *g = &ties->p[i];
        for (int k = 0; k < g->n && f->ways < CUT_MAX_WAYS && e->vars < VAR_COUNT; k++) {
            struct cw_poly t, q;
            int x = g->term[k].var[CW_POLY_DEGREE - 1];
            int64_t ours, theirs = g->term[k].coefficient;
            if (!x || x == VAR_GROUP + dim || e->range[x].lo >= e->range[x].hi ||
                cw_poly_uses(p, x, &ours) != 1 || ours == 0 || ours == INT64_MIN || theirs == INT64_MIN ||
                ours % theirs)
                continue;
            int v = cw_eval_new_var(e, -1, cw_range_numbers(cw_eval_range(e, g).lo, -1));
            cw_poly_var(&t, v);
            if (cw_poly_add(&q, p, g, -(ours / theirs)) && cw_poly_add(&q, &q, &t, ours / theirs))
                write_down(e, &q, dim, &(struct ties){0}, &f->way[f->ways++]);
        }
    }
}

/* Does the value of a node hang on one that was read from memory, or the like? */
static bool of_data(const struct cw_model *m, int node, int depth)
{
    enum { DEPTH = 6 };
    const struct cw_expr *x = &m->pool.node[cw_expr_resolve(&m->pool, node)];
    if (x->op == CW_EXPR_OPAQUE || depth > DEPTH)
        return x->op == CW_EXPR_OPAQUE;
    return x->op > CW_EXPR_FORWARD &&
           ((x->a >= 0 && of_data(m, x->a, depth + 1)) || (x->b >= 0 && of_data(m, x->b, depth + 1)) ||
            (x->c >= 0 && of_data(m, x->c, depth + 1)));
}

/* For the words of a verdict only. */
static bool is_vague(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            if (v && e->var[v].node >= 0 && of_data(e->m, e->var[v].node, 0))
                return true;
        }
    return false;
}

static bool finite(struct cw_range r)
{
    return r.lo > INT64_MIN && r.hi < INT64_MAX;
}

/* An asynchronous copy repeats. */
static bool repeat(struct cw_eval *e, const struct cw_access *a, struct cut_form *f)
{
    int64_t stride;
    struct cw_range n = cw_eval_range(e, cw_eval_node(e, a->count, READ_UNSIGNED));
    if (!cw_poly_is_const(cw_eval_node(e, a->stride, READ_SIGNED), &stride) || n.hi > INT64_MAX / 2)
        return false;
    f->never |= n.hi < 1;
    for (int i = 0; i < f->ways && n.hi > 1; i++) {
        struct cut_way *w = &f->way[i];
        cw_wide far = cw_poly_wide_mul(stride, n.hi - 1);
        if (stride)
            add_digit(w, stride, cw_range_numbers(0, n.hi - 1));
        for (int k = 0; k <= w->n; k++)
            w->below[k] = cw_range_numbers(-CW_WIDE_LIMIT, CW_WIDE_LIMIT); /* not worked out again */
        w->total.lo += far < 0 ? far : 0;
        w->total.hi += far > 0 ? far : 0;
    }
    return true;
}

/* One attempt; false when it must be repeated because a loop has no bound or a basis was wrong. */
static bool attempt(struct cw_eval *e, const struct cw_access *a, int dim, struct cut_form *f)
{
    e->access_loop = a->loop;
    cw_eval_reset(e);
    for (int round = 0; round < 2; round++)
        for (int i = a->guards.first; i < a->guards.first + a->guards.n && !e->empty; i++) {
            e->empty |= cw_eval_narrow(e, e->m->guard[i]) == TRI_NO;
            if (e->restart)
                return false;
        }
    f->never = e->empty;
    if (e->empty || e->failed)
        return !e->failed;
    const struct cw_poly *p = cw_eval_node(e, a->offset, READ_SIGNED);
    struct cw_poly simpler;
    int64_t c;
    if (cw_eval_undivide(e, p, &simpler))
        p = cw_eval_keep(e, &simpler);
    for (int d = 0; d < 3; d++)
        if (!e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, &c))
            e->by_group[d] = e->restart = true;
    if (e->restart || e->failed)
        return false;
    f->ways = 0;
    f->vague = is_vague(e, p);
    f->slabs = e->range[VAR_GROUP + dim];
    struct ties ties;
    struct cw_poly whole;
    find_ties(e, a, &ties);
    if (cw_eval_undivide(e, p, &whole)) /* quotient and remainder of one number, put together again */
        write_down(e, &whole, dim, &ties, &f->way[f->ways++]);
    write_down(e, p, dim, &ties, &f->way[f->ways++]);
    struct cut_congruence colour;
    const struct cw_poly *sum;
    if (a->count < 0 && cw_cut_find_congruence(e, a, &sum, &colour))
        cw_cut_place_congruence(e, sum, &colour, p, dim, &f->way[f->ways - 1]);
    other_ways(e, &ties, p, dim, f);
    f->whole = !finite(f->way[0].total);
    if (a->count >= 0 && !f->whole)
        f->whole = !repeat(e, a, f) || !finite(f->way[0].total);
    return !e->restart && !e->failed;
}

void cw_cut_form_read(struct cw_eval *e, int index, int dim, struct cut_form *f)
{
    const struct cw_access *a = &e->m->access[index];
    *f = (struct cut_form){.access = index, .arg = a->arg, .kind = a->kind, .bytes = a->bytes_may};
    f->slabs = cw_range_numbers(e->tile->first[dim], e->tile->first[dim] + e->tile->count[dim] - 1);
    f->whole = true;
    if (a->offset < 0)
        return;
    e->box_valid = false; /* cw_eval_tile's memory of its last access */
    memset(e->by_group, 0, sizeof e->by_group);
    e->by_group[dim] = true;
    for (int i = 0; i < e->m->loops; i++)
        e->loop[i] = LOOP_NEW;
    for (int tries = 0; tries < e->m->loops + 6; tries++)
        if (attempt(e, a, dim, f))
            return;
    f->whole = true;
    f->never = false;
}
