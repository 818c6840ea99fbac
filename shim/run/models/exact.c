/* exact.c - see models/exact.h. */
#include "exact.h"

#include "../../builds/source.h"
#include "program_models.h"

static const char unknown[] = "nothing is known of the kernel";

/* Each model is looked up once. Why results may differ. */
static const char *look(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    struct cw_run_known *known = k->known;
    const struct cw_model *m;

    if (!p->models)
        return unknown;
    if (known->exact_job != p->models_job) {
        m = cw_model_set_find(&p->models->set, k->name);
        known->inexact = m ? m->inexact : unknown;
        known->floats = m ? m->floats : 0;
        known->exact_job = p->models_job;
    }
    return known->inexact;
}

const char *cw_run_exact_why_not(const struct cw_run_kernel *k, const struct cw_cl_device *a,
                                 const struct cw_cl_device *b)
{
    const char *why = look(k);
    unsigned needs = k->known->floats;

    if (why || !needs)
        return why;
    if (!cw_source_rounds_plainly(k->program->options))
        return "the build options let compilers round in other ways";
    return (needs & a->floats & b->floats) == needs ? NULL : "a device does not keep denormal numbers";
}

bool cw_run_exact_is_whole(const struct cw_run_kernel *k)
{
    return !look(k) && !k->known->floats;
}
