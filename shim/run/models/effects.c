/* effects.c - see models/effects.h. */
#include "effects.h"

#include "../../../analyzer/kernels/source/kernel_params.h"
#include "program_models.h"

/* Each model is looked up once: the kernels of some programs are hundreds, their launches many. The program
 * has models. */
static const struct cw_run_known *judge(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    struct cw_run_known *known = k->known;
    const struct cw_model *m;

    if (known->judged_job != p->models_job) {
        m = cw_model_set_find(&p->models->set, k->name);
        known->elsewhere = !m || m->anywhere;
        known->hidden = known->elsewhere || m->prints || m->addresses;
        known->polls = m ? m->polls : p->may_poll;
        known->judged_job = p->models_job;
    }
    return known;
}

bool cw_run_effects_may_poll(const struct cw_run_kernel *k)
{
    return k->program->models ? judge(k)->polls : k->program->may_poll;
}

void cw_run_effects_settle_kinds(struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    const struct cw_model *m;

    if (!p->models || k->kinds_job == p->models_job)
        return;
    k->kinds_job = p->models_job;
    m = cw_model_set_find(&p->models->set, k->name);
    for (uint32_t i = 0; m && i < k->count && i < (uint32_t)m->args; i++)
        if (k->kinds[i] == CW_PARAM_UNKNOWN)
            k->kinds[i] = m->arg[i].kind == CW_ARG_SCALAR ? CW_PARAM_NUMBER : CW_PARAM_OBJECT;
}

bool cw_run_effects_may_be_hidden(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;

    return !p->manageable || (p->models ? judge(k)->hidden : p->doubtful);
}

bool cw_run_effects_reach_elsewhere(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;

    return k->indirect || k->pointed || !k->parsed || !p->manageable ||
           (p->models ? judge(k)->elsewhere : p->doubtful);
}
