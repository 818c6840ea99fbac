/* groups_order.c - where tiles stand, their priority numbers, and their groups. */
#include "groups_order.h"

#include <stdlib.h>

#include "random.h"
#include "whole.h"

static int64_t lean_of(const struct cw_groups_step *step)
{
    return (int64_t)(step->lean * CW_GROUPS_UNIT);
}

/* Tiles of a step that says nothing else lie evenly on the way that the finest step divides into `most`
 * tiles. */
static void coordinates(struct cw_groups_order *o)
{
    const struct cw_groups_net *net = o->net;

    for (uint32_t s = 0; s < net->steps; s++)
        for (uint32_t i = 0; i < net->step[s].tiles; i++)
            o->at[net->base[s] + i] =
                net->step[s].column
                    ? net->step[s].column[i] * (int64_t)CW_GROUPS_UNIT - lean_of(&net->step[s])
                    : (int64_t)(2 * (uint64_t)i + 1) * o->most * (CW_GROUPS_UNIT / 2) / net->step[s].tiles -
                          CW_GROUPS_UNIT / 2;
}

struct extent {
    int64_t low, high;
};

/* By all of tile `i`. */
static void stretch(const struct cw_groups_order *o, struct extent *e, uint32_t i)
{
    int64_t half = (int64_t)o->most * CW_GROUPS_UNIT / 2 / o->net->step[o->net->step_of[i]].tiles;

    e->low = o->at[i] - half < e->low ? o->at[i] - half : e->low;
    e->high = o->at[i] + half > e->high ? o->at[i] + half : e->high;
}

/* The extent of the tiles that tile `i` depends on; of steps of one tile, which have no place of their own,
 * only if there is nothing else. */
static struct extent before(const struct cw_groups_order *o, uint32_t i)
{
    const struct cw_groups_net *net = o->net;
    struct extent met = {INT64_MAX, INT64_MIN};

    for (int single = 0; single < 2 && met.low > met.high; single++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
            if ((net->step[net->step_of[net->pred[e]]].tiles == 1) == single)
                stretch(o, &met, net->pred[e]);
    return met;
}

/* Does every tile of step `s` stand by those that it meets, or half a tile beside them? */
static bool agrees(const struct cw_groups_order *o, uint32_t s, const struct extent *met)
{
    if (o->net->step[s].column)
        return true;
    if (o->net->step[s].tiles == 1)
        return false; /* no coordinate of its own */
    for (uint32_t i = 0; i < o->net->step[s].tiles; i++) {
        int64_t at = o->at[o->net->base[s] + i];
        if (met[i].low <= met[i].high &&
            (at < met[i].low - CW_GROUPS_UNIT / 2 || at > met[i].high + CW_GROUPS_UNIT / 2))
            return false;
    }
    return true;
}

/* Moves the tiles of step `s` amid their predecessors, else amid their successors, where their index says
 * otherwise: kernels over a border, single tiles. Returns whether it meets half of the way or more with one
 * tile. */
static bool move(struct cw_groups_order *o, uint32_t s, const struct extent *after, struct extent *met)
{
    const struct cw_groups_net *net = o->net;
    bool wide = false;

    for (uint32_t i = 0; i < net->step[s].tiles; i++) {
        uint32_t tile = net->base[s] + i;
        met[i] = before(o, tile);
        if (met[i].low > met[i].high)
            met[i] = after[tile];
    }
    if (o->most == 1 || agrees(o, s, met))
        return false;
    for (uint32_t i = 0; i < net->step[s].tiles; i++)
        if (met[i].low <= met[i].high) {
            o->at[net->base[s] + i] = met[i].low + (met[i].high - met[i].low) / 2;
            wide |= met[i].high - met[i].low >= (int64_t)o->most * CW_GROUPS_UNIT / 2;
        }
    return wide && net->step[s].tiles == 1;
}

static enum cw_status stand_by_data(struct cw_groups_order *o, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    struct extent *after = malloc((net->tiles + o->most) * sizeof *after), *met = after + net->tiles;

    if (!after)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t i = 0; i < net->tiles; i++)
        after[i] = (struct extent){INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < net->tiles; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
            stretch(o, &after[net->pred[e]], i);
    for (uint32_t s = 0; s < net->steps; s++)
        o->spread[s] = move(o, s, after, met);
    free(after);
    return CW_OK;
}

static void reach(struct cw_groups_order *o)
{
    const struct cw_groups_net *net = o->net;
    bool leans = false;

    for (uint32_t i = 0; i < net->tiles; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
            uint32_t on = net->pred[e];
            int64_t away = o->at[on] - o->at[i];
            if (net->step[net->step_of[i]].tiles == 1 || net->step[net->step_of[on]].tiles == 1)
                continue;
            o->forward = away > o->forward ? away : o->forward;
            o->reach = llabs(away) > o->reach ? llabs(away) : o->reach;
            leans |= net->step[net->step_of[i]].column != NULL;
        }
    if (!leans)
        o->forward = o->reach;
}

/* Four tiles side by side for each lane, so that lanes seldom read other lanes' results, if those are at most
 * a quarter of the cache; else as many as there are lanes, at least. */
static uint32_t wide(const struct cw_groups_order *o)
{
    uint32_t width = 4 * o->options->lanes;
    double held = o->net->bytes ? (double)o->options->cache_bytes / (double)o->net->bytes * o->most : 0;

    if (o->options->cache_bytes && held < 4.0 * width)
        width = (uint32_t)cw_whole_from(held / 4, UINT32_MAX);
    return width > o->options->lanes ? width : o->options->lanes;
}

static void choose(struct cw_groups_order *o, struct cw_groups_options *drawn)
{
    uint64_t seed = o->options->seed;

    if (seed) {
        *drawn = *o->options;
        drawn->width = (uint32_t)cw_random_below(&seed, o->most) + 1;
        drawn->height = (uint32_t)cw_random_below(&seed, o->net->steps) + 1;
        o->options = drawn;
    }
    o->width = o->options->width ? o->options->width : o->options->apart ? 1 : wide(o);
    if (o->width > o->most)
        o->width = o->most;
}

/* P of tile `i`. */
static int64_t priority(const struct cw_groups_order *o, uint32_t i)
{
    const struct cw_groups_net *net = o->net;
    uint32_t s = net->step_of[i];
    int64_t p = INT64_MIN, last = (int64_t)(o->most - 1) * CW_GROUPS_UNIT;

    if (o->options->rule != CW_GROUPS_MAX)
        return o->at[i] + o->shift[s];
    for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
        if (o->block[net->step_of[net->pred[e]]] == o->block[s] && o->key[net->pred[e]].priority > p)
            p = o->key[net->pred[e]].priority;
    if (p == INT64_MIN)
        p = o->at[i] + o->reach < last ? o->at[i] + o->reach : last;
    return p;
}

/* Lanes share a group's width evenly, each a run of neighbours; where the maximum folds tiles onto one P, by
 * index; apart, the groups of the block. */
static void lanes(struct cw_groups_order *o, uint32_t first, uint32_t end)
{
    const struct cw_groups_net *net = o->net;
    uint64_t n = o->options->lanes, width = (uint64_t)o->width * CW_GROUPS_UNIT, groups = 0;

    for (uint32_t i = net->base[first]; i < net->base[end]; i++)
        groups = o->key[i].group >= groups ? o->key[i].group + 1 : groups;
    for (uint32_t i = net->base[first]; i < net->base[end]; i++) {
        struct cw_groups_key *k = &o->key[i];

        if (o->options->rule == CW_GROUPS_MAX)
            k->lane = (i - net->base[net->step_of[i]]) % (uint32_t)n;
        else
            k->lane = (uint32_t)(o->options->apart ? k->group * n / groups
                                                   : (uint64_t)k->priority % width * n / width);
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1] && o->options->apart; e++) {
            const struct cw_groups_key *on = &o->key[net->pred[e]];
            k->late |= on->block == k->block && (on->late || on->lane != k->lane);
        }
    }
}

