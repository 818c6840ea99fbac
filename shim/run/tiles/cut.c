/* cut.c - whether a launch may be cut into tiles, how, and why not. */
#include "tile.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/footprint/cut.h"
#include "../../../analyzer/kernels/footprint/tiler.h"
#include "../../builds/source.h"
#include "../models/cutter.h"
#include "../models/exact.h"
#include "../models/program_models.h"
#include "share.h"
#include "../tasks/object.h"
#include "../planner/legal.h"

#define PARAMETER_BYTES 1024 /* every device takes so many (CL_DEVICE_MAX_PARAMETER_SIZE) */

/* ---- the verdict of the model */

static struct cw_run_tiled *make_tiled(struct cw_run_kernel *k)
{
    struct cw_run_tiled *d = k->tiled = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->args = calloc(k->count + 1, sizeof *d->args);
    d->clones = calloc(CW_RUN_WORKERS, sizeof *d->clones);
    d->set = calloc(CW_RUN_WORKERS, sizeof *d->set);
    d->rows = calloc(CW_RUN_WORKERS, sizeof *d->rows);
    d->row_set = calloc(CW_RUN_WORKERS, sizeof *d->row_set);
    if (d->args && d->clones && d->set && d->rows && d->row_set)
        return d;
    cw_run_object_free_tiled(k);
    return NULL;
}

/* ---- all together */

static bool too_large(const struct cw_run_launch *l)
{
    size_t bytes = CW_RUN_HIDDEN;

    for (uint32_t i = 0; i < l->kernel->count; i++)
        bytes += l->args[i].kind == CW_RUN_ARG_LOCAL ? sizeof(void *) : (l->args[i].size + 15u) & ~(size_t)15;
    return bytes > PARAMETER_BYTES;
}

static const char *look(const struct cw_run_launch *l, struct cw_run_cut *cut)
{
    struct cw_cut_verdict *v = &cut->verdict;
    struct cw_launch launch;
    struct cw_run_tiled *d = l->kernel->tiled ? l->kernel->tiled : make_tiled(l->kernel);
    struct cw_run_cutter *c = d ? cw_run_cutter_of(l->kernel) : NULL;

    if (!c)
        return "nothing is known of the kernel";
    cw_run_cut_hulls_describe(l, d->args, &launch);
    for (cl_uint i = 0; i < l->dims; i++)
        launch.local[i] = (int64_t)cut->local[i];
    cw_cutter_verdict(c->cutter, &launch, v);
    if (v->cut == CW_CUT_WHOLE)
        return v->why;
    cut->merges = cw_run_tile_merge_may(l, v);
    cut->dim = (uint32_t)v->dim;
    cut->ragged = !l->has_local && cw_pinned_settle(cut->dim, l->global, cut->local);
    cut->groups = (l->global[cut->dim] + cut->local[cut->dim] - 1) / cut->local[cut->dim];
    return cut->groups > 1 ? NULL : "there is only one work-group";
}

enum cw_run_legal_scope cw_run_cut_scope(const struct cw_run_cut *cut)
{
    bool alone = cut->verdict.cut == CW_CUT_ANY || cut->merges;

    return alone && cut->verdict.contiguous ? CW_RUN_LEGAL_ALONE : CW_RUN_LEGAL_TILE;
}

const char *cw_run_cut_of(const struct cw_run_task *t, struct cw_run_cut *cut)
{
    const struct cw_run_launch *l = &t->launch;
    const struct cw_run_program *p = l->kernel->program;
    const struct cw_cl_device *home = t->queue->context->places[t->queue->home].device;
    const char *refused;

    *cut = (struct cw_run_cut){.local = {1, 1, 1}};
    if (!p->models)
        return "nothing is known of the kernel";
    if (!home->memory && !cw_device_has(home, CW_VENDOR_ZERO_COPY_HOST_PTR))
        return "its device does not share the host's memory";
    if (!cw_run_relaxed && cw_source_results_vary(p->options) && !cw_run_exact_is_whole(l->kernel))
        return "the build options allow results to vary";
    refused = cw_run_tile_program_refuses(l->kernel);
    if (refused)
        return refused;
    if (too_large(l))
        return "it has too many arguments for one more";
    if (l->has_local)
        memcpy(cut->local, l->local, l->dims * sizeof *l->local);
    else if (!cw_run_cutter_group_free(l->kernel))
        return "its device chooses the local size, which it can see";
    else
        cw_pinned_local(l->dims, l->global, cut->local);
    refused = look(l, cut);
    if (!refused && home->memory && cw_run_cut_scope(cut) != CW_RUN_LEGAL_ALONE)
        return cut->verdict.contiguous ? "its device does not share the host's memory"
                                       : "tiles would write between each other's bytes";
    return refused;
}
