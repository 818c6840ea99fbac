/* eval.c - accesses of a tile as byte intervals, and their union per argument. */
#include "eval_internal.h"

#include <stdlib.h>
#include <string.h>

/* base + the sum of stride[i] * j[i], 0 <= j[i] < count[i], strides positive */
struct progression {
    cw_wide base;
    int n;
    cw_wide stride[CW_POLY_TERMS + 1], count[CW_POLY_TERMS + 1];
};

static const char *const answer_names[] = {"none", "exact", "at-most", "unknown"};

const char cw_eval_why_any[] = "touched through a pointer that was not followed";
const char cw_eval_why_wrap[] = "an index may wrap around its width";
const char cw_eval_why_data[] = "the index depends on data or on a loop without a known bound";
const char cw_eval_why_guard[] = "a condition is not decided for all work-items of the range";
const char cw_eval_why_shape[] = "the index is not linear in independent variables";
const char cw_eval_why_gaps[] = "too many separate intervals";
const char cw_eval_why_atomic[] = "an atomic operation may leave the value as it was";
const char cw_eval_why_size[] = "too large to evaluate";
const char cw_eval_why_count[] = "the length of a copy is not a constant of the launch";
const char cw_eval_why_padding[] = "padding may be left out";

const char *cw_eval_answer_name(enum cw_answer a)
{
    return answer_names[a];
}

struct cw_eval *cw_eval_create(const struct cw_model *m)
{
    struct cw_eval *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->m = m;
    e->max_depth = EVAL_MAX_DEPTH_LAUNCH;
    e->remembered = calloc(3 * (size_t)m->pool.n + 1, sizeof *e->remembered);
    e->loop = calloc((size_t)m->loops + 1, sizeof *e->loop);
    e->loop_var = calloc((size_t)m->loops + 1, 1);
    if (!e->remembered || !e->loop || !e->loop_var) {
        cw_eval_destroy(e);
        return NULL;
    }
    return e;
}

void cw_eval_destroy(struct cw_eval *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->chunks; i++)
        free(e->chunk[i]);
    free(e->chunk);
    free(e->remembered);
    free(e->loop);
    free(e->loop_var);
    free(e);
}

static void sort_progression(struct progression *g)
{
    for (int i = 1; i < g->n; i++)
        for (int j = i; j > 0 && g->stride[j] < g->stride[j - 1]; j--) {
            cw_wide s = g->stride[j], c = g->count[j];
            g->stride[j] = g->stride[j - 1];
            g->count[j] = g->count[j - 1];
            g->stride[j - 1] = s;
            g->count[j - 1] = c;
        }
}

static void add_stride(struct progression *g, cw_wide stride, struct cw_range r)
{
    g->base += stride * (stride < 0 ? r.hi : r.lo);
    if (stride == 0 || r.hi <= r.lo)
        return;
    g->stride[g->n] = stride < 0 ? -stride : stride;
    g->count[g->n++] = r.hi - r.lo + 1;
}

/* The intervals [x, x + bytes) for all x of the progression, clipped to [0, size). False when there would be
 * too many of them or they are out of all bounds; *ok is cleared without memory. */
static bool spread(const struct progression *g, cw_wide bytes, int64_t size, struct cw_spans *out, bool *ok)
{
    cw_wide extent = bytes, pieces = 1;
    int gap = 0;
    while (gap < g->n && g->stride[gap] <= extent) {
        extent += g->stride[gap] * (g->count[gap] - 1);
        gap++;
    }
    for (int i = gap; i < g->n; i++) {
        if (g->count[i] > CW_EVAL_MAX_SPANS || (pieces *= g->count[i]) > CW_EVAL_MAX_SPANS)
            return false;
    }
    cw_wide index[CW_POLY_TERMS + 1] = {0};
    for (cw_wide p = 0; p < pieces; p++) {
        cw_wide at = g->base;
        for (int i = gap; i < g->n; i++)
            at += g->stride[i] * index[i];
        cw_wide end = at + extent > size ? size : at + extent;
        at = at < 0 ? 0 : at;
        if (at < end && !cw_spans_append(out, (int64_t)at, (int64_t)end))
            *ok = false;
        for (int i = gap; i < g->n && ++index[i] == g->count[i]; i++)
            index[i] = 0;
    }
    cw_spans_normalise(out);
    return true;
}

