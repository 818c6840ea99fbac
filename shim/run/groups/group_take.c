/* group_take.c - which tile of a group is next on a worker. See groups/group.h. */
#include "group.h"

#include "../core/fault.h"
#include "../core/state.h"
#include "../workers/worker.h"

#define NONE CW_RUN_NO_TILE
#define LOOK 64 /* open tiles of its own that a part looks at */

uint32_t cw_run_group_take_number(const struct cw_run_group *g, const struct cw_run_task *part)
{
    return (uint32_t)(part - g->part);
}

uint32_t cw_run_group_take_next(struct cw_run_group *g, uint32_t p, bool *more)
{
    uint32_t looked = 0, i = g->cursor[p];

    *more = false;
    while (i < g->plan.tiles && (g->worker[i] != p || g->state[i] != CW_RUN_TILE_OPEN))
        i++;
    g->cursor[p] = i;
    for (; i < g->plan.tiles && looked < LOOK; i++) {
        if (g->worker[i] != p || g->state[i] != CW_RUN_TILE_OPEN)
            continue;
        if (g->in_turn || g->waits[i] == g->early[i])
            return i;
        *more = true;
        looked++;
    }
    return NONE;
}

/* Under the planted fault: a tile that depends on `i`, in its place. */
static uint32_t out_of_order(const struct cw_run_group *g, uint32_t i)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];

    for (uint32_t k = 0; k < t->successors; k++) {
        uint32_t s = g->plan.successor[t->first + k];
        if (g->state[s] == CW_RUN_TILE_OPEN)
            return cw_run_fault_now(CW_RUN_FAULT_ORDER) ? s : i;
    }
    return i;
}

void cw_run_group_take_expect(struct cw_run_group *g, uint32_t i, bool taken)
{
    const struct cw_groups_tile *t = &g->plan.tile[i];

    for (uint32_t k = 0; k < t->successors; k++) {
        uint32_t s = g->plan.successor[t->first + k];
        if (g->worker[s] != g->worker[i])
            continue;
        if (taken)
            g->early[s]++;
        else if (g->early[s]) /* not: it has come from another worker meanwhile */
            g->early[s]--;
    }
}

static uint32_t take(struct cw_run_group *g, const struct cw_run_task *part, bool *more)
{
    uint32_t i = cw_run_group_take_next(g, cw_run_group_take_number(g, part), more);
    struct cw_run_step *s;

    if (i == NONE)
        return NONE;
    if (CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_ORDER))
        i = out_of_order(g, i);
    g->state[i] = CW_RUN_TILE_TAKEN;
    g->taken++;
    cw_run_group_take_expect(g, i, true);
    s = &g->step[g->plan.tile[i].step];
    if (s->task->state < CW_RUN_RUNNING) {
        cw_run_worker_starts(s->task);
        s->start_ns = s->task->time.wanted ? s->task->time.at[2] : 0;
    }
    return i;
}

uint32_t cw_run_group_take(struct cw_run_group *g, const struct cw_run_task *part,
                           uint32_t batch[CW_RUN_GROUP_BATCH], bool *more)
{
    uint32_t n = 0,
             most = cw_device_has(part->queue->context->places[part->at.place].device, CW_VENDOR_IN_CALL)
                        ? CW_RUN_GROUP_BATCH
                        : 1;

    if (CW_UNLIKELY(cw_run_fault_planted))
        most = 1;
    else if (cw_run.chaos)
        most = most < 2 ? 1 : 1 + cw_run_group_below(most);
    while (n < most && (batch[n] = take(g, part, more)) != NONE)
        n++;
    return n;
}

void cw_run_group_take_back(struct cw_run_group *g, uint32_t i)
{
    g->state[i] = CW_RUN_TILE_OPEN;
    if (i < g->cursor[g->worker[i]])
        g->cursor[g->worker[i]] = i;
    g->taken--;
    cw_run_group_take_expect(g, i, false);
}
