#include "lp_bound.h"

#include <stdio.h>
#include <string.h>

const char *cw_plan_bound_kind_name(enum cw_bound_kind kind)
{
    static const char *const names[] = {"critical path", "oct", "area", "energy", "lp"};

    return names[kind];
}

uint32_t cw_plan_bounds_entries(const char *choice)
{
    if (!choice || strcmp(choice, "auto") == 0)
        return CW_LP_BOUND_ENTRIES;
    return strcmp(choice, "on") == 0 ? INT32_MAX : 0; /* the solver counts in int */
}

static enum cw_status solve(struct cw_plan_bounds *bounds, const struct cw_graph *g,
                            const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err)
{
    enum cw_status status;

    if (bounds->known[sharing])
        return CW_OK;
    status = cw_lp_bound_compute(g, p, sharing, bounds->entries_max, &bounds->lp[sharing], err);
    bounds->known[sharing] = status == CW_OK;
    return status;
}

enum cw_status cw_plan_bound_find(struct cw_plan_bound *bound, struct cw_plan_bounds *bounds,
                                  const struct cw_bounds *simple, const struct cw_graph *g,
                                  const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *bound = (struct cw_plan_bound){.best = simple->critical_path, .kind = CW_BOUND_PATH};
    if (simple->oct > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->oct, .kind = CW_BOUND_OCT};
    if (simple->area > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->area, .kind = CW_BOUND_AREA};
    if (simple->energy > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->energy, .kind = CW_BOUND_ENERGY};
    if (!bounds || bounds->entries_max == 0) {
        snprintf(bound->lp.reason, sizeof bound->lp.reason, "it is switched off");
        return CW_OK;
    }
    status = solve(bounds, g, p, sharing, err);
    if (status == CW_OK)
        bound->lp = bounds->lp[sharing];
    if (status == CW_OK && bound->lp.bound > bound->best) {
        bound->best = bound->lp.bound;
        bound->kind = CW_BOUND_LP;
    }
    return status;
}
