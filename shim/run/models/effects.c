/* effects.c - see models/effects.h. */
#include "effects.h"

#include "program_models.h"

bool cw_run_effects_may_be_hidden(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    const struct cw_model *m;

    if (!p->manageable)
        return true;
    if (!p->doubtful)
        return false;
    m = p->models ? cw_model_set_find(&p->models->set, k->name) : NULL;
    return !m || m->prints || m->anywhere;
}
