/* groups_order.c - where tiles stand, their priority numbers, and their groups. */
#include "groups_order.h"
#include "random.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>

/* How many tiles a group has in each dimension. */

#define LESS .9 /* of the bytes that make shorter rows worth it */

/* Four tiles side by side for each worker, so that workers seldom read other workers' results, if those are
 * at most a quarter of the cache; else as many as there are workers, at least. */
static uint32_t wide(const struct cw_groups_order *o)
{
    uint32_t width = 4 * o->options->workers;
    double held = o->net->bytes ? (double)o->options->cache_bytes / (double)o->net->bytes * o->most[0] : 0;

    if (o->options->cache_bytes && held < 4.0 * width)
        width = (uint32_t)cw_whole_from(held / 4, UINT32_MAX);
    return width > o->options->workers ? width : o->options->workers;
}

static uint32_t asked(const struct cw_groups_options *options, uint32_t d)
{
    return d ? options->inner[d - 1] : options->width;
}

/* Groups follow each other in dimension `slide`: strips of `strip` tiles before it, all tiles behind it. In a
 * grid a group is one tile wide there, as workers share the other dimensions. */
static void set(struct cw_groups_order *o, uint32_t slide, uint32_t strip)
{
    o->slide = slide;
    for (uint32_t d = 0; d < CW_GROUPS_DIMS; d++) {
        uint32_t own = d < slide                               ? strip
                       : d > slide                             ? o->most[d]
                       : o->dims == 1 && !o->options->separate ? wide(o)
                                                               : 1;

        o->width[d] = asked(o->options, d) ? asked(o->options, d) : own;
        o->width[d] = o->width[d] < o->most[d] ? o->width[d] : o->most[d];
    }
}

static void draw(struct cw_groups_order *o, struct cw_groups_options *drawn)
{
    uint64_t seed = o->options->seed;

    *drawn = *o->options;
    drawn->width = (uint32_t)cw_random_below(&seed, o->most[0]) + 1;
    drawn->height = (uint32_t)cw_random_below(&seed, o->net->steps) + 1;
    for (uint32_t d = 1; d < CW_GROUPS_DIMS; d++)
        drawn->inner[d - 1] = (uint32_t)cw_random_below(&seed, o->most[d]) + 1;
    o->options = drawn;
}

/* Chooses o->width and o->slide (groups_order.c). *drawn: the caller's, for options that chaos draws. Errors:
 * CW_ERR_NOMEM. */
static enum cw_status groups_widths(struct cw_groups_order *o, struct cw_groups_options *drawn,
                                    struct cw_error *err)
{
    /* the patent's groups are runs of tile numbers, so of whole rows */
    uint32_t dims = o->options->rule == CW_GROUPS_SKEW ? o->dims : 1, best_slide = 0, best_strip = 1;
    double least = INFINITY, bytes;
    enum cw_status status = CW_OK;

    if (o->options->seed)
        draw(o, drawn);
    for (uint32_t slide = 0; slide < dims && dims > 1 && status == CW_OK; slide++)
        for (uint32_t strip = o->most[0]; strip >= 1 && status == CW_OK; strip = slide ? strip / 2 : 0) {
            set(o, slide, strip);
            status = cw_groups_weigh(o, &bytes, err);
            if (bytes < LESS * least)
                least = bytes, best_slide = slide, best_strip = strip;
        }
    set(o, best_slide, best_strip);
    return status;
}

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
            for (uint32_t d = 0; d < o->dims; d++)
                o->at[(size_t)(net->base[s] + i) * o->dims + d] =
                    net->step[s].column
                        ? d ? 0 : net->step[s].column[i] * (int64_t)CW_GROUPS_UNIT - lean_of(&net->step[s])
                        : (int64_t)(2 * (uint64_t)cw_groups_coordinate(&net->step[s], i, d) + 1) *
                                  o->most[d] * (CW_GROUPS_UNIT / 2) / cw_groups_grid(&net->step[s], d) -
                              CW_GROUPS_UNIT / 2;
}

