/* tiler.c - see tiler.h. */
#include "tiler.h"

#include <math.h>
#include <stdlib.h>

#include "cut.h"

enum { SPANS_MAX = 8, SPANS_OF_BOX = CW_EVAL_MAX_SPANS }; /* rows of a box lie apart */

struct cw_tiler {
    const struct cw_model *model;
    struct cw_cutter *cutter;
    struct cw_eval *eval;
    struct cw_launch_arg *arg;
    struct cw_arg_footprint *print;
};

struct cw_tiler *cw_tiler_create(const struct cw_model *model)
{
    struct cw_tiler *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->model = model;
    t->cutter = cw_cutter_create(model);
    t->eval = cw_eval_create(model);
    t->arg = calloc((size_t)model->args + 1, sizeof *t->arg);
    t->print = calloc((size_t)model->args + 1, sizeof *t->print);
    if (t->cutter && t->eval && t->arg && t->print)
        return t;
    cw_tiler_destroy(t);
    return NULL;
}

void cw_tiler_destroy(struct cw_tiler *t)
{
    if (!t)
        return;
    if (t->print)
        cw_eval_result_finish(t->print, t->model->args);
    cw_cutter_destroy(t->cutter);
    cw_eval_destroy(t->eval);
    free(t->arg);
    free(t->print);
    free(t);
}

static void describe(struct cw_tiler *t, const struct cw_reach_launch *from,
                     const struct cw_tiler_place *place, struct cw_launch *l)
{
    *l = (struct cw_launch){.work_dim = from->work_dim, .arg = t->arg};
    for (unsigned d = 0; d < 3; d++) {
        bool used = d < from->work_dim;
        l->global[d] = used ? (int64_t)from->global[d] : 1;
        l->local[d] = used && from->local[d] ? (int64_t)from->local[d] : 1;
        l->offset[d] = used ? (int64_t)from->offset[d] : 0;
    }
    for (uint32_t i = 0; i < from->args; i++) {
        const struct cw_reach_arg *a = &from->arg[i];
        t->arg[i] = (struct cw_launch_arg){0};
        if (a->kind == CW_REACH_BUFFER)
            t->arg[i] = (struct cw_launch_arg){.buffer_bytes = (int64_t)a->bytes,
                                               .allocation = place[i].allocation,
                                               .base = place[i].base,
                                               .start = (int64_t)a->start};
        else if (a->kind == CW_REACH_SCALAR)
            t->arg[i] = (struct cw_launch_arg){.value = a->value, .value_bytes = a->bytes};
    }
}

static bool hand_out(struct cw_spans *s, size_t most, uint32_t tile, uint32_t arg, bool write,
                     cw_tiler_visit *visit, void *data)
{
    cw_spans_limit(s, most);
    for (size_t k = 0; k < s->n; k++)
        if (!visit(data, tile, arg, write, (uint64_t)s->v[k].begin, (uint64_t)s->v[k].end))
            return false;
    return true;
}

/* Which dimensions to cut, the highest first, and into how many tiles: about as many in each, more in the
 * first where others have few work-groups. Returns how many dimensions. */
static uint32_t choose_grid(struct cw_tiler *t, const struct cw_launch *l, const struct cw_cut_verdict *v,
                            const int64_t groups[3], uint32_t tiles, uint32_t dims, int dim[3],
                            uint32_t made[3])
{
    uint32_t n = 0, left = tiles, each;

    for (int d = 2; d >= 0 && n < dims; d--)
        if (dims == 1 ? d == v->dim : d == v->dim || cw_cutter_along(t->cutter, l, d))
            dim[n++] = d;
    each = (uint32_t)floor(pow(tiles, 1.0 / n) + 1e-9);
    for (uint32_t k = n; k-- > 0;) {
        uint32_t most = k ? each : left;

        made[k] = groups[dim[k]] < most ? (uint32_t)groups[dim[k]] : most;
        left /= made[k];
    }
    return n;
}

/* The box of tile `i`. */
static void place_tile(struct cw_tile *tile, const int64_t groups[3], const int dim[3], uint32_t dims,
                       const uint32_t made[3], uint32_t i)
{
    for (uint32_t k = dims; k-- > 0; i /= made[k]) {
        int64_t n = groups[dim[k]], at = i % made[k];

        tile->first[dim[k]] = n * at / made[k];
        tile->count[dim[k]] = n * (at + 1) / made[k] - tile->first[dim[k]];
    }
}

bool cw_tiler_cut(struct cw_tiler *t, const struct cw_reach_launch *launch,
                  const struct cw_tiler_place *place, uint32_t tiles, uint32_t dims, cw_tiler_visit *visit,
                  void *data, uint32_t made[3])
{
    struct cw_tile tile = {.first = {0}};
    struct cw_cut_verdict v;
    struct cw_launch l;
    int64_t groups[3];
    int dim[3];
    size_t most;

    made[0] = 0, made[1] = made[2] = 1;
    if ((uint32_t)t->model->args != launch->args || launch->work_dim < 1 || launch->work_dim > 3)
        return true;
    describe(t, launch, place, &l);
    cw_cutter_verdict(t->cutter, &l, &v);
    if (v.cut == CW_CUT_WHOLE)
        return true;
    for (int d = 0; d < 3; d++)
        groups[d] = tile.count[d] = (l.global[d] + l.local[d] - 1) / l.local[d];
    dims = choose_grid(t, &l, &v, groups, tiles, dims, dim, made);
    most = dims > 1 ? SPANS_OF_BOX : SPANS_MAX;
    for (uint32_t i = 0; i < made[0] * made[1] * made[2]; i++) {
        place_tile(&tile, groups, dim, dims, made, i);
        if (!cw_eval_tile(t->eval, &l, &tile, t->print))
            return false;
        for (uint32_t k = 0; k < launch->args; k++)
            if (t->arg[k].buffer_bytes &&
                (!hand_out(&t->print[k].reads.may, most, i, k, false, visit, data) ||
                 !hand_out(&t->print[k].writes.may, most, i, k, true, visit, data)))
                return false;
    }
    return true;
}

uint64_t cw_tiler_groups(struct cw_tiler *t, const struct cw_reach_launch *launch,
                         const struct cw_tiler_place *place)
{
    size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
    struct cw_cut_verdict v;
    struct cw_launch l;

    if ((uint32_t)t->model->args != launch->args || launch->work_dim < 1 || launch->work_dim > 3)
        return 1;
    describe(t, launch, place, &l);
    for (unsigned d = 0; d < launch->work_dim; d++) {
        global[d] = launch->global[d];
        local[d] = (size_t)l.local[d];
    }
    if (!launch->local[0])
        cw_pinned_local(launch->work_dim, global, local);
    for (unsigned d = 0; d < 3; d++)
        l.local[d] = (int64_t)local[d];
    cw_cutter_verdict(t->cutter, &l, &v);
    if (v.cut == CW_CUT_WHOLE || !global[v.dim])
        return 1;
    if (!launch->local[0])
        cw_pinned_settle((unsigned)v.dim, global, local);
    return (global[v.dim] + local[v.dim] - 1) / local[v.dim];
}
