/* ops_exact.c - floating-point operations of a launch, counted or not known; see ops.h.
 *
 * A part of a kernel runs for the points of a box of ids and loop counters. Guards narrow the box to where
 * they can hold; where they then hold in all of it, and every variable takes each of its values independently
 * of the others, the number of points is the product of the ranges. Otherwise the launch is halved, and each
 * half counted, down to single work-groups. */
#include "ops.h"

#include "eval_internal.h"

#include <string.h>

static const char why_data[] = "a condition or a loop's length depends on data",
                  why_tangled[] = "a condition or a loop's length is not linear in ids and sizes",
                  why_many[] = "conditions differ from work-group to work-group in too many places";

struct exact {
    struct cw_eval *eval;
    const struct cw_ops *part;
    int64_t *left; /* evaluations */
    const char *why;
    bool dims[3]; /* the last box failed by these */
};

static double size(struct cw_range r)
{
    return r.hi < r.lo ? 0 : (double)(r.hi - r.lo) + 1;
}

/* Notes which dimensions a condition that is not decided is about; false: halving decides it nowhere. */
static bool blame(struct exact *x, struct cw_guard g)
{
    struct cw_eval *e = x->eval;
    struct cw_poly p;
    enum relation relation;

    if (!cw_eval_relation(e, g.node, g.want, &p, &relation))
        return true;
    if (cw_eval_of_data(e, &p)) {
        x->why = why_data;
        return false;
    }
    for (int d = 0; d < 3; d++)
        x->dims[d] |= cw_poly_uses(&p, VAR_GLOBAL + d, NULL) || cw_poly_uses(&p, VAR_GROUP + d, NULL) ||
                      cw_poly_uses(&p, VAR_LOCAL + d, NULL);
    return true;
}

/* Counters of `loop` and those around it; false: some has no bound. */
static bool make_counters(struct cw_eval *e, int loop)
{
    if (loop < 0)
        return true;
    if (!make_counters(e, e->m->loop[loop].parent))
        return false;
    if (e->loop[loop] == LOOP_NEW)
        (void)cw_eval_loop_counter(e, loop);
    return e->loop[loop] == LOOP_DONE;
}

/* Makes the box of the part in the evaluator's tile. TRI_MAYBE: once more, in another basis. */
static enum tri make_box(struct exact *x)
{
    struct cw_eval *e = x->eval;
    struct cw_guard_range g = x->part->guards;

    e->access_loop = x->part->loop;
    e->box_valid = false;
    cw_eval_reset(e);
    if (!make_counters(e, x->part->loop)) {
        x->why = why_data;
        return TRI_NO;
    }
    for (int round = 0; round < 2; round++)
        for (int i = g.first; i < g.first + g.n && !e->empty; i++) {
            e->empty |= cw_eval_narrow(e, e->m->guard[i]) == TRI_NO;
            if (e->restart)
                return TRI_MAYBE;
        }
    return e->failed ? TRI_NO : TRI_YES;
}

/* In every point of the box. */
static bool guards_hold(struct exact *x)
{
    struct cw_eval *e = x->eval;
    struct cw_guard_range g = x->part->guards;
    bool all = true;

    for (int i = g.first; i < g.first + g.n; i++) {
        struct cw_guard v = e->m->guard[i];
        if (cw_eval_decide(e, v.node) == (v.want ? TRI_YES : TRI_NO))
            continue;
        all = false;
        if (!blame(x, v))
            return false;
    }
    return all;
}

/* How often work-items of the evaluator's tile do the part. False: not known; x->why is set where a smaller
 * tile does not help. */
