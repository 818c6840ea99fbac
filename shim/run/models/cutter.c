/* cutter.c - see models/cutter.h. */
#include "cutter.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/footprint/cut.h"
#include "../../../analyzer/kernels/footprint/form.h"
#include "program_models.h"

static void forget(struct cw_run_cutter *c)
{
    cw_form_destroy(c->form);
    cw_cutter_destroy(c->cutter);
    cw_run_program_models_release(c->models);
    *c = (struct cw_run_cutter){0};
}

static bool has_atomics(const struct cw_model *m)
{
    for (int i = 0; i < m->works; i++)
        if (m->work[i].count[CW_OP_ATOMIC])
            return true;
    return false;
}

struct cw_run_cutter *cw_run_cutter_of(struct cw_run_kernel *k)
{
    struct cw_run_known *known = k->known;
    struct cw_run_cutter *c = known->cutter ? known->cutter : (known->cutter = calloc(1, sizeof *c));
    const struct cw_model *m;

    if (!c || c->models == k->program->models)
        return c && c->cutter ? c : NULL;
    forget(c);
    c->models = k->program->models;
    c->models->refs++;
    m = cw_model_set_find(&c->models->set, k->name);
    c->cutter = m && (uint32_t)m->args == k->count ? cw_cutter_create(m) : NULL;
    c->ordered = c->cutter && cw_cut_ordered(m);
    c->has_atomics = c->cutter && has_atomics(m);
    return c->cutter ? c : NULL;
}

static bool arguments_share(const struct cw_run_kernel *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        for (uint32_t j = 0; k->args[i].memory && j < i; j++)
            if (k->args[j].memory && k->args[j].memory->region == k->args[i].memory->region)
                return true;
    return false;
}

bool cw_run_cutter_group_free(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    const struct cw_model *m =
        p->group_free || !p->groups_told || !p->models ? NULL : cw_model_set_find(&p->models->set, k->name);

    return p->group_free || (m && !m->groups);
}

static bool is_ordered(struct cw_run_kernel *k)
{
    struct cw_run_cutter *c = k->program->models && cw_run_cutter_group_free(k) ? cw_run_cutter_of(k) : NULL;

    return c && c->ordered;
}

bool cw_run_cutter_any_local(struct cw_run_kernel *k)
{
    return is_ordered(k) && !arguments_share(k);
}

bool cw_run_cutter_one_local(struct cw_run_kernel *k)
{
    return cw_run_program_models_settled(k->program) ? !is_ordered(k) : !k->program->group_free;
}

void cw_run_cutter_free(struct cw_run_known *known)
{
    if (!known->cutter)
        return;
    forget(known->cutter);
    free(known->cutter);
    known->cutter = NULL;
}