/* p = c * guard + rest with guard <= -1 bounds p on one side; c is chosen so that `var` leaves the rest. */
static void bound_by(struct cw_eval *e, const struct cw_poly *p, const struct cw_poly *guard, int var,
                     struct cw_range *r)
{
    int64_t ours, theirs;
    struct cw_poly rest;
    if (!cw_poly_uses(p, var, &ours) || !cw_poly_uses(guard, var, &theirs) || ours == 0 || theirs == 0 ||
        ours == INT64_MIN || ours % theirs != 0 || !cw_poly_add(&rest, p, guard, -(ours / theirs)))
        return;
    cw_wide c = ours / theirs;
    struct cw_range left = cw_eval_range(e, &rest);
    if (c > 0 && left.hi - c < r->hi)
        r->hi = left.hi - c;
    if (c < 0 && left.lo - c > r->lo)
        r->lo = left.lo - c;
}

/* Bounds of p, also from guards that hold but did not fit the box because they tie variables together. */
static struct cw_range guarded_range(struct cw_eval *e, const struct cw_access *a, const struct cw_poly *p)
{
    struct cw_range r = cw_eval_range(e, p);
    for (int i = a->guards.first; i < a->guards.first + a->guards.n; i++) {
        struct cw_poly d;
        enum relation relation;
        if (!cw_eval_relation(e, e->m->guard[i].node, e->m->guard[i].want, &d, &relation) ||
            relation != REL_NEGATIVE)
            continue;
        for (int t = 0; t < d.n; t++) {
            int var = d.term[t].var[CW_POLY_DEGREE - 1];
            if (var && e->range[var].lo < e->range[var].hi)
                bound_by(e, p, &d, var, &r);
        }
    }
    return r;
}

/* In every point of the box, which is not narrowed any further here: its ranges are already in use. */
static bool all_guards_hold(struct cw_eval *e, const struct cw_access *a)
{
    bool hold = !e->inexact;
    for (int i = a->guards.first; i < a->guards.first + a->guards.n && hold; i++)
        hold = cw_eval_decide(e, e->m->guard[i].node) == (e->m->guard[i].want ? TRI_YES : TRI_NO);
    for (int d = 0; d < 3; d++)
        hold = hold && !(e->by_group[d] && e->ragged[d]);
    return hold && !e->inexact;
}

/* Adds the repetition of an asynchronous copy to the progression; NULL, or why it is not exact. */
static const char *add_repetition(struct cw_eval *e, const struct cw_access *a, struct progression *g,
                                  bool *bounded)
{
    if (a->count < 0)
        return NULL;
    struct cw_range n = cw_eval_range(e, cw_eval_node(e, a->count, READ_UNSIGNED));
    int64_t stride = 0;
    *bounded = cw_poly_is_const(cw_eval_node(e, a->stride, READ_SIGNED), &stride) && n.hi <= INT64_MAX / 2;
    if (*bounded)
        add_stride(g, stride, cw_range_numbers(0, n.hi - 1));
    return *bounded && n.lo == n.hi ? NULL : cw_eval_why_count;
}

static void whole(struct eval_visit *t, int64_t size, const char *why, bool *ok)
{
    t->may.n = t->must.n = 0;
    t->answer = CW_ANSWER_UNKNOWN;
    t->why = why;
    *ok &= cw_spans_append(&t->may, 0, size);
}

/* The course of an offset in the narrowed box. */
struct course {
    struct progression g;
    struct cw_range r;
    bool linear, independent, bounded, wrapped;
};

static void follow(struct cw_eval *e, const struct cw_access *a, const struct cw_poly *p, struct course *c)
{
    *c = (struct course){
        .g.base = cw_poly_constant(p), .linear = cw_poly_is_linear(p), .independent = true, .bounded = true};
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            c->wrapped |= v && e->var[v].wrapped;
            c->independent = c->independent && (!v || e->var[v].free || e->range[v].lo == e->range[v].hi);
            if (c->linear && v)
                add_stride(&c->g, p->term[i].coefficient, e->range[v]);
        }
    if (c->wrapped)
        return;
    c->r = guarded_range(e, a, p);
    if (e->also) {
        struct cw_range s = cw_eval_range(e, e->also);
        c->r.lo = s.lo > c->r.lo ? s.lo : c->r.lo;
        c->r.hi = s.hi < c->r.hi ? s.hi : c->r.hi;
    }
    if (!c->linear) {
        c->g.base = c->r.lo;
        add_stride(&c->g, 1, cw_range_numbers(0, c->r.hi - c->r.lo));
    }
}

