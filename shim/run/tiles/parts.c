/* parts.c - see tiles/tile.h. */
#include "../planner/legal.h"
#include "tile.h"

#include "share.h"
#include "../tuning/tuning.h"

uint64_t cw_run_parts_groups(struct cw_run_task *t, uint64_t workers)
{
    const struct cw_run_context *c = t->queue->context;
    uint32_t place[CW_RUN_WORKERS], n = 0;
    struct cw_run_cut cut;
    const char *why;

    if (!cw_run_share_wanted(t))
        return 1;
    why = cw_run_cut_of(t, &cut);
    for (uint32_t k = 0; k < c->devices->n && n < CW_RUN_WORKERS && !why; k++) {
        if (!(workers >> c->places[k].worker->number & 1))
            continue;
        if (cw_run_legal(t, &c->places[k], cw_run_cut_scope(&cut)) != CW_RUN_LEGAL)
            why = "a device that may run it may run no part of it";
        place[n++] = k;
    }
    if (why)
        cw_run_reasons_whole(t, why);
    return !why && n > 1 && cw_run_share_built(t, place, n) ? cut.groups : 1;
}

static uint32_t place_on(const struct cw_run_context *c, uint32_t worker)
{
    uint32_t k = 0;

    while (k < c->devices->n && c->places[k].worker->number != worker)
        k++;
    return k;
}

bool cw_run_parts_cut(struct cw_run_task *t, const struct cw_run_plan *plan, uint32_t i)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_run_piece piece[CW_RUN_TILE_BLOCKS];
    struct cw_run_cut cut;

    if (plan->parts[i] > CW_RUN_TILE_BLOCKS || cw_run_cut_of(t, &cut))
        return false;
    for (uint32_t k = 0; k < plan->parts[i]; k++) {
        const struct cw_run_plan_part *part = &plan->part[plan->first_part[i] + k];
        uint32_t place = place_on(c, part->device);

        if (place == c->devices->n ||
            cw_run_legal(t, &c->places[place], cw_run_cut_scope(&cut)) != CW_RUN_LEGAL)
            return false;
        piece[k] = (struct cw_run_piece){.first = part->first_group, .groups = part->groups, .place = place};
    }
    return cw_run_tile_launch(t, &cut, piece, plan->parts[i]);
}