static bool executions(struct exact *x, double *times)
{
    struct cw_eval *e = x->eval;
    enum tri made = TRI_MAYBE;

    memset(e->by_group, 0, sizeof e->by_group);
    memset(x->dims, 0, sizeof x->dims);
    for (int i = 0; i < e->m->loops; i++)
        e->loop[i] = LOOP_NEW;
    for (int tries = 0; tries < 4 && made == TRI_MAYBE; tries++)
        made = make_box(x);
    if (made != TRI_YES)
        return false;
    *times = 0;
    if (e->empty)
        return true;
    if (!guards_hold(x) || e->inexact)
        return false;
    *times = 1;
    for (int d = 0; d < 3; d++)
        *times *= e->by_group[d] ? size(e->range[VAR_GROUP + d]) * size(e->range[VAR_LOCAL + d])
                                 : size(e->range[VAR_GLOBAL + d]);
    for (int l = x->part->loop; l >= 0; l = e->m->loop[l].parent) {
        if (!e->var[e->loop_var[l]].free)
            return false;
        *times *= size(e->range[e->loop_var[l]]);
    }
    return !e->failed && !e->restart;
}

/* The dimension to halve the tile along; -1: it is one work-group. */
static int halve_along(const struct exact *x, const struct cw_tile *t)
{
    bool any = x->dims[0] || x->dims[1] || x->dims[2];
    int best = -1;

    for (int d = 0; d < 3; d++)
        if ((x->dims[d] || !any) && t->count[d] > 1 && (best < 0 || t->count[d] > t->count[best]))
            best = d;
    return best;
}

/* Adds to *sum how often the work-items of the tile do the part. */
static bool count(struct exact *x, const struct cw_tile *tile, double *sum)
{
    struct cw_tile half = *tile;
    double times;
    int d;

    x->eval->tile = tile;
    if (--*x->left < 0) {
        x->why = why_many;
        return false;
    }
    if (executions(x, &times)) {
        *sum += times;
        return true;
    }
    d = x->why ? -1 : halve_along(x, tile);
    if (d < 0) {
        x->why = x->why ? x->why : why_tangled;
        return false;
    }
    half.count[d] = tile->count[d] / 2;
    if (!count(x, &half, sum))
        return false;
    half.first[d] += half.count[d];
    half.count[d] = tile->count[d] - half.count[d];
    return count(x, &half, sum);
}

/* Floating-point operations of one execution of the part. */
static struct cw_ops_floats floats_of(const struct cw_ops *w)
{
    struct cw_ops_floats f = {.single = w->count[CW_OP_SINGLE] + 2.0 * w->count[CW_OP_SINGLE_FMA],
                              .twice = w->count[CW_OP_DOUBLE] + 2.0 * w->count[CW_OP_DOUBLE_FMA]};

    /* the model does not say the type of a division */
    if (f.twice > 0)
        f.twice += w->count[CW_OP_SPECIAL];
    else
        f.single += w->count[CW_OP_SPECIAL];
    return f;
}

const char *cw_ops_floats(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch,
                          int64_t *left, struct cw_ops_floats *floats)
{
    const bool by_group = cw_model_depends_on_groups(m);
    struct cw_tile all = {.count = {1, 1, 1}};
    struct cw_launch l = *launch;
    struct exact x = {.eval = e, .left = left};

    *floats = (struct cw_ops_floats){0};
    for (int d = 0; d < 3; d++) {
        l.local[d] = by_group ? l.local[d] : 1; /* work-items may then be told apart */
        all.count[d] = l.global[d] / l.local[d] + (l.global[d] % l.local[d] != 0);
    }
    e->launch = &l;
    if (m->works >= CW_MODEL_MAX_WORKS)
        x.why = why_many; /* some may have been left out */
    for (int i = 0; i < m->works && !x.why; i++) {
        const struct cw_ops_floats one = floats_of(&m->work[i]);
        double times = 0;

        if (!(one.single + one.twice > 0))
            continue;
        x.part = &m->work[i];
        if (x.part->doubt)
            x.why = why_data;
        else if (count(&x, &all, &times)) {
            floats->single += times * one.single;
            floats->twice += times * one.twice;
        }
    }
    e->box_valid = false;
    e->launch = launch;
    e->tile = NULL;
    return x.why;
}
