/* tiler.c - see tiler.h. */
#include "tiler.h"

#include <stdlib.h>

#include "cut.h"
#include "pinned.h"

enum { SPANS_MAX = 8 };

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
            t->arg[i] = (struct cw_launch_arg){
                .buffer_bytes = (int64_t)a->bytes, .allocation = place[i].allocation, .base = place[i].base};
        else if (a->kind == CW_REACH_SCALAR)
            t->arg[i] = (struct cw_launch_arg){.value = a->value, .value_bytes = a->bytes};
    }
}

static bool hand_out(struct cw_spans *s, uint32_t tile, uint32_t arg, bool write, cw_tiler_touch *touch,
                     void *data)
{
    cw_spans_limit(s, SPANS_MAX);
    for (size_t k = 0; k < s->n; k++)
        if (!touch(data, tile, arg, write, (uint64_t)s->v[k].begin, (uint64_t)s->v[k].end))
            return false;
    return true;
}

bool cw_tiler_cut(struct cw_tiler *t, const struct cw_reach_launch *launch,
                  const struct cw_tiler_place *place, uint32_t tiles, cw_tiler_touch *touch, void *data,
                  uint32_t *made)
{
    struct cw_tile tile = {.first = {0}};
    struct cw_cut_verdict v;
    struct cw_launch l;
    int64_t groups;

    *made = 0;
    if ((uint32_t)t->model->args != launch->args || launch->work_dim < 1 || launch->work_dim > 3)
        return true;
    describe(t, launch, place, &l);
    cw_cutter_verdict(t->cutter, &l, &v);
    if (v.cut == CW_CUT_WHOLE)
        return true;
    for (int d = 0; d < 3; d++)
        tile.count[d] = (l.global[d] + l.local[d] - 1) / l.local[d];
    groups = tile.count[v.dim];
    *made = groups < tiles ? (uint32_t)groups : tiles;
    for (uint32_t i = 0; i < *made; i++) {
        tile.first[v.dim] = groups * i / *made;
        tile.count[v.dim] = groups * (i + 1) / *made - tile.first[v.dim];
        if (!cw_eval_tile(t->eval, &l, &tile, t->print))
            return false;
        for (uint32_t k = 0; k < launch->args; k++)
            if (t->arg[k].buffer_bytes && (!hand_out(&t->print[k].reads.may, i, k, false, touch, data) ||
                                           !hand_out(&t->print[k].writes.may, i, k, true, touch, data)))
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
