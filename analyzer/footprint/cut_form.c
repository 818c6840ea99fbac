/* cut_form.c - from the polynomial of an access to digits. See cut_form.h. */
#include "cut_form.h"

#include <string.h>

static void add_digit(struct cut_way *w, cw_wide stride, struct cw_range r)
{
    if (stride < 0) {
        stride = -stride;
        r = (struct cw_range){-r.hi, -r.lo};
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

/* Terms of several variables, and those of variables with one value, are slack. */
static void write_down(struct cw_eval *e, const struct cw_poly *p, int dim, struct cut_way *w)
{
    struct cw_poly slack = {0};
    memset(w, 0, sizeof *w);
    w->total = eval_range(e, p);
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
}

/* With a guard g < 0 that ties x to other variables, p = p - c * g + c * t where t stands for g: for the c
 * that takes x out of p this is another way of writing p down, in which the guard holds. */
static void other_ways(struct cw_eval *e, const struct cw_access *a, const struct cw_poly *p, int dim,
                       struct cut_form *f)
{
    for (int i = a->guards.first; i < a->guards.first + a->guards.n; i++) {
        struct cw_poly g, t, q;
        enum relation relation;
        if (!eval_relation(e, e->m->guard[i].node, e->m->guard[i].want, &g, &relation) ||
            relation != REL_NEGATIVE || !cw_poly_is_linear(&g) || g.n < 2)
            continue;
        struct cw_range r = eval_range(e, &g);
        if (r.hi < 0)
            continue; /* says nothing that the box does not */
        for (int k = 0; k < g.n && f->ways < CUT_MAX_WAYS && e->vars < VAR_COUNT; k++) {
            int x = g.term[k].var[CW_POLY_DEGREE - 1];
            int64_t ours, theirs = g.term[k].coefficient;
            if (!x || x == VAR_GROUP + dim || e->range[x].lo >= e->range[x].hi ||
                cw_poly_uses(p, x, &ours) != 1 || ours == 0 || ours == INT64_MIN || theirs == INT64_MIN ||
                ours % theirs)
                continue;
            int v = eval_new_var(e, -1, r.lo, -1);
            cw_poly_var(&t, v);
            if (cw_poly_add(&q, p, &g, -(ours / theirs)) && cw_poly_add(&q, &q, &t, ours / theirs))
                write_down(e, &q, dim, &f->way[f->ways++]);
        }
    }
}

static bool is_vague(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            int node = v ? e->var[v].node : -1;
            if (node >= 0 && e->m->pool.node[node].op == CW_EXPR_OPAQUE)
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
    struct cw_range n = eval_range(e, eval_node(e, a->count, READ_UNSIGNED));
    if (!cw_poly_is_const(eval_node(e, a->stride, READ_SIGNED), &stride) || n.hi > INT64_MAX / 2)
        return false;
    f->never |= n.hi < 1;
    for (int i = 0; i < f->ways && n.hi > 1; i++) {
        struct cut_way *w = &f->way[i];
        cw_wide far = cw_wide_mul(stride, n.hi - 1);
        add_digit(w, stride ? stride : 1, (struct cw_range){0, stride ? n.hi - 1 : 0});
        w->total.lo += far < 0 ? far : 0;
        w->total.hi += far > 0 ? far : 0;
    }
    return true;
}

/* One attempt; false when it must be repeated because a loop has no bound or a basis was wrong. */
static bool attempt(struct cw_eval *e, const struct cw_access *a, int dim, struct cut_form *f)
{
    e->access_loop = a->loop;
    eval_reset(e);
    for (int round = 0; round < 2; round++)
        for (int i = a->guards.first; i < a->guards.first + a->guards.n && !e->empty; i++) {
            e->empty |= eval_narrow(e, e->m->guard[i]) == TRI_NO;
            if (e->restart)
                return false;
        }
    f->never = e->empty;
    if (e->empty || e->failed)
        return !e->failed;
    const struct cw_poly *p = eval_node(e, a->offset, READ_SIGNED);
    int64_t c;
    for (int d = 0; d < 3; d++)
        if (!e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, &c))
            e->by_group[d] = e->restart = true;
    if (e->restart || e->failed)
        return false;
    f->ways = 0;
    f->vague = is_vague(e, p);
    f->slabs = e->range[VAR_GROUP + dim];
    write_down(e, p, dim, &f->way[f->ways++]);
    other_ways(e, a, p, dim, f);
    f->whole = !finite(f->way[0].total);
    if (a->count >= 0 && !f->whole)
        f->whole = !repeat(e, a, f) || !finite(f->way[0].total);
    return !e->restart && !e->failed;
}

void cut_form_read(struct cw_eval *e, int index, int dim, struct cut_form *f)
{
    const struct cw_access *a = &e->m->access[index];
    *f = (struct cut_form){.access = index, .arg = a->arg, .kind = a->kind, .bytes = a->bytes_may};
    f->slabs = (struct cw_range){0, e->tile->count[dim] - 1};
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
