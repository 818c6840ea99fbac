/* ops.c - see ops.h. */
#include "ops.h"

#include "eval_internal.h"
#include "../../../sched/whole.h"

#include <math.h>

/* Work-groups that are looked at, spread over the launch. */
enum { SAMPLES = 5 };

const char *cw_ops_name(enum cw_op op)
{
#define X(id, name) name,
    static const char *const names[] = {CW_OP_LIST(X)};
#undef X
    return names[op];
}

static double size(struct cw_range r)
{
    return r.hi < r.lo ? 0 : (double)(r.hi - r.lo) + 1;
}

/* Makes the counters of `loop` and those around it, outer ones first; loops without a bound run once. */
static int make_counters(struct cw_eval *e, int loop)
{
    int unknown = 0;
    if (loop < 0)
        return 0;
    unknown = make_counters(e, e->m->loop[loop].parent);
    if (e->loop[loop] == LOOP_NEW)
        (void)cw_eval_loop_counter(e, loop);
    e->restart = false;
    return unknown + (e->loop[loop] != LOOP_DONE);
}

/* How often an undecided guard holds in the box: as if its values were spread evenly over their range. */
static double share(struct cw_eval *e, struct cw_guard g, bool *sure)
{
    struct cw_poly p;
    enum relation relation;
    if (!cw_eval_relation(e, g.node, g.want, &p, &relation) || cw_eval_of_data(e, &p)) {
        *sure = false;
        return 1;
    }
    struct cw_range r = cw_poly_range(&p, e->range);
    double all = size(r);
    if (relation == REL_NEGATIVE)
        return r.lo >= 0 ? 0 : r.hi < 0 ? 1 : (double)-r.lo / all;
    return relation == REL_ZERO ? 1 / all : 1 - 1 / all;
}

/* A value of data was narrowed: a guard holds for some data only. */
static bool chose_data(const struct cw_eval *e)
{
    for (int v = VAR_DYNAMIC; v < e->vars; v++) {
        int node = e->var[v].node;
        if (node < 0 || e->m->pool.node[node].op != CW_EXPR_OPAQUE)
            continue;
        struct cw_range all = cw_eval_type_range(e->m->pool.node[node].width, true);
        if (e->range[v].lo > all.lo && e->range[v].lo != 0)
            return true;
        if (e->range[v].hi < all.hi)
            return true;
    }
    return false;
}

/* How often a work-item of the tile, which is one work-group, does part `w`. */
static double weight(struct cw_eval *e, const struct cw_ops *w, struct cw_ops_counts *counts)
{
    double times = 1;
    e->access_loop = w->loop;
    e->box_valid = false;
    for (int d = 0; d < 3; d++)
        e->by_group[d] = true;
    for (int i = 0; i < e->m->loops; i++)
        e->loop[i] = LOOP_NEW;
    cw_eval_reset(e);
    int unknown = make_counters(e, w->loop);
    for (int round = 0; round < 2; round++)
        for (int i = w->guards.first; i < w->guards.first + w->guards.n; i++) {
            e->restart = false;
            if (cw_eval_narrow(e, e->m->guard[i]) == TRI_NO || e->empty)
                return 0;
        }
    if (unknown > counts->unknown_loops)
        counts->unknown_loops = unknown;
    for (int i = w->guards.first; i < w->guards.first + w->guards.n; i++)
        if (cw_eval_decide(e, e->m->guard[i].node) == TRI_MAYBE)
            times *= share(e, e->m->guard[i], &counts->sure);
    for (int d = 0; d < 3; d++)
        times *= size(e->range[VAR_LOCAL + d]) / (double)e->launch->local[d];
    for (int l = w->loop; l >= 0; l = e->m->loop[l].parent)
        if (e->loop[l] == LOOP_DONE)
            times *= size(e->range[e->loop_var[l]]);
    counts->sure &= !w->doubt && !chose_data(e);
    return e->failed ? 1 : times;
}

/* Iterations of `loop`, over those of the loops around it. */
static double most_iterations(struct cw_eval *e, int loop)
{
    double times = 1;

    e->access_loop = loop;
    e->box_valid = false;
    for (int d = 0; d < 3; d++)
        e->by_group[d] = true;
    for (int i = 0; i < e->m->loops; i++)
        e->loop[i] = LOOP_NEW;
    cw_eval_reset(e);
    if (make_counters(e, loop) || e->failed)
        return INFINITY;
    for (int l = loop; l >= 0; l = e->m->loop[l].parent)
        times *= size(e->range[e->loop_var[l]]);
    return times;
}

double cw_ops_most(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch)
{
    struct cw_tile all = {.count = {1, 1, 1}};
    double items = 1, each = 1, times;

    if (m->works >= CW_MODEL_MAX_WORKS)
        return INFINITY; /* some may have been left out */
    for (int d = 0; d < 3; d++) {
        all.count[d] = launch->global[d] / launch->local[d] + (launch->global[d] % launch->local[d] != 0);
        items *= (double)launch->global[d];
    }
    e->launch = launch;
    e->tile = &all;
    for (int l = 0; l < m->loops; l++)
        each += most_iterations(e, l);
    for (int i = 0; i < m->works && isfinite(each); i++) {
        times = most_iterations(e, m->work[i].loop);
        for (int k = 0; k < CW_OPS; k++)
            if (k != CW_OP_LOAD_BYTES && k != CW_OP_STORE_BYTES)
                each += times * m->work[i].count[k];
    }
    e->box_valid = false;
    return items * each;
}

void cw_ops_count(const struct cw_model *m, struct cw_eval *e, const struct cw_launch *launch,
                  struct cw_ops_counts *counts)
{
    struct cw_tile tile;
    int64_t groups[3], all = 1;
    *counts = (struct cw_ops_counts){.sure = true};
    for (int d = 0; d < 3; d++) {
        groups[d] = launch->global[d] / launch->local[d] + (launch->global[d] % launch->local[d] != 0);
        all = all && groups[d] > INT64_MAX / all ? INT64_MAX : all * groups[d];
        tile.count[d] = 1;
    }
    int samples = all < SAMPLES ? (int)all : SAMPLES;
    e->launch = launch;
    e->tile = &tile;
    for (int s = 0; s < samples; s++) {
        int64_t g = (int64_t)cw_whole_from((double)all * (2 * s + 1) / (2 * samples), (uint64_t)all - 1);
        tile.first[0] = g % groups[0];
        tile.first[1] = g / groups[0] % groups[1];
        tile.first[2] = g / groups[0] / groups[1];
        for (int i = 0; i < m->works; i++) {
            double times = weight(e, &m->work[i], counts);
            for (int k = 0; k < CW_OPS; k++)
                counts->per_item[k] += times * m->work[i].count[k] / samples;
        }
    }
    e->box_valid = false;
}
