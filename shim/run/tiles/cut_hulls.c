/* cut_hulls.c - a launch as its kernel's model takes it, and the bytes of its tiles. See tiles/tile.h. */
#include "tile.h"

#include "../../../analyzer/kernels/footprint/form.h"
#include "../models/cutter.h"
#include "../models/program_models.h"

/* Buffers over run mode's bytes share them only with those of the same root; all others lie in the host's
 * memory. */
static void describe_memory(const struct cw_run_launch *l, uint32_t i, struct cw_launch_arg *a)
{
    const struct cw_run_memory *m = l->args[i].memory;
    uint32_t first = 0;

    a->buffer_bytes = (int64_t)m->bytes;
    a->base = (int64_t)m->offset;
    a->start = (int64_t)cw_run_arg_start(&l->args[i]);
    if (!m->root->own) {
        a->allocation = UINT64_MAX;
        return;
    }
    while (!l->args[first].memory || l->args[first].memory->root != m->root)
        first++;
    a->allocation = first + 1;
}

void cw_run_cut_hulls_describe(const struct cw_run_launch *l, struct cw_launch_arg *args,
                               struct cw_launch *launch)
{
    *launch = (struct cw_launch){.work_dim = l->dims, .arg = args};
    for (cl_uint d = 0; d < 3; d++) {
        launch->global[d] = d < l->dims ? (int64_t)l->global[d] : 1;
        launch->local[d] = 1;
        launch->offset[d] = d < l->dims ? (int64_t)l->offset[d] : 0;
    }
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];

        args[i] = (struct cw_launch_arg){0};
        if (a->memory) {
            describe_memory(l, i, &args[i]);
        } else if (a->kind == CW_RUN_ARG_VALUE && !a->sampler) {
            args[i].value = a->size > 8 ? a->bytes : (const unsigned char *)&a->word;
            args[i].value_bytes = a->size;
        }
    }
}

bool cw_run_cut_hulls(const struct cw_run_task *t, const struct cw_run_cut *cut, const int64_t *from, int n,
                      struct cw_arg_hulls *hulls)
{
    const struct cw_run_launch *l = &t->launch;
    struct cw_run_cutter *c = l->kernel->known->cutter;
    struct cw_launch launch;

    if (!c->form)
        c->form = cw_form_create(cw_model_set_find(&c->models->set, l->kernel->name));
    if (!c->form)
        return false;
    cw_run_cut_hulls_describe(l, l->kernel->tiled->args, &launch);
    for (cl_uint i = 0; i < l->dims; i++)
        launch.local[i] = (int64_t)cut->local[i];
    return cw_form_launch(c->form, &launch) && cw_form_tiles(c->form, cut->dim, from, n, hulls);
}

static bool meets(const struct cw_run_arg *a, const struct cw_hull *x, const struct cw_run_arg *b,
                  const struct cw_hull *y)
{
    if (x->answer == CW_ANSWER_NONE || y->answer == CW_ANSWER_NONE)
        return false;
    if (x->answer == CW_ANSWER_UNKNOWN || y->answer == CW_ANSWER_UNKNOWN)
        return true;
    return a->memory->region == b->memory->region &&
           a->memory->offset + (uint64_t)x->begin < b->memory->offset + (uint64_t)y->end &&
           b->memory->offset + (uint64_t)y->begin < a->memory->offset + (uint64_t)x->end;
}

bool cw_run_cut_hulls_in_place(const struct cw_run_launch *l, const struct cw_arg_hulls *hulls)
{
    uint32_t n = l->kernel->count;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (l->args[i].memory && l->args[j].memory &&
                meets(&l->args[i], &hulls[i].writes, &l->args[j], &hulls[j].reads))
                return true;
    return false;
}