static int64_t at(const struct cw_groups_order *o, uint32_t i, uint32_t d)
{
    return o->at[(size_t)i * o->dims + d];
}

struct extent {
    int64_t low, high;
};

/* By all of tile `i`. */
static void stretch(const struct cw_groups_order *o, struct extent *e, uint32_t i, uint32_t d)
{
    int64_t half =
        (int64_t)o->most[d] * CW_GROUPS_UNIT / 2 / cw_groups_grid(&o->net->step[o->net->step_of[i]], d);

    e->low = at(o, i, d) - half < e->low ? at(o, i, d) - half : e->low;
    e->high = at(o, i, d) + half > e->high ? at(o, i, d) + half : e->high;
}

/* The extent of the tiles that tile `i` depends on; of steps of one tile, which have no place of their own,
 * only if there is nothing else. */
static struct extent before(const struct cw_groups_order *o, uint32_t i, uint32_t d)
{
    const struct cw_groups_net *net = o->net;
    struct extent met = {INT64_MAX, INT64_MIN};

    for (int single = 0; single < 2 && met.low > met.high; single++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
            if ((net->step[net->step_of[net->pred[e]]].tiles == 1) == single)
                stretch(o, &met, net->pred[e], d);
    return met;
}

/* Does every tile of step `s` stand by those that it meets, or half a tile beside them? */
static bool agrees(const struct cw_groups_order *o, uint32_t s, uint32_t d, const struct extent *met)
{
    if (o->net->step[s].column)
        return true;
    if (o->net->step[s].tiles == 1)
        return false; /* no coordinate of its own */
    for (uint32_t i = 0; i < o->net->step[s].tiles; i++) {
        int64_t own = at(o, o->net->base[s] + i, d);
        if (met[i].low <= met[i].high &&
            (own < met[i].low - CW_GROUPS_UNIT / 2 || own > met[i].high + CW_GROUPS_UNIT / 2))
            return false;
    }
    return true;
}

/* Moves the tiles of step `s` amid their predecessors, else amid their successors, where their index says
 * otherwise: kernels over a border, single tiles. Returns whether it meets half of the way or more with one
 * tile. */
static bool move(struct cw_groups_order *o, uint32_t s, uint32_t d, const struct extent *after,
                 struct extent *met)
{
    const struct cw_groups_net *net = o->net;
    bool wide = false;

