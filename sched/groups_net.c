/* groups_net.c - pieces of memory. */
#include "groups_order.h"

#include <stdlib.h>

#include "radix.h"

/* The first that does not begin below; `near`: where it may be, as the tile before ends or begins there. */
static uint32_t piece_at(const struct cw_groups_net *net, uint64_t bound, uint32_t near)
{
    uint32_t low = 0, high = net->pieces;

    for (uint32_t away = 1; near < net->pieces && net->bound[near] < bound; away *= 2) {
        low = near + 1;
        near += away;
        high = near < net->pieces && net->bound[near] >= bound ? near : high;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (net->bound[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum cw_status no_memory(struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
}

static bool is_grid(const struct cw_groups_step *step)
{
    uint64_t tiles = 1;

    for (uint32_t d = 0; d < CW_GROUPS_DIMS && tiles <= step->tiles; d++)
        tiles *= cw_groups_grid(step, d);
    return tiles == step->tiles && (!step->column || cw_groups_grid(step, 0) == step->tiles);
}

/* Checks the steps, numbers tiles and accesses. */
static enum cw_status number(struct cw_groups_net *net, struct cw_error *err)
{
    net->base = malloc((net->steps + 1) * sizeof *net->base);
    net->access_base = malloc((net->steps + 1) * sizeof *net->access_base);
    if (!net->base || !net->access_base)
        return no_memory(err);
    net->base[0] = 0;
    net->access_base[0] = 0;
    for (uint32_t s = 0; s < net->steps; s++) {
        const struct cw_groups_step *step = &net->step[s];
        if (step->tiles == 0)
            return cw_error_set(err, CW_ERR_INVALID, "priority groups: step %u has no tiles", s);
        if (!is_grid(step))
            return cw_error_set(err, CW_ERR_INVALID, "priority groups: the grid of step %u", s);
        if (step->tiles > CW_GROUPS_TILES_MAX - net->base[s] ||
            step->accesses > UINT32_MAX / 8 / step->tiles || net->access_base[s] > UINT32_MAX / 8)
            return cw_error_set(err, CW_ERR_LIMIT, "priority groups: too many tiles");
        net->base[s + 1] = net->base[s] + step->tiles;
        net->access_base[s + 1] = net->access_base[s] + (size_t)step->tiles * step->accesses;
    }
    net->tiles = net->base[net->steps];
    net->step_of = malloc(net->tiles * sizeof *net->step_of);
    if (!net->step_of)
        return no_memory(err);
    for (uint32_t s = 0; s < net->steps; s++)
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            net->step_of[i] = s;
    return CW_OK;
}

/* All ends of all ranges, ascending, each once; then every access as a run of pieces. */
static enum cw_status cut(struct cw_groups_net *net, struct cw_error *err)
{
    size_t accesses = net->access_base[net->steps], ends = 0, kept = 0;
    uint64_t *scratch;

    net->bound = malloc((2 * accesses + 1) * sizeof *net->bound);
    net->run = malloc((accesses + 1) * sizeof *net->run);
    if (!net->bound || !net->run)
        return no_memory(err);
    for (uint32_t s = 0; s < net->steps; s++)
        for (size_t k = 0; k < net->access_base[s + 1] - net->access_base[s]; k++)
            if (net->step[s].access[k].low < net->step[s].access[k].high) {
                net->bound[ends++] = net->step[s].access[k].low;
                net->bound[ends++] = net->step[s].access[k].high;
            }
    scratch = malloc((ends + 1) * sizeof *scratch);
    if (!scratch)
        return no_memory(err);
    cw_radix_sort(net->bound, scratch, ends);
    free(scratch);
    for (size_t k = 0; k < ends; k++)
        if (kept == 0 || net->bound[k] != net->bound[kept - 1])
            net->bound[kept++] = net->bound[k];
    net->pieces = kept ? (uint32_t)kept - 1 : 0;
    for (uint32_t s = 0; s < net->steps; s++)
        for (size_t k = 0; k < net->access_base[s + 1] - net->access_base[s]; k++) {
            const struct cw_groups_access *a = &net->step[s].access[k];
            struct cw_groups_run *run = &net->run[net->access_base[s] + k], before = {0, 0};
            if (k >= net->step[s].accesses)
                before = run[-(ptrdiff_t)net->step[s].accesses];
            *run = (struct cw_groups_run){0, 0};
            if (a->low < a->high) {
                run->low = piece_at(net, a->low, before.low);
                run->high = piece_at(net, a->high, before.high);
            }
        }
    return CW_OK;
}

static enum cw_status weigh(struct cw_groups_net *net, struct cw_error *err)
{
    int64_t *opened = calloc((size_t)net->pieces + 1, sizeof *opened), open = 0;

    if (!opened)
        return no_memory(err);
    for (size_t a = 0; a < net->access_base[net->steps]; a++)
        opened[net->run[a].low]++, opened[net->run[a].high]--;
    for (uint32_t p = 0; p < net->pieces; p++) {
        open += opened[p];
        net->bytes += open > 0 ? cw_groups_piece_bytes(net, p) : 0;
    }
    free(opened);
    return CW_OK;
}

enum cw_status cw_groups_net_init(struct cw_groups_net *net, const struct cw_groups_step *step,
                                  uint32_t steps, struct cw_error *err)
{
    enum cw_status status;

    *net = (struct cw_groups_net){.step = step, .steps = steps};
    if (steps == 0)
        return cw_error_set(err, CW_ERR_INVALID, "priority groups: no steps");
    status = number(net, err);
    if (status == CW_OK)
        status = cut(net, err);
    if (status == CW_OK)
        status = weigh(net, err);
    return status == CW_OK ? cw_groups_net_depend(net, err) : status;
}

void cw_groups_net_finish(struct cw_groups_net *net)
{
    free(net->base);
    free(net->step_of);
    free(net->access_base);
    free(net->run);
    free(net->bound);
    free(net->pred_start);
    free(net->pred);
    *net = (struct cw_groups_net){0};
}