static void clip(struct cw_spans *s, cw_wide lo, cw_wide hi, int64_t size)
{
    cw_spans_clip(s,
                  lo < 0      ? 0
                  : lo > size ? size
                              : (int64_t)lo,
                  hi < 0      ? 0
                  : hi > size ? size
                              : (int64_t)hi);
}

/* Too many intervals: the one around them. */
static void surround(const struct course *c, int64_t bytes, int64_t size, struct eval_visit *t, bool *ok)
{
    cw_wide end = c->g.base + bytes;
    for (int i = 0; i < c->g.n; i++)
        end += c->g.stride[i] * (c->g.count[i] - 1);
    t->may.n = 0;
    *ok &= cw_spans_append(&t->may, 0, size);
    if (c->bounded)
        clip(&t->may, c->g.base, end, size);
}

/* Of accesses that certainly happen. */
static void find_outside(const struct course *c, int64_t bytes, int64_t size, struct eval_visit *t, bool *ok)
{
    struct progression outside = c->g;
    struct cw_spans all = {0};
    cw_wide end = c->g.base + bytes, first = c->g.base, from = first < 0 ? first : size;
    for (int i = 0; i < c->g.n; i++)
        end += c->g.stride[i] * (c->g.count[i] - 1);
    if (!size || (first >= 0 && end <= size) || end > INT64_MAX || first < -INT64_MAX)
        return;
    outside.base -= from;
    bool known = spread(&outside, bytes, (int64_t)((first < 0 ? 0 : end) - from), &all, ok) && all.n;
    if (first >= 0)
        first = known ? from + all.v[0].begin : end - bytes > size ? end - bytes : size;
    else if (end <= size)
        end = known ? from + all.v[all.n - 1].end : 0;
    t->outside = (int64_t)first;
    t->outside_end = (int64_t)end;
    cw_spans_finish(&all);
}

/* Follows the offset once guards have narrowed the box. */
static void lay_out(struct cw_eval *e, const struct cw_access *a, const struct cw_poly *p,
                    const struct cw_launch_arg *arg, struct eval_visit *t, bool *ok)
{
    int64_t size = arg->buffer_bytes;
    struct course c;
    bool write = a->kind & CW_ACCESS_WRITE, atomic = a->kind & CW_ACCESS_ATOMIC;
    if (a->count >= 0 && cw_eval_range(e, cw_eval_node(e, a->count, READ_UNSIGNED)).hi <= 0)
        return; /* a copy of nothing */
    follow(e, a, p, &c);
    c.g.base += arg->start;
    c.r.lo += arg->start;
    c.r.hi += arg->start;
    if (c.wrapped) {
        whole(t, size, cw_eval_why_wrap, ok);
        return;
    }
    const char *repeated = add_repetition(e, a, &c.g, &c.bounded);
    sort_progression(&c.g);
    bool certain = all_guards_hold(e, a) && !a->doubt && !repeated && !atomic;
    bool spread_out = c.bounded && spread(&c.g, a->bytes_may, size, &t->may, ok);
    if (!spread_out)
        surround(&c, a->bytes_may, size, t, ok);
    if (a->count < 0) /* the tighter bounds again, for accesses that were listed or given up as a whole */
        clip(&t->may, c.r.lo, c.r.hi + a->bytes_may, size);
    if (certain && c.linear && c.independent && c.bounded)
        find_outside(&c, a->bytes_must, size, t, ok);
    if (certain && c.linear && c.independent && spread_out && write)
        (void)spread(&c.g, a->bytes_must, size, &t->must, ok);
    bool all = t->may.n == 1 && t->may.v[0].begin == 0 && t->may.v[0].end == size;
    bool beyond =
        !c.bounded || c.r.lo < 0 || c.r.hi + a->bytes_may > size; /* only the buffer's end bounds it */
    if (cw_spans_equal(&t->may, &t->must) && write) {
        t->answer = CW_ANSWER_EXACT;
        return;
    }
    t->answer = (!c.independent || !c.bounded) && all && beyond ? CW_ANSWER_UNKNOWN : CW_ANSWER_AT_MOST;
    t->why = !c.independent ? cw_eval_why_data
             : repeated     ? repeated
             : !c.linear    ? cw_eval_why_shape
             : !spread_out  ? cw_eval_why_gaps
             : atomic       ? cw_eval_why_atomic
             : a->doubt     ? a->doubt
             : !certain     ? cw_eval_why_guard
             : write        ? cw_eval_why_padding
                            : NULL;
}

