/* effects.c - see models/effects.h. */
#include "effects.h"

#include "program_models.h"

/* Each model is looked up once: the kernels of some programs are hundreds, their launches many. */
static bool model_says(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    struct cw_run_known *known = k->known;
    const struct cw_model *m;

    if (!p->models)
        return true;
    if (known->judged_job != p->models_job) {
        m = cw_model_set_find(&p->models->set, k->name);
        known->hidden = !m || m->prints || m->anywhere;
        known->judged_job = p->models_job;
    }
    return known->hidden;
}

bool cw_run_effects_may_be_hidden(const struct cw_run_kernel *k)
{
    return !k->program->manageable || (k->program->doubtful && model_says(k));
}