/* Keys of all tiles; groups count from 0 in each block, from the block's least priority. */
void cw_groups_order_keys(struct cw_groups_order *o)
{
    const struct cw_groups_net *net = o->net;

    for (uint32_t s = 0, end; s < net->steps; s = end) {
        int64_t least = INT64_MAX;
        for (end = s; end < net->steps && o->block[end] == o->block[s]; end++)
            for (uint32_t i = net->base[end]; i < net->base[end + 1]; i++) {
                o->key[i] =
                    (struct cw_groups_key){.block = o->block[s], .priority = priority(o, i), .tile = i};
                least = o->key[i].priority < least ? o->key[i].priority : least;
            }
        for (uint32_t i = net->base[s]; i < net->base[end]; i++) {
            o->key[i].priority -= least;
            o->key[i].group = (uint32_t)(o->key[i].priority / ((int64_t)o->width * CW_GROUPS_UNIT));
        }
        lanes(o, s, end);
    }
}

/* Memory, and where tiles stand. */
static enum cw_status arrange(struct cw_groups_order *o, const struct cw_groups_net *net,
                              struct cw_error *err)
{
    o->net = net;
    for (uint32_t s = 0; s < net->steps; s++) {
        uint32_t n = net->step[s].tiles, most = net->step[s].column ? net->step[s].column[n - 1] + 1 : n;
        o->most = most > o->most ? most : o->most;
    }
    o->at = malloc(net->tiles * sizeof *o->at);
    o->key = malloc(net->tiles * sizeof *o->key);
    o->spread = calloc(net->steps, sizeof *o->spread);
    o->block = calloc(net->steps, sizeof *o->block);
    o->level = calloc(net->steps, sizeof *o->level);
    o->shift = calloc(net->steps, sizeof *o->shift);
    if (!o->at || !o->key || !o->spread || !o->block || !o->level || !o->shift)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    coordinates(o);
    return stand_by_data(o, err);
}

enum cw_status cw_groups_order_init(struct cw_groups_order *o, const struct cw_groups_net *net,
                                    const struct cw_groups_options *options, struct cw_error *err)
{
    struct cw_groups_options drawn;
    enum cw_status status;

    *o = (struct cw_groups_order){.options = options};
    status = arrange(o, net, err);
    if (status == CW_OK) {
        reach(o);
        choose(o, &drawn);
        status = cw_groups_blocks(o, err);
    }
    if (status == CW_OK)
        cw_groups_order_keys(o);
    o->options = options;
    return status;
}

enum cw_status cw_groups_shifts(struct cw_groups_order *o, const struct cw_groups_net *net,
                                struct cw_error *err)
{
    static const struct cw_groups_options none = {.lanes = 1};
    enum cw_status status;

    *o = (struct cw_groups_order){.options = &none};
    status = arrange(o, net, err);
    for (uint32_t s = 0; s < net->steps && status == CW_OK; s++)
        cw_groups_place_step(o, 0, s);
    return status;
}

void cw_groups_order_finish(struct cw_groups_order *o)
{
    free(o->at);
    free(o->key);
    free(o->spread);
    free(o->block);
    free(o->level);
    free(o->shift);
    *o = (struct cw_groups_order){0};
}
