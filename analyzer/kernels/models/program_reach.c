/* program_reach.c - see program_models.h. */
#include "program_models.h"

#include <stdlib.h>

#include "../footprint/model_file.h"

struct cw_program_reach {
    struct cw_model_set set;
};

struct cw_program_reach *cw_program_reach_create(struct cw_models_source *s, const char *source,
                                                 const char *options, const struct cw_models_vendor *vendor,
                                                 struct cw_error *err)
{
    struct cw_program_reach *p = malloc(sizeof *p);

    if (!p)
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for models");
    else if (cw_program_models_get(s, source, options, vendor, &p->set, NULL, err) == CW_OK)
        return p;
    free(p);
    return NULL;
}

void cw_program_reach_destroy(struct cw_program_reach *p)
{
    if (p)
        cw_model_set_finish(&p->set);
    free(p);
}

struct cw_reacher *cw_program_reach_kernel(const struct cw_program_reach *p, const char *kernel,
                                           uint32_t pieces)
{
    const struct cw_model *m = cw_model_set_find(&p->set, kernel);

    return m ? cw_reacher_create(m, pieces) : NULL;
}

const struct cw_model *cw_program_reach_model(const struct cw_program_reach *p, const char *kernel)
{
    return cw_model_set_find(&p->set, kernel);
}

bool cw_program_reach_says(const struct cw_program_reach *p, const char *kernel, bool *elsewhere,
                           bool *addresses)
{
    const struct cw_model *m = cw_model_set_find(&p->set, kernel);

    if (m) {
        *elsewhere = m->anywhere;
        *addresses = m->addresses;
    }
    return m != NULL;
}