    for (uint32_t i = 0; i < net->step[s].tiles; i++) {
        uint32_t tile = net->base[s] + i;
        met[i] = before(o, tile, d);
        if (met[i].low > met[i].high)
            met[i] = after[tile];
    }
    if (o->most[d] == 1 || agrees(o, s, d, met))
        return false;
    for (uint32_t i = 0; i < net->step[s].tiles; i++)
        if (met[i].low <= met[i].high) {
            o->at[(size_t)(net->base[s] + i) * o->dims + d] = met[i].low + (met[i].high - met[i].low) / 2;
            wide |= met[i].high - met[i].low >= (int64_t)o->most[d] * CW_GROUPS_UNIT / 2;
        }
    return wide && net->step[s].tiles == 1;
}

static enum cw_status stand_by_data(struct cw_groups_order *o, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    uint32_t largest = 1;
    struct extent *after, *met;

    for (uint32_t s = 0; s < net->steps; s++)
        largest = net->step[s].tiles > largest ? net->step[s].tiles : largest;
    after = malloc(((size_t)net->tiles + largest) * sizeof *after);
    if (!after)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    met = after + net->tiles;
    for (uint32_t d = 0; d < o->dims; d++) {
        for (uint32_t i = 0; i < net->tiles; i++)
            after[i] = (struct extent){INT64_MAX, INT64_MIN};
        for (uint32_t i = 0; i < net->tiles; i++)
            for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
                stretch(o, &after[net->pred[e]], i, d);
        for (uint32_t s = 0; s < net->steps; s++)
            o->spread[s] |= move(o, s, d, after, met);
    }
    free(after);
    return CW_OK;
}

static void reach(struct cw_groups_order *o, uint32_t d)
{
    const struct cw_groups_net *net = o->net;
    bool leans = false;

    for (uint32_t i = 0; i < net->tiles; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
            uint32_t on = net->pred[e];
            int64_t away = at(o, on, d) - at(o, i, d);
            if (net->step[net->step_of[i]].tiles == 1 || net->step[net->step_of[on]].tiles == 1)
                continue;
            o->forward[d] = away > o->forward[d] ? away : o->forward[d];
            o->reach[d] = llabs(away) > o->reach[d] ? llabs(away) : o->reach[d];
            leans |= net->step[net->step_of[i]].column != NULL;
        }
    if (!leans)
        o->forward[d] = o->reach[d];
}

/* The corner x + R of tile `i`, within the grid, as the number of a tile. */
static int64_t corner(const struct cw_groups_order *o, uint32_t i)
{
    int64_t p = 0;

    for (uint32_t d = 0; d < o->dims; d++) {
        int64_t last = (int64_t)(o->most[d] - 1) * CW_GROUPS_UNIT, c = at(o, i, d) + o->reach[d];

        c = c < last ? c : last;
        p += d + 1 < o->dims ? (c + CW_GROUPS_UNIT / 2) / CW_GROUPS_UNIT * CW_GROUPS_UNIT : c;
        p *= d + 1 < o->dims ? o->most[d + 1] : 1;
    }
    return p;
}

/* P of tile `i` in dimension `d`. */
static int64_t priority(const struct cw_groups_order *o, uint32_t i, uint32_t d)
{
    const struct cw_groups_net *net = o->net;
    uint32_t s = net->step_of[i];
    int64_t p = INT64_MIN;

    if (o->options->rule != CW_GROUPS_MAX)
        return at(o, i, d) + o->shift[(size_t)s * o->dims + d];
    for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
        if (o->block[net->step_of[net->pred[e]]] == o->block[s] && o->key[net->pred[e]].priority > p)
            p = o->key[net->pred[e]].priority;
    return p == INT64_MIN ? corner(o, i) : p;
}

/* The dimension whose width workers share: the first that has a tile for each, else the widest. */
static uint32_t shared_dim(const struct cw_groups_order *o)
{
    uint32_t best = 0;

    for (uint32_t d = 0; d < o->dims; d++) {
        if (o->width[d] >= o->options->workers)
            return d;
        best = o->width[d] > o->width[best] ? d : best;
    }
    return best;
}

/* Workers share a group's width evenly, each a run of neighbours; where the maximum folds tiles onto one P,
 * by index; apart, the groups of the block. */
static void workers(struct cw_groups_order *o, uint32_t first, uint32_t end)
{
    const struct cw_groups_net *net = o->net;
    uint64_t n = o->options->workers, width = (uint64_t)o->width[shared_dim(o)] * CW_GROUPS_UNIT, rows = 0;

    for (uint32_t i = net->base[first]; i < net->base[end]; i++)
        rows = o->key[i].row >= rows ? o->key[i].row + 1 : rows;
    for (uint32_t i = net->base[first]; i < net->base[end]; i++) {
        struct cw_groups_key *k = &o->key[i];

        if (o->options->rule == CW_GROUPS_MAX)
            k->worker = (i - net->base[net->step_of[i]]) % (uint32_t)n;
        else
            k->worker = (uint32_t)(o->options->separate ? k->row * n / rows
                                                        : (uint64_t)k->priority % width * n / width);
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1] && o->options->separate; e++) {
            const struct cw_groups_key *on = &o->key[net->pred[e]];
            k->late |= on->block == k->block && (on->late || on->worker != k->worker);
        }
    }
}