void cw_eval_access(struct cw_eval *e, const struct cw_access *a, const struct cw_launch_arg *arg,
                    struct eval_visit *t, bool *ok)
{
    const struct cw_poly *offset;
    *t = (struct eval_visit){.may = {t->may.v, 0, t->may.capacity}, .must = {t->must.v, 0, t->must.capacity}};
    enum tri reached = a->offset < 0 ? TRI_MAYBE : cw_eval_reach(e, a, &offset);
    if (reached == TRI_YES)
        lay_out(e, a, offset, arg, t, ok);
    if (reached == TRI_MAYBE || (reached == TRI_YES && (e->restart || e->failed)))
        whole(t, arg->buffer_bytes, a->offset < 0 ? cw_eval_why_any : cw_eval_why_size, ok);
}

static bool merge(struct cw_footprint *f, const struct eval_visit *t)
{
    if (t->outside_end > t->outside) {
        bool none = f->outside_end == f->outside;
        f->outside = none || t->outside < f->outside ? t->outside : f->outside;
        f->outside_end = none || t->outside_end > f->outside_end ? t->outside_end : f->outside_end;
    }
    if (t->answer == CW_ANSWER_NONE)
        return true;
    if (t->answer > f->answer) {
        f->answer = t->answer;
        f->why = t->why;
    }
    return cw_spans_union(&f->may, &t->may) && cw_spans_union(&f->must, &t->must);
}

static bool settle(struct cw_footprint *f, bool writes, const char *unknown, int64_t size)
{
    if (cw_spans_limit(&f->may, CW_EVAL_MAX_SPANS) && f->answer <= CW_ANSWER_AT_MOST) {
        f->answer = CW_ANSWER_AT_MOST;
        f->why = cw_eval_why_gaps;
    }
    if (unknown) {
        f->answer = CW_ANSWER_UNKNOWN;
        f->why = unknown;
    }
    if (f->answer == CW_ANSWER_UNKNOWN) {
        f->may.n = 0;
        return cw_spans_append(&f->may, 0, size);
    }
    if (f->may.n == 0)
        f->answer = CW_ANSWER_NONE;
    else if (writes && cw_spans_equal(&f->may, &f->must))
        f->answer = CW_ANSWER_EXACT;
    else
        f->answer = CW_ANSWER_AT_MOST;
    return true;
}

bool cw_eval_tile(struct cw_eval *e, const struct cw_launch *launch, const struct cw_tile *tile,
                  struct cw_arg_footprint *result)
{
    const struct cw_model *m = e->m;
    struct eval_visit t = {0};
    bool ok = true;
    e->launch = launch;
    e->tile = tile;
    for (int i = 0; i < m->args; i++) {
        struct cw_footprint *f[2] = {&result[i].reads, &result[i].writes};
        for (int k = 0; k < 2; k++)
            *f[k] = (struct cw_footprint){.may = {f[k]->may.v, 0, f[k]->may.capacity},
                                          .must = {f[k]->must.v, 0, f[k]->must.capacity}};
    }
    e->box_valid = false;
    for (int i = 0; i < m->accesses && ok; i++) {
        const struct cw_access *a = &m->access[i];
        if (m->arg[a->arg].kind == CW_ARG_IMAGE && !launch->arg[a->arg].value)
            continue;
        cw_eval_access(e, a, &launch->arg[a->arg], &t, &ok);
        if (a->kind & CW_ACCESS_READ && ok) {
            ok = merge(&result[a->arg].reads, &t);
            result[a->arg].reads.must.n = 0;
        }
        if (a->kind & CW_ACCESS_WRITE && ok)
            ok = merge(&result[a->arg].writes, &t);
    }
    for (int i = 0; i < m->args && ok; i++)
        ok = settle(&result[i].reads, false, cw_model_anywhere_in(m, i, false, launch->arg[i].value),
                    launch->arg[i].buffer_bytes) &&
             settle(&result[i].writes, true, cw_model_anywhere_in(m, i, true, launch->arg[i].value),
                    launch->arg[i].buffer_bytes);
    cw_spans_finish(&t.may);
    cw_spans_finish(&t.must);
    return ok;
}

void cw_eval_result_finish(struct cw_arg_footprint *result, int args)
{
    for (int i = 0; i < args; i++) {
        cw_spans_finish(&result[i].reads.may);
        cw_spans_finish(&result[i].reads.must);
        cw_spans_finish(&result[i].writes.may);
        cw_spans_finish(&result[i].writes.must);
    }
}

bool cw_eval_of_data(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            if (v && e->var[v].node >= 0 && e->m->pool.node[e->var[v].node].op == CW_EXPR_OPAQUE)
                return true;
        }
    return false;
}
