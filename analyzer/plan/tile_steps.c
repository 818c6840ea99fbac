/* tile_steps.c - see tile_steps.h. */
#include "tile_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cw_tile_steps_finish(struct cw_tile_steps *x)
{
    for (uint32_t s = 0; s < x->steps; s++)
        free((void *)(uintptr_t)x->step[s].access);
    free(x->step);
    free(x->command);
    free(x->chain);
    *x = (struct cw_tile_steps){0};
}

uint32_t cw_tile_steps_chain_end(const struct cw_tile_steps *x, uint32_t first)
{
    uint32_t end = first;

    while (end < x->steps && x->chain[end] == x->chain[first])
        end++;
    return end;
}

/* Each step is one of a graph's levels. */
struct levels {
    const struct cw_graph *g;
    uint32_t *level;
    uint64_t *base; /* where each task's memory begins */
};

static uint64_t bytes_of(double data)
{
    return data < 1 ? 1 : data > 0x1p50 ? (uint64_t)1 << 50 : (uint64_t)llround(data);
}

static uint64_t output_of(const struct cw_graph *g, uint32_t task)
{
    uint64_t most = 1;

    for (uint32_t e = g->succ.start[task]; e < g->succ.start[task + 1]; e++)
        if (bytes_of(g->succ.data[e]) > most)
            most = bytes_of(g->succ.data[e]);
    return most;
}

static void fill_task(const struct levels *l, uint32_t task, struct cw_groups_access *access)
{
    const struct cw_adjacency *pred = &l->g->pred;
    uint32_t n = 0;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        uint64_t from = l->base[pred->task[e]];
        access[n++] = (struct cw_groups_access){from, from + bytes_of(pred->data[e]), false};
    }
    access[n] = (struct cw_groups_access){l->base[task], l->base[task] + output_of(l->g, task), true};
}

/* Steps are made one after the other, and their number is small against that of tasks only where graphs are
 * regular. */
static enum cw_status fill_levels(struct cw_tile_steps *x, const struct levels *l, struct cw_error *err)
{
    const struct cw_graph *g = l->g;
    uint32_t *at = calloc(x->steps, sizeof *at);

    if (!at)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t i = g->tasks; i-- > 0;) {
        struct cw_groups_step *step = &x->step[l->level[i]];
        uint32_t needed = g->pred.start[i + 1] - g->pred.start[i] + 1;
        step->tiles++;
        step->accesses = needed > step->accesses ? needed : step->accesses;
        x->command[l->level[i]] = i;
    }
    for (uint32_t s = 0; s < x->steps; s++) {
        x->step[s].access = calloc((size_t)x->step[s].tiles * x->step[s].accesses, sizeof *x->step[s].access);
        x->cut += x->step[s].tiles > 1, x->whole += x->step[s].tiles == 1;
        if (!x->step[s].access) {
            free(at);
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        }
    }
    for (uint32_t i = 0; i < g->tasks; i++) {
        const struct cw_groups_step *step = &x->step[l->level[i]];
        struct cw_groups_access *all = (struct cw_groups_access *)(uintptr_t)step->access;
        fill_task(l, i, all + (size_t)at[l->level[i]]++ * step->accesses);
    }
    free(at);
    return CW_OK;
}

enum cw_status cw_tile_steps_of_graph(struct cw_tile_steps *x, const struct cw_graph *g, struct cw_error *err)
{
    struct levels l = {
        .g = g, .level = calloc(g->tasks, sizeof *l.level), .base = malloc(g->tasks * sizeof *l.base)};
    uint32_t depth = 0;
    uint64_t bytes = 0;
    enum cw_status status = l.level && l.base ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    *x = (struct cw_tile_steps){0};
    for (uint32_t k = 0; k < g->tasks && status == CW_OK; k++) {
        uint32_t i = g->topo[k];
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++)
            if (l.level[g->pred.task[e]] + 1 > l.level[i])
                l.level[i] = l.level[g->pred.task[e]] + 1;
        depth = l.level[i] > depth ? l.level[i] : depth;
    }
    for (uint32_t i = 0; i < g->tasks && status == CW_OK; i++)
        l.base[i] = bytes, bytes += output_of(g, i);
    if (status == CW_OK) {
        x->step = calloc((size_t)depth + 1, sizeof *x->step);
        x->command = calloc((size_t)depth + 1, sizeof *x->command);
        x->chain = calloc((size_t)depth + 1, sizeof *x->chain);
        x->chains = 1;
        x->steps = x->step ? depth + 1 : 0;
        status = x->step && x->command && x->chain ? fill_levels(x, &l, err)
                                                   : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    }
    free(l.level);
    free(l.base);
    return status;
}