/* Groups of tiles [first, end) in dimension `d`, from the block's least P on, behind those of the dimensions
 * before, which are in the keys. Rule max has one dimension, and groups of as many tiles as a box has. */
static void group_by(struct cw_groups_order *o, uint32_t first, uint32_t end, uint32_t d)
{
    bool max = o->options->rule == CW_GROUPS_MAX;
    int64_t least = INT64_MAX, most = INT64_MIN, width = (int64_t)o->width[d] * CW_GROUPS_UNIT;
    uint32_t shared = max ? 0 : shared_dim(o);

    for (uint32_t other = 1; other < o->dims && max; other++)
        width *= o->width[other];
    for (uint32_t i = first; i < end; i++) {
        int64_t p = priority(o, i, d);

        o->key[i].priority = max ? p : o->key[i].priority; /* of those that depend on it */
        least = p < least ? p : least;
        most = p > most ? p : most;
    }
    for (uint32_t i = first; i < end; i++) {
        int64_t p = (max ? o->key[i].priority : priority(o, i, d)) - least;
        uint64_t group = o->key[i].group * (uint64_t)((most - least) / width + 1) + (uint64_t)(p / width);

        o->key[i].group = group < UINT32_MAX ? (uint32_t)group : UINT32_MAX; /* the order is mended */
        o->key[i].row = d == 0 ? o->key[i].group : o->key[i].row;
        o->key[i].priority = d == shared ? p : o->key[i].priority;
    }
}

void cw_groups_order_keys(struct cw_groups_order *o)
{
    const struct cw_groups_net *net = o->net;

    for (uint32_t s = 0, end; s < net->steps; s = end) {
        for (end = s; end < net->steps && o->block[end] == o->block[s]; end++)
            for (uint32_t i = net->base[end]; i < net->base[end + 1]; i++)
                o->key[i] = (struct cw_groups_key){.block = o->block[s], .tile = i};
        for (uint32_t d = 0; d < (o->options->rule == CW_GROUPS_MAX ? 1 : o->dims); d++)
            group_by(o, net->base[s], net->base[end], d);
        workers(o, s, end);
    }
}

/* Memory, and where tiles stand. */
static enum cw_status arrange(struct cw_groups_order *o, const struct cw_groups_net *net,
                              struct cw_error *err)
{
    o->net = net, o->dims = 1;
    for (uint32_t s = 0; s < net->steps; s++)
        for (uint32_t d = 0; d < CW_GROUPS_DIMS; d++) {
            const struct cw_groups_step *step = &net->step[s];
            uint32_t n = cw_groups_grid(step, d), most = step->column && d == 0 ? step->column[n - 1] + 1 : n;
            o->most[d] = most > o->most[d] ? most : o->most[d];
            o->dims = n > 1 && d >= o->dims ? d + 1 : o->dims;
        }
    o->at = malloc((size_t)net->tiles * o->dims * sizeof *o->at);
    o->key = malloc(net->tiles * sizeof *o->key);
    o->spread = calloc(net->steps, sizeof *o->spread);
    o->block = calloc(net->steps, sizeof *o->block);
    o->level = calloc(net->steps, sizeof *o->level);
    o->shift = calloc((size_t)net->steps * o->dims, sizeof *o->shift);
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
    for (uint32_t d = 0; d < o->dims && status == CW_OK; d++)
        reach(o, d);
    if (status == CW_OK)
        status = groups_widths(o, &drawn, err);
    if (status == CW_OK)
        status = cw_groups_blocks(o, err);
    if (status == CW_OK)
        cw_groups_order_keys(o);
    o->options = options;
    return status;
}

enum cw_status cw_groups_shifts(struct cw_groups_order *o, const struct cw_groups_net *net,
                                struct cw_error *err)
{
    static const struct cw_groups_options none = {.workers = 1};
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
